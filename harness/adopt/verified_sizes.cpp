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

// Whether a quotient or a remainder of it is part of that: (n // 4).
bool divides(const Polynomial& value, const std::string& name) {
  const std::vector<std::string> factors = value.factors();
  return std::any_of(factors.begin(), factors.end(), [&](const std::string& factor) {
    const bool has_division = factor.find("//") != std::string::npos || factor.find('%') != std::string::npos;
    return has_division && has_word(factor, name);
  });
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
    if (is_guarded(quantity.name)) return take_prime(quantity);
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

  void take_prime(const DraftQuantity& quantity) {
    const auto found = std::find_if(primes_.begin(), primes_.end(),
                                    [&](std::int64_t prime) { return prime < most_of(quantity); });
    if (found == primes_.end()) return;
    draft_.verified_sizes.emplace_back(quantity.name, Polynomial(*found));
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

  // Whether any value will do: something stops at it in each launch whose grid is made for it, and nothing divides it.
  bool is_guarded(const std::string& name) {
    const bool in_counts = std::any_of(draft_.buffers.begin(), draft_.buffers.end(),
                                       [&](const DraftBuffer& each) { return divides(each.count, name); });
    if (in_counts) return false;
    bool any = false;
    for (const DraftLaunch& launch : draft_.launches) {
      const bool in_quotient = std::any_of(launch.known.begin(), launch.known.end(),
                                           [&](const auto& each) { return divides(each.second, name); });
      if (in_quotient || is_in_a_condition(launch, name)) return false;
      KernelScope scope(launch, draft_, true);
      const std::vector<KernelScope::Limit> limits = scope.limits();
      for (const KernelScope::Limit& limit : limits) {
        if (divides(limit.below, name)) return false;
        any = any || (limit.below.has(name) && reaches_each(launch, limit.value));
      }
      for (std::size_t i = 0; i < 3; ++i) {
        if (!has_word(launch.grid[i].text(), name)) continue;
        if (!holds_grid(launch, limits, i, name)) return false;
        any = true;
      }
    }
    return any;
  }

  static bool holds_grid(const DraftLaunch& launch, const std::vector<KernelScope::Limit>& limits,
                         std::size_t direction, const std::string& name) {
    const Polynomial& grid = launch.grid[direction];
    if (grid == Polynomial::factor(name)) return true;  // a block for each
    return !divides(grid, name) &&
           std::any_of(limits.begin(), limits.end(), [&](const KernelScope::Limit& limit) {
             return limit.below.has(name) && limit.value.has(kBlockNumbers[direction]) &&
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
