// Lets a small run fail in many ways at random moments, and looks whether anything is lost or left:
//   driver [--rounds 200] [--first 0] [--seed 1] [--jobs CORES] [--device cpu] [--tailwave FILE] [--shim FILE]
// Rounds are numbered; one alone is played again by its seed and `--first NUMBER --rounds 1`.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/stopwatch.h"
#include "faults/round.h"

namespace tailwave::faults {
namespace {

namespace fs = std::filesystem;

struct Options {
  int rounds = 200, first = 0, jobs = static_cast<int>(std::thread::hardware_concurrency());
  std::uint64_t seed = 1;
  std::string device = "cpu";
  fs::path tailwave = TAILWAVE_BINARY, shim = FAULTS_SHIM;
};

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.starts_with('-');
}

bool read_options(const std::vector<std::string>& words, Options& options) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& name = words[i];
    if (i + 1 == words.size()) return false;
    const std::string& value = words[i + 1];
    const bool known = name == "--rounds"  ? read_number(value, options.rounds)
                       : name == "--first" ? read_number(value, options.first)
                       : name == "--jobs"  ? read_number(value, options.jobs)
                       : name == "--seed"  ? read_number(value, options.seed)
                                           : name == "--device" || name == "--tailwave" || name == "--shim";
    if (!known) return false;
    if (name == "--device") options.device = value;
    if (name == "--tailwave") options.tailwave = fs::absolute(value);
    if (name == "--shim") options.shim = fs::absolute(value);
  }
  return options.jobs > 0;
}

enum Ending { fine = 0, wrong = 1, missed = 2 };

// In a process of its own.
[[noreturn]] void play(const Subject& subject, std::uint64_t seed, int number) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int ending = wrong;
  try {
    const RoundResult result = play_round(subject, seed, number);
    ending = !result.wrong.empty() ? wrong : result.struck ? fine : missed;
    if (ending == wrong)
      fmt::print("round {} of seed {}, {}: {}\n", number, seed, result.fault, result.wrong);
  } catch (const std::exception& error) {
    fmt::print("round {} of seed {}: {}\n", number, seed, error.what());
  }
  std::fflush(stdout);
  _exit(ending);
}

// How many rounds ended in each way.
std::map<int, int> play_all(const Subject& subject, const Options& options) {
  std::map<int, int> endings;
  int running = 0;
  const auto reap = [&] {
    int status = 0;
    if (wait(&status) > 0) ++endings[WIFEXITED(status) ? WEXITSTATUS(status) : wrong];
    --running;
  };
  for (int number = options.first; number < options.first + options.rounds; ++number) {
    if (running == options.jobs) reap();
    ++running;
    if (fork() == 0) play(subject, options.seed, number);
  }
  while (running > 0) reap();
  return endings;
}

int drive(const Options& options) {
  std::string name = (fs::temp_directory_path() / "tailwave_faults_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be created");
  Subject subject{.tailwave = options.tailwave,
                  .shim = options.shim,
                  .device = options.device,
                  .cache = fs::path(name) / "warm",
                  .folder = name};
  subject.warm_ms = time_run(subject, false);
  subject.cold_ms = time_run(subject, true);
  fmt::print("seed {}: a run takes {:.0f} ms, with an empty cache {:.0f} ms\n", options.seed, subject.warm_ms,
             subject.cold_ms);
  std::fflush(stdout);
  const auto begun = std::chrono::steady_clock::now();
  std::map<int, int> endings = play_all(subject, options);
  fmt::print("{} rounds in {:.0f} s: {} fine, {} wrong, {} over before their fault\n", options.rounds,
             seconds_since(begun), endings[fine], endings[wrong], endings[missed]);
  if (endings[wrong] == 0) fs::remove_all(name);
  return endings[wrong] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tailwave::faults

int main(int count, char** words) {
  using namespace tailwave::faults;
  try {
    Options options;
    if (!read_options({words + 1, words + count}, options)) {
      fmt::print(
          stderr,
          "usage: {} [--rounds N] [--first N] [--seed N] [--jobs N] [--device D] [--tailwave F] [--shim F]\n",
          words[0]);
      return 2;
    }
    return drive(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
