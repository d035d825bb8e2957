#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/resource_limits.h"

namespace tailwave {

// What a process may touch in which code runs, or is compiled, that a stranger may have written. Beside it are always
// allowed: to read what compilers and libraries need of the system (/usr, /lib, /opt, /proc, /sys, some files of /etc),
// and to write in its own folder of temporary files and to /dev/null.
//
// It may not reach the network or other processes: no sockets but pairs and those of its own, no signals to processes
// that it has not started, no looking into them, no mounts, no modules, no keys, no core files. When the machine has no
// memory left, it is the first to be ended.
struct Sandbox {
  // Files, and folders with all that is in them. What is not there is passed over.
  std::vector<std::filesystem::path> read;
  std::vector<std::filesystem::path> write;  // also to make, remove and rename there
  // May change modes, owners and times of files, as linkers do; it is not to be had for some folders alone.
  bool marks_files = false;
  ResourceLimits limits;
};

// Whose sandbox: a process that runs code on the CPU; one that has it run on a GPU; one that compiles.
enum class Confined { host_code, device_code, compiler };

// What such processes may touch that this one starts from now on. They confine themselves: nothing happens in this one.
void set_sandbox(Confined what, Sandbox sandbox);
// What `more` lets it read, write and mark; its limits stay. Does nothing where no sandbox was set.
void extend_sandbox(Confined what, const Sandbox& more);

// Confines this process and all that it starts from now on, for good, once: what set_sandbox() said before it was
// forked, and what was open already. Does nothing where no sandbox was set. Threads that it has started already can
// still open files that it cannot. Throws Error when the system refuses.
void enter_sandbox(Confined what);

// Programs that run_process() starts from now on are confined like that.
void confine_programs(Confined what);
// In a process that becomes such a program. Throws as enter_sandbox() does.
void enter_sandbox_of_programs();

// What can be enforced here: "Landlock 7, seccomp"; "seccomp alone: " or "none: " and why. $TAILWAVE_SANDBOX=off:
// nothing is.
std::string sandbox_of_this_system();
// What of a sandbox's promises cannot be enforced here, as the end of a sentence; "" when all can.
std::string sandbox_gap();

}  // namespace tailwave
