#include "tune/builder.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace tailwave {
namespace {

Built build_one(const BuildRequest& request, const Toolchain& tools) {
  Built built;
  const bool host = request.variant->target == VariantSpec::Target::host;
  try {
    built.artifact = (host ? tools.host : tools.kernels)->build(request);
    built.resources = built.artifact->resources;
  } catch (const Failure& failure) {
    built.artifact.reset();
    built.outcome = failure.outcome();
    built.detail = failure.what();
    return built;
  }
  if (!host && built.resources.empty() && tools.planner != nullptr) {
    try {
      built.resources = tools.planner->build(request).resources;
    } catch (const Failure&) {
      // What another target's compiler refuses has no occupancy there; the trial itself goes on.
      built.resources.clear();
    }
  }
  return built;
}

}  // namespace

std::vector<Built> build_all(const Experiment& experiment, const std::vector<Configuration>& configurations,
                             const Toolchain& tools, const PipelineOptions& options, Progress& progress) {
  std::vector<Built> results(configurations.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done = 0;
  std::exception_ptr failed;
  const auto work = [&] {
    for (std::size_t i = next++; i < configurations.size() && !options.stop_requested(); i = next++) {
      const VariantSpec* variant = experiment.system.find_variant(configurations[i].variant);
      try {
        results[i] = build_one({&experiment.system, variant, configurations[i]}, tools);
        const std::lock_guard lock(mutex);
        progress.built(++done, configurations.size());
      } catch (...) {
        const std::lock_guard lock(mutex);
        failed = std::current_exception();
        next = configurations.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min<std::size_t>(options.build_threads, configurations.size());
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
  }
  if (failed) std::rethrow_exception(failed);
  return results;
}

}  // namespace tailwave
