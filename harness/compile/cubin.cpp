#include "compile/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/hash.h"

namespace tailwave {
namespace {

constexpr std::uint16_t kMachineCuda = 190;
constexpr unsigned char kEntryPoint = 0x10;  // in a symbol's st_other
constexpr int kReservedSharedBytes = 1024;
constexpr int kFirstTargetWithReserve = 90;
constexpr int kFirstTargetWith128BitCode = 70;

enum Attribute : std::uint8_t {
  kMaxThreads = 0x05,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameter = 0x17,
  kParametersSize = 0x19,
  kRegisterCount = 0x2f,
  kRequiredCluster = 0x3d,
  kBarrierCount = 0x4c,
  kAnnotations = 0x55,
};

[[noreturn]] void damaged(const char* what) {
  throw Error(fmt::format("damaged cubin: {}", what));
}

// The value at `offset`, wherever it is aligned.
template <class Plain>
Plain load(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Plain)) damaged("it ends too early");
  Plain value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) damaged("a name lies outside its table");
  const auto end = table.find('\0', offset);
  if (end == std::string_view::npos) damaged("a name has no end");
  return table.substr(offset, end - offset);
}

struct Section {
  std::string_view name;
  Elf64_Shdr header{};
  std::string_view bytes;  // empty for one without content in the file
};

// One entry of a .nv.info section: either a small value or a payload of 32-bit words.
struct Entry {
  std::uint8_t attribute = 0;
  std::uint16_t value = 0;
  std::string_view payload;

  [[nodiscard]] std::size_t words() const { return payload.size() / sizeof(std::uint32_t); }
  [[nodiscard]] std::uint32_t word(std::size_t index) const {
    return load<std::uint32_t>(payload, index * sizeof(std::uint32_t));
  }
};

std::vector<Entry> parse_info(std::string_view bytes) {
  constexpr std::uint8_t kWithPayload = 4;
  constexpr std::size_t kHeaderBytes = 4;
  std::vector<Entry> entries;
  while (!bytes.empty()) {
    Entry entry;
    const auto format = load<std::uint8_t>(bytes, 0);
    entry.attribute = load<std::uint8_t>(bytes, 1);
    entry.value = load<std::uint16_t>(bytes, 2);
    bytes.remove_prefix(kHeaderBytes);
    if (format == kWithPayload) {
      if (entry.value > bytes.size()) damaged("an attribute is longer than its section");
      entry.payload = bytes.substr(0, entry.value);
      bytes.remove_prefix(entry.value);
    }
    entries.push_back(entry);
  }
  return entries;
}

