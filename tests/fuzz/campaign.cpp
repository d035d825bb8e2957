#include "campaign.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <set>

#include "core/error.h"
#include "core/hash.h"
#include "core/stopwatch.h"
#include "device/shared_memory.h"

namespace tailwave::fuzz {
namespace {

#ifdef TAILWAVE_SANITIZE
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr std::uint64_t kBatch = 5000;
constexpr std::size_t kMostFindings = 10;
constexpr rlim_t kMostMemory = rlim_t{1} << 30;
// Of the processor's time for one input. Sanitizers make it many times as long.
constexpr int kMostSeconds = kSanitized ? 60 : 5;
constexpr int kMostWaitingSeconds = 120;  // of the clock on the wall: waits, and the machine is busy
constexpr std::size_t kMostWords = 4096;

// Where the process of a batch says what it does, so that it is known when it dies.
struct Notes {
  std::atomic<std::uint64_t> done, accepted, different;
  std::atomic<bool> corpus_accepted;
  std::atomic<std::size_t> input_bytes;
  char input[kMostBytes * 4];
  char what[kMostWords];  // of an exception
};

void note_text(char* place, std::size_t most, std::string_view text) {
  const std::size_t size = std::min(most - 1, text.size());
  std::memcpy(place, text.data(), size);
  place[size] = '\0';
}

// Two messages that differ in numbers and names alone are one way to be refused.
std::string kind_of(const std::string& message) {
  std::string kind;
  bool quoted = false;
  for (const char letter : message.substr(0, 400)) {
    if (letter == '\'' || letter == '"') quoted = !quoted;
    const bool digit = letter >= '0' && letter <= '9';
    if (quoted || (digit && !kind.empty() && kind.back() == '#')) continue;
    kind += digit ? '#' : letter;
  }
  return kind;
}

void limit_this_process() {
  if (!kSanitized) {  // a sanitizer's own memory is more than that
    const rlimit memory{kMostMemory, kMostMemory};
    setrlimit(RLIMIT_AS, &memory);
  }
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

void watch(int processor_seconds, int wall_seconds) {
  const itimerval left{{0, 0}, {processor_seconds, 0}};
  setitimer(ITIMER_PROF, &left, nullptr);
  alarm(static_cast<unsigned>(wall_seconds));
}

// What a process does with the inputs of one batch; does not return.
class Batch {
 public:
  Batch(const Target& target, std::vector<std::string> corpus, Notes& notes)
      : target_(target), corpus_(std::move(corpus)), notes_(notes) {}

  [[noreturn]] void run(std::uint64_t seed, std::uint64_t inputs, bool corpus_first, double seconds) {
    limit_this_process();
    try {
      subject_ = target_.make();
      if (corpus_first)
        for (std::size_t i = 0, count = corpus_.size(); i < count; ++i) feed(corpus_[i], false);
      notes_.corpus_accepted = notes_.accepted > 0;
      Generator random(seed);
      const auto start = std::chrono::steady_clock::now();
      for (std::uint64_t i = 0; i < inputs && (seconds <= 0 || seconds_since(start) < seconds); ++i)
        feed(mutated(corpus_, target_.material, random), true);
      watch(0, 0);
      subject_.reset();
    } catch (const std::bad_alloc&) {
      die(fmt::format("took more than {} MiB of memory", kMostMemory >> 20U));
    } catch (const std::exception& error) {
      die(std::string("threw what it may not: ") + error.what());
    }
    _exit(0);
  }

 private:
  // What is refused in a new way is worth more changes.
  void feed(const std::string& input, bool learns) {
    notes_.input_bytes = std::min(input.size(), sizeof notes_.input);
    std::memcpy(notes_.input, input.data(), notes_.input_bytes);
    watch(kMostSeconds, kMostWaitingSeconds);
    const std::string refusal = subject_->feed(input);
    ++notes_.done;
    if (refusal.empty()) ++notes_.accepted;
    if (kinds_.insert(kind_of(refusal)).second) {
      ++notes_.different;
      if (learns) corpus_.push_back(input);
    }
  }

  [[noreturn]] void die(const std::string& what) {
    note_text(notes_.what, sizeof notes_.what, what);
    _exit(1);
  }

  const Target& target_;
  std::vector<std::string> corpus_;
  Notes& notes_;
  std::unique_ptr<Subject> subject_;
  std::set<std::string> kinds_;
};

std::string how_it_ended(int status, const Notes& notes) {
  if (notes.what[0] != '\0') return notes.what;
  if (!WIFSIGNALED(status)) return fmt::format("ended its process with status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGPROF) return fmt::format("took more than {} s", kMostSeconds);
  if (signal == SIGALRM) return fmt::format("waited for more than {} s", kMostWaitingSeconds);
  return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
}

class Campaign {
 public:
  Campaign(const Target& target, const Settings& settings)
      : target_(target),
        settings_(settings),
        corpus_(corpus_of(target)),
        memory_(sizeof(Notes)),
        notes_(*new (memory_.bytes().data()) Notes{}) {}

  Summary run() {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t batch = 0; goes_on(batch, seconds_since(start)); ++batch)
      run_batch(batch, settings_.seconds > 0 ? settings_.seconds - seconds_since(start) : 0);
    summary_.seconds = seconds_since(start);
    if (!corpus_accepted_ && summary_.findings == 0)
      throw Error(fmt::format("nothing of the corpus of '{}' is accepted", target_.name));
    return summary_;
  }

 private:
  [[nodiscard]] bool goes_on(std::uint64_t batch, double seconds) const {
    if (summary_.findings >= kMostFindings) return false;
    return settings_.seconds > 0 ? seconds < settings_.seconds : batch * kBatch < settings_.inputs;
  }

  void run_batch(std::uint64_t batch, double seconds) {
    new (&notes_) Notes{};
    const std::uint64_t left = settings_.seconds > 0 ? kBatch : settings_.inputs - batch * kBatch;
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process < 0) throw Error("the system refuses another process");
    if (process == 0)
      Batch(target_, corpus_, notes_)
          .run(split_mix(settings_.seed + batch * kGoldenGamma), std::min(kBatch, left), batch == 0, seconds);
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    summary_.inputs += notes_.done;
    summary_.accepted += notes_.accepted;
    summary_.different = std::max<std::size_t>(summary_.different, notes_.different);
    corpus_accepted_ = corpus_accepted_ || notes_.corpus_accepted;
    if (status != 0) keep({{notes_.input, notes_.input_bytes}, how_it_ended(status, notes_)});
  }

  void keep(const Finding& finding) {
    ++summary_.findings;
    const std::string name = fmt::format("{}-{}", target_.name, content_hash(finding.input).substr(0, 12));
    const std::filesystem::path file = std::filesystem::absolute(settings_.folder) / name;
    std::ofstream(file, std::ios::binary) << finding.input;
    if (kinds_.insert(kind_of(finding.what)).second) summary_.kept.push_back(file);
    fmt::print(stderr, "{}: an input {}\n  again: fuzz --target {} {}\n", target_.name, finding.what,
               target_.name, file.lexically_normal().string());
  }

  const Target& target_;
  const Settings& settings_;
  std::vector<std::string> corpus_;
  SharedMemory memory_;
  Notes& notes_;
  bool corpus_accepted_ = false;
  std::set<std::string> kinds_;
  Summary summary_;
};

}  // namespace

Summary run_campaign(const Target& target, const Settings& settings) {
  return Campaign(target, settings).run();
}

std::string feed_once(const Target& target, const std::string& input) {
  return target.make()->feed(input);
}

}  // namespace tailwave::fuzz
