#include "capture/injected/images.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "capture/injected/api.h"

namespace tailwave::injected {
namespace {

// Of the image that this thread loaded last, until its module is named.
thread_local std::shared_ptr<const std::string>
    loaded_last;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

template <class Part>
std::optional<Part> read(std::string_view image, std::size_t offset) {
  Part part{};
  if (offset > image.size() || image.size() - offset < sizeof part) return std::nullopt;
  std::memcpy(&part, image.data() + offset, sizeof part);
  return part;
}

std::string text_at(std::string_view image, const Elf64_Shdr& texts, std::size_t place) {
  const std::size_t from = texts.sh_offset + place;
  if (from >= image.size()) return "";
  const std::string_view rest = image.substr(from);
  return std::string(rest.substr(0, rest.find('\0')));
}

class Elf {
 public:
  explicit Elf(std::string_view image) : image_(image) {
    const auto header = read<Elf64_Ehdr>(image, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      const auto section = read<Elf64_Shdr>(image, header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return;
      sections_.push_back(*section);
    }
    if (header->e_shstrndx < sections_.size()) names_ = sections_[header->e_shstrndx];
  }

  // What a symbol's place holds; zeros where the file has none.
  [[nodiscard]] std::string contents(const Elf64_Sym& symbol) const {
    const Elf64_Shdr& section = sections_[symbol.st_shndx];
    std::string zeros(symbol.st_size, '\0');
    if (section.sh_type == SHT_NOBITS) return zeros;
    const std::size_t from = section.sh_offset + (symbol.st_value - section.sh_addr);
    if (from > image_.size() || image_.size() - from < symbol.st_size) return "";
    return std::string(image_.substr(from, symbol.st_size));
  }

  // visit(symbol, its name, the name of its section) for each that is defined.
  template <class Visit>
  void for_each_symbol(Visit visit) const {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections_.size()) continue;
      for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = read<Elf64_Sym>(image_, table.sh_offset + at);
        if (!symbol || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= sections_.size()) continue;
        visit(*symbol, text_at(image_, sections_[table.sh_link], symbol->st_name),
              text_at(image_, names_, sections_[symbol->st_shndx].sh_name));
      }
    }
  }

 private:
  std::string_view image_;
  std::vector<Elf64_Shdr> sections_;
  Elf64_Shdr names_{};
};

// What tells one module's function from another's of the same name.
std::array<int, 6> traits_of(CUfunction function) {
  constexpr std::array kAsked{CU_FUNC_ATTRIBUTE_NUM_REGS,
                              CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                              CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
                              CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                              CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                              CU_FUNC_ATTRIBUTE_BINARY_VERSION};
  std::array<int, kAsked.size()> traits{};
  for (std::size_t i = 0; i < kAsked.size(); ++i)
    Api::here().cuFuncGetAttribute(&traits[i], kAsked[i], function);
  return traits;
}

// What is loaded to look at it is none of the application's.
thread_local bool is_own_load = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

bool is_alike(const std::string& image, const std::string& symbol, const std::array<int, 6>& traits) {
  const Api& api = Api::here();
  CUmodule module = nullptr;
  is_own_load = true;
  const CUresult loaded = api.cuModuleLoadData(&module, image.data());
  is_own_load = false;
  if (loaded != CUDA_SUCCESS) return false;
  CUfunction function = nullptr;
  const bool alike = api.cuModuleGetFunction(&function, module, symbol.c_str()) == CUDA_SUCCESS &&
                     traits_of(function) == traits;
  api.cuModuleUnload(module);
  return alike;
}

}  // namespace

std::vector<std::string> kernels_in(std::string_view cubin) {
  std::vector<std::string> kernels;
  Elf(cubin).for_each_symbol([&](const Elf64_Sym& symbol, std::string name, const std::string& section) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && section == ".text." + name)
      kernels.push_back(std::move(name));
  });
  return kernels;
}

std::vector<ImageVariable> variables_in(std::string_view cubin) {
  std::vector<ImageVariable> variables;
  const Elf elf(cubin);
  elf.for_each_symbol([&](const Elf64_Sym& symbol, const std::string& name, const std::string& section) {
    const bool is_variable = section == ".nv.constant3" || section.starts_with(".nv.global");
    if (is_variable && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0)
      variables.push_back({name, symbol.st_size, elf.contents(symbol)});
  });
  return variables;
}

void Images::begin() {
  loaded_last = nullptr;
}

void Images::add(std::string_view cubin) {
  if (is_own_load || !std::ranges::any_of(kernels_in(cubin), is_wanted_)) return;
  const std::lock_guard lock(mutex_);
  const auto same = std::ranges::find_if(all_, [&](const auto& one) { return *one == cubin; });
  if (same != all_.end()) {
    loaded_last = *same;
    std::rotate(same, same + 1, all_.end());
    return;
  }
  loaded_last = std::make_shared<const std::string>(cubin);
  all_.push_back(loaded_last);
}

// Handles are used again.
void Images::named(CUmodule module) {
  const std::lock_guard lock(mutex_);
  if (loaded_last)
    by_module_[module] = std::exchange(loaded_last, nullptr);
  else
    by_module_.erase(module);
}

void Images::unloaded(CUmodule module) {
  const std::lock_guard lock(mutex_);
  by_module_.erase(module);
}

// The driver may be loading a module in another thread, which calls add(): it is asked without the lock.
std::shared_ptr<const std::string> Images::find(CUfunction function, const std::string& symbol,
                                                std::size_t& candidates) const {
  candidates = 1;
  CUmodule module = nullptr;
  const bool has_module = Api::here().cuFuncGetModule(&module, function) == CUDA_SUCCESS;
  std::vector<std::shared_ptr<const std::string>> fitting;
  {
    const std::lock_guard lock(mutex_);
    const auto found = has_module ? by_module_.find(module) : by_module_.end();
    if (found != by_module_.end()) return found->second;
    fitting = all_;
  }
  std::erase_if(fitting, [&](const auto& image) {
    const std::vector<std::string> kernels = kernels_in(*image);
    return std::ranges::find(kernels, symbol) == kernels.end();
  });
  if (fitting.size() > 1)
    std::erase_if(fitting, [&, traits = traits_of(function)](const auto& image) {
      return !is_alike(*image, symbol, traits);
    });
  candidates = fitting.size();
  return fitting.empty() ? nullptr : fitting.back();
}

}  // namespace tailwave::injected
