#include "device/cpu/cpu_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

#include "core/outcome.h"
#include "device/cpu/cpu_buffer.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const std::string& detail) {
  throw Failure(Outcome::launch_failed, detail);
}

// A variable has its surroundings between it and the next one, which AddressSanitizer forbids to touch.
#ifdef TAILWAVE_SANITIZE
__attribute__((no_sanitize("address"), optimize("no-tree-loop-distribute-patterns")))
#endif
void copy_all(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
}

// The memory that a loaded library can write once it is loaded: its segments, less what the loader has protected since.
// `inside` is an address in it.
std::vector<std::span<std::byte>> writable_memory(void* library, void* inside) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  struct Search {
    ElfW(Addr) base;
    std::byte* start;  // the memory at that address
    std::vector<std::span<std::byte>> found;
  };
  auto* const start = static_cast<std::byte*>(inside) - (reinterpret_cast<ElfW(Addr)>(inside) - map->l_addr);
  Search search{map->l_addr, start, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (info->dlpi_addr != wanted.base) return 0;
    const std::span headers(info->dlpi_phdr, info->dlpi_phnum);
    const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
    ElfW(Addr) writable_from = 0;
    for (const auto& header : headers)
      if (header.p_type == PT_GNU_RELRO) writable_from = (header.p_vaddr + header.p_memsz) / page * page;
    for (const auto& header : headers) {
      if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
      const ElfW(Addr) begin = std::max(header.p_vaddr, writable_from), end = header.p_vaddr + header.p_memsz;
      if (begin < end) wanted.found.emplace_back(wanted.start + begin, end - begin);
    }
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

ScalarBytes address_of(const Buffer& buffer) {
  return scalar(dynamic_cast<const CpuBuffer&>(buffer).data());
}

}  // namespace

void CpuProgram::Close::operator()(void* library) const noexcept {
  dlclose(library);
}

CpuProgram::CpuProgram(const Artifact& artifact) {
  if (artifact.kind == Artifact::Kind::cubin) refuse("a cubin cannot run on the CPU device");
  library_.reset(dlopen(artifact.file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library_) refuse(fmt::format("the compiled code cannot be loaded: {}", dlerror()));
  void* const symbol = dlsym(library_.get(), tailwave_cpu::kTableSymbol);
  const auto* table = static_cast<const tailwave_cpu::Table*>(symbol);
  if (table == nullptr || table->abi_version != tailwave_cpu::kAbiVersion)
    refuse(fmt::format("{}: not compiled by this version of tailwave", artifact.file.string()));
  for (int i = 0; i < table->entry_count; ++i) entries_.emplace(table->entries[i].name, &table->entries[i]);
  for (const std::span<std::byte> memory : writable_memory(library_.get(), symbol)) {
    Segment& segment = segments_.emplace_back(Segment{memory, std::vector<std::byte>(memory.size())});
    copy_all(segment.initial.data(), memory.data(), memory.size());
  }
}

void CpuProgram::restore_variables() const {
  for (const Segment& segment : segments_)
    copy_all(segment.memory.data(), segment.initial.data(), segment.initial.size());
}

const tailwave_cpu::Entry& CpuProgram::entry(const std::string& kernel) const {
  const auto found = entries_.find(kernel);
  if (found == entries_.end()) refuse(fmt::format("the program has no '{}'", kernel));
  return *found->second;
}

std::span<std::byte> CpuProgram::variable(const std::string& name) const {
  void* const address = dlsym(library_.get(), name.c_str());
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  const bool known = address != nullptr &&
                     dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                             RTLD_DL_SYMENT) != 0 &&
                     symbol != nullptr && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
  if (!known)
    refuse(fmt::format("the program has no variable '{}'; it has to be extern \"C\" and not static", name));
  return {static_cast<std::byte*>(address), symbol->st_size};
}

PackedArguments::PackedArguments(const tailwave_cpu::Entry& entry, const Launch& launch) {
  const auto count = static_cast<std::size_t>(entry.argument_count);
  if (launch.arguments.size() != count)
    refuse(fmt::format("'{}' takes {} arguments, not {}", launch.kernel, count, launch.arguments.size()));
  values_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const tailwave_cpu::Argument& parameter = entry.arguments[i];
    const auto* buffer = std::get_if<Buffer*>(&launch.arguments[i]);
    if ((buffer != nullptr) != parameter.pointer)
      refuse(fmt::format("argument {} of '{}' is {}", i + 1, launch.kernel,
                         parameter.pointer ? "a pointer, not a scalar" : "a scalar, not a pointer"));
    values_.push_back(buffer != nullptr ? address_of(**buffer) : std::get<ScalarBytes>(launch.arguments[i]));
    if (values_.back().size != parameter.size)
      refuse(fmt::format("argument {} of '{}' has {} bytes, not {}", i + 1, launch.kernel, parameter.size,
                         values_.back().size));
    pointers_.push_back(values_.back().bytes.data());
  }
}

}  // namespace tailwave
