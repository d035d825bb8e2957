#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "compile/artifact.h"
#include "compile/block_trace.h"
#include "core/device.h"
#include "core/trace.h"
#include "core/trial.h"
#include "device/buffer_views.h"
#include "device/counters.h"
#include "device/random_fill.h"
#include "spec/buffer_spec.h"
#include "spec/launch_spec.h"

namespace tailwave {

// Memory on the device between two guard zones.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::size_t size_bytes() const = 0;
};

// A loaded artifact.
class Program {
 public:
  virtual ~Program() = default;
};

// Where a buffer lies: with which GPU of the machine, counted from the executor's own as 0, in what, and how many unused
// bytes come before it, a multiple of 512, where it is the GPU's own memory.
struct Placement {
  int gpu = 0;
  MemoryKind memory = MemoryKind::device;
  std::size_t before = 0;

  bool operator==(const Placement&) const = default;
};

struct ScalarBytes {
  std::array<std::byte, 8> bytes{};
  std::size_t size = 0;
};
template <class T>
ScalarBytes scalar(T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  ScalarBytes bytes;
  static_assert(sizeof value <= sizeof bytes.bytes);
  std::memcpy(bytes.bytes.data(), &value, sizeof value);
  bytes.size = sizeof value;
  return bytes;
}
// Of a struct by value: bytes, and the buffers whose addresses are to be added to the 64 bits at these offsets.
struct StructBytes {
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::size_t, Buffer*>> addresses;
};
using LaunchArgument = std::variant<Buffer*, ScalarBytes, StructBytes, TextureView, TensorMapView>;

// A place in a plan where a loop may end: when the launch before has ended and the buffer's first element is at most
// that, the plan goes on with another launch than the next.
struct LoopExit {
  Buffer* buffer = nullptr;
  ScalarType type = ScalarType::float32;
  double at_most = 0;
  std::size_t next = 0;  // index in the plan; its length: the plan ends
};
// Whether a first element of these bytes ends the loop. A NaN does not.
bool leaves(const LoopExit& exit, std::span<const std::byte> element);

// A launch with everything evaluated. For a host function only kernel, arguments and exit count; for a program also its
// command, and what the buffers are called that are its arguments. With `copied` it is no
// launch but a copy of that buffer into `copied_to`, which has as many bytes, or into the variable `kernel` of the
// program, which must not be smaller; with `prefetched` managed memory moves; with `collective` it is one.
struct Launch {
  std::string kernel;  // the manifest's name
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes = 0;
  std::vector<LaunchArgument> arguments;
  int stream = 0;
  std::vector<int> wait;  // streams whose launches so far, of this execution, have to end first
  int gpu = 0;            // see Executor::allocate_at
  bool cooperative = false;
  int sms = 0;                  // that it may use, see Executor::granted_sms; 0: all
  std::optional<Dim3> cluster;  // blocks of one; absent: as the code says
  // It may begin before the kernel before it in its stream has ended (CUDA Programming Guide, Programmatic Dependent
  // Launch). Has no meaning where there is none in this execution, or where something else lies between.
  bool dependent = false;
  int priority = 0;  // 0 or less; lower ones come first
  std::optional<LoopExit> exit;
  Buffer* copied = nullptr;
  Buffer* copied_to = nullptr;
  Buffer* prefetched = nullptr;
  bool to_host = false;  // of prefetched; else to the GPU
  Collective collective = Collective::none;
  Buffer* summed = nullptr;  // of Collective::sum; symmetric
  ScalarType summed_type = ScalarType::float32;
  int pe = 0;                        // which one's it is, see Executor::use_pes
  std::vector<CommandWord> command;  // without expressions
  std::vector<std::string> files;    // of a command: one for each argument
  std::vector<std::string> reports;  // of a command: numbers that it may report beside its time

  [[nodiscard]] bool is_kernel() const {
    return copied == nullptr && prefetched == nullptr && collective == Collective::none;
  }
};

// How the launches that run() gets are executed and timed.
struct RunOptions {
  int executions = 1;
  int sets =
      1;  // the launches are that many plans of equal length; execution i runs plan i % sets ("rotate")
  bool graph = false;        // the executions are one CUDA graph, made before the time starts
  bool flush_cache = false;  // L2 is overwritten before the time starts ("cold"); of one execution only
  bool timed = true;         // false: nobody asks for the result, and what only it needs may be left out
};

