#include "adopt/grid_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "adopt/kernel_scope.h"
#include "adopt/open_sizes.h"
#include "adopt/unguarded_grid.h"
#include "adopt/whole_steps.h"

namespace tailwave {
namespace {

constexpr std::int64_t kBlocksOfALoop = 1024;  // of a kernel that takes any number of them

class GridShape {
 public:
  GridShape(Draft& draft, DraftLaunch& launch)
      : draft_(draft),
        launch_(launch),
        scope_(launch, draft, true),
        open_(draft, launch),
        place_(launch.host == nullptr ? 0 : launch.host->at) {}

  void decide() {
    shape();
    open_.forget_unused();
  }

 private:
  void shape() {
    decide_shared_bytes();
    const std::size_t own_divisions = draft_.divisible.size();
    const bool given = from_host();
    const bool is_block_read = launch_.is_as_launched;
    launch_.is_as_launched = is_block_read && given;
    const std::array<Polynomial, 3> of_host = launch_.grid;
    const std::size_t guesses = draft_.guesses.size(), quantities = draft_.quantities.size(),
                      divisions = draft_.divisible.size();
    decide_by_kernel();
    // A grid without its block may be of another one.
    if ((!given || !is_block_read) && !(is_read_ && lacks_guard_)) return leave_out_divisions(own_divisions);
    // The kernel's own need goes with blocks of other sizes, where the host's is made of numbers.
    const Values defaults = draft_.defaults();
    bool follows = given && draft_.quantities.size() == quantities && draft_.divisible.size() == divisions;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto own = launch_.grid[i].value(defaults), of_file = of_host[i].value(defaults);
      follows = follows && own && own == of_file;
    }
    if (follows) {
      if (lacks_guard_) draft_.guesses.resize(guesses);  // the file says how many blocks there are
      return leave_out_divisions(own_divisions);
    }
    launch_.grid = of_host;
    draft_.guesses.resize(guesses);
    draft_.quantities.resize(quantities);
    draft_.divisible.resize(divisions);
  }

  // Those from there on that the grid has no part in.
  void leave_out_divisions(std::size_t first) {
    const auto begin = draft_.divisible.begin() + static_cast<std::ptrdiff_t>(first);
    const auto is_without = [&](const DraftDivision& each) {
      return std::none_of(launch_.grid.begin(), launch_.grid.end(),
                          [&](const Polynomial& size) { return size.has(each.quotient); });
    };
    draft_.divisible.erase(std::remove_if(begin, draft_.divisible.end(), is_without), draft_.divisible.end());
  }

  void decide_by_kernel() {
    // A grid that is not known yet is no factor of what limits it.
    for (std::size_t i = 0; i < 3; ++i) launch_.grid[i] = Polynomial::factor(kGridSizes[i]);
    std::array<Polynomial, 3> grid{1, 1, 1};
    for (std::size_t i = 0; i < 3; ++i)
      if (launch_.body.words.contains(kBlockNumbers[i])) grid[i] = from_kernel(i);
    launch_.grid = grid;
  }

  bool from_host() {
    if (launch_.host == nullptr) return false;
    auto term = parse_term(launch_.host->grid);
    for (int step = 0; term && term->kind == CTerm::Kind::name && step < 4; ++step) {
      const HostText::Variable own = draft_.host.origin_of(term->text, place_);
      const auto definition = draft_.host.sizes(own.name, own.place);
      const bool whole =
          definition && ((definition->kind == CTerm::Kind::call && definition->text == "dim3") ||
                         definition->kind == CTerm::Kind::name);
      if (!whole) break;
      place_ = own.place;
      term = definition;
    }
    const bool several = term && term->kind == CTerm::Kind::call && term->text == "dim3";
    const std::vector<CTerm> parts = !term     ? std::vector<CTerm>{}
                                     : several ? term->parts
                                               : std::vector<CTerm>{*term};
    std::array<Polynomial, 3> grid{1, 1, 1};
    for (std::size_t i = 0; i < parts.size() && i < 3; ++i) {
      HostScope scope(draft_, place_, true);
      const auto kept = with_elements_kept(parts[i], i);
      if (!kept) open_.guess(parts[i], place_);
      const auto size = kept ? kept : to_polynomial(with_block(expanded(parts[i], 0), i), scope);
      if (!size) return not_read();
      grid[i] = *size;
      require_whole(expanded(parts[i], 0), i);
    }
    if (parts.empty()) return not_read();
    const bool fixed =
        std::all_of(grid.begin(), grid.end(), [](const Polynomial& each) { return each.is_number(); });
    launch_.grid = grid;
    is_read_ = true;
    return !(fixed && depends_on_limits());
  }

