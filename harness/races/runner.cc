// Runs a plan of CUDA kernels that were compiled with -fsanitize=thread and writes down the races that ThreadSanitizer
// finds. Compiled at run time by the host compiler, without instrumentation, and linked with the kernels: what is here
// is not watched.
//
//   PROGRAM PLAN RESULT FOLDER
//
// PLAN is what write_plan() makes (races/race_plan.h), RESULT what read_races() reads (races/race.h). FOLDER, with a '/'
// at its end, has the headers that are tailwave's own.
//
// Each CUDA thread is a fiber of ThreadSanitizer on a stack of its own, and a block's threads take turns on a thread of
// the operating system, so that __shared__ (thread_local) variables are the block's. All threads of a launch live until
// its end. Blocks run one after another; to ThreadSanitizer they run at the same time, since nothing orders fibers but
// order() below. Where there are more of them than ThreadSanitizer tells apart, some threads of a block are one fiber:
// no race between these is seen.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tailwave_abi.h"

extern "C" {
// ThreadSanitizer's interface (sanitizer/tsan_interface.h, and what its debugger support exports).
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_set_fiber_name(void* fiber, const char* name);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_write_range(void* address, unsigned long size);
int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count,
                           int* mop_count, int* loc_count, int* mutex_count, int* thread_count,
                           int* unique_tid_count, void** sleep_trace, unsigned long trace_size);
int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write,
                          int* atomic, void** trace, unsigned long trace_size);
int __tsan_get_report_thread(void* report, unsigned long index, int* tid, unsigned long long* os_id,
                             int* running, const char** name, int* parent_tid, void** trace,
                             unsigned long trace_size);
void __sanitizer_symbolize_pc(void* pc, const char* format, char* text, unsigned long size);

// The kernels' unit (tailwave_races.h).
extern const tailwave_cpu::Table tailwave_table;
void tailwave_prepare_thread();
}

namespace {

using namespace tailwave_cpu;

constexpr unsigned kNoSync = 1;  // of a switch between fibers: it orders nothing
constexpr size_t kStackBytes = 256 << 10;
// That ThreadSanitizer tells apart: since GCC 13 and LLVM 14 it has 255 slots, and of an access by one that has lost its
// slot to another no race is seen.
constexpr unsigned kMostFibers = 250;
constexpr size_t kDynamicSharedBytes = 227 << 10;

FILE* result = nullptr;

[[noreturn]] void give_up(const std::string& message) {
  fprintf(result, "failed\t%s\n", message.c_str());
  fflush(result);
  _exit(3);
}

using Bytes = std::vector<unsigned char>;
using Fibers = std::vector<void*>;

// Lets all that `before` did so far happen before all that `after` does from now on. Done in the name of fibers that do
// not run at the moment.
void order(const Fibers& before, const Fibers& after) {
  void* const here = __tsan_get_current_fiber();
  void* const place = malloc(1);
  for (void* fiber : before) {
    __tsan_switch_to_fiber(fiber, kNoSync);
    __tsan_release(place);
  }
  for (void* fiber : after) {
    __tsan_switch_to_fiber(fiber, kNoSync);
    __tsan_acquire(place);
  }
  __tsan_switch_to_fiber(here, kNoSync);
  free(place);  // with what ThreadSanitizer keeps of it
}

// What is found.

struct Access {
  int tid = 0, size = 0, write = 0, atomic = 0;
  void* address = nullptr;
  void* trace[16] = {};
  char thread[32] = {};  // "BLOCK THREAD", linear numbers
};
struct Report {
  Access accesses[2];
};
constexpr int kMostReports = 1000;  // between two looks
Report reports[kMostReports];
int report_count = 0;

struct Range {
  std::string what, name;  // "buffer" "force"; "shared" ""
  char* begin;
  size_t bytes, zone;  // a guard zone of so many bytes before it and behind it

