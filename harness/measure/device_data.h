#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/executor.h"
#include "measure/inputs.h"
#include "measure/made_inputs.h"
#include "spec/system.h"

namespace tailwave {

// A system's buffers on a device and what they begin with, kept from one configuration to the next: allocated and made
// once as long as the system stays the same, unless place_anew() is called. Those of other sizes and GPUs wait until they
// are wanted again: a configuration is verified with several problems, and to allocate a gigabyte takes longer than to
// compute with it.
class DeviceData {
 public:
  // `before_release` is called before memory goes that share() was asked for.
  explicit DeviceData(Executor& device, std::function<void()> before_release = {})
      : device_(device), before_release_(std::move(before_release)) {}
  ~DeviceData();
  DeviceData(const DeviceData&) = delete;
  DeviceData& operator=(const DeviceData&) = delete;

  [[nodiscard]] Executor& device() const { return device_; }

  // One buffer of the system.
  struct Wanted {
    std::string name;
    std::size_t count = 0;  // of elements
    Placement place;
    Values scope;          // of its fill's amounts
    bool is_made = false;  // a function is about to fill it: it begins poisoned
  };
  // What functions fill, from the next prepare() on.
  void use(MadeInputs made) { made_ = std::move(made); }
  static constexpr std::size_t kMostWaiting = 64;
  // To be called before the others, for one problem of a configuration: memory of the device that does not fit it waits for
  // one that it fits, and goes where what waits is more than an eighth of the device's memory or kMostWaiting buffers,
  // the longest unused first. What kernels left there is poisoned: it is what others are to find out. Throws Failure as input_of().
  void prepare(const System& system, const std::vector<Wanted>& wanted);

  // With the next prepare() what its problem's kernels work on in a GPU's memory goes, poisoned, and the first set of what
  // comes instead begins elsewhere: Placement::before is random, below kMostBefore, where there is room. With the one
  // after it nothing comes before it again. Times depend on where memory lies by 0.5 to 2 % (docs/measuring.md).
  static constexpr std::size_t kMostBefore = std::size_t{2} << 20;
  void place_anew() { places_anew_ = true; }

  // See Executor::use_pes. Everything goes where it is another number than before.
  void use_pes(int pes);

  // Everything goes: a kernel may have written where it should not, or the memory is needed. False: there was nothing.
  bool drop();

  // The memory that kernels work on; `set` counts from 0, see RunOptions::sets. Throws Failure(out_of_memory) when even
  // without what this configuration does not need there is not enough.
  Buffer& live(const std::string& name, std::size_t set = 0);
  void drop_sets();  // but the first
  // How a live buffer gets the inputs of a draw; see make_input(). Throws likewise.
  Restoration restoration(const std::string& name, std::uint64_t draw, std::size_t set = 0);
  // See Executor::share.
  std::vector<std::byte> share(const std::string& name);

  // Everything that no kernel may write beyond, what waits included: whose guard words are overwritten must be told of the
  // configuration that did it, not of the next one that uses them.
  struct Guarded {
    const Buffer* buffer = nullptr;
    std::string
        name;  // "buffer 'x'", and of what where it is not the memory that this problem's kernels work on
  };
  [[nodiscard]] std::vector<Guarded> guarded() const;

 private:
  struct Kept {
    Wanted wanted;
    Input input;
    MadeInput made;                             // by a function
    bool needed = true;                         // by the configuration at hand
    std::size_t before = 0;                     // see place_anew()
    std::vector<std::unique_ptr<Buffer>> live;  // one a set
    std::unique_ptr<Buffer> inputs;  // where they are the same in all draws, and not one byte everywhere
  };
  [[nodiscard]] std::size_t bytes_of(const Kept& kept) const;
  std::unique_ptr<Buffer> allocate(const Kept& kept, std::size_t before = 0);
  void place(Kept& kept);
  void release(Kept& kept);
  void release_live(Kept& kept);
  void poison(const Kept& kept);
  void release_all();
  // Of the buffer that is wanted, if it has been there before; else nothing yet.
  Kept& find(const Wanted& wanted);
  void let_wait(Kept kept);
  void release_waiting(std::size_t most_bytes);

  Executor& device_;
  std::function<void()> before_release_;
  bool shared_ = false, places_anew_ = false;
  MadeInputs made_;
  const System* system_ = nullptr;
  std::map<std::string, Kept> buffers_;
  std::list<Kept> waiting_;  // the last used first
};

}  // namespace tailwave
