// Every way in which a configuration can fail, run for real: the others finish, and no failure has a time.
#include <gmock/gmock.h>

#include <map>

#include "cli/project_fixture.h"
#include "core/sandbox.h"
#include "device/cuda/cuda_device.h"

namespace tailwave {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr const char* kFaultyManifest = R"json({
  "schema_version": 1, "name": "faults", "title": "Adds one, or fails",
  "problem": { "N": {"type": "int", "default": 1000} },
  "buffers": {
    "values":    {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 1}},
    "untouched": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 2}} },
  "reference": { "variant": "fine", "compare": {
    "values": {"norm": "max_abs", "tolerance": 1e-6}, "untouched": {"norm": "exact"}} },
  "work": { "additions": "N" },
  "variants": {
    "fine":     { "target": "host", "source": "fine.cpp",
                  "launches": [ {"function": "add_one", "args": ["values", "untouched", "N"]} ] },
    "host":     { "target": "host", "source": "host.cpp", "parameters": {"FAULT": 0},
                  "launches": [ {"function": "add_one", "args": ["values", "untouched", "N"]} ] },
    "nameless": { "target": "cuda", "source": "kernel.cu", "parameters": {"FAULT": 0},
                  "launches": [ {"kernel": "absent", "grid": 1, "block": 1, "args": ["values", "untouched", "N"]} ] },
    "kernel":   { "target": "cuda", "source": "kernel.cu", "parameters": {"FAULT": 0},
                  "launches": [ {"kernel": "add_one", "grid": "ceil_div(N, 64)",
                                 "block": "2048 if FAULT == 2 else 64",
                                 "dynamic_shared_bytes": "100000000 if FAULT == 3 else 0",
                                 "args": ["values", "untouched", "N"]} ] }
  }
})json";

constexpr const char* kFine = R"cpp(extern "C" void add_one(float* values, float*, int n) {
                                      for (int i = 0; i < n; ++i) values[i] += 1;
                                    }
)cpp";

constexpr const char* kFaultyHost = R"cpp(#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>
                                          extern "C" void add_one(float* values, float*, int n) {
#if FAULT == 1
                                            *reinterpret_cast<volatile int*>(16) = 1;
#elif FAULT == 2
                                            std::abort();
#elif FAULT == 3
                                            std::exit(3);
#elif FAULT == 4
                                            for (std::vector<char*> blocks;; blocks.push_back(new char[1 << 26])) {
                                              for (int i = 0; !blocks.empty() && i < 1 << 26; i += 4096) blocks.back()[i] = 1;
                                            }
#elif FAULT == 5
                                            for (volatile unsigned turn = 0;; turn = turn + 1) {
                                            }
#elif FAULT == 6
                                            throw std::runtime_error("no more");
#elif FAULT == 7
                                            kill(getppid(), SIGKILL);
#elif FAULT == 8
                                            kill(getppid(), SIGSTOP);
#elif FAULT == 9
                                            execl("/bin/sleep", "sleep", "1000", nullptr);
#elif FAULT == 10
                                            // Into what it shares with the process that watches it: that it waits.
                                            std::vector<char*> shared;
                                            std::ifstream maps("/proc/self/maps");
                                            for (std::string line; std::getline(maps, line);) {
                                              unsigned long begin = 0, end = 0;
                                              if (line.find(" rw-s ") == std::string::npos) continue;
                                              sscanf(line.c_str(), "%lx-%lx", &begin, &end);
                                              if (end - begin == 4096) shared.push_back(reinterpret_cast<char*>(begin));
                                            }
                                            for (;;)
                                              for (char* watch : shared) {
                                                *reinterpret_cast<volatile double*>(watch + 8) = 1e300;
                                                *reinterpret_cast<volatile int*>(watch + 24) = 3;
                                              }
#endif
                                            for (int i = 0; i < n; ++i) values[i] += 1;
                                          }
)cpp";

constexpr const char* kKernel = R"cuda(__device__ int launches;

#if FAULT == 13
__device__ float deep(float* place, int depth) {
  volatile float room[64];
  for (int i = 0; i < 64; ++i) room[i] = place[i % 3] + depth;
  return depth == 0 ? room[5] : deep((float*)room, depth - 1) + room[depth % 64];
}
#endif