  [[nodiscard]] bool has(const char* address) const { return address >= begin && address < begin + bytes; }
  [[nodiscard]] bool guards(const char* address) const {
    return !has(address) && address >= begin - zone && address < begin + bytes + zone;
  }
};
std::vector<Range> ranges;
pthread_mutex_t ranges_mutex = PTHREAD_MUTEX_INITIALIZER;

void add_range(const char* what, const std::string& name, void* begin, size_t bytes, size_t zone = 0) {
  pthread_mutex_lock(&ranges_mutex);
  ranges.push_back({what, name, static_cast<char*>(begin), bytes, zone});
  pthread_mutex_unlock(&ranges_mutex);
}

struct Frame {
  std::string file;
  std::string line = "0";
};

// The innermost frame in what is not tailwave's own.
Frame frame_of(const Access& access, const std::string& own_folder) {
  Frame first;
  for (void* pc : access.trace) {
    if (pc == nullptr) break;
    char text[4096] = {};
    __sanitizer_symbolize_pc(pc, "%l %s", text, sizeof text - 1);
    for (const char* one = text; *one != '\0'; one += strlen(one) + 1) {
      const char* const space = strchr(one, ' ');
      if (space == nullptr) continue;
      Frame frame{space + 1, std::string(one, space)};
      if (frame.file.find('/') == std::string::npos && frame.file.find('.') == std::string::npos) continue;
      if (frame.file.rfind(own_folder, 0) != 0 && frame.file.find("sanitizer") == std::string::npos)
        return frame;
      if (first.file.empty()) first = frame;
    }
  }
  return first;
}

void write_access(const Access& access, const std::string& own_folder) {
  const Frame frame = frame_of(access, own_folder);
  fprintf(result, "\t%s%s\t%s\t%s\t%s", access.atomic != 0 ? "atomic " : "",
          access.write != 0 ? "write" : "read", access.thread, frame.file.c_str(), frame.line.c_str());
}

// In a guard zone the earlier access is most often that of guard(); the later one has no business there either way.
void write_reports(const std::string& own_folder) {
  for (int i = 0; i < report_count; ++i) {
    const Access* const accesses = reports[i].accesses;
    auto* const address = static_cast<char*>(accesses[0].address);
    Range place{"memory", "", address, 0, 0};
    for (const Range& range : ranges)
      if (range.has(address) || range.guards(address)) place = range;
    if (place.guards(address)) {
      fprintf(result, "outside\t%s\t%zu\t%zd", place.name.c_str(), place.bytes, address - place.begin);
      write_access(accesses[0], own_folder);
    } else {
      fprintf(result, "race\t%s\t%s\t%zd", place.what.c_str(), place.name.c_str(), address - place.begin);
      for (const Access* access : {&accesses[0], &accesses[1]}) write_access(*access, own_folder);
    }
    fprintf(result, "\n");
  }
  if (report_count == kMostReports) fprintf(result, "more\n");
  fflush(result);
  report_count = 0;
}

// The running code.

struct BlockRun;

enum class State { ready, waiting, finished };

struct Thread {
  ucontext_t context;
  void* fiber = nullptr;
  char* stack = nullptr;
  BlockRun* block = nullptr;
  unsigned number = 0;
  Index3 index{};
  State state = State::finished;
  int result = 0;
  // What it has asked of its warp, and the answer.
  bool in_warp = false;
  WarpOperation operation{};
  unsigned mask = 0, source = 0;
  uint64_t value = 0, answer = 0;
};

struct BarrierRun {
  std::vector<Thread*> arrived;
  unsigned predicates = 0;
};

struct Launch {
  const Entry* entry = nullptr;
  Index3 grid{}, block{};
  size_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<Bytes> values;
  std::vector<void*> arguments;
};

struct Grid {
  const Launch* launch = nullptr;
  unsigned live_threads = 0;  // of all blocks
  BarrierRun barrier;
};

struct BlockRun : Block {
  pthread_t system_thread{};
  sem_t turn, turn_over;
  void* own_fiber = nullptr;  // of the thread of the operating system
  ucontext_t scheduler;
  Grid* grid = nullptr;
  std::vector<std::unique_ptr<Thread>> threads;
  uint32_t lanes[32];
  BarrierRun barrier_runs[kBarriers];
  Thread* running = nullptr;
  bool progress = false;
  unsigned number = 0;
  size_t fibers = 0;  // for its threads, at most
};

thread_local BlockRun* this_block = nullptr;

BlockRun& run_of(Block& block) {
  return static_cast<BlockRun&>(block);
}

// While it lives, the running CUDA thread does what it does in the name of the block's thread of the operating system:
// to ThreadSanitizer, memory that the program allocates and frees here is nobody else's.
class Serving {
 public:
  explicit Serving(Block& block) : block_(run_of(block)), self_(*block_.running) {
    __tsan_switch_to_fiber(block_.own_fiber, kNoSync);
  }
  ~Serving() { __tsan_switch_to_fiber(self_.fiber, kNoSync); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  BlockRun& block() { return block_; }
  Thread& self() { return self_; }
  // Back to the scheduler of the block, until it resumes the thread.
  void pause() { swapcontext(&self_.context, &block_.scheduler); }
  void wait() {
    if (self_.state == State::waiting) pause();
  }

 private:
  BlockRun& block_;
  Thread& self_;
};

void complete(BarrierRun& barrier, Barrier kind) {
  Fibers fibers;
  for (Thread* thread : barrier.arrived) fibers.push_back(thread->fiber);
  order(fibers, fibers);
  const unsigned arrived = static_cast<unsigned>(barrier.arrived.size());
  int result = static_cast<int>(barrier.predicates);
  if (kind == Barrier::all) result = barrier.predicates == arrived ? 1 : 0;
  if (kind == Barrier::any) result = barrier.predicates != 0 ? 1 : 0;
  for (Thread* thread : barrier.arrived) {
    thread->result = result;
    thread->state = State::ready;
  }
  barrier.arrived.clear();
  barrier.predicates = 0;
}

bool is_complete(const BarrierRun& barrier, unsigned live_threads) {
  return !barrier.arrived.empty() && barrier.arrived.size() == live_threads;
}

const Cluster& no_cluster(Block&) {
  give_up("this_cluster() is not seen here: races are looked for in launches without clusters");
}

int wait_at_barrier(Block& base, Barrier kind, int predicate) {
  Serving serving(base);
  BlockRun& block = serving.block();
  const bool of_grid = kind == Barrier::grid;
  if (kind == Barrier::cluster) no_cluster(base);
  if (of_grid && !block.grid->launch->cooperative) give_up("grid.sync() in a launch that is not cooperative");
  BarrierRun& barrier = of_grid ? block.grid->barrier : block.barrier_runs[static_cast<int>(kind)];
  Thread& self = serving.self();
  barrier.arrived.push_back(&self);
  barrier.predicates += predicate != 0 ? 1 : 0;
  self.state = State::waiting;
  if (is_complete(barrier, of_grid ? block.grid->live_threads : block.live_threads)) complete(barrier, kind);
  serving.wait();
  return self.result;
}

// Answers the lanes that do the same as `one`, if all of them are there.
void complete_warp(BlockRun& block, const Thread& one) {
  const unsigned first = one.number / kWarpSize * kWarpSize;
  const unsigned group = one.mask & block.lanes[one.number / kWarpSize];
  std::vector<Thread*> lanes(kWarpSize, nullptr);
  std::vector<Thread*> present;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((group >> lane & 1U) == 0) continue;
    Thread& thread = *block.threads[first + lane];
    if (!thread.in_warp || thread.operation != one.operation ||
        (thread.mask & block.lanes[first / kWarpSize]) != group)
      return;
    lanes[lane] = &thread;
    present.push_back(&thread);
  }
  unsigned true_ones = 0;
  bool equal = true;
  Fibers fibers;
  for (const Thread* thread : present) {
    if (thread->value != 0) true_ones |= 1U << (thread->number - first);
    equal = equal && thread->value == one.value;
    fibers.push_back(thread->fiber);
  }
  const auto same_as = [&](const Thread& thread) {
    uint64_t same = 0;
    for (const Thread* other : present)
      if (other->value == thread.value) same |= uint64_t{1} << (other->number - first);
    return same;
  };
  for (Thread* thread : present) {
    switch (thread->operation) {
      case WarpOperation::sync:
        thread->answer = 0;
        break;
      case WarpOperation::shuffle:
        thread->answer = lanes[thread->source] != nullptr ? lanes[thread->source]->value : thread->value;
        break;
      case WarpOperation::all:
        thread->answer = true_ones == group ? 1 : 0;
        break;
      case WarpOperation::any:
        thread->answer = true_ones != 0 ? 1 : 0;
        break;
      case WarpOperation::ballot:
        thread->answer = true_ones;
        break;
      case WarpOperation::match_any:
        thread->answer = same_as(*thread);
        break;
      case WarpOperation::match_all:
        thread->answer = equal ? group : 0;
        break;
    }
  }
  for (Thread* thread : present) {
    thread->in_warp = false;
    thread->state = State::ready;
  }
  order(fibers, fibers);
}

uint64_t wait_in_warp(Block& base, WarpOperation operation, unsigned mask, uint64_t value, unsigned source) {
  Serving serving(base);
  Thread& self = serving.self();
  if ((mask >> self.number % kWarpSize & 1U) == 0)
    give_up("a lane takes part in a warp operation whose mask leaves it out");
  self.operation = operation;
  self.mask = mask;
  self.value = value;
  self.source = source;
  self.in_warp = true;
  self.state = State::waiting;
  complete_warp(serving.block(), self);
  serving.wait();
  return self.answer;
}

// The thread that just finished may have been the last that others waited for.
void finish(BlockRun& block) {
  Thread& self = *block.running;
  self.state = State::finished;
  --block.live_threads;
  --block.grid->live_threads;
  block.lanes[self.number / kWarpSize] &= ~(1U << self.number % kWarpSize);
  for (int kind = 0; kind < kBarriers; ++kind)
    if (is_complete(block.barrier_runs[kind], block.live_threads))
      complete(block.barrier_runs[kind], static_cast<Barrier>(kind));
  if (is_complete(block.grid->barrier, block.grid->live_threads))
    complete(block.grid->barrier, Barrier::grid);
  const unsigned first = self.number / kWarpSize * kWarpSize;
  for (unsigned number = first; number < first + kWarpSize && number < block.thread_count; ++number)
    if (block.threads[number]->in_warp) complete_warp(block, *block.threads[number]);
}

const Services kServices{
    wait_at_barrier, wait_in_warp,
    nullptr,         [](Block& block) { Serving(block).pause(); },
    nullptr,         [](Block&, const char* message) { give_up(message); },
    no_cluster,      nullptr,
};

void enter() {
  BlockRun& block = *this_block;
  __tsan_switch_to_fiber(block.running->fiber, kNoSync);
  block.grid->launch->entry->run(block);
  __tsan_switch_to_fiber(block.own_fiber, kNoSync);
  finish(block);
  setcontext(&block.scheduler);
}

// Lets the threads of the block run until none can go on, or those that can only pass their turn on.
void take_turn(BlockRun& block) {
  block.progress = false;
  for (bool any = true; any;) {
    any = false;
    for (unsigned i = 0; i < block.thread_count; ++i) {
      Thread& thread = *block.threads[i];
      if (thread.state != State::ready) continue;
      block.progress = true;
      block.running = &thread;
      block.thread = thread.number;
      swapcontext(&block.scheduler, &thread.context);
      any = any || thread.state != State::ready;
    }
  }
}

void restart(Thread& thread) {
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack;
  thread.context.uc_stack.ss_size = kStackBytes;
  thread.context.uc_link = nullptr;
  makecontext(&thread.context, enter, 0);
  thread.state = State::ready;
}

// Fibers of a block whose threads have to share them; 0: no block's have to.
size_t shared_fibers = 0;

// One of its own, or that of a thread which is no power of two away: those are who meet in a block.
void take_fiber(const BlockRun& block, Thread& thread) {
  constexpr size_t kApart = 7;
  const size_t number = thread.number;
  std::string name = std::to_string(block.number);
  if (number < block.fibers) {
    thread.fiber = __tsan_create_fiber(0);
    name += ' ' + std::to_string(number);
  } else {
    thread.fiber = block.threads[(number + kApart * (number / block.fibers)) % block.fibers]->fiber;
    shared_fibers = block.fibers;
  }
  __tsan_set_fiber_name(thread.fiber, name.c_str());
}

void add_thread(BlockRun& block) {
  auto thread = std::make_unique<Thread>();
  thread->block = &block;
  thread->number = static_cast<unsigned>(block.threads.size());
  const size_t guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, kStackBytes + guard, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0)
    give_up("no memory for the stack of a thread");
  thread->stack = static_cast<char*>(memory) + guard;
  take_fiber(block, *thread);
  block.threads.push_back(std::move(thread));
}

