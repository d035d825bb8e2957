#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <iostream>
#include <span>

#include "core/statistics.h"
#include "device/cuda/memory.h"
#include "device/cuda_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

std::span<const std::byte> bytes_of_ints(const std::array<int, 3>& values) {
  return std::as_bytes(std::span(values));
}

class CudaRunOptionsGpu : public CudaFixture {
 protected:
  std::unique_ptr<Buffer> zeros(std::size_t count) { return upload(*executor_, std::vector<int>(count)); }
  int first_of(const Buffer& buffer) { return download<int>(*executor_, buffer).front(); }

  double median_ns(const Launch& launch, const RunOptions& options, int runs = 20) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) times.push_back(run(launch, options).time_ns);
    return median(times);
  }
};

TEST_F(CudaRunOptionsGpu, AGraphRunsEveryExecution) {
  const auto value = zeros(1);
  const Launch launch = launch_of("increment", {}, {}, {value.get()});
  int expected = 0;
  for (const int executions : {100, 100, 100, 7, 1000, 1}) {  // the first one of a fresh program is not held
    EXPECT_GT(run(launch, {.executions = executions, .graph = true}).time_ns, 0);
    expected += executions;
    EXPECT_EQ(first_of(*value), expected);
  }
}

TEST_F(CudaRunOptionsGpu, AGraphOfNewArgumentsIsANewGraph) {
  const auto first = zeros(1), second = zeros(1);
  const RunOptions options{.executions = 10, .graph = true};
  for (Buffer* buffer : {first.get(), second.get(), second.get()}) {
    run(launch_of("increment", {}, {}, {buffer}), options);
  }
  run(launch_of("append", {}, {}, {first.get(), scalar(3)}), {.graph = true});
  run(launch_of("append", {}, {}, {first.get(), scalar(4)}), {.graph = true});
  EXPECT_EQ(first_of(*first), 1034);
  EXPECT_EQ(first_of(*second), 20);
}

TEST_F(CudaRunOptionsGpu, AGraphOfAnotherProgramIsAnotherGraph) {
  const auto value = zeros(1);
  const Launch launch = launch_of("increment", {}, {}, {value.get()});
  for (int i = 0; i < 3; ++i) {
    SetUp();  // replaces the program
    run(launch, {.executions = 5, .graph = true});
    run(launch, {.executions = 5, .graph = true});
  }
  EXPECT_EQ(first_of(*value), 30);
}

TEST_F(CudaRunOptionsGpu, AGraphKeepsTheOrderOfStreamsAndExecutions) {
  const auto state = zeros(6);
  std::vector<Launch> plan{launch_of("increment_late", {}, {}, {state.get()}),
                           launch_of("observe", {}, {}, {state.get()})};
  plan.front().stream = 1;
  run(plan, {.executions = 2, .graph = true});
  run(plan, {.executions = 2, .graph = true});  // this one held
  EXPECT_EQ(download<int>(*executor_, *state), (std::vector<int>{4, 4, 0, 1, 2, 3}));
}

TEST_F(CudaRunOptionsGpu, ALoopEndsWhenItsValueIsSmallEnough) {
  const auto value = upload(*executor_, std::vector<int>{-4}), log = zeros(1);
  Launch increment = launch_of("increment", {}, {}, {value.get()});
  increment.stream = 2;
  increment.exit = LoopExit{value.get(), ScalarType::int32, -1, 0};
  // Upwards it never ends by the value; this one is left at once, and goes on with the last launch.
  std::vector<Launch> plan(5, increment);
  for (Launch& launch : plan) launch.exit->next = 5;
  plan.push_back(launch_of("append", {}, {}, {log.get(), scalar(7)}));
  run(plan);
  EXPECT_EQ(first_of(*value), -3);
  EXPECT_EQ(first_of(*log), 7);
  for (Launch& launch : plan)
    if (launch.exit) launch.exit->at_most = -1000;
  EXPECT_GT(run(plan, {.executions = 2}).time_ns, 0);
  EXPECT_EQ(first_of(*value), 7);
  EXPECT_EQ(first_of(*log), 777);
}

