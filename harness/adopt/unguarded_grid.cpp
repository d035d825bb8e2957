#include "adopt/unguarded_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/block_evidence.h"
#include "adopt/kernel_scope.h"
#include "adopt/whole_steps.h"
#include "space/expression.h"

namespace tailwave {
namespace {

constexpr std::int64_t kMostOfAFactor = 64;  // a parameter that is larger may be a size of the problem

class UnguardedGrid {
 public:
  UnguardedGrid(Draft& draft, const DraftLaunch& launch)
      : draft_(draft), launch_(launch), scope_(launch, draft, true), evidence_(draft, launch, 3) {}

  Polynomial blocks(std::size_t direction) {
    read_indices(direction);
    if (!limit_ && row_ && row_->degree() == 1 && is_size(row_->factors()[0])) limit_ = other_size(*row_);
    if (!limit_ && !has_rows_) limit_ = only_size();
    const std::string axis(1, "xyz"[direction]);
    if (!limit_) limit_ = new_size(axis);
    draft_.guess(fmt::format("{} has no guard in {}: {} {} there", launch_.kernel->name, axis, limit_->text(),
                             has_rows_ && span_ == Polynomial(1) ? "blocks" : "elements"),
                 "\"grid\"");
    if (span_ == Polynomial(1)) return *limit_;
    if (const auto exact = limit_->divided_by(span_)) return *exact;
    return quotient();
  }

 private:
  // Elements that blocks of a direction are a part of, a factor of a row's length apart from the next ones. A row that the
  // threads of a block walk along together is no part: each block has one.
  void read_indices(std::size_t direction) {
    for (const Polynomial& each : scope_.coordinates()) {
      const Polynomial blocks = each.coefficient_of(kBlockNumbers[direction]);
      if (blocks == Polynomial(0) || !KernelScope::is_constant(blocks)) continue;
      const Polynomial threads = each.coefficient_of(kThreadNumbers[direction]);
      const auto own = threads == Polynomial(0) ? std::nullopt : blocks.divided_by(threads);
      const bool walks = own && (evidence_.is_length_of_work(*own, static_cast<int>(direction)) ||
                                 is_of_problem(*own, direction));
      has_rows_ = has_rows_ || walks;
      if (own && !walks) span_ = *own;
      if (!limit_) limit_ = length_of_row(each, blocks, span_, direction);
      if (!row_ || row_->is_number()) row_ = blocks.divided_by(span_);
    }
  }

  // Whether it is made of sizes of the problem, while a block has its threads: (n + 31) / 32 * 32.
  [[nodiscard]] bool is_of_problem(const Polynomial& length, std::size_t direction) const {
    const std::vector<std::string> names = Expression::parse(length.text()).names();
    return !(length == launch_.block[direction]) &&
           std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return draft_.quantity(name) != nullptr; });
  }

  Polynomial new_size(const std::string& axis) {
    const bool threads = !(span_ == Polynomial(1));
    const std::string wanted = threads ? "threads_" + axis : "blocks_" + axis;
    if (draft_.alternatives && draft_.quantity(wanted) != nullptr) return Polynomial::factor(wanted);
    const std::string name = draft_.free_name(wanted);
    draft_.quantities.push_back({.name = name,
                                 .type = ScalarType::int32,
                                 .value = std::int64_t{1024},
                                 .is_guess = true,
                                 .is_size = true});
    return Polynomial::factor(name);
  }

  // Of whole blocks.
  Polynomial quotient() {
    const DraftDivision division{*limit_, span_, divides_condition(*limit_, span_),
                                 fmt::format("({} // {})", as_operand(*limit_), as_operand(span_))};
    if (std::find(draft_.divisible.begin(), draft_.divisible.end(), division) == draft_.divisible.end())
      draft_.divisible.push_back(division);
    return Polynomial::factor(division.quotient);
  }

  // n of row * n + column, for the columns.
  std::optional<Polynomial> length_of_row(const Polynomial& index, const Polynomial& blocks,
                                          const Polynomial& span, std::size_t direction) {
    const auto stride = blocks.divided_by(span);
    if (!stride || !(*stride == Polynomial(1))) return std::nullopt;
    for (std::size_t other = 0; other < 3; ++other) {
      if (other == direction) continue;
      for (const std::string& factor : index.coefficient_of(kBlockNumbers[other]).factors())
        if (is_size(factor)) return Polynomial::factor(factor);
    }
    return std::nullopt;
  }

  // Of threads of a block and of real numbers none is a size of the problem.
  [[nodiscard]] bool is_size(const std::string& name) {
    const DraftQuantity* quantity = draft_.quantity(name);
    const DraftParameter* parameter = draft_.parameter(name);
    return (quantity != nullptr && !is_real(quantity->type)) ||
           (parameter != nullptr && !parameter->of_blocks &&
            std::holds_alternative<std::int64_t>(parameter->value) &&
            std::get<std::int64_t>(parameter->value) > kMostOfAFactor);
  }

  // For rows of n elements: another size of the kernel where there is exactly one, else n; none for rows of blocks.
  std::optional<Polynomial> other_size(const Polynomial& row) {
    std::optional<Polynomial> found;
    for (const OutlineParameter& parameter : launch_.kernel->parameters) {
      const auto known = launch_.known.find(parameter.name);
      if (known == launch_.known.end() || known->second == row || known->second.degree() != 1) continue;
      if (!is_size(known->second.text())) continue;
      if (found) return or_square(row);
      found = known->second;
    }
    return found ? found : or_square(row);
  }
  [[nodiscard]] std::optional<Polynomial> or_square(const Polynomial& row) const {
    return has_rows_ ? std::nullopt : std::optional(row);
  }

  std::optional<Polynomial> only_size() {
    std::optional<Polynomial> found;
    for (const auto& [name, value] : launch_.known) {
      const auto factors = value.factors();
      const DraftQuantity* quantity = factors.size() == 1 ? draft_.quantity(factors[0]) : nullptr;
      if (quantity == nullptr || is_real(quantity->type)) continue;
      if (found && !(*found == value)) return std::nullopt;
      found = value;
    }
    return found;
  }

  Draft& draft_;
  const DraftLaunch& launch_;
  KernelScope scope_;
  BlockEvidence evidence_;
  Polynomial span_{1};     // elements of a direction that a block has
  bool has_rows_ = false;  // of which a block has one
  std::optional<Polynomial> limit_, row_;
};

}  // namespace

Polynomial blocks_without_guard(Draft& draft, const DraftLaunch& launch, std::size_t direction) {
  return UnguardedGrid(draft, launch).blocks(direction);
}

}  // namespace tailwave