extern "C" __global__ void add_one(float* values, float* untouched, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FAULT == 1
  nonsense;
#elif FAULT == 4
  if (i == 0) *reinterpret_cast<volatile float*>(reinterpret_cast<size_t>(values) + (size_t{1} << 45)) = 1;
#elif FAULT == 10
  for (volatile float* value = values; *value == *value;) {
  }
#elif FAULT == 11
  if (i == 0) __trap();
#elif FAULT == 12
  assert(i < 0);
#elif FAULT == 13
  if (i == 0) untouched[1] = deep(values, 1 << 20);
#elif FAULT == 14
  if (i == 0) *reinterpret_cast<volatile float*>(reinterpret_cast<size_t>(values) + 1) = 1;
#elif FAULT == 15
  if (i == 0) reinterpret_cast<void (*)()>(0x123456)();
#endif
  if (i == 0) ++launches;
  if (i >= n) return;
  values[i] += FAULT == 8 ? 2 : 1;
#if FAULT == 5
  if (i == 0) values[n + 1] = 1;
#elif FAULT == 6
  if (i == 0) untouched[7] = 5;
#elif FAULT == 7
  if (i == 9) values[i] = nanf("");
#elif FAULT == 9
  if (i == 0 && launches > 3) values[i] = 5;
#endif
}
)cuda";

class Faults : public ProjectFixture {
 protected:
  Faults() {
    write("kernel_templates/faults/system.json", kFaultyManifest);
    write("kernel_templates/faults/fine.cpp", kFine);
    write("kernel_templates/faults/host.cpp", kFaultyHost);
    write("kernel_templates/faults/kernel.cu", kKernel);
  }

  void write_spec(const std::string& cases) const {
    write("experiments/faults/all.json",
          R"({ "schema_version": 1, "name": "all", "system": "faults", "question": "What fails?",
               "cases": [)" +
              cases + R"(], "metric": {"name": "time"}, "measure": {"samples": 3, "deadline_s": 1} })");
  }

  CommandResult run(const std::string& device) const {
    return tailwave({"run", "experiments/faults/all.json", "--device", device});
  }

  std::string outcome(const std::string& variant, int fault) const { return of("outcome", variant, fault); }
  std::string detail(const std::string& variant, int fault) const { return of("detail", variant, fault); }
  std::string kernel_output(const std::string& variant, int fault) const {
    return of("kernel_output", variant, fault);
  }

  // Of the variant `kernel`, by fault.
  std::map<int, std::string> kernel_outcomes() const {
    std::map<int, std::string> outcomes;
    for (int fault = 0; fault <= 11; ++fault) outcomes[fault] = outcome("kernel", fault);
    return outcomes;
  }

  void expect_nothing_lost_or_false(int configurations) const {
    EXPECT_EQ(scalar("SELECT count(*) FROM trial"), std::to_string(configurations));
    EXPECT_EQ(
        scalar("SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id WHERE outcome <> 'correct'"),
        "0");
    EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome <> 'correct' AND detail = ''"), "0");
    EXPECT_EQ(scalar("SELECT status FROM run"), "done");
  }

 private:
  std::string of(const std::string& column, const std::string& variant, int fault) const {
    return scalar(
        "SELECT coalesce(" + column +
        ", '') FROM trial JOIN configuration ON configuration.id = configuration_id WHERE variant = '" +
        variant + "' AND json_extract(parameters, '$.FAULT') = " + std::to_string(fault));
  }
};

const char* const kKernelFaults =
    R"({"variant": "nameless"},
       {"variant": "kernel", "parameters": {"FAULT": [10, 4, 5, 11, 9, 1, 2, 3, 6, 7, 8, 0]}})";
const char* const kFaultsOfGpus =
    R"({"variant": "nameless"},
       {"variant": "kernel", "parameters": {"FAULT": [12, 10, 4, 13, 5, 11, 9, 1, 14, 2, 3, 6, 15, 7, 8, 0]}})";

// What does not depend on the device.
void expect_wrong_results(const std::map<int, std::string>& outcomes) {
  EXPECT_EQ(outcomes.at(0), "correct");
  EXPECT_EQ(outcomes.at(1), "compile_error");
  EXPECT_EQ(outcomes.at(2), "exceeds_device_limit");
  EXPECT_THAT(outcomes.at(3), AnyOf("exceeds_device_limit", "launch_failed"));
  EXPECT_EQ(outcomes.at(5), kSanitized ? "crashed" : "illegal_access");  // into a guard word
  for (const int fault : {6, 7, 8}) EXPECT_EQ(outcomes.at(fault), "wrong_result") << fault;
  EXPECT_EQ(outcomes.at(9), "correct") << "a count of launches begins anew with every sample";
  EXPECT_EQ(outcomes.at(10), "timeout");
}

TEST_F(Faults, OfKernelsEndNothingOnTheCpuDevice) {
  write_spec(kKernelFaults);
  const CommandResult result = run("cpu");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  expect_nothing_lost_or_false(13);
  std::map<int, std::string> outcomes = kernel_outcomes();
  expect_wrong_results(outcomes);
  EXPECT_EQ(outcome("nameless", 0), "compile_error");
  EXPECT_THAT(detail("nameless", 0), HasSubstr("kernel 'absent' not found"));
  EXPECT_EQ(outcomes[4], "crashed");
  EXPECT_EQ(outcomes[11], "crashed");
  EXPECT_THAT(detail("kernel", 1), HasSubstr("kernel.cu:14"));
  if (kSanitized) {  // the sanitizer ends the process
    EXPECT_THAT(kernel_output("kernel", 4), HasSubstr("SEGV on unknown address"));
  } else {
    EXPECT_THAT(detail("kernel", 4), HasSubstr("Segmentation fault"));
    EXPECT_THAT(detail("kernel", 5), HasSubstr("guard"));
  }
  EXPECT_THAT(detail("kernel", 10), HasSubstr("add_one: not ended after 1 s; its process was killed"));
  EXPECT_THAT(result.err, HasSubstr("faults/kernel/FAULT:4/N:1000"));
}

