#ifdef TAILWAVE_WITH_CUDA
#include <gmock/gmock.h>

#include <functional>

#include "device/cuda/green_context.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

int something;

// A driver of a GPU of 132 SMs that gives them out in eights.
struct GreenDriver {
  static inline std::vector<std::string> log;
  static inline CUresult answer;
  static inline unsigned groups;

  static CUresult note(const std::string& what) {
    log.push_back(what);
    return answer;
  }

  static std::shared_ptr<DriverApi> make() {
    log.clear();
    answer = CUDA_SUCCESS;
    groups = 1;
    auto api = std::make_shared<DriverApi>();
    api->error_name = [](CUresult, const char** text) { return *text = "CUDA_ERROR", CUDA_SUCCESS; };
    api->error_string = [](CUresult, const char** text) { return *text = "words", CUDA_SUCCESS; };
    api->device_get = [](CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; };
    api->primary_set_flags = [](CUdevice, unsigned) { return CUDA_SUCCESS; };
    api->primary_retain = [](CUcontext*, CUdevice) { return CUDA_SUCCESS; };
    api->primary_release = [](CUdevice) { return log.emplace_back("release"), CUDA_SUCCESS; };
    api->ctx_set_current = [](CUcontext) { return CUDA_SUCCESS; };
    api->stream_destroy = [](CUstream) { return log.emplace_back("destroy stream"), CUDA_SUCCESS; };
    return api;
  }

  static void add_green_contexts(DriverApi& api) {
    api.device_resource = [](CUdevice, CUdevResource* all, CUdevResourceType type) {
      EXPECT_EQ(type, CU_DEV_RESOURCE_TYPE_SM);
      return all->sm.smCount = 132, CUDA_SUCCESS;
    };
    api.split_sms = [](CUdevResource* part, unsigned* made, const CUdevResource* all, CUdevResource* rest,
                       unsigned flags, unsigned least) {
      EXPECT_EQ(*made, 1U);
      EXPECT_TRUE(rest == nullptr && flags == 0);
      part->sm.smCount = std::min((least + 7) / 8 * 8, all->sm.smCount);
      return *made = groups, note("split " + std::to_string(least));
    };
    api.describe_resource = [](CUdevResourceDesc* made, CUdevResource*, unsigned count) {
      EXPECT_EQ(count, 1U);
      return *made = reinterpret_cast<CUdevResourceDesc>(&something), CUDA_SUCCESS;
    };
    api.green_create = [](CUgreenCtx* made, CUdevResourceDesc, CUdevice, unsigned flags) {
      EXPECT_EQ(flags, static_cast<unsigned>(CU_GREEN_CTX_DEFAULT_STREAM));
      return *made = reinterpret_cast<CUgreenCtx>(&something), note("create");
    };
    api.green_destroy = [](CUgreenCtx) { return log.emplace_back("destroy"), CUDA_SUCCESS; };
    api.green_stream_create = [](CUstream* made, CUgreenCtx, unsigned flags, int priority) {
      EXPECT_TRUE(flags == CU_STREAM_NON_BLOCKING && priority == 0);
      return *made = reinterpret_cast<CUstream>(&something), note("stream");
    };
  }

  static std::shared_ptr<Context> context() {
    const auto api = make();
    add_green_contexts(*api);
    return Context::create(api, 0);
  }
};

std::pair<Outcome, std::string> green_failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return {failure.outcome(), failure.what()};
  }
  return {Outcome::correct, "no failure"};
}

TEST(GreenContexts, AreOneForEachNumberThatTheDriverGrants) {
  const auto context = GreenDriver::context();
  GreenContexts contexts;
  const auto thirty = contexts.of(context, 30);
  EXPECT_EQ(thirty->sms(), 32);
  EXPECT_EQ(contexts.of(context, 30), thirty);
  EXPECT_THAT(GreenDriver::log, ElementsAre("split 30", "create"));
  EXPECT_EQ(contexts.of(context, 32), thirty);
  EXPECT_EQ(contexts.of(context, 100)->sms(), 104);
  EXPECT_EQ(contexts.of(context, 132)->sms(), 132);
  EXPECT_THAT(GreenDriver::log,
              ElementsAre("split 30", "create", "split 32", "split 100", "create", "split 132", "create"));
}

TEST(GreenContexts, GoBeforeTheirContextAndAfterTheirStreams) {
  {
    const auto context = GreenDriver::context();
    GreenContexts contexts;
    const auto part = contexts.of(context, 8);
    const Stream stream = part->make_stream();
    GreenDriver::log.clear();
  }
  EXPECT_THAT(GreenDriver::log, ElementsAre("destroy stream", "destroy", "release"));
}

TEST(GreenContexts, AreLeftAloneInAPoisonedContext) {
  {
    const auto context = GreenDriver::context();
    GreenContexts contexts;
    const Stream stream = contexts.of(context, 8)->make_stream();
    context->poison();
    GreenDriver::log.clear();
  }
  EXPECT_THAT(GreenDriver::log, IsEmpty());
}

TEST(GreenContexts, AreTypedWhereTheDriverHasNone) {
  const auto api = GreenDriver::make();
  const auto context = Context::create(api, 0);
  const auto none = std::pair(Outcome::launch_failed,
                              std::string("this driver has no green contexts (CUDA 12.5 or newer)"));
  EXPECT_EQ(green_failure([&] { GreenContexts().of(context, 8); }), none);
  GreenDriver::add_green_contexts(*api);
  api->green_stream_create = nullptr;  // as of CUDA 12.4
  EXPECT_EQ(green_failure([&] { GreenContexts().of(context, 8); }), none);
  EXPECT_THAT(GreenDriver::log, IsEmpty());
}

TEST(GreenContexts, SayHowManySmsThereAre) {
  const auto context = GreenDriver::context();
  EXPECT_EQ(
      green_failure([&] { GreenContexts().of(context, 133); }),
      std::pair(Outcome::exceeds_device_limit, std::string("133 SMs exceed the 132 that the device has")));
}

TEST(GreenContexts, SayWhatTheDriverRefuses) {
  const auto context = GreenDriver::context();
  GreenContexts contexts;
  GreenDriver::answer = CUDA_ERROR_NOT_SUPPORTED;
  EXPECT_EQ(green_failure([&] { contexts.of(context, 8); }),
            std::pair(Outcome::launch_failed, std::string("a green context of 8 SMs: CUDA_ERROR: words")));
  GreenDriver::answer = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  EXPECT_EQ(green_failure([&] { contexts.of(context, 8); }).first, Outcome::launch_failed);
  GreenDriver::answer = CUDA_SUCCESS;
  GreenDriver::groups = 0;
  EXPECT_EQ(green_failure([&] { contexts.of(context, 8); }),
            std::pair(Outcome::launch_failed,
                      std::string("a green context of 8 SMs: the driver gives 0 groups of 8 SMs")));
  GreenDriver::groups = 1;
  EXPECT_EQ(contexts.of(context, 8)->sms(), 8);  // nothing is left of what failed
  EXPECT_TRUE(context->usable());
}

}  // namespace
}  // namespace tailwave
#endif
