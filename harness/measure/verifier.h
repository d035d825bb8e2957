#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/members.h"
#include "device/blob.h"
#include "device/comparer.h"
#include "device/worker_process.h"
#include "measure/repetition.h"

namespace tailwave {

// What one buffer should hold when a step is looked at.
struct Expectation {
  std::string buffer;
  ScalarType type = ScalarType::float32;
  ResolvedComparison comparison;
  std::string key;  // of the contents; empty for a range

  static constexpr auto members() {
    return std::tuple{member("buffer", &Expectation::buffer), member("type", &Expectation::type),
                      member("comparison_", &Expectation::comparison), member("key", &Expectation::key)};
  }
};

// A process that knows what is expected, which no process with kernels of others can read or write, and compares
// large results with it in the memory of the device where they are. It lives on when a worker dies. To be made before
// other threads start; the device is opened by start().
class Verifier {
 public:
  explicit Verifier(ComparerFactory factory);

  // For WorkerSetup.
  [[nodiscard]] std::function<std::unique_ptr<Examiner>()> examiner() const;

  // Opens the device and prepares comparisons, in the background. False when that cannot be done; once and for all.
  bool start(const std::vector<Comparer::Kind>& kinds);
  // Why nothing is compared there and workers hand over their results instead; empty: nothing is known against it.
  [[nodiscard]] const std::string& obstacle();

  // Of contents in the device's memory, those of earlier problems included; at first those of one problem alone. To bring a
  // gigabyte there takes as long as to measure dozens of configurations, and sweeps go from problem to problem and back.
  void keep_at_most(std::size_t size_bytes) { most_bytes_ = size_bytes; }

  // Contents by key: equal keys, equal contents.
  using Contents = std::map<std::string, Blob>;
  // To be called before the repetition begins: what is expected of each look, and all contents that repetitions of this
  // problem may be compared with, which are brought to the device when a problem is new. False as start() does.
  bool expect(std::uint64_t number, const std::vector<std::vector<Expectation>>& looks,
              const Contents& contents);
  // What was found when a step of a repetition that has ended was examined: nothing if it was not. `damage`: of guard
  // words. Throws Failure(crashed) when the verifier's process died.
  struct Found {
    std::vector<Verification> verifications;  // without phase
    std::string damage;                       // "guard words of buffer 'x' overwritten: ..."
  };
  std::optional<Found> take(std::uint64_t number, std::size_t look);

  // As of a worker (measure/worker.h).
  void let_go() noexcept { process_.let_go(); }

 private:
  // The process has all of these, and of earlier ones those that were wanted last. Throws ConnectionLost.
  void bring(const Contents& contents);
  // All that was found so far.
  void receive_found();
  void lose();

  struct Link;
  std::shared_ptr<Link> link_;
  WorkerProcess process_;
  bool running_ = false;
  std::string obstacle_;
  struct Known {
    std::string key;
    std::size_t size_bytes = 0;
  };
  std::list<Known> known_;  // that the process has; those wanted last first
  std::size_t most_bytes_ = 0;
  std::map<std::pair<std::uint64_t, std::size_t>, Found> found_;
};

}  // namespace tailwave
