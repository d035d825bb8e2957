#include "adopt/constant_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/lexemes.h"
#include "adopt/reached_code.h"
#include "adopt/scalars.h"

namespace tailwave {
namespace {

constexpr double kUsualConstant = 0.5;

struct ConstantText {
  std::string name, type;
  std::vector<LexemeSpan> sizes;  // of its brackets
  bool is_global = false;         // its name is all that it takes to find it in the code
};

// Whether braces around it are none but those of extern "C".
bool is_at_top(LexemeSpan all, std::size_t place) {
  int depth = 0;
  for (std::size_t i = 0; i < place; ++i) {
    if (all[i].text == "{" && !(i > 1 && all[i - 1].text == "\"C\"")) ++depth;
    if (all[i].text == "}" && depth > 0) --depth;
  }
  return depth == 0;
}

// "float a[4]" of "__constant__ float a[4], b;", then "b".
void read_constants(LexemeSpan all, std::size_t mark, std::vector<ConstantText>& found) {
  std::size_t end = mark;
  while (end < all.size() && all[end].text != ";") ++end;
  std::size_t begin = mark;
  while (begin > 0 && all[begin - 1].text != ";" && all[begin - 1].text != "}" && all[begin - 1].text != "{")
    --begin;
  const bool is_static = std::any_of(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                     all.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](const Lexeme& each) { return each.text == "static"; });
  std::string type;
  for (const LexemeSpan part : split_at_commas(all.subspan(mark + 1, end - mark - 1))) {
    ConstantText one{.is_global = !is_static && is_at_top(all, mark)};
    std::size_t name = 0;
    while (name + 1 < part.size() && part[name + 1].text != "[" && part[name + 1].text != "=") ++name;
    if (part.empty() ||
        std::any_of(part.begin(), part.end(), [](const Lexeme& each) { return each.text == "="; }))
      continue;
    one.name = part[name].text;
    if (type.empty()) type = joined(part.subspan(0, name));
    one.type = type;
    for (std::size_t i = name + 1; i < part.size() && part[i].text == "[";) {
      const std::size_t close = closing(part, i);
      if (close == part.size()) break;
      one.sizes.push_back(part.subspan(i + 1, close - i - 1));
      i = close + 1;
    }
    found.push_back(std::move(one));
  }
}

class ConstantMemory {
 public:
  explicit ConstantMemory(Draft& draft) : draft_(draft), lexemes_(lexemes_of(draft.code)), all_(lexemes_) {}

  void adopt() {
    std::vector<ConstantText> found;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].text == "__constant__") read_constants(all_, i, found);
    for (const ConstantText& each : found)
      if (is_reached(each.name)) adopt(each);
  }

 private:
  [[nodiscard]] bool is_reached(const std::string& name) const {
    return std::any_of(draft_.launches.begin(), draft_.launches.end(), [&](const DraftLaunch& launch) {
      return reached_words(draft_.code, *launch.kernel).contains(name);
    });
  }

  void adopt(const ConstantText& one) {
    const auto type = element_named(one.type, draft_.aliases);
    Polynomial count(1);
    HostScope scope(draft_, 0, false);
    bool is_known = type && one.is_global;
    for (const LexemeSpan size : one.sizes) {
      const auto term = parse_term(size);
      const auto length = term ? to_polynomial(*term, scope) : std::nullopt;
      is_known = is_known && length;
      if (length) count = count * *length;
    }
    if (!is_known) {
      draft_.guess(fmt::format("__constant__ {} holds zeros", one.name),
                   fmt::format(R"(a {{"copy": BUFFER, "symbol": "{}"}} in "prepare")", one.name));
      return;
    }
    DraftBuffer buffer{.name = "", .type = *type, .count = count, .below = 0, .is_read = true};
    buffer.symbol = one.name;
    if (one.sizes.empty() && type->lanes == 1) {
      buffer.fill = DraftBuffer::Fill::value;
      buffer.value = quantity_for(one.name, type->scalar);
      for (DraftLaunch& launch : draft_.launches) launch.known[one.name] = buffer.value;
    } else {
      draft_.guess(fmt::format("__constant__ {} holds random numbers", one.name),
                   fmt::format("/buffers/{}/fill", one.name));
    }
    buffer.name = draft_.free_name(one.name, true);
    draft_.buffers.push_back(std::move(buffer));
  }

  Polynomial quantity_for(const std::string& name, ScalarType type) {
    DraftQuantity quantity{.name = draft_.free_name(name), .type = type, .value = {}};
    const auto copied = copied_value(name, type);
    quantity.is_guess = !copied;
    quantity.value = copied ? *copied : is_real(type) ? Value(kUsualConstant) : Value(std::int64_t{1});
    draft_.quantities.push_back(quantity);
    return Polynomial::factor(quantity.name);
  }

  // Of n in "cudaMemcpyToSymbol(name, &n, ...)".
  std::optional<Value> copied_value(const std::string& name, ScalarType type) {
    for (std::size_t i = 0; i + 5 < all_.size(); ++i) {
      if (all_[i].text != "cudaMemcpyToSymbol" || all_[i + 2].text != name || all_[i + 4].text != "&")
        continue;
      HostScope scope(draft_, all_[i].begin, false);
      const std::string variable(all_[i + 5].text);
      const auto definition = scope.definition_of(variable);
      if (auto number = definition ? literal_value(*definition, type) : std::nullopt) return number;
      const auto value = is_real(type) ? std::nullopt : scope.meaning(variable);
      if (value && value->is_number()) return Value(value->number());
    }
    return std::nullopt;
  }

  Draft& draft_;
  Lexemes lexemes_;
  LexemeSpan all_;
};

}  // namespace

void adopt_constant_memory(Draft& draft) {
  ConstantMemory(draft).adopt();
}

}  // namespace tailwave
