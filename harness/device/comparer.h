#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/trial.h"
#include "verify/compare.h"

namespace tailwave {

// Compares what another process has in a device's memory with what is expected, without bringing it to the host. Seam;
// tests use a fake. All may throw Failure with the driver's words.
class Comparer {
 public:
  // The memory of one buffer and what it should hold.
  struct Pair {
    std::vector<std::byte> handle;  // see Executor::share
    std::size_t size_bytes = 0;
    ScalarType type = ScalarType::float32;
    ResolvedComparison comparison;
    std::string expected;  // a key; of a range nothing is expected
  };
  struct Found {
    Verification verification;  // without phase and buffer
    std::string damage;         // of the guard zones, see Executor::read
  };

  using Kind = std::pair<Comparison::Norm, ScalarType>;

  virtual ~Comparer() = default;
  // Makes comparisons of these kinds quick from the first one on.
  virtual void prepare(const std::vector<Kind>& kinds) = 0;
  // Keeps expected contents under a key; keep_only() drops the others.
  virtual void keep(const std::string& key, std::span<const std::byte> contents) = 0;
  virtual void keep_only(const std::vector<std::string>& keys) = 0;
  // Nothing may be written to the buffers meanwhile. One result a pair.
  virtual std::vector<Found> compare(std::span<const Pair> pairs) = 0;
  // Gives up the memory of other processes, which may go then.
  virtual void forget() = 0;
};

// Opens the device in the process that is to work with it.
using ComparerFactory = std::function<std::unique_ptr<Comparer>()>;

}  // namespace tailwave
