#include "adopt/problem_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "adopt/kernel_scope.h"
#include "space/expression.h"

namespace tailwave {
namespace {

class ProblemValues {
 public:
  explicit ProblemValues(Draft& draft) : draft_(draft) {}

  void decide() {
    std::set<std::string> sizes;
    int degree = 1;
    const auto take = [&](const Polynomial& size) {
      const auto names = Expression::parse(size.text()).names();
      sizes.insert(names.begin(), names.end());
    };
    for (const DraftBuffer& each : draft_.buffers) {
      take(each.count);
      degree = std::max(degree, degree_of(each.count));
    }
    for (const DraftLaunch& each : draft_.launches)
      for (std::size_t i = 0; i < 3; ++i) {
        take(each.grid[i]);
        if (degree_of(each.grid[i]) > 0) degree = std::max(degree, static_cast<int>(i) + 1);
      }
    // Of one direction, of one whose threads go through all elements each, of two, and of three.
    constexpr std::array<std::int64_t, 4> kSizes{1 << 20, 1 << 14, 1024, 128},
        kSizesOnCpu{1 << 16, 1024, 128, 32};
    constexpr std::int64_t kPart = 64;  // of a size, for what is subtracted from it: the length of a window
    const bool goes_through_all = degree == 1 && has_loop_over(sizes);
    const auto place = static_cast<std::size_t>(degree > 1 ? std::min(degree, 3) : goes_through_all ? 1 : 0);
    draft_.directions = std::min(degree, 3);
    for (const DraftBuffer& each : draft_.buffers) doubt_zeros(each.count);
    for (const DraftLaunch& each : draft_.launches)
      for (const Polynomial& size : each.grid) doubt_zeros(size);
    for (DraftQuantity& each : draft_.quantities) {
      if (is_real(each.type)) {
        if (each.is_guess)
          draft_.guess(fmt::format("{} is {}", each.name, to_string(each.value)), where(each));
        continue;
      }
      each.is_size = sizes.contains(each.name);
      if (each.is_guess) {
        each.value = each.is_size               ? kSizes[place] / (is_subtracted(each.name) ? kPart : 1)
                     : is_iterations(each.name) ? std::int64_t{16}
                                                : std::int64_t{1};
        if (size_bytes(each.type) < sizeof(std::int32_t)) each.value = std::int64_t{1};
        draft_.guess(fmt::format("{} is {}", each.name, to_string(each.value)), where(each));
      }
      if (each.is_size && std::get<std::int64_t>(each.value) > kSizesOnCpu[place])
        each.on_cpu = kSizesOnCpu[place];
    }
    for (const DraftLaunch& each : draft_.launches)
      for (const Polynomial& size : each.grid) enlarge_for_a_block(size);
    if (place > 1) tell_apart_on_cpu();
    keep_unrelated();
    keep_remainders_on_cpu();
    for (const DraftLaunch& each : draft_.launches)
      for (const Polynomial& size : each.grid) keep_a_block_on_cpu(size);
  }

 private:
  // What has to do with others in a way that nobody knows, and these, have the sizes of the file on the CPU as well.
  void keep_unrelated() {
    for (const DraftUnrelated& each : draft_.unrelated) {
      std::set<std::string> others;
      HostScope scope(draft_, each.source.at, false);
      for_each_term(each.source.term, [&](const CTerm& part) {
        const auto value = part.kind == CTerm::Kind::name ? scope.meaning(part.text) : std::nullopt;
        for (const std::string& name : value ? names_of(*value) : std::vector<std::string>())
          if (draft_.quantity(name) != nullptr && name != each.quantity) others.insert(name);
      });
      if (others.empty()) continue;
      draft_.guess(fmt::format("{} stays as it is when {} changes: how the file computes it cannot be read",
                               each.quantity, fmt::join(others, ", ")),
                   "/problem");
      others.insert(each.quantity);
      for (const std::string& name : others) {
        DraftQuantity& kept = *draft_.quantity(name);
        kept.on_cpu.reset();
        kept.is_kept = true;
      }
    }
  }