  // N / B blocks leave out what is behind the last whole one, unless threads go on in a loop.
  void require_whole(const CTerm& part, std::size_t direction) {
    const CTerm term = with_block(part, direction);
    if (term.kind != CTerm::Kind::binary || term.text != "/" || has_grid_loop()) return;
    HostScope scope(draft_, place_, true);
    const auto whole = to_polynomial(term.parts[0], scope), by = to_polynomial(term.parts[1], scope);
    const auto quotient = to_polynomial(term, scope);
    const auto size = whole ? whole->value(draft_.defaults()) : std::nullopt,
               step = by ? by->value(draft_.defaults()) : std::nullopt;
    if (!quotient || quotient->factors().size() != 1 || !size || !step || *step < 2 || *size % *step != 0)
      return;
    const std::string text = quotient->factors()[0];
    const DraftDivision division{*whole, *by, divides_condition(*whole, *by), text};
    const bool known =
        std::find(draft_.divisible.begin(), draft_.divisible.end(), division) != draft_.divisible.end();
    if (text.find("//") != std::string::npos && !known) draft_.divisible.push_back(division);
  }

  // Of a number of blocks in the file, where each thread has an element of its own and nothing limits it: with blocks of
  // another size it is the number of elements that stays.
  std::optional<Polynomial> with_elements_kept(const CTerm& part, std::size_t direction) {
    const std::vector<std::string> factors = launch_.block[direction].factors();
    const DraftParameter* block = factors.size() == 1 ? draft_.parameter(factors[0]) : nullptr;
    HostScope scope(draft_, place_, false);
    const auto blocks = to_polynomial(part, scope);
    if (block == nullptr || block->tried.empty() || !blocks || !blocks->is_number() || blocks->number() < 2)
      return std::nullopt;
    if (!(launch_.block[direction] == Polynomial::factor(block->name)) || !has_element_each(direction))
      return std::nullopt;
    const std::string axis(1, "xyz"[direction]);
    const std::string name = draft_.free_name("threads_" + axis);
    const std::int64_t elements = blocks->number() * std::get<std::int64_t>(block->value);
    draft_.quantities.push_back({.name = name,
                                 .type = elements > INT32_MAX ? ScalarType::int64 : ScalarType::int32,
                                 .value = elements,
                                 .is_size = true});
    const DraftDivision division{Polynomial::factor(name), launch_.block[direction],
                                 fmt::format("{} % {} == 0", name, block->name),
                                 fmt::format("({} // {})", name, block->name)};
    draft_.divisible.push_back(division);
    const Polynomial quotient = Polynomial::factor(division.quotient);
    if (part.kind == CTerm::Kind::name) draft_.name_variable(part.text, place_, quotient);
    return quotient;
  }

  // Whether its indices are made of blockIdx * blockDim + threadIdx, and no guard or loop holds them.
  bool has_element_each(std::size_t direction) {
    for (const KernelScope::Limit& limit : scope_.limits())
      if (limit.value.has(kBlockNumbers[direction])) return false;
    const std::vector<Polynomial> all = scope_.coordinates();
    return std::any_of(all.begin(), all.end(), [&](const Polynomial& each) {
      const Polynomial threads = each.coefficient_of(kThreadNumbers[direction]);
      return !(threads == Polynomial(0)) &&
             each.coefficient_of(kBlockNumbers[direction]) == threads * launch_.block[direction];
    });
  }

  // Of extern __shared__ arrays.
  void decide_shared_bytes() {
    const auto array = std::find_if(launch_.body.shared.begin(), launch_.body.shared.end(),
                                    [](const SharedArray& each) { return each.sizes.empty(); });
    if (array == launch_.body.shared.end()) return;
    if (launch_.host != nullptr && !launch_.host->shared.empty()) {
      const auto term = parse_term(launch_.host->shared);
      HostScope scope(draft_, launch_.host->at, true);
      const auto bytes = term ? to_polynomial(with_block(expanded(*term, 0), 0), scope) : std::nullopt;
      if (bytes) {
        launch_.shared_bytes = bytes->text();
        return;
      }
    }
    std::string type = array->type;
    const auto given = launch_.types.find(type);
    if (given != launch_.types.end()) type = given->second;
    const auto element = element_named(type, draft_.aliases);
    const std::int64_t bytes =
        element ? static_cast<std::int64_t>(size_bytes(element->scalar)) * element->lanes : 4;
    launch_.shared_bytes =
        (launch_.block[0] * launch_.block[1] * launch_.block[2] * Polynomial(bytes)).text();
    draft_.guess(fmt::format("{} has an extern __shared__ array '{}': an element a thread",
                             launch_.kernel->name, array->name),
                 "\"dynamic_shared_bytes\"");
  }