// The block's part of the program's thread-local memory: its static __shared__ variables.
int find_shared(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name[0] != '\0' || info->dlpi_tls_data == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_TLS)
      add_range("shared", "", info->dlpi_tls_data, info->dlpi_phdr[i].p_memsz);
  return 1;
}

void* be_block(void* argument) {
  auto& block = *static_cast<BlockRun*>(argument);
  this_block = &block;
  block.own_fiber = __tsan_get_current_fiber();
  dl_iterate_phdr(find_shared, nullptr);
  block.dynamic_shared = mmap(nullptr, kDynamicSharedBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block.dynamic_shared == MAP_FAILED) give_up("no memory for shared memory");
  add_range("shared", "", block.dynamic_shared, kDynamicSharedBytes);
  tailwave_prepare_thread();
  for (;;) {
    while (sem_wait(&block.turn) != 0) {
    }
    if (block.threads.size() < block.thread_count) {
      while (block.threads.size() < block.thread_count) add_thread(block);
    } else {
      take_turn(block);
    }
    sem_post(&block.turn_over);
  }
}

// The turn of one block, on its thread of the operating system.
void give_turn(BlockRun& block) {
  sem_post(&block.turn);
  while (sem_wait(&block.turn_over) != 0) {
  }
}

// The launches of a stream run one after the other, in the same blocks.
struct Stream {
  void* fiber = __tsan_create_fiber(0);  // nothing runs on it: it stands for what is done so far
  std::vector<std::unique_ptr<BlockRun>> blocks;
  size_t fibers_of_block;