  // Quotients of sizes leave the remainder on the CPU that they leave in the file.
  void keep_remainders_on_cpu() {
    Values on_cpu = draft_.defaults();
    for (const DraftQuantity& each : draft_.quantities)
      if (each.on_cpu) on_cpu[each.name] = *each.on_cpu;
    for (const DraftLaunch& launch : draft_.launches)
      for (const auto& [name, value] : launch.known)
        for (const std::string& factor : value.factors()) keep_remainder_on_cpu(factor, on_cpu);
  }

  void keep_remainder_on_cpu(const std::string& factor, Values& on_cpu) {
    const std::size_t line = factor.rfind(" // ");
    if (line == std::string::npos || factor[0] != '(' || factor.back() != ')') return;
    const Polynomial whole = Polynomial::factor(factor.substr(1, line - 1)),
                     by = Polynomial::factor(factor.substr(line + 4, factor.size() - line - 5));
    const auto is_kept = [&] {
      const Values of_file = draft_.defaults();
      const auto own = by.value(of_file), other = by.value(on_cpu);
      return own && other && *own > 0 && *other > 0 &&
             whole.value(of_file).value_or(0) % *own == whole.value(on_cpu).value_or(0) % *other;
    };
    const auto set = [&](DraftQuantity& quantity, std::optional<std::int64_t> size) {
      quantity.on_cpu = size;
      on_cpu[quantity.name] = size ? Value(*size) : quantity.value;
    };
    const std::int64_t step = by.value(on_cpu).value_or(1);
    for (const bool gives_up : {false, true})
      for (const std::string& name : names_of(whole)) {
        DraftQuantity* part = draft_.quantity(name);
        if (part == nullptr || !part->on_cpu || step < 1 || is_kept()) continue;
        const std::int64_t rest = names_of(by).empty() ? std::get<std::int64_t>(part->value) % step : 0;
        if (gives_up)
          set(*part, std::nullopt);
        else
          set(*part, std::max(*part->on_cpu / step, std::int64_t{1}) * step + rest);
      }
  }

  static std::vector<std::string> names_of(const Polynomial& value) {
    return Expression::parse(value.text()).names();
  }

  // Where the sizes of the file differ, those of the CPU do, too: a row taken for a column shows. What blocks have to divide
  // stays.
  void tell_apart_on_cpu() {
    std::set<std::int64_t> of_file;
    for (const DraftQuantity& each : draft_.quantities)
      if (each.is_size && !each.is_guess) of_file.insert(std::get<std::int64_t>(each.value));
    if (of_file.size() < 2) return;
    constexpr std::array<std::int64_t, 3> kQuarters{4, 3, 2};
    std::size_t number = 0;
    for (DraftQuantity& each : draft_.quantities) {
      if (!each.on_cpu || has_to_be_divided(each.name)) continue;
      each.on_cpu = *each.on_cpu / 4 * kQuarters.at(number % kQuarters.size());
      ++number;
    }
  }

  [[nodiscard]] bool has_to_be_divided(const std::string& quantity) const {
    const bool by_grid =
        std::any_of(draft_.divisible.begin(), draft_.divisible.end(),
                    [&](const DraftDivision& each) { return each.whole == Polynomial::factor(quantity); });
    return by_grid || std::any_of(draft_.launches.begin(), draft_.launches.end(), [&](const auto& launch) {
             return std::any_of(launch.conditions.begin(), launch.conditions.end(),
                                [&](const auto& text) { return text.find(quantity) != std::string::npos; });
           });
  }

  // Of a size that is nothing before the program has filled it: 0 of the file is no value to run with.
  void doubt_zeros(const Polynomial& size) {
    if (size.value(draft_.defaults()).value_or(1) > 0) return;
    for (const std::string& name : names_of(size)) {
      DraftQuantity* quantity = draft_.quantity(name);
      if (quantity != nullptr && !is_real(quantity->type) && std::get<std::int64_t>(quantity->value) < 1)
        quantity->is_guess = true;
    }
  }

