#include <fmt/format.h>

#include <cmath>

#include "compile/prelude.h"
#include "selftest/checks.h"
#include "selftest/embedded.h"

namespace tailwave {
namespace {

constexpr double kLimitPoints = 3;
constexpr double kJudgedFromUs = 50;

Check check_of_traces() {
  return {.name = "traces",
          .quantity = "busy slots, as traced less as counted",
          .unit = "points",
          .expectation = fmt::format("within {:g} from {:g} us on", kLimitPoints, kJudgedFromUs)};
}

}  // namespace

std::vector<Check> judge_traces(const std::vector<TracedKernel>& kernels) {
  std::vector<Check> checks;
  for (const TracedKernel& kernel : kernels) {
    Check check = check_of_traces();
    check.quantity = kernel.kernel + ": " + check.quantity;
    check.value = 100 * (kernel.traced_busy - kernel.counted_busy);
    check.detail = fmt::format("traced {:.1f} %, counted {:.1f} %, {:.1f} us", 100 * kernel.traced_busy,
                               100 * kernel.counted_busy, kernel.duration_us);
    if (!kernel.disturbed.empty()) {
      check.detail += "; disturbed: " + kernel.disturbed;
    } else if (kernel.duration_us >= kJudgedFromUs) {
      check.passed = std::abs(*check.value) <= kLimitPoints;
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

Check without_traces(const std::string& why) {
  Check check = check_of_traces();
  check.detail = why.substr(0, why.find('\n'));
  return check;
}

std::filesystem::path write_traced_project(const std::filesystem::path& folder) {
  const std::filesystem::path system = folder / "kernel_templates/selftest_traced";
  std::filesystem::path experiment = folder / "experiments/selftest_traced/kinds.json";
  for (const char* file : {"system.json", "kernels.cu", "reference.cc"})
    write_own_source(system / file, embedded::selftest::file(std::string("traced/") + file));
  write_own_source(experiment, embedded::selftest::file("traced/kinds.json"));
  return experiment;
}

}  // namespace tailwave
