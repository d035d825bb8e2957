#include <gtest/gtest.h>

#include "core/error.h"
#include "device/cuda/cuda_device.h"

#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/context.h"
#include "device/cuda/driver_api.h"
#endif

namespace tailwave {
namespace {

TEST(CudaExecutor, OpensOrSaysInOneLineWhatIsMissing) {
  const std::string obstacle = cuda_obstacle();
  EXPECT_EQ(list_cuda_devices().empty(), !obstacle.empty());
  EXPECT_EQ(obstacle.find('\n'), std::string::npos);
  if (obstacle.empty()) {
    EXPECT_EQ(cuda_device({.ordinal = 0})()->description().kind, DeviceKind::cuda);
    return;
  }
  try {
    cuda_device({.ordinal = 0})();
    FAIL() << "opened a device despite: " << obstacle;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), obstacle);
  }
}

#ifndef TAILWAVE_WITH_CUDA

TEST(CudaExecutor, SaysThatTheBuildHasNoCudaSupport) {
  EXPECT_EQ(cuda_obstacle(), "this build has no CUDA support: it was built without the CUDA headers");
}

#else

TEST(DriverApi, NamesTheLibraryThatIsNotThere) {
  const DriverApi::Loaded loaded = DriverApi::load("libno_such_driver.so.1");
  EXPECT_EQ(loaded.api, nullptr);
  EXPECT_EQ(loaded.reason, "libno_such_driver.so.1 not found");
}

TEST(DriverApi, NamesTheFirstMissingFunction) {
  EXPECT_EQ(DriverApi::load("libm.so.6").reason,
            "libm.so.6 has no cuInit: a driver of CUDA 12.0 or later is needed");
}

// A driver whose functions only count what is called.
struct CountingDriver {
  static inline int retained, released, streams_made, streams_destroyed;
  static inline CUresult retain_answer;

  static std::shared_ptr<const DriverApi> make() {
    retained = released = streams_made = streams_destroyed = 0;
    retain_answer = CUDA_SUCCESS;
    auto api = std::make_shared<DriverApi>();
    api->error_name = [](CUresult result, const char** text) {
      *text =
          result == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OUT_OF_MEMORY";
      return result == CUDA_ERROR_UNKNOWN ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    };
    api->error_string = [](CUresult /*result*/, const char** text) {
      *text = "words of the driver";
      return CUDA_SUCCESS;
    };
    api->primary_set_flags = [](CUdevice, unsigned) { return CUDA_SUCCESS; };
    api->primary_retain = [](CUcontext*, CUdevice) { return ++retained, retain_answer; };
    api->primary_release = [](CUdevice) { return ++released, CUDA_SUCCESS; };
    api->device_get = [](CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; };
    api->ctx_set_current = [](CUcontext) { return CUDA_SUCCESS; };
    api->stream_create = [](CUstream* stream, unsigned) {
      static int something = 0;
      *stream = reinterpret_cast<CUstream>(&something);
      return ++streams_made, CUDA_SUCCESS;
    };
    api->stream_destroy = [](CUstream) { return ++streams_destroyed, CUDA_SUCCESS; };
    return api;
  }
};

template <class Action>
std::pair<Outcome, std::string> driver_failure_of(Action action) {
  try {
    action();
  } catch (const Failure& failure) {
    return {failure.outcome(), failure.what()};
  }
  return {Outcome::correct, "no failure"};
}

TEST(DriverApi, DescribesAnErrorByNameAndWords) {
  const auto api = CountingDriver::make();
  EXPECT_EQ(api->describe(CUDA_ERROR_OUT_OF_MEMORY), "CUDA_ERROR_OUT_OF_MEMORY: words of the driver");
  EXPECT_EQ(api->describe(CUDA_ERROR_UNKNOWN), "CUDA error 999");
}

TEST(DriverErrors, BecomeTypedOutcomes) {
  EXPECT_EQ(outcome_of(CUDA_ERROR_OUT_OF_MEMORY), Outcome::out_of_memory);
  EXPECT_EQ(outcome_of(CUDA_ERROR_ILLEGAL_ADDRESS), Outcome::illegal_access);
  EXPECT_EQ(outcome_of(CUDA_ERROR_MISALIGNED_ADDRESS), Outcome::illegal_access);
  EXPECT_EQ(outcome_of(CUDA_ERROR_HARDWARE_STACK_ERROR), Outcome::illegal_access);
  EXPECT_EQ(outcome_of(CUDA_ERROR_ILLEGAL_INSTRUCTION), Outcome::illegal_access);
  EXPECT_EQ(outcome_of(CUDA_ERROR_LAUNCH_TIMEOUT), Outcome::timeout);
  EXPECT_EQ(outcome_of(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), Outcome::exceeds_device_limit);
  EXPECT_EQ(outcome_of(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE), Outcome::exceeds_device_limit);
  EXPECT_EQ(outcome_of(CUDA_ERROR_INVALID_VALUE), Outcome::launch_failed);
  EXPECT_EQ(outcome_of(CUDA_ERROR_NO_BINARY_FOR_GPU), Outcome::launch_failed);
  EXPECT_EQ(outcome_of(CUDA_ERROR_LAUNCH_FAILED), Outcome::crashed);
  EXPECT_EQ(outcome_of(CUDA_ERROR_UNKNOWN), Outcome::crashed);
}

TEST(DriverErrors, OnlyThoseOfARunningKernelPoisonTheProcess) {
  EXPECT_TRUE(poisons_context(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(poisons_context(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_FALSE(poisons_context(CUDA_ERROR_INVALID_VALUE));
  EXPECT_FALSE(poisons_context(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(poisons_context(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
}

TEST(Context, DestroysItsHandlesAndIsReleased) {
  {
    const auto context = Context::create(CountingDriver::make(), 0);
    const Stream first = make_stream(context);
    const Stream second = make_stream(context);
    EXPECT_EQ(CountingDriver::streams_made, 2);
  }
  EXPECT_EQ(CountingDriver::streams_destroyed, 2);
  EXPECT_EQ(CountingDriver::released, 1);
}

TEST(Context, LeavesDeadHandlesAloneAfterAPoisoningError) {
  const auto context = Context::create(CountingDriver::make(), 0);
  {
    const Stream stream = make_stream(context);
    EXPECT_EQ(driver_failure_of([&] { context->check(CUDA_ERROR_ILLEGAL_ADDRESS, "body_force"); }),
              std::pair(Outcome::illegal_access,
                        std::string("body_force: CUDA_ERROR_ILLEGAL_ADDRESS: words of the driver")));
    EXPECT_FALSE(context->usable());
  }
  EXPECT_EQ(CountingDriver::streams_destroyed, 0);
}

TEST(Context, SurvivesAnErrorThatDoesNotPoison) {
  const auto context = Context::create(CountingDriver::make(), 0);
  EXPECT_EQ(driver_failure_of([&] { context->check(CUDA_ERROR_OUT_OF_MEMORY, "allocating 8 bytes"); }),
            std::pair(Outcome::out_of_memory,
                      std::string("allocating 8 bytes: CUDA_ERROR_OUT_OF_MEMORY: words of the driver")));
  EXPECT_TRUE(context->usable());
}

TEST(Context, ThatCannotBeCreatedIsNotReleased) {
  const auto api = CountingDriver::make();
  CountingDriver::retain_answer = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(driver_failure_of([&] { Context::create(api, 0); }).second,
            "creating a context: CUDA_ERROR_OUT_OF_MEMORY: words of the driver");
  EXPECT_EQ(CountingDriver::released, 0);
}

#endif

}  // namespace
}  // namespace tailwave
