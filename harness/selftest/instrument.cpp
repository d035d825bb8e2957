#include "selftest/instrument.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "compile/prelude.h"
#include "core/error.h"
#include "core/statistics.h"
#include "selftest/embedded.h"

namespace tailwave {
namespace {

constexpr int kWarmUp = 3;
constexpr double kNsPerUs = 1e3;
constexpr double kDeadlineS = 30;

Launch launch_of(std::string kernel, std::vector<LaunchArgument> arguments = {}) {
  Launch launch;
  launch.kernel = std::move(kernel);
  launch.arguments = std::move(arguments);
  return launch;
}

}  // namespace

Artifact build_selftest_kernels(Compiler& compiler, const std::filesystem::path& folder) {
  VariantSpec variant;
  variant.name = "kernels";
  variant.source = folder / "kernels.cu";
  write_own_source(variant.source, embedded::selftest::file("kernels.cu"));
  for (const char* kernel :
       {"selftest_empty", "selftest_spin", "selftest_timer_step", "selftest_work", "selftest_read"}) {
    LaunchSpec launch;
    launch.kernel = kernel;
    variant.launches.push_back(std::move(launch));
  }
  System system;
  system.name = "selftest";
  system.directory = folder;
  system.file = folder / "system.json";
  return compiler.build({&system, &variant, {system.name, variant.name, {}, {}}});
}

Instrument::Instrument(Executor& executor, const Artifact& artifact) : executor_(executor) {
  executor_.set_deadline_s(kDeadlineS);
  program_ = executor_.load(artifact);
  out_ = executor_.allocate(sizeof(std::uint64_t));
}

Launch Instrument::empty() {
  return launch_of("selftest_empty");
}

Launch Instrument::spin(double us) {
  return launch_of("selftest_spin", {scalar(static_cast<long long>(us * kNsPerUs))});
}

Launch Instrument::work_of(std::int64_t iterations) const {
  Launch launch = launch_of("selftest_work", {out_.get(), scalar(static_cast<int>(iterations))});
  launch.grid.x = device().sms;
  launch.block.x = 256;
  return launch;
}

Launch Instrument::work(double us) {
  constexpr int kProbeSamples = 5;
  constexpr std::int64_t kMost = std::int64_t{1} << 29;
  std::int64_t iterations = 16;
  double took_us = median(times_us(work_of(iterations), kProbeSamples));
  while (took_us < us / 2 && iterations < kMost) {
    iterations *= 2;
    took_us = median(times_us(work_of(iterations), kProbeSamples));
  }
  const double wanted = static_cast<double>(iterations) * us / took_us;
  return work_of(std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, kMost));
}

Launch Instrument::read(Buffer& data) const {
  constexpr std::size_t kBytesARead = 16;
  Launch launch = launch_of("selftest_read",
                            {&data, scalar(static_cast<int>(data.size_bytes() / kBytesARead)), out_.get()});
  launch.grid.x = 4LL * device().sms;
  launch.block.x = 256;
  return launch;
}

double Instrument::timer_step_us() {
  run(launch_of("selftest_timer_step", {out_.get()}));
  std::uint64_t step_ns = 0;
  executor_.download(*out_, std::as_writable_bytes(std::span(&step_ns, 1)));
  return static_cast<double>(step_ns) / kNsPerUs;
}

RunResult Instrument::run(const Launch& launch, const RunOptions& options) {
  return executor_.run(*program_, std::span(&launch, 1), options);
}

RunResult Instrument::run(const std::vector<Launch>& plan, const RunOptions& options) {
  return executor_.run(*program_, plan, options);
}

std::vector<double> Instrument::times_us(const Launch& launch, int samples, const RunOptions& options) {
  std::vector<double> times;
  for (int i = 0; i < kWarmUp + samples; ++i) {
    const double time_us = run(launch, options).time_ns / kNsPerUs;
    if (i >= kWarmUp) times.push_back(time_us);
  }
  return times;
}

}  // namespace tailwave