  // Guesses of a quotient that has to be a block at least.
  void enlarge_for_a_block(const Polynomial& grid) {
    constexpr int kMostDoublings = 16;
    for (int i = 0; i < kMostDoublings && grid.value(draft_.defaults()).value_or(1) < 1; ++i)
      for (const std::string& name : names_of(grid)) {
        DraftQuantity* quantity = draft_.quantity(name);
        if (quantity == nullptr || !quantity->is_guess || is_real(quantity->type)) continue;
        const std::string before = fmt::format("{} is {}", name, to_string(quantity->value));
        quantity->value = 2 * std::get<std::int64_t>(quantity->value);
        for (DraftGuess& each : draft_.guesses)
          if (each.what == before) each.what = fmt::format("{} is {}", name, to_string(quantity->value));
      }
  }

  void keep_a_block_on_cpu(const Polynomial& grid) {
    Values on_cpu = draft_.defaults();
    for (const DraftQuantity& each : draft_.quantities)
      if (each.on_cpu) on_cpu[each.name] = *each.on_cpu;
    if (grid.value(on_cpu).value_or(1) > 0) return;
    for (const std::string& name : names_of(grid))
      if (DraftQuantity* quantity = draft_.quantity(name)) quantity->on_cpu.reset();
  }

  // m of buffers with n - m + 1 elements, where both are guessed.
  [[nodiscard]] bool is_subtracted(const std::string& name) {
    return std::any_of(draft_.buffers.begin(), draft_.buffers.end(), [&](const DraftBuffer& each) {
      bool has_other = false;
      for (const Polynomial& product : each.count.products())
        for (const std::string& factor : product.factors()) {
          const DraftQuantity* other = factor == name ? nullptr : draft_.quantity(factor);
          has_other = has_other || (other != nullptr && other->is_guess && product.coefficient_is_positive());
        }
      const Polynomial own = each.count.coefficient_of(name);
      return has_other && own.is_number() && own.number() < 0;
    });
  }

  static std::string where(const DraftQuantity& quantity) { return "/problem/" + quantity.name + "/default"; }

  // Of the quantities in it: parameters are no sizes.
  int degree_of(const Polynomial& size) {
    int most = 0;
    for (const Polynomial& product : size.products()) {
      int own = 0;
      for (const std::string& factor : product.factors()) {
        const std::vector<std::string> names = Expression::parse(factor).names();
        const bool counts = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return draft_.quantity(name) != nullptr;
        });
        // n * n has it twice
        for (Polynomial rest = product; counts && rest.has(factor); ++own)
          rest = rest.divided_by(Polynomial::factor(factor)).value_or(0);
      }
      most = std::max(most, own);
    }
    return most;
  }

  // Whether each thread has a loop as long as a size, or over all blocks.
  bool has_loop_over(const std::set<std::string>& sizes) {
    for (const DraftLaunch& launch : draft_.launches) {
      KernelScope scope(launch, draft_, false);
      for (const Guard& guard : launch.body.guards) {
        const auto left = to_polynomial(guard.left, scope), right = to_polynomial(guard.right, scope);
        if (!left || !right || guard.left.kind != CTerm::Kind::name ||
            !(*left == Polynomial::factor("~" + guard.left.text)))
          continue;
        for (const std::string& factor : right->factors())
          if (factor == "gridDim.x" || (sizes.contains(factor) && draft_.quantity(factor) != nullptr))
            return true;
      }
    }
    return false;
  }

  // Whether a loop goes on below it.
  [[nodiscard]] bool is_iterations(const std::string& quantity) const {
    for (const DraftLaunch& launch : draft_.launches)
      for (const Guard& guard : launch.body.guards) {
        const auto known = launch.known.find(guard.right.text);
        if (guard.right.kind == CTerm::Kind::name && known != launch.known.end() &&
            known->second.text() == quantity)
          return true;
      }
    return false;
  }

  Draft& draft_;
};

}  // namespace

void decide_values(Draft& draft) {
  ProblemValues(draft).decide();
}

}  // namespace tailwave