  explicit Stream(size_t fibers) : fibers_of_block(fibers) {}

  void add_block() {
    auto block = std::make_unique<BlockRun>();
    block->fibers = fibers_of_block;
    block->services = &kServices;
    block->number = static_cast<unsigned>(blocks.size());
    sem_init(&block->turn, 0, 0);
    sem_init(&block->turn_over, 0, 0);
    if (pthread_create(&block->system_thread, nullptr, be_block, block.get()) != 0)
      give_up("no thread for every block");
    blocks.push_back(std::move(block));
  }

  void begin(BlockRun& block, Grid& grid) {
    const Launch& launch = *grid.launch;
    block.grid = &grid;
    block.arguments = const_cast<void**>(launch.arguments.data());
    block.grid_size = launch.grid;
    block.block_size = launch.block;
    block.block_index = {block.number % launch.grid.x, block.number / launch.grid.x % launch.grid.y,
                         block.number / launch.grid.x / launch.grid.y};
    block.thread_count = block.live_threads = launch.block.x * launch.block.y * launch.block.z;
    if (block.threads.size() < block.thread_count) give_turn(block);
    for (uint32_t& warp : block.lanes) warp = 0;
    block.live_lanes = block.lanes;
    for (unsigned i = 0; i < block.thread_count; ++i) {
      Thread& thread = *block.threads[i];
      thread.index = {i % launch.block.x, i / launch.block.x % launch.block.y,
                      i / launch.block.x / launch.block.y};
      block.lanes[i / kWarpSize] |= 1U << i % kWarpSize;
      restart(thread);
    }
  }

