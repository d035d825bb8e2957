#include "core/outcome.h"

#include <stdexcept>

#include "core/argument_words.h"

namespace tailwave {

bool is_failure(Outcome outcome) {
  return outcome != Outcome::correct && outcome != Outcome::skipped_identical &&
         outcome != Outcome::unavailable && outcome != Outcome::given_up;
}

bool was_killed_from_outside(Outcome outcome, std::string_view detail) {
  return (outcome == Outcome::compile_error || outcome == Outcome::crashed) &&
         detail.ends_with(kKilledFromOutside);
}

std::string_view next_step(Outcome outcome, std::string_view detail) {
  switch (outcome) {
    case Outcome::correct:
      return "";
    case Outcome::compile_error:
      return "the detail has the compiler's log; 'tailwave check' finds what does not fit the source";
    case Outcome::compile_timeout:
      return R"(less to unroll, or more time, with "measure": {"build_deadline_s": 600} of the experiment)";
    case Outcome::exceeds_device_limit:
      return "'tailwave plan SPEC --explain CONFIGURATION' says what it needs; a constraint leaves it out";
    case Outcome::launch_failed:
      if (detail.find(kOtherArguments) != std::string_view::npos ||
          detail.find(kOtherArgument) != std::string_view::npos)
        return "look at \"args\" of its launch: 'tailwave check SPEC' says what the kernel takes";
      return "look at its grid, block and shared memory with 'tailwave plan', and at its barriers";
    case Outcome::illegal_access:
    case Outcome::crashed:
      if (detail.find(kEndedWithStatus) != std::string_view::npos ||
          detail.find(kEndedBySignal) != std::string_view::npos)
        return "the detail has the end of what it printed; run its command by hand to look further";
      return "find the line: 'tailwave check --races SPEC' names what is out of bounds; so does a build by 'make asan', "
             "in 'run SPEC --device cpu --filter CONFIGURATION', or a debugger (docs/cpu_device.md)";
    case Outcome::timeout:
      return R"(an endless loop, which "measure": {"deadline_s": 5} of the experiment ends sooner, or more work than )"
             "it allows";
    case Outcome::out_of_memory:
      return "a smaller problem, or a device with more memory";
    case Outcome::wrong_result:
      if (detail.find(kBelowPrecision) != std::string_view::npos)
        return "give a tolerance that the type can hold (1e-5 does for most sums of float32): with this one only results "
               "with the bits of the reference pass";
      if (detail.ends_with(kIsolate))
        return R"("measure": {"mode": "isolated"} of the experiment, in which each execution has inputs of its own)";
      return "'tailwave check --races SPEC' names both lines of a race, and what is out of bounds; is it neither, look "
             "at the element that the detail names (docs/cpu_device.md)";
    case Outcome::faster_than_possible:
      return "it has not done its work while it was timed, whatever it did before and after; or a limit of the "
             "manifest that says \"hard\" is none";
    case Outcome::unavailable:
      if (detail.starts_with(kCpuDeviceLacks))
        return "run it on a GPU, or say under '#ifdef TAILWAVE_CPU' what to do here instead (docs/cpu_device.md)";
      return "nothing here: its manifest says that this device cannot run it";
    case Outcome::skipped_identical:
      return "nothing: its time is that of the configuration that the detail names";
    case Outcome::given_up:
      return R"(nothing: others are far quicker; "measure": {"give_up": 0} of the experiment measures it all the same)";
  }
  throw std::logic_error("outcome without a next step");
}

}  // namespace tailwave