  bool not_read() {
    draft_.guess(
        fmt::format("the grid of {}: '{}' cannot be read", launch_.kernel->name, joined(launch_.host->grid)),
        "\"grid\"");
    return false;
  }

  // Numbers alone would stay what they are when blocks or problems change.
  bool depends_on_limits() {
    KernelScope scope(launch_, draft_, false);
    for (const KernelScope::Limit& limit : scope.limits())
      if (limit.value.has(kBlockNumbers[0]) && !limit.below.is_number()) return !has_grid_loop();
    return false;
  }

  [[nodiscard]] bool has_grid_loop() const {
    return std::any_of(launch_.body.locals.begin(), launch_.body.locals.end(),
                       [](const auto& each) { return each.second.steps_by_grid; });
  }

  // With variables of the host replaced by what they are made of, but for those that are plain numbers.
  CTerm expanded(const CTerm& term, int depth) {
    constexpr int kDeepest = 8;
    CTerm result = term;
    if (term.kind == CTerm::Kind::name && depth < kDeepest &&
        !draft_.host_names.contains(draft_.host.own_name(term.text, place_)) &&
        draft_.parameter(term.text) == nullptr) {
      const auto definition = draft_.host.definition(term.text, place_);
      bool is_made = false;
      if (definition)
        for_each_term(*definition,
                      [&](const CTerm& part) { is_made = is_made || part.kind == CTerm::Kind::name; });
      if (is_made) return expanded(*definition, depth + 1);
    }
    for (CTerm& part : result.parts) part = expanded(part, depth);
    return result;
  }

  // With the block's parameter in place of its number, and of that less one: (n + 255) / 256.
  CTerm with_block(const CTerm& term, std::size_t direction) {
    const std::vector<std::string> factors = launch_.block[direction].factors();
    const DraftParameter* parameter = factors.size() == 1 ? draft_.parameter(factors[0]) : nullptr;
    if (parameter == nullptr || !std::holds_alternative<std::int64_t>(parameter->value)) return term;
    const std::int64_t number = std::get<std::int64_t>(parameter->value);
    CTerm result = term;
    if (result.kind != CTerm::Kind::number) replace(result, number, parameter->name);
    return result;
  }

  static void replace(CTerm& term, std::int64_t number, const std::string& name) {
    const auto value = term.kind == CTerm::Kind::number ? number_of(term.text) : std::nullopt;
    const CTerm own{CTerm::Kind::name, name, {}};
    if (value && *value == static_cast<double>(number)) {
      term = own;
    } else if (value && *value == static_cast<double>(number - 1)) {
      term = {CTerm::Kind::binary, "-", {own, {CTerm::Kind::number, "1", {}}}};
    } else {
      for (CTerm& part : term.parts) replace(part, number, name);
    }
  }

  Polynomial from_kernel(std::size_t direction) {
    std::optional<Polynomial> most;
    const Values defaults = draft_.defaults();
    for (const KernelScope::Limit& limit : scope_.limits()) {
      const auto size = blocks_for(limit, direction);
      if (!size) continue;
      if (!most || size->value(defaults).value_or(0) > most->value(defaults).value_or(0)) most = size;
    }
    lacks_guard_ = lacks_guard_ || !most;
    if (!most) return blocks_without_guard(draft_, launch_, direction);
    if (!has_grid_loop()) return *most;
    draft_.guess(
        fmt::format("{} takes any number of blocks: at most {}", launch_.kernel->name, kBlocksOfALoop),
        "\"grid\"");
    return Polynomial::factor(fmt::format("min({}, {})", most->text(), kBlocksOfALoop));
  }

  // Blocks that reach an index's limit; empty where other directions are part of it.
  static std::optional<Polynomial> blocks_for(const KernelScope::Limit& limit, std::size_t direction) {
    const Polynomial span = limit.value.coefficient_of(kBlockNumbers[direction]);
    if (span == Polynomial(0) || !KernelScope::is_constant(span)) return std::nullopt;
    for (std::size_t other = 0; other < 3; ++other)
      if (other != direction && limit.value.has(kBlockNumbers[other])) return std::nullopt;
    if (limit.below.is_number()) return std::nullopt;
    return ceil_div((limit.below - limit.value.number()).without_slack(), span);
  }

  Draft& draft_;
  DraftLaunch& launch_;
  KernelScope scope_;
  OpenSizes open_;
  std::size_t place_;  // of the host's code that says how large it is
  bool is_read_ = false, lacks_guard_ = false;
};

}  // namespace

void decide_grid(Draft& draft, DraftLaunch& launch) {
  GridShape(draft, launch).decide();
}

}  // namespace tailwave