TEST_F(CudaRunOptionsGpu, AStreamWaitsForAnotherInTheMiddleOfAnExecution) {
  for (const bool graph : {false, true}) {
    const auto state = zeros(6);
    std::vector<Launch> plan{launch_of("increment_late", {}, {}, {state.get()}),
                             launch_of("observe", {}, {}, {state.get()})};
    plan[0].stream = 1;
    plan[1].wait = {1, 9};  // nothing runs in the stream 9
    run(plan, {.executions = 2, .graph = graph});
    EXPECT_EQ(download<int>(*executor_, *state), (std::vector<int>{2, 2, 1, 2, 0, 0}));
  }
}

TEST_F(CudaRunOptionsGpu, CopiesABufferIntoAConstantVariable) {
  const auto values = upload(*executor_, std::vector<int>{5, 6, 7});
  const auto factors = upload(*executor_, std::vector<int>{1, 2, 3});
  Launch copy = launch_of("factors");
  copy.copied = factors.get();
  const std::vector<Launch> plan{copy, launch_of("multiply", {}, {3, 1, 1}, {values.get()})};
  run(plan);
  run(plan, {.graph = true});
  EXPECT_EQ(download<int>(*executor_, *values), (std::vector<int>{5, 24, 63}));
  copy.copied = zeros(4).release();
  const std::unique_ptr<Buffer> owner(copy.copied);
  EXPECT_THAT(failure_of({copy}).what(),
              HasSubstr("the variable 'factors' has 12 bytes, the buffer to copy into it 16"));
  copy.kernel = "terms";
  EXPECT_EQ(failure_of({copy}).outcome(), Outcome::launch_failed);
}

// Each kind of memory gets its inputs, is read, is copied both ways, and has guard zones.
TEST_F(CudaRunOptionsGpu, BuffersLieInTheHostsMemoryOrInManagedMemory) {
  const std::vector<int> some{5, 6, 7};
  const auto plain = upload(*executor_, some);
  for (const MemoryKind memory : {MemoryKind::managed, MemoryKind::pinned, MemoryKind::pageable}) {
    SCOPED_TRACE(to_string(memory));
    const auto own = executor_->allocate_at({0, memory}, 3 * sizeof(int));
    executor_->upload(*own, bytes_of_ints(std::array{1, 2, 3}));
    EXPECT_EQ(download<int>(*executor_, *own), (std::vector<int>{1, 2, 3}));
    Launch there = launch_of("copy"), back = there;
    there.copied = back.copied_to = plain.get();
    there.copied_to = back.copied = own.get();
    for (const bool graph : {false, true}) {
      executor_->restore(std::vector<Restoration>{{.to = own.get(), .byte = std::byte{1}}});
      EXPECT_EQ(download<int>(*executor_, *own), std::vector<int>(3, 0x01010101));
      run({there}, {.graph = graph});
      EXPECT_EQ(download<int>(*executor_, *own), some);
    }
    const auto cleared = zeros(3);
    back.copied_to = cleared.get();
    run({back});
    EXPECT_EQ(download<int>(*executor_, *cleared), some);
    const RandomFill fill{ScalarType::int32, 0, 1000, 7, 0};
    executor_->restore(std::vector<Restoration>{{.to = own.get(), .random = fill}});
    executor_->restore(std::vector<Restoration>{{.to = cleared.get(), .random = fill}});
    EXPECT_EQ(download<int>(*executor_, *own), download<int>(*executor_, *cleared));
    EXPECT_EQ(damage_of(*executor_, *own), "");
    EXPECT_TRUE(executor_->share(*own).empty());
  }
}

TEST_F(CudaRunOptionsGpu, BuffersMayHaveUnusedBytesBeforeThem) {
  const std::vector<int> some{5, 6, 7};
  const auto plain = upload(*executor_, some);
  for (const std::size_t before : {std::size_t{512}, (std::size_t{2} << 20) - 512}) {
    const auto own = executor_->allocate_at({.before = before}, 3 * sizeof(int));
    const CUdeviceptr address = static_cast<const CudaBuffer&>(*own).address();
    EXPECT_EQ(address % 512, 0U);
    Launch there = launch_of("copy");
    there.copied = plain.get();
    there.copied_to = own.get();
    run({there});
    EXPECT_EQ(download<int>(*executor_, *own), some);
    EXPECT_EQ(damage_of(*executor_, *own), "");
    CudaBuffer::Shared shared{};
    const std::vector<std::byte> handle = executor_->share(*own);
    ASSERT_EQ(handle.size(), sizeof shared);
    std::memcpy(&shared, handle.data(), sizeof shared);
    EXPECT_EQ(shared.offset, before + CudaBuffer::kGuardBytes);
  }
}

