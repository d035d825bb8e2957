#include "adopt/verified_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "adopt/kernel_scope.h"
#include "adopt/lexemes.h"

namespace tailwave {
namespace {

// Primes, no two alike: of kernels of one size, of several, and of three directions.
constexpr std::array<std::int64_t, 5> kOfOne{1009, 101, 37, 13, 7};
constexpr std::array<std::int64_t, 8> kOfSeveral{101, 37, 59, 83, 71, 29, 13, 7};
constexpr std::array<std::int64_t, 6> kOfThreeDirections{29, 23, 19, 13, 11, 7};
constexpr std::array<std::int64_t, 3> kWholeBlocks{3, 2, 5};

// What quotients of it are by, where all are by numbers: 4 for n of (n // 4); 0 for (n // m) and n % 4.
std::int64_t divisor_of(const Polynomial& value, const std::string& name) {
  std::int64_t whole = 1;
  for (const std::string& factor : value.factors()) {
    if (!has_word(factor, name)) continue;
    if (factor.find('%') != std::string::npos) return 0;
    for (std::size_t at = 0; (at = factor.find(" // ", at)) != std::string::npos;) {
      at += 4;
      const std::size_t end = factor.find_first_not_of("0123456789", at);
      if (end == at || end == std::string::npos || factor[end] != ')') return 0;
      whole = std::lcm(whole, integer_of(factor.substr(at, end - at)).value_or(0));
    }
  }
  return whole;
}

class VerifiedSizes {
 public:
  explicit VerifiedSizes(Draft& draft) : draft_(draft) {}

  void decide() {
    const auto sizes = std::count_if(draft_.quantities.begin(), draft_.quantities.end(), is_size);
    if (draft_.directions >= 3)
      primes_ = {kOfThreeDirections.begin(), kOfThreeDirections.end()};
    else if (sizes > 1 || draft_.directions == 2)
      primes_ = {kOfSeveral.begin(), kOfSeveral.end()};
    else
      primes_ = {kOfOne.begin(), kOfOne.end()};
    for (const DraftQuantity& each : draft_.quantities)
      if (is_size(each)) decide_one(each);
  }

 private:
  static bool is_size(const DraftQuantity& quantity) { return quantity.is_size && !is_real(quantity.type); }

  void decide_one(const DraftQuantity& quantity) {
    if (quantity.is_kept) return;
    if (quantity.is_macro)
      return remark(fmt::format("{0} is a macro of the code: no other {0} is verified", quantity.name));
    if (const std::int64_t multiple = guarded_multiple(quantity.name); multiple > 0)
      return take_prime(quantity, multiple);
    const Polynomial* const block = block_of(quantity.name);
    if (block == nullptr)
      return remark(
          fmt::format("no guard of {0} could be read: no other {0} is verified, such as one that no block "
                      "divides",
                      quantity.name));
    take_whole_blocks(quantity, *block);
    remark(fmt::format("{} has no guard: what is no multiple of {} is not verified", quantity.name,
                       block->text()));
  }

  void remark(const std::string& what) { draft_.guess(what, "/verify/problems"); }

  // Below the sizes that are timed, so that it is quick.
  static std::int64_t most_of(const DraftQuantity& quantity) {
    return quantity.on_cpu.value_or(std::get<std::int64_t>(quantity.value));
  }

  // With the remainder that the size of the file leaves.
  void take_prime(const DraftQuantity& quantity, std::int64_t multiple) {
    const std::int64_t rest = std::get<std::int64_t>(quantity.value) % multiple;
    const auto found = std::find_if(primes_.begin(), primes_.end(), [&](std::int64_t prime) {
      return prime * multiple + rest < most_of(quantity);
    });
    if (found == primes_.end()) return;
    draft_.verified_sizes.emplace_back(quantity.name, Polynomial(*found * multiple + rest));
    primes_.erase(found);
  }

  void take_whole_blocks(const DraftQuantity& quantity, const Polynomial& block) {
    const std::int64_t blocks = kWholeBlocks.at(draft_.verified_sizes.size() % kWholeBlocks.size());
    const std::int64_t size = blocks * whole_for_all(block);
    if (size > 0 && size < most_of(quantity)) draft_.verified_sizes.emplace_back(quantity.name, size);
  }

