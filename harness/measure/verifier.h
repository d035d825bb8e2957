#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

 private:
  // All that was found so far.
  void receive_found();
  void lose();

  struct Link;
  std::shared_ptr<Link> link_;
  WorkerProcess process_;
  bool running_ = false;
  std::string obstacle_;
  std::set<std::string> known_;  // keys that the process has
  std::map<std::pair<std::uint64_t, std::size_t>, Found> found_;
};

}  // namespace tailwave
