#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/executor.h"
#include "spec/system.h"

namespace tailwave {

// The host's copy of a system's buffers, by name.
using BufferContents = std::map<std::string, std::vector<std::byte>>;

// Elements of each buffer that the variant uses, for this scope (problem and parameters). Throws
// Failure(launch_failed) when a count is negative or cannot be evaluated.
std::map<std::string, std::size_t> buffer_counts(const System& system, const VariantSpec& variant,
                                                 const Values& scope);

// The inputs of one draw for the buffers that the variant uses; see make_input. Output-only ones are poisoned.
BufferContents make_inputs(const System& system, const VariantSpec& variant, const Values& scope,
                           std::uint64_t draw);

// A configuration's buffers on a device and its launch plan with every expression evaluated.
class Workspace {
 public:
  // Allocates; throws Failure(out_of_memory) when the device has not enough, Failure(launch_failed) when a
  // launch expression cannot be evaluated or a size is not positive.
  Workspace(Executor& executor, const System& system, const VariantSpec& variant, const Values& scope);

  // Uploads inputs and keeps a pristine copy on the device for reset().
  void upload(const BufferContents& inputs);
  // Restores all buffers to what upload() brought, device to device.
  void reset();
  [[nodiscard]] std::vector<std::byte> download(const std::string& buffer) const;
  // Empty, or which buffer's guard words were overwritten and how.
  [[nodiscard]] std::string guard_damage() const;

  [[nodiscard]] const std::vector<Launch>& prepare() const { return prepare_; }
  [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
  [[nodiscard]] const std::vector<Launch>& finish() const { return finish_; }

 private:
  struct Pair {
    std::unique_ptr<Buffer> live, pristine;
  };
  std::vector<Launch> resolve(const std::vector<LaunchSpec>& specs, const Values& scope) const;

  Executor& executor_;
  std::map<std::string, Pair> buffers_;
  std::vector<Launch> prepare_, launches_, finish_;
};

// Evaluates a launch without buffers: for planning. Throws like Workspace.
Launch resolve_shape(const LaunchSpec& spec, const Values& scope);

}  // namespace tailwave
