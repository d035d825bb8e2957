#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/activity_source.h"

#include <utility>

#include "core/outcome.h"
#ifdef TAILWAVE_WITH_CUPTI
#include "device/cuda/activity_recorder.h"
#endif

namespace tailwave {

#ifndef TAILWAVE_WITH_CUPTI

std::unique_ptr<CounterSource> open_recording(std::shared_ptr<Context> /*context*/, int /*ordinal*/,
                                              const std::vector<std::filesystem::path>& /*libraries*/) {
  throw Failure(Outcome::unavailable, describe_obstacle(CounterObstacle::no_library,
                                                        "this build was made without CUPTI's headers"));
}

#else

namespace {

class ActivitySource final : public RecordingSource {
 public:
  ActivitySource(std::shared_ptr<Context> context, int ordinal, std::shared_ptr<const CuptiApi> cupti)
      : RecordingSource("this device was opened to record, not to count"),
        context_(std::move(context)),
        ordinal_(ordinal),
        cupti_(std::move(cupti)) {}

  std::vector<Activity> record(const std::function<void()>& work) override {
    context_->enter();
    return record_activities(*cupti_, ordinal_, work);
  }

 private:
  std::shared_ptr<Context> context_;
  int ordinal_;
  std::shared_ptr<const CuptiApi> cupti_;
};

}  // namespace

std::unique_ptr<CounterSource> open_recording(std::shared_ptr<Context> context, int ordinal,
                                              const std::vector<std::filesystem::path>& libraries) {
  CuptiApi::Loaded loaded = CuptiApi::load(libraries);
  if (!loaded.api) throw Failure(Outcome::unavailable, describe_obstacle(loaded.obstacle, loaded.reason));
  auto source = std::make_unique<ActivitySource>(std::move(context), ordinal, std::move(loaded.api));
  source->record([] {});
  return source;
}

#endif

}  // namespace tailwave
#endif