TEST_F(CudaRunOptionsGpu, ManagedMemoryMovesAndKernelsReachIt) {
  const auto values = executor_->allocate_at({0, MemoryKind::managed}, 3 * sizeof(int));
  const auto factors = upload(*executor_, std::vector<int>{1, 2, 3});
  executor_->upload(*values, bytes_of_ints(std::array{5, 6, 7}));
  Launch to_host = launch_of("prefetch"), to_gpu = to_host, copy = launch_of("factors");
  to_host.prefetched = to_gpu.prefetched = values.get();
  to_host.to_host = true;
  copy.copied = factors.get();
  run({to_host, copy, launch_of("multiply", {}, {3, 1, 1}, {values.get()}), to_gpu, to_host});
  EXPECT_EQ(download<int>(*executor_, *values), (std::vector<int>{5, 12, 21}));
  to_host.prefetched = factors.get();
  EXPECT_THAT(failure_of({to_host}).what(), HasSubstr("a prefetch moves managed memory, this is device"));
}

// The driver's call for such a copy may last until the stream is so far, which must not be held meanwhile.
TEST_F(CudaRunOptionsGpu, CopiesThatKeepTheHostWaitingAreNotHeldBack) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  executor_->set_deadline_s(5);
  const auto on = [&](MemoryKind memory) { return executor_->allocate_at({0, memory}, kBytes); };
  const auto device = on(MemoryKind::device), pinned = on(MemoryKind::pinned), other = on(MemoryKind::pinned),
             pageable = on(MemoryKind::pageable), managed = on(MemoryKind::managed);
  const auto values = zeros(3);
  const std::vector<std::pair<Buffer*, Buffer*>> copies{
      {pinned.get(), other.get()},    {pinned.get(), pageable.get()},  {pageable.get(), pinned.get()},
      {device.get(), pageable.get()}, {pageable.get(), device.get()},  {managed.get(), pinned.get()},
      {device.get(), managed.get()},  {managed.get(), pageable.get()}, {pinned.get(), device.get()}};
  for (const auto& [from, to] : copies) {
    Launch copy = launch_of("copy");
    copy.copied = from;
    copy.copied_to = to;
    const std::vector<Launch> plan{launch_of("increment", {}, {}, {values.get()}), copy,
                                   launch_of("increment", {}, {}, {values.get()})};
    for (int i = 0; i < 3; ++i) EXPECT_GT(run(plan).time_ns, 0);
  }
  EXPECT_EQ(first_of(*values), static_cast<int>(2 * 3 * copies.size()));
  Launch prefetch = launch_of("prefetch");
  prefetch.prefetched = managed.get();
  for (int i = 0; i < 3; ++i) {
    prefetch.to_host = !prefetch.to_host;
    EXPECT_GT(run({launch_of("increment", {}, {}, {values.get()}), prefetch}).time_ns, 0);
  }
}

// Some GPUs do reach it.
TEST_F(CudaRunOptionsGpu, AKernelGetsPageableMemoryOnlyWhereItReachesIt) {
  const auto values = executor_->allocate_at({0, MemoryKind::pageable}, 3 * sizeof(int));
  const auto factors = upload(*executor_, std::vector<int>{1, 2, 3});
  executor_->upload(*values, bytes_of_ints(std::array{5, 6, 7}));
  Launch copy = launch_of("factors");
  copy.copied = factors.get();
  std::string refusal;
  try {
    run({copy, launch_of("multiply", {}, {3, 1, 1}, {values.get()})});
  } catch (const Failure& failure) {
    refusal = failure.what();
  }
  if (refusal.empty())
    EXPECT_EQ(download<int>(*executor_, *values), (std::vector<int>{5, 12, 21}));
  else
    EXPECT_THAT(refusal,
                HasSubstr("argument 1 of 'multiply' is pageable memory, which kernels do not reach"));
}

