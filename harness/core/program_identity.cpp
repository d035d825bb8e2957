#include "core/program_identity.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/error.h"
#include "core/hash.h"
#include "core/hex_digits.h"

namespace tailwave {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Of one segment's notes; each is a header, a name and a description.
std::string build_id_in(std::string_view notes, std::size_t alignment) {
  ElfW(Nhdr) header;
  while (notes.size() >= sizeof header) {
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t begin = round_up(sizeof header + header.n_namesz, alignment);
    if (begin + header.n_descsz > notes.size()) break;
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof header, header.n_namesz) == std::string_view(ELF_NOTE_GNU, sizeof ELF_NOTE_GNU)) {
      return hex_digits(notes.substr(begin, header.n_descsz));
    }
    notes.remove_prefix(std::min(notes.size(), round_up(begin + header.n_descsz, alignment)));
  }
  return "";
}

}  // namespace

std::string build_id() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* result) {
        std::string& id = *static_cast<std::string*>(result);
        for (int i = 0; i < program->dlpi_phnum && id.empty(); ++i) {
          const ElfW(Phdr)& segment = program->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE) continue;
          // NOLINTNEXTLINE(performance-no-int-to-ptr): the system has addresses as numbers
          const auto* const notes = reinterpret_cast<const char*>(program->dlpi_addr + segment.p_vaddr);
          id = build_id_in({notes, segment.p_memsz}, segment.p_align == 8 ? 8 : 4);
        }
        return 1;  // the first is the program, the others are its libraries
      },
      &found);
  return found;
}

std::string identity_of(const std::string& build_id, const std::filesystem::path& program) {
  if (!build_id.empty()) return build_id;
  std::ifstream stream(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || bytes.empty()) throw Error(program.string() + ": cannot be read");
  return content_hash(bytes);
}

const std::string& program_identity() {
  static const std::string identity = identity_of(build_id(), "/proc/self/exe");
  return identity;
}

}  // namespace tailwave
