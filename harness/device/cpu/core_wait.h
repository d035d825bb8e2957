#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tailwave {

// How long each thread of this process has been ready to run and waited for a core since it began, in ns by thread, as the
// kernel counts it when the wait ends (/proc/self/task/*/schedstat, second number); empty where it does not.
using CoreWaits = std::map<int, std::int64_t>;
CoreWaits waits_for_cores();

// How long they waited between two looks, `elapsed_ns` apart, all together; nothing where the kernel does not count. What a
// thread waited longer began before, and so is of one that had no part in what happened between.
std::optional<double> waited_between_ns(const CoreWaits& before, const CoreWaits& after, double elapsed_ns);

}  // namespace tailwave