// Bytes that the instruction at `offset` stores to the thread's local memory; 0 for any other instruction.
// 128-bit code (sm_70 and later): STL has opcode 0x387 in bits 0..11 and its width in bits 73..75; 64-bit
// code: 0xef5 in bits 52..63 and 48..50.
int local_store_bytes(std::string_view code, std::uint64_t offset, int target) {
  unsigned width_code = 0;
  const auto low = load<std::uint64_t>(code, offset);
  if (target >= kFirstTargetWith128BitCode) {
    if ((low & 0xfffU) != 0x387U) return 0;
    width_code = static_cast<unsigned>(load<std::uint64_t>(code, offset + sizeof low) >> 9U) & 7U;
  } else {
    if (low >> 52U != 0xef5U) return 0;
    width_code = static_cast<unsigned>(low >> 48U) & 7U;
  }
  constexpr int kWidths[] = {1, 1, 2, 2, 4, 8, 16, 0};
  return kWidths[width_code];
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {
    read_header();
    read_sections();
    read_symbols();
  }

  [[nodiscard]] Cubin read() const {
    Cubin cubin;
    cubin.target = target_;
    cubin.relocatable = header_.e_type == ET_REL;
    for (std::size_t index = 0; index < symbols_.size(); ++index) {
      const Elf64_Sym& symbol = symbols_[index];
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntryPoint) != 0)
        cubin.kernels.push_back(read_kernel(index));
    }
    for (const KernelResources& kernel : cubin.kernels)
      if (auto sizes = parameter_sizes(kernel.kernel))
        cubin.parameters.emplace(kernel.kernel, *std::move(sizes));
    cubin.variables = variables();
    cubin.code_hash = hash_code(cubin.kernels);
    return cubin;
  }

  std::set<std::string> read_named_variables() {
    read_header();
    read_sections();
    read_symbols();
    std::set<std::uint64_t> named;
    for (const Section& section : sections_) {
      if (section.name.find("debug") != std::string::npos) continue;
      if (section.header.sh_type == SHT_REL) add_symbols<Elf64_Rel>(section, named);
      if (section.header.sh_type == SHT_RELA) add_symbols<Elf64_Rela>(section, named);
    }
    std::set<std::string> names;
    for (const std::uint64_t symbol : named)
      if (symbol < symbols_.size() && is_variable(symbols_[symbol]))
        names.emplace(text_at(names_, symbols_[symbol].st_name));
    return names;
  }

 private:
  template <class Relocation>
  static void add_symbols(const Section& section, std::set<std::uint64_t>& symbols) {
    for (std::uint64_t offset = 0; offset + sizeof(Relocation) <= section.bytes.size();
         offset += sizeof(Relocation))
      symbols.insert(ELF64_R_SYM(load<Relocation>(section.bytes, offset).r_info));
  }

  [[nodiscard]] bool is_variable(const Elf64_Sym& symbol) const {
    constexpr unsigned kObjectToLink = 13;  // what STT_OBJECT is in relocatable code
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_OBJECT && type != kObjectToLink) || symbol.st_shndx >= sections_.size()) return false;
    const std::string_view section = sections_[symbol.st_shndx].name;
    return section == ".nv.global" || section == ".nv.global.init";
  }

  [[nodiscard]] std::vector<std::string> variables() const {
    std::vector<std::string> names;
    for (const Elf64_Sym& symbol : symbols_)
      if (is_variable(symbol)) names.emplace_back(text_at(names_, symbol.st_name));
    return names;
  }

  void read_header() {
    if (!bytes_.starts_with(std::string_view(ELFMAG, SELFMAG))) throw Error("not a cubin: no ELF file");
    header_ = load<Elf64_Ehdr>(bytes_, 0);
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_machine != kMachineCuda)
      throw Error("not a cubin: an ELF file of another machine");
    const std::uint64_t segments_end = header_.e_phoff + std::uint64_t{header_.e_phnum} * header_.e_phentsize;
    if (header_.e_phoff > bytes_.size() || segments_end > bytes_.size()) damaged("it ends too early");
    constexpr unsigned char kAbiOfCuda13 = 8;
    const unsigned shift = header_.e_ident[EI_ABIVERSION] >= kAbiOfCuda13 ? 8 : 0;
    target_ = static_cast<int>(header_.e_flags >> shift & 0xffU);
  }

  void read_sections() {
    std::vector<Elf64_Shdr> headers;
    for (unsigned index = 0; index < header_.e_shnum; ++index)
      headers.push_back(
          load<Elf64_Shdr>(bytes_, header_.e_shoff + std::uint64_t{index} * header_.e_shentsize));
    for (const Elf64_Shdr& header : headers) {
      Section section;
      section.header = header;
      if (header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL) {
        if (header.sh_offset > bytes_.size() || bytes_.size() - header.sh_offset < header.sh_size)
          damaged("a section lies outside the file");
        section.bytes = bytes_.substr(header.sh_offset, header.sh_size);
      }
      sections_.push_back(section);
    }
    if (header_.e_shstrndx >= sections_.size()) damaged("it has no section names");
    for (Section& section : sections_)
      section.name = text_at(sections_[header_.e_shstrndx].bytes, section.header.sh_name);
  }

  void read_symbols() {
    for (const Section& section : sections_) {
      if (section.header.sh_type != SHT_SYMTAB) continue;
      if (section.header.sh_link >= sections_.size()) damaged("its symbols have no names");
      names_ = sections_[section.header.sh_link].bytes;
      for (std::uint64_t offset = 0; offset < section.bytes.size(); offset += sizeof(Elf64_Sym))
        symbols_.push_back(load<Elf64_Sym>(section.bytes, offset));
      return;
    }
    damaged("it has no symbols");
  }

  [[nodiscard]] const Section* find(const std::string& name) const {
    const auto found = std::find_if(sections_.begin(), sections_.end(),
                                    [&](const Section& section) { return section.name == name; });
    return found == sections_.end() ? nullptr : &*found;
  }

  // The value that .nv.info gives this symbol, if it does.
  [[nodiscard]] std::optional<int> symbol_attribute(Attribute attribute, std::size_t symbol) const {
    const Section* section = find(".nv.info");
    if (section == nullptr) return std::nullopt;
    for (const Entry& entry : parse_info(section->bytes))
      if (entry.attribute == attribute && entry.words() == 2 && entry.word(0) == symbol)
        return static_cast<int>(entry.word(1));
    return std::nullopt;
  }

  [[nodiscard]] KernelResources read_kernel(std::size_t symbol) const {
    KernelResources kernel;
    kernel.kernel = text_at(names_, symbols_[symbol].st_name);
    const auto registers = symbol_attribute(kRegisterCount, symbol);
    if (!registers) damaged("a kernel has no register count");
    kernel.registers = *registers;
    kernel.stack_bytes = std::max(symbol_attribute(kFrameSize, symbol).value_or(0),
                                  symbol_attribute(kMinStackSize, symbol).value_or(0));
    const Section* code = find(".text." + kernel.kernel);
    if (code == nullptr) damaged("a kernel has no code");
    kernel.barriers = static_cast<int>(code->header.sh_flags >> 20U & 0x7fU);
    if (const Section* shared = find(".nv.shared." + kernel.kernel)) {
      const auto size = static_cast<std::int64_t>(shared->header.sh_size);
      const int reserved = target_ >= kFirstTargetWithReserve ? kReservedSharedBytes : 0;
      kernel.static_shared_bytes = std::max<std::int64_t>(0, size - reserved);
    }
    if (const Section* info = find(".nv.info." + kernel.kernel))
      for (const Entry& entry : parse_info(info->bytes)) apply(entry, code->bytes, kernel);
    return kernel;
  }

  [[nodiscard]] std::optional<std::vector<int>> parameter_sizes(const std::string& kernel) const {
    constexpr unsigned kOrdinalBits = 16, kSizeShift = 18;
    std::vector<int> sizes;
    bool any = false;
    if (const Section* info = find(".nv.info." + kernel))
      for (const Entry& entry : parse_info(info->bytes)) {
        any = any || entry.attribute == kParametersSize;
        if (entry.attribute != kParameter) continue;
        const std::size_t ordinal = entry.word(1) & ((1U << kOrdinalBits) - 1);
        sizes.resize(std::max(sizes.size(), ordinal + 1));
        sizes[ordinal] = static_cast<int>(entry.word(2) >> kSizeShift);
      }
    if (any && sizes.empty()) return std::nullopt;
    return sizes;
  }

  void apply(const Entry& entry, std::string_view code, KernelResources& kernel) const {
    constexpr std::uint32_t kSpillOrRefill = 1;
    switch (entry.attribute) {
      case kBarrierCount:
        kernel.barriers = entry.value;
        break;
      case kMaxThreads:
      case kRequiredThreads:
        kernel.max_threads = static_cast<int>(entry.word(0) * entry.word(1) * entry.word(2));
        break;
      case kRequiredCluster:
        kernel.cluster = Dim3{entry.word(0), entry.word(1), entry.word(2)};
        break;
      case kAnnotations:
        for (std::size_t index = 0; index + 1 < entry.words(); index += 2)
          if (entry.word(index) == kSpillOrRefill)
            kernel.spill_bytes += local_store_bytes(code, entry.word(index + 1), target_);
        break;
      default:
        break;
    }
  }

  [[nodiscard]] std::string hash_code(const std::vector<KernelResources>& kernels) const {
    FieldHasher hasher;
    for (const Section& section : sections_)
      for (const char* prefix : {".text", ".nv.constant", ".nv.global", ".rela.text", ".rel.text"})
        if (section.name.starts_with(prefix)) hasher.add(section.name).add(section.bytes);
    for (const KernelResources& kernel : kernels)
      hasher.add(fmt::format("{} {} {} {} {}", kernel.kernel, kernel.registers, kernel.stack_bytes,
                             kernel.barriers, kernel.static_shared_bytes));
    for (const KernelResources& kernel : kernels)
      if (kernel.cluster)
        hasher.add(fmt::format("{} in clusters {} {} {}", kernel.kernel, kernel.cluster->x, kernel.cluster->y,
                               kernel.cluster->z));
    return hasher.digest();
  }

  std::string_view bytes_;
  Elf64_Ehdr header_{};
  int target_ = 0;
  std::vector<Section> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::string_view names_;
};

}  // namespace

std::set<std::string> variables_named_in(std::string_view relocatable) {
  return Reader(relocatable).read_named_variables();
}

Cubin read_cubin(std::string_view bytes) {
  return Reader(bytes).read();
}

}  // namespace tailwave
