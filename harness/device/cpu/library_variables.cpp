#include "device/cpu/library_variables.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

namespace tailwave {
namespace {

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

}  // namespace

LibraryVariables::LibraryVariables(void* library, void* inside) {
  for (const std::span<std::byte> memory : writable_memory(library, inside)) {
    Segment& segment = segments_.emplace_back(Segment{memory, std::vector<std::byte>(memory.size())});
    copy_all(segment.initial.data(), memory.data(), memory.size());
  }
}

void LibraryVariables::restore() const {
  for (const Segment& segment : segments_)
    copy_all(segment.memory.data(), segment.initial.data(), segment.initial.size());
}

}  // namespace tailwave
