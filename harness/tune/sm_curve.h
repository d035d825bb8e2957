#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.h"
#include "measure/measurer.h"
#include "occupancy/device_spec.h"
#include "spec/experiment.h"

namespace tailwave {

struct SmCurveOptions {
  std::vector<int> asked;  // numbers of SMs; the device as a whole comes after them
  int turns = 3;           // of each number, in random order, each with the experiment's samples
  std::uint64_t seed = 1;  // of the order
};

// Numbers of SMs for a curve, ascending: sixteenths of the device's, rounded down to what it gives out, up to seven
// eighths; of a device that nothing is known of (`steps` is empty), to one.
std::vector<int> curve_sms(int sms, const std::optional<DeviceSpec>& steps);

// Numbers that a person has listed, "8,16,32": each once. Throws Error (bad usage) for what is no such list.
std::vector<int> listed_sms(const std::string& list);

// A number of SMs on which the configuration does not run.
struct RefusedSms {
  int asked = 0;
  Outcome outcome = Outcome::launch_failed;
  std::string detail;
};

struct MeasuredSmCurve {
  SmCurve curve;
  std::vector<RefusedSms> refused;
};

// Times the plan of a configuration of a cuda variant with all of its launches on each number of SMs, whatever the
// manifest says of them; `prepare` and `finish` are as ever. On each it is verified and timed as the experiment says.
// Numbers for which the device grants the same are one. Throws Failure where it runs on no number of SMs or not on the
// whole device, and Error as measuring does.
MeasuredSmCurve measure_sm_curve(const Experiment& experiment, const Configuration& configuration,
                                 Measurer& measurer, const SmCurveOptions& options);

// What its medians say, as the view sm_point has it.
struct SmGains {
  int in_proportion_to =
      0;  // the most SMs up to which the time falls as they grow, from the fewest on, within 5 %
  std::optional<int> enough;  // the fewest that are not 5 % slower than any more; empty: the most there are
};
SmGains gains_of(const SmCurve& curve);

}  // namespace tailwave