  void run(const Launch& launch) {
    Grid grid;
    grid.launch = &launch;
    const unsigned count = launch.grid.x * launch.grid.y * launch.grid.z;
    grid.live_threads = count * launch.block.x * launch.block.y * launch.block.z;
    while (blocks.size() < count) add_block();
    Fibers fibers;
    for (unsigned i = 0; i < count; ++i) {
      begin(*blocks[i], grid);
      for (unsigned t = 0; t < blocks[i]->thread_count; ++t) fibers.push_back(blocks[i]->threads[t]->fiber);
    }
    order({fiber, __tsan_get_current_fiber()}, fibers);  // this program has written the arguments
    for (bool progress = true; progress;) {
      progress = false;
      for (unsigned i = 0; i < count; ++i) {
        give_turn(*blocks[i]);
        progress = progress || blocks[i]->progress;
      }
    }
    if (grid.live_threads != 0)
      give_up(std::string("barrier deadlock in '") + launch.entry->name +
              "': " + std::to_string(grid.live_threads) + " threads wait for others");
    order(fibers, {fiber});
  }
};

// The plan.

constexpr size_t kLeastGuardBytes = 1 << 12, kMostGuardBytes = 1 << 16;
constexpr char kGuard = 0x5A;

// Between two guard zones, each as large as itself where that is not too much: in[i + n] ends there.
struct Buffer {
  std::string name;
  char* data;
  size_t bytes;

