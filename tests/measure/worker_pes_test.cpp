// Configurations on several processing elements, in a worker that has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <memory>
#include <string>

#include "device/pes_executor.h"
#include "fakes/fake_device.h"
#include "measure/trouble.h"
#include "measure/worker.h"

namespace tailwave {
namespace {

using fakes::first_of;
using fakes::repetition_of;
using fakes::TroubleExecutor;

// Memory that "the others reach" is each one's own here: the kernels need none of the others'.
class PeWithTrouble final : public fakes::FakeExecutor {
 public:
  explicit PeWithTrouble(int pe) {
    kernels["twice"] = [](const Launch& launch) { TroubleExecutor::multiply(launch, 2); };
    kernels["refuse"] = [pe](const Launch& launch) {
      if (pe == 1) throw Failure(Outcome::launch_failed, "refused");
      TroubleExecutor::multiply(launch, 2);
    };
    kernels["crash"] = [pe](const Launch&) {
      if (pe == 1) std::raise(SIGSEGV);
    };
    kernels["hang"] = [pe](const Launch&) {
      while (pe == 1) pause();
    };
  }
  std::unique_ptr<Buffer> allocate_at(const Placement& /*place*/, std::size_t size_bytes) override {
    return std::make_unique<fakes::FakeBuffer>(size_bytes);
  }
};

class PesWorker : public testing::Test {
 protected:
  PesWorker() {
    for (VariantSpec& variant : system_.variants) variant.pes = Expression::parse("PROCESSES");
    system_.buffers["x"].memory = Expression::constant("symmetric");
    DeviceDescription description;
    description.kind = DeviceKind::cuda;
    description.name = "fake GPUs";
    WorkerSetup setup;
    setup.device = [description] {
      return std::make_unique<PesExecutor>(
          description, 2,
          PeEntry{
              .invite = [] { return std::string(); },
              .join = [](int pe, int /*pes*/,
                         const std::string& /*invitation*/) { return std::make_unique<PeWithTrouble>(pe); }});
    };
    setup.description = description;
    setup.systems = {&system_};
    worker_ = std::make_unique<ProcessWorker>(std::move(setup));
  }

  RepetitionResult result_of(const std::string& kernel, std::int64_t pes = 2) {
    Repetition repetition = repetition_of(system_, kernel, ++number_);
    repetition.configuration.parameters["PROCESSES"] = pes;
    repetition.settings.deadline_s = 1;
    worker_->begin(std::move(repetition));
    return worker_->finish();
  }
  std::string outcome_of(const std::string& kernel, std::int64_t pes = 2) {
    const RepetitionResult result = result_of(kernel, pes);
    return std::string(to_string(result.outcome)) + ": " + result.detail;
  }

  System system_ = fakes::trouble_system({"twice", "refuse", "crash", "hang"});
  std::unique_ptr<ProcessWorker> worker_;
  std::uint64_t number_ = 0;
};

TEST_F(PesWorker, MeasuresOnAsManyAsAConfigurationAsksFor) {
  for (const std::int64_t pes : {1, 2, 1}) {
    const RepetitionResult result = result_of("twice", pes);
    EXPECT_EQ(result.detail, "");
    EXPECT_EQ(first_of(result), 2);
  }
}

TEST_F(PesWorker, AsksForMoreThanThereAre) {
  EXPECT_EQ(outcome_of("twice", 3),
            "unavailable: 3 processing elements need a GPU each, and there are 2 from the run's own on");
  EXPECT_EQ(outcome_of("twice"), "correct: ");
}

TEST_F(PesWorker, GoesOnAfterWhateverHappensToOneOfThem) {
  EXPECT_EQ(outcome_of("refuse"), "launch_failed: PE 1: refused");
  EXPECT_EQ(outcome_of("twice"), "correct: ");
  // AddressSanitizer turns the signal into an exit.
  EXPECT_THAT(outcome_of("crash"),
              testing::AnyOf("crashed: PE 1: its process was killed by signal 11 (Segmentation fault)",
                             "crashed: PE 1: its process exited with status 1"));
  EXPECT_EQ(outcome_of("twice"), "correct: ");
  EXPECT_EQ(outcome_of("hang"), "timeout: PE 1: no answer within 2 s");
  EXPECT_EQ(outcome_of("twice"), "correct: ");
}

TEST(Worker, WithoutProcessingElementsSaysThatItHasNone) {
  System system = fakes::trouble_system({"twice"});
  system.variants.front().pes = Expression::parse("2");
  WorkerSetup setup;
  setup.device = [] { return std::make_unique<TroubleExecutor>(); };
  setup.systems = {&system};
  ProcessWorker worker(std::move(setup));
  worker.begin(repetition_of(system, "twice", 1));
  const RepetitionResult result = worker.finish();
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_EQ(result.detail, "this device has no processing elements");
}

}  // namespace
}  // namespace tailwave