struct RunResult {
  double time_ns = 0;                   // per execution
  std::optional<double> sm_clock_mhz;   // right after the executions, clock64 against %globaltimer
  std::optional<double> temperature_c;  // a reading at most 20 ms older than the end of run()
  std::string throttle_reasons;         // likewise: names joined by "+", "none", or "" where nothing tells
  std::optional<std::int64_t> other_processes;  // see Sample; a reading at most 100 ms older
  double waited_ns = 0;                         // see Sample
  Values reported = {};                         // see Sample
};

// What a device takes of power, now.
struct PowerState {
  double energy_j = 0;  // since some moment before; many devices count it in steps of 100 ms
  std::optional<double> sm_clock_mhz, temperature_c, power_limit_w;
  std::string throttle_reasons;  // as in RunResult
};

// How a buffer gets what it begins with: random numbers, the bytes of another one, or the same byte everywhere.
struct Restoration {
  Buffer* to = nullptr;
  const Buffer* from = nullptr;  // null: every byte becomes `byte`
  std::byte byte{};
  std::optional<RandomFill> random;  // instead of both
};

// What precedes each of several runs that belong together. Where anything is restored, so are the variables of the
// program (those that outlive a launch): they then hold what they held when it was loaded.
struct FreshStart {
  std::vector<Restoration> restored;
  std::span<const Launch> prepare;  // then these, untimed; may be none
  // So many runs, the first ones, begin with random numbers of draws of their own: this far, and further with every
  // run, from those that `restored` names.
  int others = 0;
  std::uint64_t other_draws = 0;

  // What is restored before a run, which counts from 0.
  [[nodiscard]] std::vector<Restoration> of_run(int run) const;
};

// What a device's memory does, in bytes a second: of buffers far larger than the caches, and of what lies in L2. A copy
// counts as what it reads and what it writes.
struct MemoryRates {
  double copy = 0, read = 0, write = 0;
  double l2_read = 0, l2_write = 0;

  static constexpr auto members() {
    return std::tuple{member("copy", &MemoryRates::copy), member("read", &MemoryRates::read),
                      member("write", &MemoryRates::write), member("l2_read", &MemoryRates::l2_read),
                      member("l2_write", &MemoryRates::l2_write)};
  }
};

// What read() looks at when nothing runs.
struct Reading {
  std::vector<const Buffer*> guarded;                                    // their guard zones
  std::vector<std::pair<const Buffer*, std::span<std::byte>>> contents;  // from and to, of equal size
};

// Throws std::invalid_argument, with the reason, for options that no executor takes: executions or sets below 1,
// a number of launches that is no multiple of sets, flush_cache with several executions, a graph of a plan with exits.
void require_valid(const RunOptions& options, std::span<const Launch> launches);

// Throws Failure(launch_failed): a copied buffer has to fit into its variable.
void require_room(const std::string& variable, std::size_t variable_bytes, std::size_t buffer_bytes);

// The same of another buffer, which has to have as many.
void require_equal_copy(const Buffer& from, const Buffer& to);

// Throws Failure(unavailable): there are no processing elements that could have symmetric memory.
void refuse_symmetric(const Placement& place);

// Throws std::invalid_argument: upload(), download() and copy() take what fits exactly.
void require_same_size(std::size_t buffer_bytes, std::size_t other_bytes);

// The plan that an execution, counted from 0, runs. The options must be valid for `plans`.
template <class Item>
std::span<Item> plan_of(std::span<Item> plans, const RunOptions& options, int execution) {
  const std::size_t length = plans.size() / static_cast<std::size_t>(options.sets);
  return plans.subspan(static_cast<std::size_t>(execution % options.sets) * length, length);
}

template <class Item>
bool has_exit(std::span<const Item> plan) {
  return std::any_of(plan.begin(), plan.end(), [](const Item& item) { return item.exit.has_value(); });
}

// Calls execute(item) for the items of a plan in order; where that gives true, the item has an exit, and is left by it.
template <class Item, class Execute>
void walk_plan(std::span<Item> plan, Execute execute) {
  for (std::size_t i = 0; i < plan.size();) {
    const bool leaves_loop = execute(plan[i]);
    i = leaves_loop ? plan[i].exit->next : i + 1;
  }
}

// The user asked to stop while a device was working.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

// Something that holds memory and runs programs, in this process. Seam between measuring and the hardware; tests use a
// fake. Every call may throw Failure: launch_failed (refused, with the driver's words), exceeds_device_limit,
// illegal_access, out_of_memory, timeout.
class Executor {
 public:
  virtual ~Executor() = default;

  [[nodiscard]] virtual const DeviceDescription& description() const = 0;
  // False after what only another process helps against. Destroying buffers and programs is safe then.
  [[nodiscard]] virtual bool usable() const { return true; }

