#ifdef TAILWAVE_WITH_CUDA
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/outcome.h"
#include "device/cuda/nvshmem.h"

namespace tailwave {
namespace {

std::shared_ptr<Nvshmem> load_fake() {
  setenv("FAKE_NVSHMEM_CALLS", "", 1);
  std::string why_not;
  auto nvshmem = Nvshmem::load(TAILWAVE_FAKE_NVSHMEM, 4096, why_not);
  EXPECT_EQ(why_not, "");
  return nvshmem;
}

std::string calls() {
  return std::getenv("FAKE_NVSHMEM_CALLS");
}

template <class Work>
std::string status_failure_of(const Work& work) {
  try {
    work();
  } catch (const Failure& failure) {
    return std::string(to_string(failure.outcome())) + ": " + failure.what();
  }
  return "no failure";
}

TEST(CudaNvshmem, IsJoinedByAnIdThatTheFirstOneMakes) {
  std::shared_ptr<Nvshmem> nvshmem = load_fake();
  ASSERT_NE(nvshmem, nullptr);
  EXPECT_EQ(nvshmem->version(), "9.8.7");
  nvshmem->join(1, 2, nvshmem->unique_id());
  nvshmem->barrier(nullptr);
  const CUdeviceptr memory = nvshmem->allocate(8);
  nvshmem->sum(ScalarType::float32, memory, 2, nullptr);
  nvshmem->release(memory);
  nvshmem.reset();
  EXPECT_EQ(calls(), "join 1 of 2 by x init 8 barrier sum 2 of team 0 finalize");
}

TEST(CudaNvshmem, IsToldHowMuchIsSharedAndToStayOnThisMachine) {
  unsetenv("NVSHMEM_SYMMETRIC_SIZE");
  setenv("NVSHMEM_REMOTE_TRANSPORT", "ibrc", 1);
  ASSERT_NE(load_fake(), nullptr);
  EXPECT_STREQ(std::getenv("NVSHMEM_SYMMETRIC_SIZE"), "4096");
  EXPECT_STREQ(std::getenv("NVSHMEM_DISABLE_NVLS"), "1");
  EXPECT_STREQ(std::getenv("NVSHMEM_REMOTE_TRANSPORT"), "ibrc") << "what the user set stays";
  unsetenv("NVSHMEM_REMOTE_TRANSPORT");
}

TEST(CudaNvshmem, FailsWithItsStatus) {
  const std::shared_ptr<Nvshmem> nvshmem = load_fake();
  EXPECT_EQ(status_failure_of([&] { nvshmem->join(0, 13, nvshmem->unique_id()); }),
            "launch_failed: starting: NVSHMEM fails with status 7");
}

TEST(CudaNvshmem, SaysWhatItHasNoRoomFor) {
  setenv("NVSHMEM_SYMMETRIC_SIZE", "4096", 1);
  const std::shared_ptr<Nvshmem> nvshmem = load_fake();
  EXPECT_EQ(status_failure_of([&] { static_cast<void>(nvshmem->allocate(2000)); }),
            "out_of_memory: allocating 2000 symmetric bytes: NVSHMEM_SYMMETRIC_SIZE is 4096");
}

TEST(CudaNvshmem, SaysWhatItDoesNotAddUp) {
  const std::shared_ptr<Nvshmem> nvshmem = load_fake();
  EXPECT_EQ(status_failure_of([&] { nvshmem->sum(ScalarType::float64, 0, 1, nullptr); }),
            "launch_failed: NVSHMEM adds up no elements of type float64");
}

TEST(CudaNvshmem, IsMissedInOneLine) {
  std::string why_not;
  EXPECT_EQ(Nvshmem::load("/nowhere/libnvshmem_host.so.3", 0, why_not), nullptr);
  EXPECT_EQ(why_not, "/nowhere/libnvshmem_host.so.3 not found");
  EXPECT_EQ(Nvshmem::load(TAILWAVE_FAKE_NVML, 0, why_not), nullptr);
  EXPECT_EQ(why_not, std::string(TAILWAVE_FAKE_NVML) + " has no nvshmemx_vendor_get_version_info");
}

}  // namespace
}  // namespace tailwave
#endif
