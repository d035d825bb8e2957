#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace tailwave::fakes {

template <class T>
inline void append(std::string& image, const T& one) {
  image.append(reinterpret_cast<const char*>(&one), sizeof one);
}

// An ELF file with the symbols that the machine code of kernels `scale` and `bump` and a constant `shift` of so many bytes has,
// and no machine code.
inline std::string cubin(std::size_t shift_bytes) {
  std::string names(1, '\0');
  for (const char* one :
       {".text.scale", ".text.bump", ".nv.constant3", ".symtab", ".strtab", "scale", "bump", "shift"})
    names.append(one).push_back('\0');
  const auto name_of = [&](const std::string& name) {
    return static_cast<Elf64_Word>(names.find('\0' + name + '\0') + 1);
  };
  std::string image(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> sections(1);
  const auto add = [&](const std::string& name, Elf64_Word type, const std::string& contents,
                       Elf64_Word link = 0) {
    Elf64_Shdr one{};
    one.sh_name = name_of(name);
    one.sh_type = type;
    one.sh_offset = image.size();
    one.sh_size = contents.size();
    one.sh_link = link;
    sections.push_back(one);
    image += contents;
  };
  const auto symbol = [&](const std::string& name, unsigned char type, Elf64_Half section, std::size_t size) {
    Elf64_Sym one{};
    one.st_name = name_of(name);
    one.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    one.st_shndx = section;
    one.st_size = size;
    return one;
  };
  add(".text.scale", SHT_PROGBITS, std::string(16, '\1'));
  add(".text.bump", SHT_PROGBITS, std::string(16, '\2'));
  add(".nv.constant3", SHT_PROGBITS, std::string(shift_bytes, '\0'));
  std::string symbols(sizeof(Elf64_Sym), '\0');
  append(symbols, symbol("scale", STT_FUNC, 1, 16));
  append(symbols, symbol("bump", STT_FUNC, 2, 16));
  append(symbols, symbol("shift", STT_OBJECT, 3, shift_bytes));
  add(".symtab", SHT_SYMTAB, symbols, 5);
  add(".strtab", SHT_STRTAB, names);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = image.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = 5;
  for (const Elf64_Shdr& one : sections) append(image, one);
  std::memcpy(image.data(), &header, sizeof header);
  return image;
}

}  // namespace tailwave::fakes