  [[nodiscard]] size_t zone() const {
    const size_t whole = (bytes + kLeastGuardBytes - 1) / kLeastGuardBytes * kLeastGuardBytes;
    return std::min(std::max(whole, kLeastGuardBytes), kMostGuardBytes);
  }
  [[nodiscard]] bool is_whole() const {
    for (size_t i = 0; i < zone(); ++i)
      if (data[-1 - static_cast<ptrdiff_t>(i)] != kGuard || data[bytes + i] != kGuard) return false;
    return true;
  }
};

class Plan {
 public:
  explicit Plan(std::string own_folder) : own_folder_(std::move(own_folder)) {}

  void run(const char* file) {
    share_out_fibers(file);
    std::ifstream lines(file);
    for (std::string text; std::getline(lines, text);) {
      std::istringstream line(text);
      std::string word;
      line >> word;
      if (word == "buffer") add_buffer(line);
      if (word == "launch") launch(line);
      if (word == "copy") copy(line);
      if (word == "move") move(line);
      if (word == "wait") stream_of(line);
      if (word == "join") join();
      write_reports(own_folder_);
      for (const Buffer& buffer : buffers_)
        if (!buffer.is_whole()) give_up("it writes outside of buffer '" + buffer.name + "'");
    }
    if (shared_fibers != 0) fprintf(result, "shared\t%zu\n", shared_fibers);
    fprintf(result, "end\n");
    fflush(result);
  }

 private:
  // Each stream has as many blocks as its largest launch; beside a block's threads there is one of the system.
  void share_out_fibers(const char* file) {
    std::map<int, size_t> blocks;
    std::ifstream lines(file);
    for (std::string text; std::getline(lines, text);) {
      std::istringstream line(text);
      std::string word;
      int stream = 0, waits = 0, other = 0, entry = 0;
      line >> word >> stream >> waits;
      if (word != "launch") continue;
      for (int i = 0; i < waits; ++i) line >> other;
      size_t x = 0, y = 0, z = 0;
      line >> entry >> x >> y >> z;
      blocks[stream] = std::max(blocks[stream], x * y * z);
    }
    size_t all = 0;
    for (const auto& [stream, count] : blocks) all += count;
    constexpr size_t kFewest = 2, kOthers = 3;  // this program's own, joined_ and guardian_
    const size_t left = kMostFibers - std::min<size_t>(kMostFibers, kOthers + blocks.size() + all);
    fibers_of_block_ = std::max(kFewest, all == 0 ? kFewest : left / all);
  }

  void add_buffer(std::istream& line) {
    Buffer buffer{};
    std::string file;
    line >> buffer.name >> buffer.bytes >> std::ws;
    std::getline(line, file);
    void* memory = nullptr;
    const size_t bytes = buffer.bytes + 2 * buffer.zone();
    if (posix_memalign(&memory, kLeastGuardBytes, bytes) != 0)
      give_up("no memory for buffer '" + buffer.name + "'");
    memset(memory, kGuard, bytes);
    buffer.data = static_cast<char*>(memory) + buffer.zone();
    std::ifstream contents(file, std::ios::binary);
    if (!contents.read(buffer.data, static_cast<std::streamsize>(buffer.bytes)))
      give_up(file + ": cannot be read");
    add_range("buffer", buffer.name, buffer.data, buffer.bytes, buffer.zone());
    guard(buffer);
    buffers_.push_back(buffer);
  }

