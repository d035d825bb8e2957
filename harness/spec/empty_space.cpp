#include "spec/empty_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "space/assignment.h"
#include "spec/configuration_walk.h"

namespace tailwave {
namespace {

// Beyond it nothing is counted: to do so once for each constraint would take long.
constexpr double kMostCounted = 100'000;

// Which of the constraints rules everything out by itself, if any.
const Expression* culprit(const ParameterSpace& space) {
  for (const Expression& constraint : space.constraints()) {
    try {
      if (!may_have_any({space.parameters(), {constraint}, space.fixed()})) return &constraint;
    } catch (const ExpressionError&) {
      continue;  // another one keeps it from what it cannot be evaluated for
    }
  }
  return nullptr;
}

std::string is_false(const std::string& constraint) {
  return fmt::format("'{}' is false for all of it", constraint);
}

bool has(const std::vector<Expression>& constraints, const std::string& text) {
  return std::any_of(constraints.begin(), constraints.end(),
                     [&](const Expression& one) { return one.text() == text; });
}

// What an experiment has of its cases on its problems.
class EmptyParts {
 public:
  EmptyParts(const Experiment& experiment, bool for_cpu_device) : experiment_(experiment) {
    CaseParts parts(experiment, for_cpu_device);
    if (for_cpu_device) parts.add_cpu_constraints();
    parts.for_each([&](const CasePart& part) {
      spaces_.push_back(part.space);
      all_ += part.space.cartesian_size();
      for (const Expression& one : part.space.constraints())
        if (!has(constraints_, one.text())) constraints_.push_back(one);
      return all_ <= kMostCounted;
    });
  }

  [[nodiscard]] EmptyReason reason() const {
    if (all_ > kMostCounted) return {experiment_.constraints_pointer, ""};
    std::vector<std::string> culprits;
    for (const ParameterSpace& space : spaces_) {
      const Expression* const one = culprit(space);
      if (one == nullptr) return {experiment_.constraints_pointer, counts()};
      if (std::find(culprits.begin(), culprits.end(), one->text()) == culprits.end())
        culprits.push_back(one->text());
    }
    if (culprits.size() != 1) return {experiment_.constraints_pointer, counts()};
    const ConstraintFailure at = failure_of(experiment_, {"", -1, "", culprits.front()});
    return {at.pointer,
            is_false(culprits.front()) + (at.error.hint.empty() ? "" : fmt::format(" ({})", at.error.hint))};
  }

 private:
  // With the first constraints alone, so many of them.
  [[nodiscard]] std::uint64_t left_by(std::size_t count) const {
    std::uint64_t left = 0;
    for (const ParameterSpace& space : spaces_) {
      std::vector<Expression> some;
      for (std::size_t i = 0; i < count; ++i)
        if (has(space.constraints(), constraints_[i].text())) some.push_back(constraints_[i]);
      left += ParameterSpace(space.parameters(), some, space.fixed()).count();
    }
    return left;
  }

  // "of 24, 'A > 1' leaves 6, then 'B' leaves 0"; empty where one cannot be evaluated for what those before it leave.
  [[nodiscard]] std::string counts() const {
    std::string text = fmt::format("of {:g}", all_);
    try {
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        const std::uint64_t left = left_by(i + 1);
        text += fmt::format(", {}'{}' leaves {}", i == 0 ? "" : "then ", constraints_[i].text(), left);
        if (left == 0) break;
      }
    } catch (const ExpressionError&) {
      return "";
    }
    return text;
  }

  const Experiment& experiment_;
  std::vector<ParameterSpace> spaces_;
  std::vector<Expression> constraints_;  // of any of them, each once
  double all_ = 0;                       // configurations, were there no constraints
};

}  // namespace

bool may_have_any(const ParameterSpace& space) {
  constexpr std::size_t kMostTried = 100'000;
  std::size_t asked = 0;
  return !space.for_each([](const auto&) { return false; },
                         [&] { return ++asked > kMostTried / Assignment::kGivenBetween; });
}

std::string why_empty(const ParameterSpace& space) {
  const Expression* const one = culprit(space);
  return one == nullptr ? "each constraint leaves some of it, all together leave none"
                        : is_false(one->text());
}

std::string none_satisfies(bool for_cpu_device) {
  return fmt::format("no configuration satisfies all constraints{}",
                     for_cpu_device ? " on the CPU device" : "");
}

EmptyReason why_empty(const Experiment& experiment, bool for_cpu_device) {
  return EmptyParts(experiment, for_cpu_device).reason();
}

void refuse_empty(const Experiment& experiment, bool for_cpu_device) {
  const EmptyReason why = why_empty(experiment, for_cpu_device);
  throw Error(Diagnostic{.file = experiment.file.string(),
                         .place = why.pointer,
                         .cause = none_satisfies(for_cpu_device),
                         .hint = why.text});
}

}  // namespace tailwave
