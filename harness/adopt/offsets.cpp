#include "adopt/offsets.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/host_pointer.h"
#include "adopt/kernel_scope.h"

namespace tailwave {
namespace {

bool reads_before_begin(Draft& draft, const DraftLaunch& launch, const std::string& pointer) {
  if (launch.body.lower_bounds) return false;
  KernelScope scope(launch, draft, true);
  for (const MemoryAccess& access : launch.body.accesses) {
    const auto range = access.pointer == pointer && access.index ? scope.range(*access.index) : std::nullopt;
    if (range && range->low.value(draft.defaults()).value_or(0) < 0) return true;
  }
  return false;
}

// Whether the same memory is passed otherwise, too.
bool is_part_of_others(const Draft& draft, const HostPointer& pointer) {
  return std::any_of(draft.buffers.begin(), draft.buffers.end(), [&](const DraftBuffer& each) {
    return each.host_name == pointer.variable && each.allocated_at == pointer.allocated_at &&
           each.passed != pointer.passed;
  });
}

}  // namespace

bool has_offset(const KernelText& kernel, const HostLaunch& launch) {
  for (std::size_t i = 0; i < launch.arguments.size() && i < kernel.parameters.size(); ++i)
    if (kernel.parameters[i].pointer && pointer_of(launch.arguments[i]).is_moved) return true;
  return false;
}

void remark_on_offsets(Draft& draft, const DraftLaunch& launch) {
  const auto& parameters = launch.kernel->parameters;
  for (std::size_t i = 0;
       launch.host != nullptr && i < parameters.size() && i < launch.host->arguments.size(); ++i) {
    if (!parameters[i].pointer) continue;
    const HostPointer passed = memory_of(draft.host, pointer_of(launch.host->arguments[i]), launch.host->at);
    if (!passed.is_moved) continue;
    const std::string what = fmt::format("argument {} of {}, '{}', which the file passes as '{}'", i + 1,
                                         launch.kernel->name, parameters[i].name, passed.passed);
    if (reads_before_begin(draft, launch, parameters[i].name))
      draft.by_hand.push_back(
          {what, "the manifest has no word for a part of a buffer: have tuned.cu and original.cu add it"});
    else
      draft.guess(what + (is_part_of_others(draft, passed) ? " and the manifest as a buffer of its own"
                                                           : " and the manifest from its begin on"),
                  "\"args\"");
  }
}

}  // namespace tailwave