  virtual std::unique_ptr<Program> load(const Artifact& artifact) = 0;
  // Resident blocks an SM of each launch as the device itself reports; empty where there is no such notion.
  virtual std::vector<std::optional<int>> blocks_per_sm(Program& program,
                                                        std::span<const Launch> launches) = 0;

  // Clusters of each launch that run at once, likewise; empty for a launch without clusters or on some of the SMs. Throws
  // Failure as running it does.
  virtual std::vector<std::optional<int>> active_clusters(Program& program, std::span<const Launch> launches);

  // SMs that each launch gets that asks for some, at least as many as it asks for: the device gives them out in steps.
  // Empty for a launch that asks for none, and where there is no such notion. Throws Failure as running it does:
  // launch_failed for a device that cannot be divided, exceeds_device_limit for more SMs than it has.
  virtual std::vector<std::optional<int>> granted_sms(std::span<const Launch> launches) = 0;

  std::unique_ptr<Buffer> allocate(std::size_t size_bytes) { return allocate_at({}, size_bytes); }
  // All GPUs in use reach each other's memory. Throws also Failure(launch_failed) when there is no such GPU,
  // Failure(unavailable) for a kind of memory that the device does not have.
  virtual std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) = 0;

  // How many processing elements there are; 0: this process works with the device itself.
  [[nodiscard]] virtual int pes() const { return 0; }
  // From now on all is done by so many, each a process with a GPU of its own, on buffers and programs that each has.
  // Those before have to be destroyed already. What is read is the first one's. The launches of a plan are those of all
  // of them one after another (Launch::pe), and an exit's `next` counts those of its own. Throws Failure(unavailable)
  // where there cannot be so many.
  virtual void use_pes(int pes);

  // Fills a buffer piece by piece, in order: `produce` writes what belongs from an offset on. A piece is a multiple
  // of 8 bytes, but for the last one.
  using Produce = std::function<void(std::size_t offset, std::span<std::byte> piece)>;
  virtual void upload(Buffer& buffer, const Produce& produce) = 0;
  // On the device; where one has the bytes of another, both are of the same size.
  virtual void restore(std::span<const Restoration> restored) = 0;
  // Of each that is guarded: empty when both guard zones are intact, else a sentence: which side, first damaged byte's
  // offset. Takes the contents, too.
  virtual std::vector<std::string> read(const Reading& reading) = 0;
  // By which another process finds the buffer and its guard zones (device/comparer.h); empty where none can.
  [[nodiscard]] virtual std::vector<std::byte> share(const Buffer& /*buffer*/) { return {}; }

  // Runs a plan's launches in order (streams of one execution may overlap; the next execution waits for all of them),
  // options.executions times back to back, and waits; all of that `times` times, each after a fresh start. The time
  // is that between a time stamp before the first and one after the last launch; neither a graph's making nor the
  // cache's flush is in it, but the host's looks at the values of loops are. The array of a texture is filled before it, and
  // holds what its buffer held before the first of the executions. Throws also what require_valid() does.
  virtual std::vector<RunResult> repeat(Program& program, const FreshStart& start,
                                        std::span<const Launch> launches, const RunOptions& options,
                                        int times) = 0;
  RunResult run(Program& program, std::span<const Launch> launches, const RunOptions& options);
  // Runs one launch and waits. On a GPU the program has to be one in which its kernel notes when blocks run, as `noted`
  // has it (compile/block_trace.h). Where not all blocks note, the first trace of a launch teaches the next one to tell when
  // the launch ended. Throws Failure(launch_failed) when it is none.
  virtual LaunchTrace trace(Program& program, const Launch& launch, const NotedEntry& noted);
  // Its hardware counters. Throws Failure(launch_failed) where it has none, or was not opened to count.
  virtual CounterSource& counters();
  // Measured when they are asked for first; all 0 where nobody measures them.
  virtual MemoryRates memory_rates() { return {}; }
  // May be asked while another thread of the process runs something. Throws Failure(unavailable) where nobody counts
  // energy.
  virtual PowerState power_state();
  // A single run that takes longer throws Failure(timeout), where the executor can notice.
  virtual void set_deadline_s(double seconds) = 0;
  // Where to note from now on which share of a run is done, 0 to 1; an executor that does not know notes nothing.
  virtual void report_progress(std::atomic<double>* /*share*/) {}

  void upload(Buffer& buffer, std::span<const std::byte> bytes);    // sizes must match
  void download(const Buffer& buffer, std::span<std::byte> bytes);  // likewise
};

// Opens a device in the process that is to work with it. May throw Error or Failure.
using ExecutorFactory = std::function<std::unique_ptr<Executor>()>;

}  // namespace tailwave