TEST_F(Faults, OfTheReferenceAreToldWithWhatItPrinted) {
  write("kernel_templates/faults/fine.cpp", R"cpp(#include <cstdio>
#include <cstdlib>
                                                  extern "C" void add_one(float*, float*, int) {
                                                    std::fputs("free(): invalid size\n", stderr);
                                                    std::abort();
                                                  })cpp");
  write_spec(R"({"variant": "host", "parameters": {"FAULT": [0]}})");
  const CommandResult result = run("cpu");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("cannot be computed, so nothing can be verified\n"
                        "  add_one: the device's worker process was killed by signal 6 (Aborted); it "
                        "printed:\nfree(): invalid size\n"));
}

TEST_F(Faults, OfHostVariantsEndNothing) {
  write_spec(
      R"({"variant": "host", "parameters": {"FAULT": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]}}, {"variant": "fine"})");
  const CommandResult result = run("cpu");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  expect_nothing_lost_or_false(12);
  EXPECT_EQ(outcome("host", 0), "correct");
  for (const int fault : {1, 2, 3, 6}) EXPECT_EQ(outcome("host", fault), "crashed") << fault;
  EXPECT_THAT(outcome("host", 4), AnyOf("crashed", "timeout"));  // whichever comes first
  EXPECT_EQ(outcome("host", 5), "timeout");
  EXPECT_THAT(detail("host", 2), HasSubstr("Aborted"));
  // The look for leaks at the end of a sanitized process traces it, which its sandbox refuses.
  EXPECT_THAT(detail("host", 3), HasSubstr(kSanitized ? "exited with status" : "exited with status 3"));
  EXPECT_THAT(detail("host", 6), HasSubstr("no more"));
  // Another program in its place, which knows nothing of the connection.
  EXPECT_EQ(outcome("host", 9), "crashed");
  EXPECT_THAT(detail("host", 9), HasSubstr("did not end when its connection was closed, and was ended"));
  EXPECT_EQ(outcome("host", 10), "timeout");
  EXPECT_THAT(detail("host", 10),
              HasSubstr("says that it waits for its turn, which has begun: it was killed"));
  // Signals to its parent do not arrive where it is confined.
  for (const int fault : {7, 8}) {
    if (sandbox_gap().empty()) {
      EXPECT_EQ(outcome("host", fault), "correct") << fault;
    } else {
      EXPECT_EQ(outcome("host", fault), "crashed") << fault;
      EXPECT_THAT(detail("host", fault), HasSubstr("ended with its parent"));
    }
  }
}

// A search waits for builds and for the device at once: a device that says nothing must not keep it.
TEST_F(Faults, EndNoSearch) {
  write_spec(R"({"variant": "kernel", "parameters": {"FAULT": [10, 4, 0]}})");
  const CommandResult result = tailwave({"tune", "experiments/faults/all.json", "--device", "cpu",
                                         "--strategy", "exhaustive", "--budget", "3", "--final", "0"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  expect_nothing_lost_or_false(3);
  EXPECT_EQ(outcome("kernel", 10), "timeout");
  EXPECT_EQ(outcome("kernel", 4), "crashed");
  EXPECT_EQ(outcome("kernel", 0), "correct");
}

TEST_F(Faults, EndNothingOnTheGpu) {
  const std::string obstacle = cuda_obstacle();
  if (!obstacle.empty()) GTEST_SKIP() << "needs a CUDA device: " << obstacle;
  write_spec(kFaultsOfGpus);
  const CommandResult result = run("cuda:0");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  expect_nothing_lost_or_false(17);
  std::map<int, std::string> outcomes = kernel_outcomes();
  expect_wrong_results(outcomes);
  EXPECT_EQ(outcome("nameless", 0), "compile_error");
  EXPECT_EQ(outcomes[4], "illegal_access");
  EXPECT_THAT(outcomes[11], AnyOf("launch_failed", "illegal_access", "crashed"));
  EXPECT_THAT(outcome("kernel", 12), AnyOf("launch_failed", "crashed"));
  EXPECT_THAT(detail("kernel", 12), HasSubstr("ASSERT"));
  for (const int fault : {13, 14, 15}) EXPECT_EQ(outcome("kernel", fault), "illegal_access") << fault;
}

}  // namespace
}  // namespace tailwave