  // To ThreadSanitizer another fiber writes the zones at any time: whoever reads or writes there races with it.
  void guard(const Buffer& buffer) {
    void* const here = __tsan_get_current_fiber();
    order({here}, {guardian_});
    __tsan_switch_to_fiber(guardian_, kNoSync);
    for (char* zone : {buffer.data - buffer.zone(), buffer.data + buffer.bytes})
      __tsan_write_range(zone, buffer.zone());
    __tsan_switch_to_fiber(here, kNoSync);
  }

  Stream& stream_at(int number) { return streams_.try_emplace(number, fibers_of_block_).first->second; }

  Stream& stream_of(std::istream& line) {
    int number = 0, waits = 0;
    line >> number >> waits;
    const bool is_new = streams_.find(number) == streams_.end();
    Stream& stream = stream_at(number);
    if (is_new) order({joined_}, {stream.fiber});
    for (int i = 0, other = 0; i < waits; ++i) {
      line >> other;
      if (other != number) order({stream_at(other).fiber}, {stream.fiber});
    }
    return stream;
  }

  void launch(std::istream& line) {
    Stream& stream = stream_of(line);
    Launch& launch = launches_.emplace_back();
    int entry = 0, count = 0;
    line >> entry;
    launch.entry = &tailwave_table.entries[entry];
    for (Index3* size : {&launch.grid, &launch.block}) line >> size->x >> size->y >> size->z;
    line >> launch.dynamic_shared >> launch.cooperative >> count;
    for (int i = 0; i < count; ++i) launch.values.push_back(argument(line, *launch.entry, count, i));
    for (Bytes& value : launch.values) launch.arguments.push_back(value.data());
    stream.run(launch);
  }

  // "buffer NUMBER", "scalar SIZE BITS", or "struct SIZE BYTES COUNT" and so many times "OFFSET NUMBER" of a buffer.
  Bytes argument(std::istream& line, const Entry& entry, int count, int i) {
    std::string kind;
    line >> kind;
    Bytes bytes(sizeof(void*));
    if (kind == "buffer") {
      put_address(line, bytes, 0);
    } else {
      size_t size = 0;
      line >> size;
      bytes.resize(size);
      kind == "scalar" ? put_scalar(line, bytes) : put_struct(line, bytes);
    }
    if (count != entry.argument_count || kind == (entry.arguments[i].pointer ? "scalar" : "buffer") ||
        bytes.size() != entry.arguments[i].size)
      give_up(std::string("the arguments of '") + entry.name + "' are not those that it takes");
    return bytes;
  }

  void put_address(std::istream& line, Bytes& bytes, size_t offset) {
    size_t number = 0;
    line >> number;
    const char* const address = buffers_[number].data;
    uintptr_t place = 0;
    memcpy(&place, bytes.data() + offset, sizeof place);
    place += (uintptr_t)address;
    memcpy(bytes.data() + offset, &place, sizeof place);
  }

  static void put_scalar(std::istream& line, Bytes& bytes) {
    uint64_t value = 0;
    line >> value;
    memcpy(bytes.data(), &value, bytes.size());
  }

  void put_struct(std::istream& line, Bytes& bytes) {
    std::string digits;
    size_t addresses = 0, offset = 0;
    line >> digits >> addresses;
    for (size_t at = 0; at < bytes.size(); ++at)
      bytes[at] = static_cast<unsigned char>(std::stoi(digits.substr(2 * at, 2), nullptr, 16));
    for (; addresses > 0 && line >> offset; --addresses) put_address(line, bytes, offset);
  }

  void move(std::istream& line) {
    stream_of(line);
    size_t from = 0, to = 0;
    line >> from >> to;
    copy_bytes(buffers_[from], buffers_[to].data);
  }