TEST_F(CudaRunOptionsGpu, RestoresBuffersFromOthersOrWithAByte) {
  const auto from = upload(*executor_, std::vector<int>{1, 2, 3}), to = zeros(3), filled = zeros(3);
  const std::vector<Restoration> both{{.to = to.get(), .from = from.get()},
                                      {.to = filled.get(), .byte = std::byte{0xFF}}};
  executor_->restore(both);
  EXPECT_EQ(download<int>(*executor_, *to), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(download<int>(*executor_, *filled), (std::vector<int>{-1, -1, -1}));
  EXPECT_EQ(damage_of(*executor_, *to) + damage_of(*executor_, *filled), "");
}

class RandomNumbersGpu : public CudaRunOptionsGpu {
 protected:
  void expect_those_of_the_host(const RandomFill& fill, std::size_t count) {
    std::vector<std::byte> expected(count * size_bytes(fill.type)), made(expected.size());
    fill_randomly(fill, 0, expected);
    const auto buffer = executor_->allocate(expected.size());
    const Restoration one{.to = buffer.get(), .random = fill};
    executor_->restore(std::span(&one, 1));
    executor_->download(*buffer, made);
    EXPECT_TRUE(made == expected) << to_string(fill.type) << " " << to_string(fill.distribution) << " below "
                                  << fill.high;
    EXPECT_EQ(damage_of(*executor_, *buffer), "") << to_string(fill.type);
  }
};

constexpr std::array kAllTypes{ScalarType::float32,     ScalarType::float64,    ScalarType::int8,
                               ScalarType::uint8,       ScalarType::int16,      ScalarType::uint16,
                               ScalarType::int32,       ScalarType::uint32,     ScalarType::int64,
                               ScalarType::uint64,      ScalarType::float16,    ScalarType::bfloat16,
                               ScalarType::float8_e4m3, ScalarType::float8_e5m2};

TEST_F(RandomNumbersGpu, AreThoseThatTheHostMakes) {
  for (const ScalarType type : kAllTypes) {
    const bool is_signed = to_string(type)[0] != 'u';
    const RandomFill fill{type, is_signed ? -100.5 : 3, 120.25, 42, (std::uint64_t{1} << 61U) + 7};
    expect_those_of_the_host(fill, 300001);
  }
}

// The tails, too, of which few have more than five deviations, and what a type cannot hold.
TEST_F(RandomNumbersGpu, NormalOnesAreThoseThatTheHostMakes) {
  for (const ScalarType type : kAllTypes) {
    RandomFill fill{.type = type, .seed = 42, .draw = (std::uint64_t{1} << 61U) + 7};
    fill.distribution = Distribution::normal;
    for (const auto& [mean, deviation] :
         {std::pair(0.0, 1.0), std::pair(5.5, 0.25), std::pair(-3.0, 300.0)}) {
      fill.mean = mean;
      fill.deviation = deviation;
      expect_those_of_the_host(fill, 1'000'003);
    }
  }
  RandomFill wide{.type = ScalarType::uint64, .seed = 1, .draw = 2};
  wide.distribution = Distribution::normal;
  wide.mean = wide.deviation = 1e19;
  expect_those_of_the_host(wide, 100'001);
}

TEST_F(RandomNumbersGpu, IntegersAreThoseThatTheHostMakes) {
  for (const ScalarType type : kAllTypes) {
    RandomFill fill{.type = type, .seed = 3, .draw = 9};
    fill.distribution = Distribution::integers;
    fill.least = to_string(type)[0] == 'u' ? 0 : -8;
    fill.greatest = 8;
    expect_those_of_the_host(fill, 300'001);
  }
  RandomFill all{.type = ScalarType::int64, .seed = 3, .draw = 9};
  all.distribution = Distribution::integers;
  all.least = std::numeric_limits<std::int64_t>::min();
  all.greatest = std::numeric_limits<std::int64_t>::max();
  expect_those_of_the_host(all, 300'001);
}

TEST_F(RandomNumbersGpu, PermutationsAreThoseThatTheHostMakes) {
  for (const ScalarType type : kAllTypes) {
    const std::size_t most = size_bytes(type) == 1 ? 8 : size_bytes(type) == 2 ? 256 : 300'001;
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}, most}) {
      RandomFill fill{.type = type, .seed = 5, .draw = 1};
      fill.distribution = Distribution::permutation;
      fill.count = count;
      expect_those_of_the_host(fill, count);
    }
  }
}

TEST_F(RandomNumbersGpu, AroundZeroAreThoseThatTheHostMakes) {
  for (const ScalarType type :
       {ScalarType::float16, ScalarType::bfloat16, ScalarType::float8_e4m3, ScalarType::float8_e5m2}) {
    for (const double scale : {1e-7, 0.004, 1.0}) {
      expect_those_of_the_host({type, -scale, scale, 5, 3}, 70001);
    }
  }
}

TEST_F(CudaRunOptionsGpu, PassesAStructByValueWithTheAddressesOfBuffers) {
  const auto out = zeros(4), in = upload(*executor_, std::vector<int>{10, 20, 30, 40});
  StructBytes whole;
  whole.bytes.resize(32);
  const std::array<float, 2> factors{2, 3};
  std::memcpy(whole.bytes.data() + 8, factors.data(), sizeof factors);
  const std::int8_t shift = 5;
  std::memcpy(whole.bytes.data() + 16, &shift, sizeof shift);
  whole.addresses = {{0, in.get()}, {24, out.get()}};
  const Launch launch = launch_of("with_struct", {}, {4, 1, 1}, {whole});
  run(launch);
  EXPECT_EQ(download<int>(*executor_, *out), (std::vector<int>{25, 65, 65, 125}));
  run(launch, {.executions = 2, .graph = true});
  EXPECT_EQ(download<int>(*executor_, *out), (std::vector<int>{25, 65, 65, 125}));
  whole.bytes.resize(24);
  whole.addresses.pop_back();
  EXPECT_THAT(failure_of({launch_of("with_struct", {}, {4, 1, 1}, {whole})}).what(),
              HasSubstr("argument 1 of 'with_struct' is given with 24 bytes, and the kernel takes 32"));
}

TEST_F(CudaRunOptionsGpu, MeasuresTheRatesOfTheMemoryOnce) {
  const MemoryRates rates = executor_->memory_rates();
  for (const double bytes_per_second : {rates.copy, rates.read, rates.write, rates.l2_read, rates.l2_write}) {
    std::cout << "  " << bytes_per_second / 1e9 << " GB/s\n";
    EXPECT_GT(bytes_per_second, 1e10);
    EXPECT_LT(bytes_per_second, 1e14);
  }
  EXPECT_GT(rates.l2_read, rates.read);
  EXPECT_EQ(executor_->memory_rates().copy, rates.copy);
}

TEST_F(CudaRunOptionsGpu, AGraphRunsAfterAHeldStreamWithLocalMemory) {
  const auto out = executor_->allocate(sizeof(float) * 256 * 2000);
  const std::vector<Launch> plan{
      launch_of("nothing"), launch_of("deep_stack", {2000, 1, 1}, {256, 1, 1}, {out.get(), scalar(100)})};
  run(plan);
  for (int i = 0; i < 3; ++i) EXPECT_GT(run(plan, {.executions = 2, .graph = true}).time_ns, 0);
}

TEST_F(CudaRunOptionsGpu, AGraphTakesACooperativeLaunchOrSaysWhyNot) {
  const auto count = zeros(1), seen = zeros(4);
  Launch launch = launch_of("meet", {4, 1, 1}, {}, {count.get(), seen.get()});
  launch.cooperative = true;
  const Failure failure = failure_of({launch}, {.graph = true});
  std::cout << "  " << failure.what() << "\n";
  if (failure.outcome() == Outcome::correct) {
    EXPECT_EQ(download<int>(*executor_, *seen), (std::vector<int>{4, 4, 4, 4}));
  } else {
    EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
  }
}

TEST_F(CudaRunOptionsGpu, ARefusedLaunchInAGraphHarmsNoLaterRun) {
  const auto value = zeros(1);
  const Launch good = launch_of("increment", {}, {}, {value.get()});
  Launch other_stream = good;
  other_stream.stream = 1;
  for (int i = 0; i < 2; ++i) {
    const Failure failure =
        failure_of({good, other_stream, launch_of("nothing", {}, {1025, 1, 1})}, {.graph = true});
    EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
    EXPECT_THAT(failure.what(), HasSubstr("(1025 threads a block exceed the 1024 that the device allows)"));
    run(good);
    run(good, {.executions = 2, .graph = true});
  }
  EXPECT_EQ(first_of(*value), 6);
}

TEST_F(CudaRunOptionsGpu, AGraphOfShortKernelsIsNotSlowerThanLaunches) {
  const Launch launch = launch_of("nothing");
  run(launch);
  const double direct_ns = median_ns(launch, {.executions = 200});
  const double graph_ns = median_ns(launch, {.executions = 200, .graph = true});
  const double long_ns = median_ns(launch, {.executions = 5000, .graph = true}, 5);
  std::cout << "  empty launch: " << direct_ns << " ns, in a graph of 200 " << graph_ns
            << " ns, in one of 5000, which is not held, " << long_ns << " ns\n";
  EXPECT_LT(graph_ns, direct_ns * 1.5);
}

TEST_F(CudaRunOptionsGpu, TheSetsTakeTurns) {
  for (const bool graph : {false, true}) {
    const auto log = zeros(1), other = zeros(1);
    std::vector<Launch> sets;
    for (const int digit : {1, 2, 3}) {
      sets.push_back(launch_of("append", {}, {}, {log.get(), scalar(digit)}));
      sets.push_back(launch_of("increment", {}, {}, {other.get()}));
    }
    run(sets, {.executions = 5, .sets = 3, .graph = graph});
    EXPECT_EQ(first_of(*log), 12312);
    EXPECT_EQ(first_of(*other), 5);
    run(sets, {.sets = 3, .graph = graph});
    EXPECT_EQ(first_of(*log), 123121);
  }
}

TEST_F(CudaRunOptionsGpu, AColdCacheMakesReadingSlower) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  const auto l2_bytes = std::get<std::int64_t>(executor_->description().properties.at("l2_bytes"));
  if (l2_bytes < static_cast<std::int64_t>(2 * kBytes)) GTEST_SKIP() << "an L2 of " << l2_bytes << " bytes";
  const auto data = zeros(kBytes / sizeof(int)), out = zeros(1);
  const Launch launch = launch_of("read_all", {4LL * executor_->description().sms, 1, 1}, {256, 1, 1},
                                  {data.get(), scalar(static_cast<int>(kBytes / 16)), out.get()});
  run(launch);
  const double hot_ns = median_ns(launch, {});
  const double cold_ns = median_ns(launch, {.flush_cache = true});
  const double cold_graph_ns = median_ns(launch, {.graph = true, .flush_cache = true});
  const double hot_graph_ns = median_ns(launch, {.graph = true});
  std::cout << "  reading 16 MiB: hot " << hot_ns << " ns, cold " << cold_ns << " ns, ratio "
            << cold_ns / hot_ns << "; as a graph hot " << hot_graph_ns << " ns, cold " << cold_graph_ns
            << " ns\n";
  EXPECT_GT(cold_ns / hot_ns, 1.1);
  EXPECT_GT(cold_graph_ns / hot_graph_ns, 1.1);
}

