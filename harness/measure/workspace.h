#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/executor.h"
#include "measure/device_data.h"
#include "spec/system.h"

namespace tailwave {

// Elements of each buffer that the variant uses, for this scope (problem and parameters). Throws
// Failure(launch_failed) when a count is negative or cannot be evaluated.
std::map<std::string, std::size_t> buffer_counts(const System& system, const VariantSpec& variant,
                                                 const Values& scope);

// A configuration's buffers on a device and its launch plan with every expression evaluated.
class Workspace {
 public:
  // Throws Failure(out_of_memory), and Failure(launch_failed) when a launch expression cannot be evaluated or a size is
  // not positive.
  Workspace(DeviceData& data, const System& system, const VariantSpec& variant, const Values& scope);

  // Gives the buffers as many copies as it takes to fill twice `cache_bytes`, and launches() a plan for each, one
  // after another; returns how many. Throws Failure like the constructor, also when the buffers are so small that it
  // took more than kMostSets.
  int rotate(std::int64_t cache_bytes);
  static constexpr std::int64_t kMostSets = 4096;

  // So many copies of the buffers, and launches() a plan for each.
  void use_sets(int sets) { resolve_all(static_cast<std::size_t>(sets)); }
  [[nodiscard]] std::int64_t bytes_of_a_set() const;

  // The buffers of the first set become as the inputs of a draw have them, those of each further one as a draw has them
  // that nothing else uses, output-only ones poisoned; then prepare() of these.
  [[nodiscard]] FreshStart fresh_start(std::uint64_t draw, int sets = 1) const;
  [[nodiscard]] const Buffer& buffer(const std::string& name) const { return data_.live(name); }

  [[nodiscard]] const std::vector<Launch>& prepare() const { return prepare_; }
  [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
  // Of the first set alone.
  [[nodiscard]] std::span<const Launch> plan() const { return part_of(launches_, 1); }
  [[nodiscard]] const std::vector<Launch>& finish() const { return finish_; }

 private:
  [[nodiscard]] std::vector<Launch> resolve(const std::vector<LaunchSpec>& plan, std::size_t sets) const;
  void resolve_all(std::size_t sets);
  [[nodiscard]] std::span<const Launch> part_of(const std::vector<Launch>& launches, int sets) const {
    return std::span(launches).first(launches.size() / sets_ * static_cast<std::size_t>(sets));
  }

  DeviceData& data_;
  const System& system_;
  const VariantSpec& variant_;
  Values scope_;
  std::map<std::string, std::size_t> counts_;
  std::size_t sets_ = 1;
  std::vector<Launch> prepare_, launches_, finish_;
};

}  // namespace tailwave
