#include "measure/telling.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/stopwatch.h"

namespace tailwave {

Telling::Telling(Worker& worker, Tell tell, std::string what, double longest_s)
    : worker_(worker), tell_(std::move(tell)), what_(std::move(what)), longest_s_(longest_s) {
  worker_.set_waiting([this](const Watch::Reading& reading) { return look_at(reading); });
}

std::string Telling::look_at(const Watch::Reading& reading) {
  constexpr double kTellAfterS = 2, kEnoughToEstimateS = 1.5;
  const double seconds = seconds_since(start_);
  const bool counts = reading.doing == Watch::Doing::kernels && reading.share > 0;
  const std::string share = counts ? fmt::format(", {:.0f} % done", 100 * reading.share) : "";
  if (seconds >= kTellAfterS && seconds >= 2 * told_s_) {
    told_s_ = seconds;
    tell_(fmt::format("computing {}: {:.0f} s so far{}\n", what_, seconds, share));
  }
  if (std::isinf(longest_s_) || !counts || reading.seconds < kEnoughToEstimateS) return "";
  const double estimated_s = reading.seconds / reading.share;
  return estimated_s > longest_s_ ? fmt::format("would take about {:.0f} s", estimated_s) : "";
}

}  // namespace tailwave
