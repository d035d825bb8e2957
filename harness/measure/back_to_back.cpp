#include "measure/back_to_back.h"

#include <algorithm>
#include <random>
#include <span>

#include "core/statistics.h"
#include "measure/least_time.h"

namespace tailwave {
namespace {

constexpr int kTimesOfEach = 5;

void keep_quicker(double& best_ns, double time_ns) {  // 0: none yet
  if (best_ns == 0 || time_ns < best_ns) best_ns = time_ns;
}

class BackToBackTimer {
 public:
  BackToBackTimer(Bench& bench, std::uint64_t draw)
      : bench_(bench),
        draw_(draw),
        cache_bytes_(l2_bytes(bench.device())),
        set_bytes_(bench.workspace().bytes_of_a_set()),
        sets_(sets_alike()) {}

  [[nodiscard]] bool is_possible() const { return sets_ > 1; }

  BackToBack times(const std::vector<Sample>& samples) {
    bench_.use_sets(sets_);
    BackToBack times = time_series([&] { return time_repeated_and_own(sets_); });
    // Code may need more executions than that until it knows an input, or has nothing left to do; where it does nothing
    // for any input then, what is left tells.
    int many = samples.back().executions;
    if (many > sets_ && times.repeated_ns >= times.least_ns &&
        median(counted_times_ns(samples)) < times.least_ns)
      times = time_series(
          [&] { return is_beyond_cache() ? time_after_many(many) : time_repeated_and_own(many); });
    else
      many = 1;
    leave_what_the_draw_leaves(many);
    return times;
  }

 private:
  // As many sets of buffers as the cache treats as it does one: it holds all, or no part that matters of any.
  [[nodiscard]] int sets_alike() const {
    constexpr std::int64_t kMostSets = 8;
    if (set_bytes_ == 0) return static_cast<int>(kMostSets);  // the cache has nothing of them
    if (is_beyond_cache()) return 2;
    return static_cast<int>(std::min(kMostSets, cache_bytes_ / 2 / set_bytes_));
  }
  [[nodiscard]] bool is_beyond_cache() const { return set_bytes_ >= 2 * cache_bytes_; }
  [[nodiscard]] bool on_gpu() const { return bench_.device().kind == DeviceKind::cuda; }

  [[nodiscard]] RunOptions options(int executions, int sets) const {
    return {
        .executions = executions, .sets = sets, .graph = bench_.wanted().settings.mode == TimingMode::graph};
  }

  // Anew where more executions take no longer than fewer: another program had the GPU in between. On a CPU, whose cores
  // others take away for longer than such an execution lasts, also where it would be refused: each series has to say so.
  template <class Series>
  BackToBack time_series(const Series& time) {
    const int most = on_gpu() ? 3 : 8;
    BackToBack times = time();
    for (int i = 1; i < most && (std::min(times.own_ns, times.repeated_ns) <= 0 ||
                                 (!on_gpu() && times.repeated_ns < times.least_ns));
         ++i)
      times = time();
    return times;
  }

  // `many` executions on one set of buffers, and one on each, in turns: the quickest of each. On a GPU without what the
  // start takes, a graph's say: that is what half as many take beyond half.
  BackToBack time_repeated_and_own(int many) {
    const std::span<const Launch> all = bench_.workspace().launches();
    const int half = sets_ / 2;
    FreshStart one = bench_.fresh_start(draw_, 1), several = bench_.fresh_start(draw_, sets_);
    double many_ns = 0, half_ns = 0, all_ns = 0;
    for (int i = 0; i < kTimesOfEach; ++i) {
      keep_quicker(many_ns, bench_.time_ns(one, bench_.workspace().plan(), options(many, 1)));
      if (on_gpu()) keep_quicker(half_ns, bench_.time_ns(several, all, options(half, sets_)));
      keep_quicker(all_ns, bench_.time_ns(several, all, options(sets_, sets_)));
    }
    const double start_ns = std::clamp(all_ns - (all_ns - half_ns) / (sets_ - half) * sets_, 0.0, half_ns);
    const double own_ns = (all_ns - start_ns) / sets_;
    return {.repeated_ns = (many_ns - start_ns) / many,
            .own_ns = own_ns,
            .least_ns = least_share() * own_ns,
            .repeated = many,
            .own = sets_};
  }

