#pragma once

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

  // A launch of a kernel that is wanted is asked for. True: it is to be recorded, and reads what is there before.
  bool begin(AskedLaunch& asked);
  // It was launched, with this result.
  void end(CUresult result);
  // A node of a graph that has run: it is launched once more, with what is there now, which is put back then.
  void run_again(const Launch& launch);

 private:
  struct Open {
    Launch launch;
    CUmodule module = nullptr;
    std::shared_ptr<const std::string> image;
    std::size_t candidates = 0;
    std::vector<ImageVariable> variables;
    Reach reach;
    Contents before;
    std::vector<std::string> notes;
  };

  bool is_due(const Launch& launch);
  bool open(Launch launch, Open& one);
  void write(const Open& one, const Contents& after, const char* how);
  void refuse(const std::string& symbol, const std::string& why) const;

  Settings settings_;
  std::function<bool(const std::string&)> matches_;
  std::mutex mutex_;
  std::map<std::string, bool> wanted_;  // by symbol
  Images images_;
  std::size_t seen_ = 0, written_ = 0;
  bool done_ = false;
  std::set<std::string> sizes_;
};

}  // namespace tailwave::injected