TEST_F(CudaRunOptionsGpu, TellsClockTemperatureAndThrottleReasons) {
  std::cout << "  sm_clock: " << to_string(executor_->description().properties.at("sm_clock")) << "\n";
  for (const bool graph : {false, true}) {
    const RunResult result = run(launch_of("wait_for", {}, {}, {scalar(1'000'000LL)}), {.graph = graph});
    ASSERT_TRUE(result.sm_clock_mhz.has_value());
    EXPECT_GT(*result.sm_clock_mhz, 100);
    EXPECT_LT(*result.sm_clock_mhz, 4000);
    std::cout << "  " << *result.sm_clock_mhz << " MHz, " << result.temperature_c.value_or(-1)
              << " degrees, throttle reasons '" << result.throttle_reasons << "'\n";
  }
}

TEST_F(CudaRunOptionsGpu, TheClockIsNotInTheTimeOfAnEmptyLaunch) {
  run(launch_of("nothing"));
  const double time_ns = median_ns(launch_of("nothing"), {});
  std::cout << "  empty launch " << time_ns << " ns\n";
  EXPECT_LT(time_ns, 15'000);
}

TEST_F(CudaRunOptionsGpu, RefusesInvalidOptions) {
  EXPECT_THROW(run(launch_of("nothing"), {.executions = 0}), std::invalid_argument);
  EXPECT_THROW(run(launch_of("nothing"), {.executions = 2, .flush_cache = true}), std::invalid_argument);
  EXPECT_THROW(run(launch_of("nothing"), {.sets = 2}), std::invalid_argument);
}

}  // namespace
}  // namespace tailwave
