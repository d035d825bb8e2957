#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/executor.h"
#include "measure/contents_cache.h"
#include "spec/system.h"

namespace tailwave {

// Elements of each buffer that the variant uses, for this scope (problem and parameters). Throws
// Failure(launch_failed) when a count is negative or cannot be evaluated.
std::map<std::string, std::size_t> buffer_counts(const System& system, const VariantSpec& variant,
                                                 const Values& scope);

// The inputs of one draw for the buffers that the variant uses, except those of one byte; see make_input, uniform_byte.
BufferContents make_inputs(const System& system, const VariantSpec& variant, const Values& scope,
                           std::uint64_t draw);

// make_inputs(), not made again while they are among the latest.
class InputCache {
 public:
  std::shared_ptr<const BufferContents> get(const System& system, const VariantSpec& variant,
                                            const Values& scope, std::uint64_t draw);

 private:
  ContentsCache made_;
};

// A configuration's buffers on a device and its launch plan with every expression evaluated.
class Workspace {
 public:
  // Allocates; Failure(out_of_memory) comes from here or, where the executor does not wait, from its next call with a
  // result. Throws Failure(launch_failed) when a launch expression cannot be evaluated or a size is not positive.
  Workspace(Executor& executor, const System& system, const VariantSpec& variant, const Values& scope);

  // Gives the buffers as many copies as it takes to fill twice `cache_bytes`, and launches() a plan for each, one after
  // another; returns how many. To be called after upload(); throws Failure like the constructor, also when the
  // buffers are so small that it took more than kMostSets.
  int rotate(std::int64_t cache_bytes);
  static constexpr std::int64_t kMostSets = 4096;

  // Uploads inputs and keeps a pristine copy on the device for reset().
  void upload(const BufferContents& inputs);
  // Restores all buffers to what upload() brought, device to device.
  void reset();
  // reset() and prepare().
  [[nodiscard]] FreshStart fresh_start() const;
  // All parts of the plan once, untimed; damage: see guard_damage(). Results that are wanted come along while they have
  // kMostAtOnce bytes together.
  struct Execution {
    double run_s = 0;  // wall-clock time of prepare() and launches()
    std::string damage;
    BufferContents results;
  };
  static constexpr std::size_t kMostAtOnce = std::size_t{1} << 26;
  [[nodiscard]] Execution execute(Program& program, const std::vector<std::string>& wanted) const;
  // What an execution left in a buffer: taken from its results, else downloaded.
  [[nodiscard]] std::vector<std::byte> take_result(Execution& execution, const std::string& buffer) const;
  [[nodiscard]] std::vector<std::byte> download(const std::string& buffer) const;
  // Empty, or which buffer's guard words were overwritten and how.
  [[nodiscard]] std::string guard_damage() const;

  [[nodiscard]] const std::vector<Launch>& prepare() const { return prepare_; }
  [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
  [[nodiscard]] const std::vector<Launch>& finish() const { return finish_; }

 private:
  struct Copies {
    std::vector<std::unique_ptr<Buffer>> live;  // one a set
    std::unique_ptr<Buffer> pristine;
    int gpu = 0;
  };
  // Of the buffers of all sets, in an order of its own.
  struct Guarded {
    std::vector<const std::string*> names;
    std::vector<const Buffer*> buffers;
  };
  [[nodiscard]] Guarded guarded() const;
  std::vector<Launch> resolve(const std::vector<LaunchSpec>& plan, std::size_t sets) const;
  void resolve_all(std::size_t sets);

  Executor& executor_;
  const System& system_;
  const VariantSpec& variant_;
  Values scope_;
  std::map<std::string, Copies> buffers_;
  std::vector<Launch> prepare_, launches_, finish_;
};

// Executes a part of a plan, which may be empty.
void run_untimed(Executor& executor, Program& program, const std::vector<Launch>& part);

}  // namespace tailwave
