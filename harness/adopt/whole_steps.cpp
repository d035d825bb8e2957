#include "adopt/whole_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/kernel_scope.h"
#include "space/expression.h"

namespace tailwave {
namespace {

class WholeSteps {
 public:
  WholeSteps(Draft& draft, DraftLaunch& launch)
      : draft_(draft), launch_(launch), scope_(launch, draft, true) {}

  void require() {
    for (const auto& [name, local] : launch_.body.locals) {
      const auto first = local.first ? to_polynomial(*local.first, scope_) : std::nullopt;
      const auto step = local.step ? to_polynomial(*local.step, scope_) : std::nullopt;
      if (first != Polynomial(0) || !step || !KernelScope::is_constant(*step)) continue;
      for (const KernelScope::Limit& limit : scope_.limits())
        if (limit.value == Polynomial::factor("~" + name) && !(limit.below == *step) &&
            (is_of_threads(limit.below, *step) || is_of_problem(limit.below, name, *local.step)))
          add(limit.below, *step);
    }
  }

 private:
  // tile[threadIdx.y + j] for (j = 0; j < TILE; j += ROWS)
  [[nodiscard]] bool is_of_threads(const Polynomial& below, const Polynomial& step) const {
    return !step.is_number() && draft_.parameter(below.text()) != nullptr &&
           std::find(launch_.block.begin(), launch_.block.end(), step) != launch_.block.end();
  }

  // for (k = 0; k < K; k += BK), where nothing stops at K within.
  bool is_of_problem(const Polynomial& below, const std::string& loop, const CTerm& step) {
    const std::vector<std::string> names = Expression::parse(below.text()).names();
    const bool has_size = std::any_of(names.begin(), names.end(), [&](const std::string& each) {
      return draft_.quantity(each) != nullptr;
    });
    return has_size && step.kind != CTerm::Kind::number && !is_guarded_within("~" + loop);
  }

  bool is_guarded_within(const std::string& loop) {
    return std::any_of(launch_.body.guards.begin(), launch_.body.guards.end(), [&](const Guard& guard) {
      const auto left = to_polynomial(guard.left, scope_), right = to_polynomial(guard.right, scope_);
      const bool is_its = left == Polynomial::factor(loop);
      return !is_its && ((left && left->has(loop)) || (right && mentions(*right, loop)));
    });
  }
  // Be it within "min(B, (n - ~k))".
  static bool mentions(const Polynomial& value, const std::string& loop) {
    return value.text().find(loop) != std::string::npos;
  }

  // The file's own sizes meet it, or it is not what the code means.
  void add(const Polynomial& whole, const Polynomial& by) {
    const auto size = whole.value(draft_.defaults()), step = by.value(draft_.defaults());
    if (!size || !step || *step < 2 || *size % *step != 0) return;
    const std::string condition = divides_condition(whole, by);
    auto& all = launch_.conditions;
    if (std::find(all.begin(), all.end(), condition) == all.end()) all.push_back(condition);
  }

  Draft& draft_;
  DraftLaunch& launch_;
  KernelScope scope_;
};

}  // namespace

std::string as_operand(const Polynomial& value) {
  const std::string text = value.text();
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string divides_condition(const Polynomial& whole, const Polynomial& by) {
  return fmt::format("{} % {} == 0", as_operand(whole), as_operand(by));
}

void require_whole_steps(Draft& draft, DraftLaunch& launch) {
  WholeSteps(draft, launch).require();
}

}  // namespace tailwave
