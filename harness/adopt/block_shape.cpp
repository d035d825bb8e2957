#include "adopt/block_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/block_evidence.h"
#include "adopt/kernel_scope.h"
#include "adopt/lexemes.h"

namespace tailwave {
namespace {

constexpr std::array<std::array<std::int64_t, 3>, 3> kUsual{{{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}};

class BlockShape {
 public:
  BlockShape(Draft& draft, DraftLaunch& launch)
      : draft_(draft),
        launch_(launch),
        directions_(directions_of(launch)),
        evidence_(draft, launch, directions_),
        place_(launch.host == nullptr ? 0 : launch.host->at) {}

  void decide() {
    const std::vector<CTerm> given = terms_of_host();
    launch_.is_as_launched = !given.empty();
    for (int i = 0; i < 3; ++i) {
      if (i < static_cast<int>(given.size()))
        from_host(i, given[static_cast<std::size_t>(i)]);
      else if (launch_.host == nullptr || given.empty())
        from_kernel(i);
    }
    propose();
  }

 private:
  static int directions_of(const DraftLaunch& launch) {
    int directions = 1;
    for (std::size_t i = 1; i < 3; ++i)
      if (launch.body.words.contains(kThreadNumbers[i]) || launch.body.words.contains(kBlockSizes[i]))
        directions = static_cast<int>(i) + 1;
    return directions;
  }
  [[nodiscard]] bool uses(const std::array<const char*, 3>& names, int direction) const {
    return launch_.body.words.contains(names[static_cast<std::size_t>(direction)]);
  }
  Polynomial& block(int direction) { return launch_.block[static_cast<std::size_t>(direction)]; }

  // The sizes that the host's launch gives, as far as all can be read.
  std::vector<CTerm> terms_of_host() {
    if (launch_.host == nullptr) return {};
    auto term = parse_term(launch_.host->block);
    for (int step = 0; term && term->kind == CTerm::Kind::name && step < 4; ++step) {
      const HostText::Variable own = draft_.host.origin_of(term->text, place_);
      const auto definition = draft_.host.sizes(own.name, own.place);
      if (!definition || (definition->kind != CTerm::Kind::name && !is_dim3(*definition))) break;
      variable_ = own.name;
      place_ = own.place;
      term = definition;
    }
    if (!term) return {};
    std::vector<CTerm> parts = is_dim3(*term) ? term->parts : std::vector<CTerm>{*term};
    HostScope scope(draft_, place_, false);
    for (const CTerm& part : parts)
      if (!to_polynomial(part, scope)) {
        draft_.guess(fmt::format("the block of {}: '{}' cannot be read", launch_.kernel->name,
                                 joined(launch_.host->block)),
                     "\"block\"");
        return {};
      }
    return parts;
  }
  static bool is_dim3(const CTerm& term) { return term.kind == CTerm::Kind::call && term.text == "dim3"; }

  void from_host(int direction, const CTerm& term) {
    adopt_macros(term);
    HostScope scope(draft_, place_, false);
    const Polynomial value = to_polynomial(term, scope).value_or(1);
    if (!value.is_number()) {
      block(direction) = value;
      return;
    }
    if (launch_.host->block.empty() || value.number() <= 1) return;
    block(direction) = value;
    const auto evident = evidence_.size(direction);
    if (evident && !evident->is_number() && evident->value(draft_.defaults()) == value.number()) {
      block(direction) = *evident;
    } else if (!uses(kBlockSizes, direction)) {
      draft_.guess(fmt::format("{} threads in {} are fixed: {} does not ask for blockDim.{}", value.number(),
                               "xyz"[direction], launch_.kernel->name, "xyz"[direction]),
                   "\"block\"");
    } else {
      name_literal(direction, term, value.number());
    }
  }

  // 256 of <<<n / 256, 256>>> becomes a parameter, and so does what host variables call it.
  void name_literal(int direction, const CTerm& term, std::int64_t value) {
    const std::string name = new_name(direction);
    DraftParameter& parameter = draft_.add_parameter(name, value);
    parameter.of_blocks = true;
    block(direction) = Polynomial::factor(name);
    if (term.kind == CTerm::Kind::name) draft_.name_variable(term.text, place_, Polynomial::factor(name));
    if (!variable_.empty())
      draft_.host_names[draft_.host.own_name(variable_ + "." + "xyz"[direction], place_)] =
          Polynomial::factor(name);
  }

  // Macros of the term, and those that they are made of.
  void adopt_macros(const CTerm& term) {
    for_each_term(term, [&](const CTerm& part) {
      if (part.kind != CTerm::Kind::name) return;
      const bool in_kernel = launch_.body.words.contains(part.text);
      const MacroText* macro = draft_.macro(part.text);
      const bool can = macro != nullptr && (in_kernel || macro->where != MacroText::Where::nowhere);
      if (is_of_warps(part.text) || (can && draft_.adopt_macro(part.text) != nullptr)) return;
      const auto definition =
          launch_.host != nullptr ? HostScope(draft_, place_, false).definition_of(part.text) : std::nullopt;
      if (definition && definition->text != part.text && depth_ < 4) {
        ++depth_;
        adopt_macros(*definition);
        --depth_;
      }
    });
  }

  void from_kernel(int direction) {
    if (direction >= directions_) return;
    if (const auto evident = evidence_.size(direction)) {
      block(direction) = *evident;
      return;
    }
    if (const auto named = named_block(direction)) {
      block(direction) = *named;
      return;
    }
    const bool asks = uses(kBlockSizes, direction);
    if (!asks && !uses(kThreadNumbers, direction)) return;
    const std::int64_t usual =
        kUsual[static_cast<std::size_t>(directions_) - 1][static_cast<std::size_t>(direction)];
    const std::string name = new_name(direction);
    draft_.add_parameter(name, std::min(usual, evidence_.limit())).of_blocks = true;
    block(direction) = Polynomial::factor(name);
    if (!asks)
      draft_.guess(
          fmt::format("{} takes any number of threads in {}", launch_.kernel->name, "xyz"[direction]),
          "\"block\"");
  }

  // A parameter that is called like the block's size in that direction, where the code does not ask for blockDim.
  std::optional<Polynomial> named_block(int direction) {
    if (uses(kBlockSizes, direction) || !uses(kThreadNumbers, direction)) return std::nullopt;
    std::optional<Polynomial> found;
    for (const DraftParameter& each : draft_.parameters) {
      if (!is_named_like_a_block(each.name) || !launch_.body.words.contains(each.name)) continue;
      const char last = static_cast<char>(std::tolower(static_cast<unsigned char>(each.name.back())));
      const bool of_direction = last >= 'x' && last <= 'z';
      if (of_direction ? last != "xyz"[direction] : directions_ > 1) continue;
      if (evidence_.is_length_of_work(Polynomial::factor(each.name), direction)) continue;
      if (found) return std::nullopt;
      found = Polynomial::factor(each.name);
    }
    return found;
  }

  // A name for a parameter of the block that the source does not have.
  std::string new_name(int direction) {
    std::string name = directions_ == 1 ? "BLOCK_SIZE" : fmt::format("BLOCK_{}", "XYZ"[direction]);
    if (draft_.parameter(name) != nullptr && draft_.parameter(name)->of_blocks && !has_word(name))
      return name;
    while (has_word(name)) name = "TUNED_" + name;
    return name;
  }
  [[nodiscard]] bool has_word(const std::string& name) const {
    return outline_of({draft_.source}).words.contains(name);
  }

  // Powers of two for what the block is made of.
  void propose() {
    std::vector<std::string> names;
    int uses_of_first = 0;
    for (const Polynomial& size : launch_.block)
      for (const std::string& factor : size.factors()) {
        DraftParameter* parameter = draft_.parameter(factor);
        if (parameter == nullptr) continue;
        parameter->of_blocks = true;
        if (std::find(names.begin(), names.end(), factor) == names.end()) names.push_back(factor);
        if (factor == names.front()) ++uses_of_first;
      }
    for (std::size_t i = 0; i < names.size(); ++i) {
      DraftParameter& parameter = *draft_.parameter(names[i]);
      if (!parameter.tried.empty()) continue;
      const bool alone = names.size() == 1 && uses_of_first == 1;
      parameter.tried = alone               ? powers_alone(names[i])
                        : names.size() == 1 ? powers(uses_of_first == 2 ? 8 : 4, uses_of_first == 2 ? 32 : 8)
                        : names.size() == 2 ? (i == 0 ? powers(8, 64) : powers(1, 32))
                        : i == 0            ? powers(8, 32)
                                            : powers(1, 4);
      const std::int64_t own = std::get<std::int64_t>(parameter.value);
      if (std::find(parameter.tried.begin(), parameter.tried.end(), own) == parameter.tried.end())
        parameter.tried.insert(std::upper_bound(parameter.tried.begin(), parameter.tried.end(), own), own);
      std::erase_if(parameter.tried, [&](std::int64_t value) { return leaves_no_thread(names[i], value); });
    }
  }

  // 64 of a block of 32 / ROWS and ROWS.
  [[nodiscard]] bool leaves_no_thread(const std::string& parameter, std::int64_t value) const {
    Values values = draft_.defaults();
    values[parameter] = value;
    return std::any_of(launch_.block.begin(), launch_.block.end(), [&](const Polynomial& size) {
      return size.value(values).value_or(1) < 1 && size.value(draft_.defaults()).value_or(0) > 0;
    });
  }

  // Of 32 threads to as many as can be, where a block has that many of something: 4 of 32 * WARPS, or 1 of a block of
  // 32 and ROWS.
  std::vector<std::int64_t> powers_alone(const std::string& name) {
    std::int64_t each = 1;
    for (const Polynomial& size : launch_.block) {
      const Polynomial own = size.is_number() ? size : size.coefficient_of(name);
      if (own.is_number() && own.number() > 1) each *= own.number();
    }
    constexpr std::int64_t kWarp = 32;
    return powers(std::max<std::int64_t>(1, kWarp / each), evidence_.limit() / each);
  }

  static std::vector<std::int64_t> powers(std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> all;
    for (std::int64_t power = from; power <= to; power *= 2) all.push_back(power);
    return all;
  }

  Draft& draft_;
  DraftLaunch& launch_;
  int directions_;
  BlockEvidence evidence_;
  std::size_t place_;  // of the host's code that says how large it is
  int depth_ = 0;
  std::string variable_;  // of the host, that holds the whole block
};

}  // namespace

void decide_block(Draft& draft, DraftLaunch& launch) {
  BlockShape(draft, launch).decide();
}

}  // namespace tailwave
