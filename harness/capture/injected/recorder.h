#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "capture/injected/images.h"
#include "capture/injected/launch.h"
#include "capture/injected/snapshot.h"

namespace tailwave::injected {

// What is asked of the library, from the environment: TAILWAVE_CAPTURE_FOLDER (where each process writes into a
// folder with its number), TAILWAVE_CAPTURE_KERNEL (a
// POSIX extended regular expression; none: times alone), TAILWAVE_CAPTURE_NTH (which of the launches, from 0; "all": one
// of each size) and TAILWAVE_CAPTURE_BYTES (the most that a launch's memory may have).
struct Settings {
  std::filesystem::path folder;
  std::string kernel;
  std::size_t nth = 0, most_bytes = 0;
  bool all_sizes = false;

  static Settings from_environment();
};

// Writes what a launch began with and what it left, into a folder of its own: launch.json names the files.
class Recorder {
 public:
  explicit Recorder(Settings settings);

  [[nodiscard]] bool is_wanted(const std::string& symbol);  // by its symbol or what that stands for
  Images& images() { return images_; }

  // A launch of a kernel that is wanted is asked for. Where it is to be recorded this reads what is there before, and
  // launches of other threads wait (wait_for_recording()) until it has ended.
  void begin(AskedLaunch& asked);
  // The launch that this thread began was made, with this result.
  void end(CUresult result);
  // A node of a graph that has run: it is launched once more, with what is there now, which is put back then.
  void run_again(const Launch& launch);
  void wait_for_recording() { const std::lock_guard lock(recording_); }
  [[nodiscard]] bool is_done() const { return done_; }
  // While a stream of the application is being captured into a graph nothing is recorded: the driver forbids to wait.
  void captures(int more) { captures_ += more; }
  // For people: why a launch is not recorded.
  void refuse(const std::string& symbol, const std::string& why) const;

 private:
  struct Open {
    std::unique_lock<std::mutex> recording;
    Launch launch;
    CUmodule module = nullptr;
    std::shared_ptr<const std::string> image;
    std::size_t candidates = 0;
    std::vector<ImageVariable> variables;
    Reach reach;
    Contents before;
  };

  bool is_due(const Launch& launch);
  std::shared_ptr<Open> open(Launch launch);
  void write(const Open& one, const Contents& after, const char* how);

  Settings settings_;
  std::function<bool(const std::string&)> matches_;
  std::mutex mutex_;
  std::map<std::string, bool> wanted_;  // by symbol
  Images images_;
  std::mutex recording_;  // held while a launch is recorded
  std::size_t seen_ = 0, written_ = 0;
  std::atomic<bool> done_ = false;
  std::atomic<int> captures_ = 0;
  std::set<std::string> sizes_;
};

}  // namespace tailwave::injected