  // Byte by byte, which ThreadSanitizer does not see.
  static void copy_bytes(const Buffer& from, volatile char* to) {
    for (size_t i = 0; i < from.bytes; ++i) to[i] = from.data[i];
  }

  void copy(std::istream& line) {
    stream_of(line);
    size_t number = 0;
    std::string name;
    line >> number >> name;
    char* const variable = static_cast<char*>(dlsym(RTLD_DEFAULT, name.c_str()));
    Dl_info info{};
    const ElfW(Sym)* symbol = nullptr;
    if (variable == nullptr ||
        dladdr1(variable, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                RTLD_DL_SYMENT) == 0 ||
        symbol == nullptr)
      give_up("the program has no variable '" + name + "'; it has to be extern \"C\" and not static");
    const Buffer& buffer = buffers_[number];
    if (buffer.bytes > symbol->st_size)
      give_up("buffer '" + buffer.name + "' does not fit into '" + name + "'");
    copy_bytes(buffer, variable);
  }

  // All streams wait for all.
  void join() {
    Fibers fibers;
    for (auto& [number, stream] : streams_) fibers.push_back(stream.fiber);
    order(fibers, {joined_});
    order({joined_}, fibers);
  }

  std::string own_folder_;
  void* joined_ = __tsan_create_fiber(0);    // stands for what all streams have done up to the last join()
  void* guardian_ = __tsan_create_fiber(0);  // that nothing of the plan is ordered after
  std::vector<Buffer> buffers_;
  std::list<Launch> launches_;  // kept: their arguments are read by instrumented code
  std::map<int, Stream> streams_;
  size_t fibers_of_block_ = 0;
};

}  // namespace

extern "C" {

// What tailwave_races.h declares.
int tailwave_zero() {
  return 0;
}
Block* tailwave_running_block() {
  return this_block;
}
Index3 tailwave_thread_index() {
  return this_block->running->index;
}
Index3 tailwave_block_index() {
  return this_block->block_index;
}
Index3 tailwave_block_size() {
  return this_block->block_size;
}
Index3 tailwave_grid_size() {
  return this_block->grid_size;
}

const char* __tsan_default_options() {
  return "history_size=7:halt_on_error=0:exitcode=0:report_thread_leaks=0:report_signal_unsafe=0:"
         "suppress_equal_addresses=0:detect_deadlocks=0:io_sync=0:atexit_sleep_ms=0";
}

// Called by ThreadSanitizer, which is busy then: nothing that it intercepts may be called here.
void __tsan_on_report(void* report) {
  if (report_count == kMostReports) return;
  const char* description = nullptr;
  int count = 0, stacks = 0, accesses = 0, locations = 0, mutexes = 0, threads = 0, tids = 0;
  void* sleep_trace[1] = {};
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes, &threads,
                         &tids, sleep_trace, 1);
  if (accesses < 2) return;
  Report& kept = reports[report_count++];
  for (unsigned i = 0; i < 2; ++i) {
    Access& access = kept.accesses[i];
    for (void*& pc : access.trace) pc = nullptr;
    access.thread[0] = '\0';
    __tsan_get_report_mop(report, i, &access.tid, &access.address, &access.size, &access.write,
                          &access.atomic, access.trace, sizeof access.trace / sizeof access.trace[0]);
    for (int t = 0; t < threads; ++t) {
      int tid = 0, running = 0, parent = 0;
      unsigned long long os_id = 0;
      const char* name = nullptr;
      void* trace[1] = {};
      __tsan_get_report_thread(report, static_cast<unsigned long>(t), &tid, &os_id, &running, &name, &parent,
                               trace, 1);
      if (tid != access.tid || name == nullptr) continue;
      unsigned length = 0;
      for (; name[length] != '\0' && length + 1 < sizeof access.thread; ++length)
        access.thread[length] = name[length];
      access.thread[length] = '\0';
    }
  }
}

}  // extern "C"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  result = fopen(argv[2], "w");
  if (result == nullptr) return 2;
  Plan(argv[3]).run(argv[1]);
  _exit(0);
}
