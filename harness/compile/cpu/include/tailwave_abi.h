#pragma once

// What a shared object made from a template and the program that runs it agree on. Plain C++17, because the
// template's side is compiled at run time with whatever host compiler is there.

// NOLINTBEGIN(modernize-deprecated-headers): the C headers, which declare size_t and uint64_t outside std
#include <stddef.h>
#include <stdint.h>
// NOLINTEND(modernize-deprecated-headers)

namespace tailwave_cpu {

// Changes whenever a type below does.
constexpr int kAbiVersion = 4;
constexpr unsigned kWarpSize = 32;
constexpr const char* kTableSymbol = "tailwave_table";

struct Index3 {
  unsigned x, y, z;
};

enum class Barrier : int { sync, count, all, any, grid, cluster };
constexpr int kBarriers = 6;
constexpr unsigned kMostClusterBlocks = 16;

enum class WarpOperation : int { sync, shuffle, all, any, ballot, match_any, match_all };

struct Block;

// A flow of control: the stack of a thread, or of the program. Only the running one's `context` is stale.
struct Flow {
  void* context;  // where to go on
  Flow* target;   // the one that it jumped to when it left
  Flow* next;     // of those that wait in a block: a ring
};

// What a jump brings: where the flow that left goes on, and that flow.
struct Arrival {
  void* context;
  void* from;
};

// Threads that wait at one kind of barrier.
struct BarrierState {
  unsigned arrived, predicates, generation;
  int result;
};

// Blocks that run at the same time and reach each other's shared memory, by their ranks. Each is run by one thread of
// the operating system, whose thread_local variables are its static __shared__ ones: all lie as far from `statics`, one of
// them, as they do in any other thread.
struct Cluster {
  struct Place {
    void* statics;
    void* dynamic_shared;
  };
  Index3 size;
  unsigned blocks;
  Place at[kMostClusterBlocks];
};

// What the program offers a running kernel. Every call is made by a thread of the block, and may let other
// threads of it run before it returns.
struct Services {
  // Waits until all threads that have not finished are here. Returns how many had a predicate (count), or
  // whether all or any had.
  int (*barrier)(Block& block, Barrier kind, int predicate);
  // Waits for the lanes of `mask` that have not finished. shuffle: the value of lane `source`; all, any, ballot: of
  // (value != 0); match_any, match_all: the lanes with this value.
  uint64_t (*warp)(Block& block, WarpOperation operation, unsigned mask, uint64_t value, unsigned source);
  // Goes on waiting, after having been resumed once, until `generation` is no longer `old`.
  void (*go_on_waiting)(Block& block, const unsigned& generation, unsigned old);
  // Lets other threads of the block run.
  void (*yield)(Block& block);
  // After the running thread has finished while others wait.
  void (*thread_finished)(Block& block);
  // Ends the launch with this message. Does not return.
  void (*fail)(Block& block, const char* message);
  // The block's cluster. Ends the launch where nobody said how large one is.
  const Cluster& (*cluster)(Block& block);
  // Leaves the running flow `from` for the one whose context is given. A caller that uses it itself keeps `target`,
  // `context` and Block::current as they have to be.
  Arrival (*jump)(void* context, void* from);
};

// A block in execution.
struct Block {
  const Services* services;
  void** arguments;  // pointers to the kernel's arguments
  Index3 grid_size, block_size, block_index;
  unsigned thread_count;
  void* dynamic_shared;
  size_t dynamic_shared_bytes;
  Cluster* cluster;  // null: the launch does not say how large one is
  unsigned cluster_rank;

  unsigned next_thread;  // the first one that has not started, in linear order, and its index
  Index3 next_index;
  unsigned thread;        // the running one
  unsigned live_threads;  // started or not, but not finished
  unsigned suspended;     // waiting for others
  unsigned fruitless;     // waiting threads resumed in a row that had to go on waiting
  Flow* current;          // the running thread's
  BarrierState barriers[kBarriers];
  uint32_t* live_lanes;  // one bit a thread, one word a warp
};

struct Argument {
  unsigned size;  // bytes
  bool pointer;
};

struct Entry {
  const char* name;  // as the manifest gives it
  const Argument* arguments;
  int argument_count;
  // Kernels: runs threads from next_thread on until all have started.
  void (*run)(Block& block);
  // Host functions: returns false with a message when an exception was thrown.
  bool (*call)(void** arguments, char* message, size_t message_size);
};

struct Table {
  int abi_version;
  int entry_count;
  const Entry* entries;
  void**
      stream;  // where the program says, before it calls a function of a library variant, on which stream of the GPU
};

inline void* stream = nullptr;  // of the call under way

// The sizes and kinds of a function's parameters.
template <class T>
struct IsPointer {
  static constexpr bool value = false;
};
template <class T>
struct IsPointer<T*> {
  static constexpr bool value = true;
};

template <class T>
struct Decayed {
  using Type = T;
};
template <class T>
struct Decayed<const T> {
  using Type = T;
};
template <class T>
struct Decayed<T&> {
  using Type = typename Decayed<T>::Type;
};

template <class... Parameters>
struct Signature {
  static constexpr int count = static_cast<int>(sizeof...(Parameters));
  static constexpr Argument arguments[sizeof...(Parameters) + 1] = {
      {static_cast<unsigned>(sizeof(Parameters)), IsPointer<typename Decayed<Parameters>::Type>::value}...,
      {0, false}};
};

template <size_t... indices>
struct Indices {};
template <size_t count, size_t... indices>
struct MakeIndices : MakeIndices<count - 1, count - 1, indices...> {};
template <size_t... indices>
struct MakeIndices<0, indices...> {
  using Type = Indices<indices...>;
};

template <auto function, class... Parameters, size_t... indices>
inline void invoke(void** arguments, void (*)(Parameters...), Indices<indices...>) {
  function(*static_cast<typename Decayed<Parameters>::Type*>(arguments[indices])...);
}

}  // namespace tailwave_cpu
