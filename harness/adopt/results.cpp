#include "adopt/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace tailwave {
namespace {

// "'float* x' of k" of the kernels' pointers that a buffer is passed for; of those to const only without `writable`.
std::string pointer_for(const Draft& draft, const DraftBuffer& buffer, bool writable) {
  for (const DraftLaunch& launch : draft.launches)
    for (const OutlineParameter& pointer : launch.pointers) {
      const auto own = launch.buffers.find(pointer.name);
      if (own != launch.buffers.end() && own->second == buffer.name && !(writable && pointer.reads))
        return fmt::format("'{}' of {}", pointer.text, launch.kernel->name);
    }
  return "";
}

std::string first_pointer(const Draft& draft, bool writable) {
  for (const DraftBuffer& each : draft.buffers)
    if (std::string pointer = pointer_for(draft, each, writable); !pointer.empty()) return pointer;
  return "";
}

std::string cause_of(const Draft& draft) {
  if (!draft.by_hand.empty()) return fmt::format("{} cannot be read", draft.by_hand.front().what);
  if (const std::string pointer = first_pointer(draft, true); !pointer.empty())
    return fmt::format("no write through {} could be read", pointer);
  if (const std::string pointer = first_pointer(draft, false); !pointer.empty())
    return fmt::format("kernels get pointers to const alone, such as {}", pointer);
  return "kernels get no pointer";
}

}  // namespace

void require_results(Draft& draft, const std::filesystem::path& source) {
  const auto is_compared = [](const DraftBuffer& each) { return each.is_compared; };
  if (std::any_of(draft.buffers.begin(), draft.buffers.end(), is_compared)) return;
  for (DraftBuffer& each : draft.buffers)
    if (!draft.by_hand.empty() && !pointer_for(draft, each, true).empty()) {
      each.is_compared = true;
      return;
    }
  const std::string hint = draft.by_hand.empty() ? "" : ", with " + draft.by_hand.front().where;
  throw Error(Diagnostic{
      .file = source.string(),
      .cause = "nothing to compare: " + cause_of(draft),
      .hint = "write kernel_templates/NAME/system.json by hand" + hint + ": 'tailwave new NAME' is a start"});
}

}  // namespace tailwave
