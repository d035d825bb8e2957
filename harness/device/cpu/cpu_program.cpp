#include "device/cpu/cpu_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "core/argument_words.h"
#include "core/outcome.h"
#include "device/cpu/cpu_buffer.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const std::string& detail) {
  throw Failure(Outcome::launch_failed, detail);
}

// " of scale, sum"
std::string functions_of(const Artifact& artifact) {
  std::string names;
  for (const auto& [function, symbol] : artifact.symbols) names += (names.empty() ? " of " : ", ") + function;
  return names;
}

}  // namespace

void CpuProgram::Close::operator()(void* library) const noexcept {
  dlclose(library);
}

CpuProgram::CpuProgram(const Artifact& artifact) : file_(artifact.file) {
  if (artifact.kind == Artifact::Kind::cubin) refuse("a cubin cannot run on the CPU device");
  library_.reset(dlopen(artifact.file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library_)
    throw Failure(Outcome::compile_error,
                  fmt::format("the compiled code{} cannot be loaded: {}", functions_of(artifact), dlerror()));
  void* const symbol = dlsym(library_.get(), tailwave_cpu::kTableSymbol);
  const auto* table = static_cast<const tailwave_cpu::Table*>(symbol);
  if (table == nullptr || table->abi_version != tailwave_cpu::kAbiVersion)
    refuse(fmt::format("{}: not compiled by this version of tailwave", artifact.file.string()));
  for (int i = 0; i < table->entry_count; ++i) entries_.emplace(table->entries[i].name, &table->entries[i]);
  variables_.emplace(library_.get(), symbol);
}

const tailwave_cpu::Entry& CpuProgram::entry(const std::string& kernel) const {
  const auto found = entries_.find(kernel);
  if (found == entries_.end()) refuse(fmt::format("the program has no '{}'", kernel));
  return *found->second;
}

void CpuProgram::stay_loaded() const {
  dlopen(file_.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
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
    refuse(fmt::format("'{}' takes {}{}{}", launch.kernel, count, kOtherArguments, launch.arguments.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const tailwave_cpu::Argument& parameter = entry.arguments[i];
    const LaunchArgument& argument = launch.arguments[i];
    if (std::holds_alternative<TextureView>(argument) || std::holds_alternative<TensorMapView>(argument))
      throw Failure(Outcome::unavailable, "the CPU device has no textures and no tensor maps");
    if (std::holds_alternative<Buffer*>(argument) != parameter.pointer)
      refuse(fmt::format("argument {} of '{}'{}{}", i + 1, launch.kernel, kOtherArgument,
                         parameter.pointer ? "a scalar, and the kernel takes a pointer"
                                           : "a pointer, and the kernel takes a scalar"));
    check_size(launch, i, parameter.size);
    values_.add(argument, [](const Buffer& buffer) { return dynamic_cast<const CpuBuffer&>(buffer).data(); });
  }
  pointers_ = values_.places();
}

}  // namespace tailwave