  // The same where a set is larger than the cache, with what is one's own after `many` on another set, chosen at random: so
  // the cache is as executions leave it, which what fills buffers does not. A softmax of 16384 x 4097 that reads its rows
  // twice and asks for them to be evicted first takes 312 us on an H100 after the fills, and 211 after others of its kind.
  // Of the repeated ones all count, or the second half, whichever is quicker; of the differences that tell what an own one
  // takes the median is said, and the least one is held against them.
  BackToBack time_after_many(int many) {
    const int half = many / 2, further = sets_ - 1;
    const int first = static_cast<int>(std::random_device()() % static_cast<unsigned>(sets_));
    const std::vector<Launch> round = round_of_sets(first, many);
    const std::span<const Launch> plan = std::span(round).first(bench_.workspace().plan().size());
    FreshStart start = bench_.fresh_start(draw_, sets_);
    double half_ns = 0, many_ns = 0;
    std::vector<double> own_ns;
    for (int i = 0; i < kTimesOfEach; ++i) {
      keep_quicker(half_ns, bench_.time_ns(start, plan, {.executions = half}));
      const double repeated_ns = bench_.time_ns(start, plan, {.executions = many});
      keep_quicker(many_ns, repeated_ns);
      const double all_ns =
          bench_.time_ns(start, round, {.executions = many + further, .sets = many + further});
      own_ns.push_back((all_ns - repeated_ns) / further);
    }
    return {.repeated_ns = std::min(many_ns / many, (many_ns - half_ns) / (many - half)),
            .own_ns = median(own_ns),
            .least_ns = least_share() * *std::ranges::min_element(own_ns),
            .repeated = many,
            .own = further};
  }

  // `many` executions on this set, and then one on each other in their order.
  [[nodiscard]] std::vector<Launch> round_of_sets(int first, int many) const {
    const std::vector<Launch>& all = bench_.workspace().launches();
    const std::ptrdiff_t length = std::ssize(bench_.workspace().plan());
    const auto begin = all.begin() + first * length;
    std::vector<Launch> round;
    round.reserve(all.size() + static_cast<std::size_t>((many - 1) * length));
    for (int i = 0; i < many; ++i) round.insert(round.end(), begin, begin + length);
    round.insert(round.end(), begin + length, all.end());
    round.insert(round.end(), all.begin(), begin);
    return round;
  }

  // Of the time of an execution on inputs of its own, where the same work takes at least that much. A core's own caches
  // hold one set of buffers better than several, and a CPU learns the branches of one input; a step in place may have
  // less to do on what it left, as particles that have moved apart.
  [[nodiscard]] double least_share() const {
    const System& system = *bench_.wanted().system;
    const auto is_output = [&](const auto& compared) {
      return system.buffers.at(compared.first).output_only;
    };
    const bool leaves_the_same_work = std::ranges::all_of(system.reference.compare, is_output);
    if (!on_gpu() || !leaves_the_same_work) return 0.5;
    return 0.9 * (1 - share_left_in_cache());
  }

  // Of a set that is larger than the cache, what an execution may find there of the one before: on an H100 a softmax of 537 MB
  // that reads its rows twice took 14 % less on the set of the one before, with a cache of 50 MB.
  [[nodiscard]] double share_left_in_cache() const {
    constexpr double kMost = 0.25;
    if (!is_beyond_cache()) return 0;
    return std::min(kMost, static_cast<double>(cache_bytes_) / static_cast<double>(set_bytes_));
  }

  // After an execution on each of the sets, `many` on the first of them, that of the draw last.
  void leave_what_the_draw_leaves(int many) {
    const int executions = many + sets_ - 1;
    bench_.repeat(bench_.fresh_start(draw_, sets_), round_of_sets(1, many), options(executions, executions),
                  1);
  }

  Bench& bench_;
  std::uint64_t draw_;
  std::int64_t cache_bytes_, set_bytes_;
  int sets_;
};

}  // namespace

std::optional<BackToBack> time_back_to_back(Bench& bench, std::uint64_t draw,
                                            const std::vector<Sample>& samples) {
  BackToBackTimer timer(bench, draw);
  if (!timer.is_possible()) return {};
  try {
    return timer.times(samples);
  } catch (const Failure& failure) {
    if (failure.outcome() != Outcome::out_of_memory || !bench.go_on_with_one_set()) throw;
    return {};
  }
}

}  // namespace tailwave