  // What the block of each configuration divides, that of the reference among them; 0: it cannot be told.
  [[nodiscard]] std::int64_t whole_for_all(const Polynomial& block) const {
    Values values = draft_.defaults();
    std::int64_t whole = block.value(values).value_or(0);
    for (const DraftParameter& parameter : draft_.parameters) {
      for (const std::int64_t tried : parameter.tried) {
        values[parameter.name] = tried;
        whole = std::lcm(whole, block.value(values).value_or(0));
      }
      values[parameter.name] = parameter.value;
    }
    return whole;
  }

  // What has to divide it, where that is one thing.
  [[nodiscard]] const Polynomial* block_of(const std::string& name) const {
    const Polynomial* found = nullptr;
    for (const DraftDivision& each : draft_.divisible) {
      if (!(each.whole == Polynomial::factor(name))) continue;
      if (found != nullptr && !(*found == each.by)) return nullptr;
      found = &each.by;
    }
    const bool has_others =
        std::any_of(draft_.launches.begin(), draft_.launches.end(),
                    [&](const DraftLaunch& launch) { return is_in_a_condition(launch, name); });
    return has_others ? nullptr : found;
  }

  static bool is_in_a_condition(const DraftLaunch& launch, const std::string& name) {
    return std::any_of(launch.conditions.begin(), launch.conditions.end(),
                       [&](const std::string& condition) { return has_word(condition, name); });
  }

  // Whose multiples all will do: something stops at it in each launch whose grid is made for it, and nothing but numbers divides
  // it; 0: none is known.
  std::int64_t guarded_multiple(const std::string& name) {
    std::int64_t multiple = 1;
    const auto take = [&](const Polynomial& value) {
      multiple = std::lcm(multiple, divisor_of(value, name));
    };
    for (const DraftBuffer& each : draft_.buffers) take(each.count);
    bool any = false;
    for (const DraftLaunch& launch : draft_.launches) {
      if (is_in_a_condition(launch, name)) return 0;
      for (const auto& [parameter, value] : launch.known) take(value);
      KernelScope scope(launch, draft_, true);
      const std::vector<KernelScope::Limit> limits = scope.limits();
      for (const KernelScope::Limit& limit : limits) {
        take(limit.below);
        any = any || (has_word(limit.below.text(), name) && reaches_each(launch, limit.value));
      }
      for (std::size_t i = 0; i < 3; ++i) {
        if (!has_word(launch.grid[i].text(), name)) continue;
        take(launch.grid[i]);
        if (!holds_grid(launch, limits, i, name)) return 0;
        any = true;
      }
    }
    return any ? multiple : 0;
  }

  static bool holds_grid(const DraftLaunch& launch, const std::vector<KernelScope::Limit>& limits,
                         std::size_t direction, const std::string& name) {
    return launch.grid[direction] == Polynomial::factor(name) ||  // a block for each
           std::any_of(limits.begin(), limits.end(), [&](const KernelScope::Limit& limit) {
             return has_word(limit.below.text(), name) && limit.value.has(kBlockNumbers[direction]) &&
                    reaches_each(launch, limit.value);
           });
  }

  // Whether the guarded index is one element, and not the first of several: neither 4 * thread nor a loop's that steps by tiles.
  static bool reaches_each(const DraftLaunch& launch, const Polynomial& index) {
    const auto is_one = [&](const char* number) { return index.coefficient_of(number) == Polynomial(1); };
    if (std::any_of(kThreadNumbers.begin(), kThreadNumbers.end(), is_one) ||
        std::any_of(kBlockNumbers.begin(), kBlockNumbers.end(), is_one))
      return true;
    const std::vector<std::string> factors = index.factors();
    return std::any_of(factors.begin(), factors.end(), [&](const std::string& factor) {
      const auto local =
          factor.starts_with("~") ? launch.body.locals.find(factor.substr(1)) : launch.body.locals.end();
      return local != launch.body.locals.end() && steps_by_one(local->second);
    });
  }

  static bool steps_by_one(const LocalVariable& local) {
    return !local.step || (local.step->kind == CTerm::Kind::number && local.step->text == "1");
  }

  Draft& draft_;
  std::vector<std::int64_t> primes_;
};

}  // namespace

void decide_verified_sizes(Draft& draft) {
  VerifiedSizes(draft).decide();
}

}  // namespace tailwave
