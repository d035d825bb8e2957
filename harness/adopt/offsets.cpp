#include "adopt/offsets.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/kernel_scope.h"

namespace tailwave {
namespace {

// Whether a pointer that is passed leads into a buffer: d_x + offset, &d_x[offset].
bool is_offset(LexemeSpan argument) {
  const auto term = parse_term(argument);
  if (!term || variable_of(argument).empty()) return false;
  const bool moved = term->kind == CTerm::Kind::binary && (term->text == "+" || term->text == "-");
  return moved ||
         (term->kind == CTerm::Kind::unary && term->text == "&" && term->parts[0].kind == CTerm::Kind::index);
}

bool reads_before_begin(Draft& draft, const DraftLaunch& launch, const std::string& pointer) {
  if (launch.body.lower_bounds) return false;
  KernelScope scope(launch, draft, true);
  for (const MemoryAccess& access : launch.body.accesses) {
    const auto range = access.pointer == pointer && access.index ? scope.range(*access.index) : std::nullopt;
    if (range && range->low.value(draft.defaults()).value_or(0) < 0) return true;
  }
  return false;
}

}  // namespace

bool has_offset(const HostLaunch& launch) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [](LexemeSpan each) { return is_offset(each); });
}

void remark_on_offsets(Draft& draft, const DraftLaunch& launch) {
  const auto& parameters = launch.kernel->parameters;
  for (std::size_t i = 0;
       launch.host != nullptr && i < parameters.size() && i < launch.host->arguments.size(); ++i) {
    if (!parameters[i].pointer || !is_offset(launch.host->arguments[i])) continue;
    const std::string what =
        fmt::format("argument {} of {}, '{}', which the file passes as '{}'", i + 1, launch.kernel->name,
                    parameters[i].name, joined(launch.host->arguments[i]));
    if (reads_before_begin(draft, launch, parameters[i].name))
      draft.by_hand.push_back(
          {what, "the manifest has no word for a part of a buffer: have tuned.cu and original.cu add it"});
    else
      draft.guess(what + " and the manifest from its begin on", "\"args\"");
  }
}

}  // namespace tailwave
