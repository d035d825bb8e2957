#pragma once

#include <sys/types.h>

namespace tailwave {

// Makes this process the parent of whatever below it loses its own, and lets it be sent `signal` when the process
// `owner` dies, that is this one's parent. False when that has happened already. The setting is not inherited.
bool adopt_descendants(pid_t owner, int signal) noexcept;

// Kills all that was started below this process, which has called adopt_descendants(), and reaps it: groups and
// sessions of their own are no way out. Gives up after `limit_s` on what the kernel does not let die. Whether there was
// anything.
bool end_descendants(double limit_s = 10) noexcept;

}  // namespace tailwave
