#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/enum_names.h"

namespace tailwave {

// How a trial ended. Only `correct` has a time.
enum class Outcome {
  correct,
  compile_error,
  compile_timeout,
  exceeds_device_limit,
  launch_failed,
  illegal_access,
  timeout,
  out_of_memory,
  wrong_result,
  faster_than_possible,
  crashed,
  unavailable,
  skipped_identical,
  given_up,
};

template <>
struct EnumNames<Outcome> {
  static constexpr std::string_view noun = "outcome";
  static constexpr std::array<std::string_view, 14> names{"correct",           "compile_error",
                                                          "compile_timeout",   "exceeds_device_limit",
                                                          "launch_failed",     "illegal_access",
                                                          "timeout",           "out_of_memory",
                                                          "wrong_result",      "faster_than_possible",
                                                          "crashed",           "unavailable",
                                                          "skipped_identical", "given_up"};
};

// Whether something went wrong: not with what is correct, shares another's time, is not meant for the device, or was
// given up as too slow to be of interest.
bool is_failure(Outcome outcome);

// Seconds after which a build is a compile_timeout, unless an experiment says something else.
inline constexpr double kDefaultBuildDeadlineS = 120;

// Whether such a trial says nothing of its configuration: a process that built or ran it was killed from outside, as
// the system does when memory is short. Its detail then ends with kKilledFromOutside.
inline constexpr std::string_view kKilledFromOutside = "was killed by signal 9 (Killed)";
bool was_killed_from_outside(Outcome outcome, std::string_view detail);

// In the detail of a result that misses by rounding a tolerance that only the same bits meet; the type follows.
inline constexpr std::string_view kBelowPrecision = "the tolerance is below the precision of ";

// The end of the detail of a result that is right, but whose executions back to back do not take what one takes.
inline constexpr std::string_view kIsolate = "measure it with the mode 'isolated'";

// In the detail of a program of the user's own that failed.
inline constexpr std::string_view kEndedWithStatus = " ended with status ",
                                  kEndedBySignal = " was ended by signal ";

// The start of the detail of what only GPUs have a compiler for.
inline constexpr std::string_view kCpuDeviceLacks = "the CPU device lacks ";

// What a person can do about it, in a line; "" for a correct one. `detail`: of a trial that ended so.
std::string_view next_step(Outcome outcome, std::string_view detail = "");

// Thrown where a configuration cannot go on; the pipeline turns it into a trial with that outcome. what() is
// the detail that people read: the compiler's or the driver's words.
class Failure : public std::runtime_error {
 public:
  Failure(Outcome outcome, const std::string& detail) : std::runtime_error(detail), outcome_(outcome) {}
  [[nodiscard]] Outcome outcome() const noexcept { return outcome_; }

 private:
  Outcome outcome_;
};

}  // namespace tailwave
