#include "tune/grid_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "compile/grid_cut.h"
#include "core/hash.h"
#include "core/random.h"
#include "core/statistics.h"
#include "measure/launch_description.h"
#include "measure/lone_launch.h"
#include "measure/workspace.h"
#include "occupancy/clusters.h"
#include "tune/curve_models.h"

namespace tailwave {
namespace {

std::int64_t whole_clusters(std::int64_t grid, std::int64_t cluster) {
  return (grid + cluster - 1) / cluster * cluster;
}

std::set<std::int64_t> fitted_grids(std::int64_t full, const WaveShape& shape, std::int64_t cluster) {
  const auto [sms, blocks_per_sm, threads, wave] = shape;
  std::set<std::int64_t> grids{1, full};
  constexpr int kMostSteps = 16;
  const int step = (blocks_per_sm + kMostSteps - 1) / kMostSteps;
  for (int blocks = step; blocks <= blocks_per_sm; blocks += step)
    grids.insert(std::min(wave, std::int64_t{sms} * blocks));
  for (const double share : {0.25, 0.5, 0.75})
    grids.insert(std::max<std::int64_t>(1, std::llround(share * sms)));
  grids.insert(wave);
  for (const double waves : {1.02, 1.1, 1.25, 1.5, 1.75, 2.0,  2.02, 2.25, 2.5,  3.0,
                             3.5,  4.0, 5.0,  6.0, 8.0,  12.0, 16.0, 24.0, 32.0, 64.0})
    grids.insert(std::llround(waves * static_cast<double>(wave)));
  std::set<std::int64_t> whole;
  for (const std::int64_t grid : grids) whole.insert(whole_clusters(grid, cluster));
  std::erase_if(whole, [&](std::int64_t grid) { return grid > full; });
  return whole;
}

Failure cannot(const LaunchRecord& launch, const std::string& why) {
  return {Outcome::launch_failed, "no curve of '" + launch.kernel + "': " + why};
}

constexpr const char* kCurve = "curve";

// The launch is timed with its grid cut to each of `blocks`, which are taken in random order in every round; none: as it
// is.
struct WantedTimes {
  LaunchRecord launch;
  std::uint64_t seed = 0;
  int rounds = 0;
  std::vector<std::int64_t> blocks;

  static constexpr auto members() {
    return std::tuple{member("launch", &WantedTimes::launch), member("seed", &WantedTimes::seed),
                      member("rounds", &WantedTimes::rounds), member("blocks", &WantedTimes::blocks)};
  }
};

// Isolated ones, of each number of blocks.
std::vector<std::vector<double>> time_grids(DeviceData& data, Watch& watch, const Repetition& subject,
                                            const WantedTimes& wanted) {
  Executor& device = data.device();
  device.set_deadline_s(subject.settings.deadline_s);
  const std::unique_ptr<Program> program = device.load(subject.artifact);
  const VariantSpec& variant = *subject.system->find_variant(subject.configuration.variant);
  const Workspace workspace(data, *subject.system, variant, subject.configuration.scope());
  std::optional<LoneLaunch> lone = lone_launch(workspace.launches(), wanted.launch);
  if (!lone) throw cannot(wanted.launch, "the first GPU has none with its first grid");
  if (lone->launch.cooperative) throw cannot(wanted.launch, "it is a cooperative launch");
  if (const auto& cluster = lone->launch.cluster; cluster && (cluster->y > 1 || cluster->z > 1))
    throw cannot(wanted.launch, "its clusters extend in y or z");
  const std::size_t grids = std::max<std::size_t>(wanted.blocks.size(), 1);
  std::vector<std::vector<double>> times_ns(grids);
  Generator random(wanted.seed);
  for (int round = 0; round <= wanted.rounds; ++round) {  // the first warms up
    std::vector<std::size_t> order(grids);
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random);
    for (const std::size_t i : order) {
      {
        const Watch::Scope watched(watch, Watch::Doing::kernels,
                                   kLongestInputsS + 2 * subject.settings.deadline_s);
        run_before(*lone, device, *program, workspace);
      }
      const Watch::Scope watched(watch, Watch::Doing::kernels, subject.settings.deadline_s);
      if (!wanted.blocks.empty()) lone->launch.grid = {.x = wanted.blocks[i]};
      const double time_ns = device.run(*program, std::span(&lone->launch, 1), {}).time_ns;
      if (round > 0) times_ns[i].push_back(time_ns);
    }
  }
  return times_ns;
}

class CurveMeasurer {
 public:
  CurveMeasurer(const Experiment& experiment, const Configuration& configuration, Measurer& measurer,
                const ArtifactCache& cache, const CurveOptions& options)
      : experiment_(experiment),
        configuration_(configuration),
        measurer_(measurer),
        compiler_(*measurer.tools().kernels),
        cache_(cache),
        options_(options),
        device_(*measurer.tools().device),
        variant_(*experiment.system.find_variant(configuration.variant)),
        on_gpu_(device_.description().kind == DeviceKind::cuda) {}

  GridCurve measure() {
    const Candidate measured = verified();
    const std::vector<LaunchRecord>& launches = measured.trial.launches;
    if (launches.empty())
      throw Failure(Outcome::launch_failed, "the plan launches no kernel that could have another grid");
    GridCurve curve;
    curve.configuration = configuration_;
    curve.compiler = compiler_.version();
    // On the CPU device no resources are known, and so no launch is the main one: the first stands for all.
    const LaunchRecord* main = main_launch(launches, variant_.main);
    const LaunchRecord& launch = main != nullptr ? *main : launches.at(0);
    curve.position = launch.position;
    curve.kernel = launch.kernel;
    curve.full_grid = launch.grid.count();
    curve.block_threads = launch.block.count();
    curve.sms = sms_of(launch, device_.description());
    curve.blocks_per_sm = on_gpu_ ? launch.driver_blocks_per_sm.value_or(1) : 1;
    if (on_gpu_) curve.cluster_slots = cluster_slots_of(launch);
    const CutBuild build = cut_build(launch, *measured.artifact);
    curve.samples = curve_grids(curve.full_grid, wave_shape_of(curve), build.cluster, options_);
    std::vector<std::int64_t> blocks;
    for (const GridSample& sample : curve.samples) blocks.push_back(sample.blocks);
    std::vector<double> plain_ns;
    const auto time_whole = [&] {
      for (const std::vector<double>& one : times_ns(launch, *measured.artifact, {}))
        plain_ns.insert(plain_ns.end(), one.begin(), one.end());
    };
    if (build.changed) time_whole();
    const std::vector<std::vector<double>> times = times_ns(launch, build.artifact, blocks);
    for (std::size_t i = 0; i < times.size(); ++i) curve.samples[i].times_ns = times[i];
    if (build.changed) {
      time_whole();
      curve.cut_change = median(curve.samples.back().times_ns) / median(plain_ns) - 1;
    }
    return curve;
  }

 private:
  [[nodiscard]] BuildRequest request() const { return {&experiment_.system, &variant_, configuration_}; }

  Candidate verified() {
    Candidate candidate{.system = &experiment_.system, .settings = &experiment_.measure};
    candidate.trial.configuration = configuration_;
    candidate.take(compiler_.build(request()));
    return measurer_.measure_correct(std::move(candidate));
  }

  // What is launched with a cut grid.
  struct CutBuild {
    Artifact artifact;
    bool changed = false;
    std::int64_t cluster = 1;
  };

  CutBuild cut_build(const LaunchRecord& launch, const Artifact& plain) {
    const std::int64_t launched = launch.cluster ? launch.cluster->x : 1;
    const std::optional<Ptx> ptx = on_gpu_ ? compiler_.ptx(request()) : std::nullopt;
    if (!ptx) {
      if (launch.grid.y != 1 || launch.grid.z != 1)
        throw cannot(launch, "its grid has more than one dimension, and there is no PTX to change");
      return {.artifact = plain, .cluster = launched};
    }
    const std::string& symbol = ptx->symbols.at(launch.kernel);
    CutBuild build{.artifact = plain, .cluster = std::max(launched, cluster_blocks(ptx->text, symbol))};
    if (runs_cut_as_it_is(ptx->text, symbol, launch.grid)) return build;
    const std::string text = cut_grid(ptx->text, symbol, launch.grid);
    build.changed = true;
    build.artifact.kind = Artifact::Kind::ptx;
    build.artifact.symbols = ptx->symbols;
    build.artifact.record.key = content_hash(text);
    cache_.store(build.artifact, text);
    return build;
  }

  // Of the launch as it is where `blocks` is empty.
  std::vector<std::vector<double>> times_ns(const LaunchRecord& launch, const Artifact& artifact,
                                            const std::vector<std::int64_t>& blocks) {
    Packet request;
    device_.put_subject(request, {.system = &experiment_.system,
                                  .configuration = configuration_,
                                  .artifact = artifact,
                                  .settings = experiment_.measure});
    const WantedTimes wanted{
        .launch = launch, .seed = options_.seed, .rounds = options_.samples, .blocks = blocks};
    Packet answer = device_.call(kCurve, request << wanted);
    std::vector<std::vector<double>> times(std::max<std::size_t>(blocks.size(), 1));
    for (std::vector<double>& one : times) answer >> one;
    return times;
  }

  const Experiment& experiment_;
  const Configuration& configuration_;
  Measurer& measurer_;
  Compiler& compiler_;
  const ArtifactCache& cache_;
  const CurveOptions& options_;
  Worker& device_;
  const VariantSpec& variant_;
  bool on_gpu_;
};

}  // namespace

std::vector<GridSample> curve_grids(std::int64_t full, const WaveShape& shape, std::int64_t cluster,
                                    const CurveOptions& options) {
  const std::set<std::int64_t> fitted = fitted_grids(full, shape, cluster);
  const std::int64_t two_waves = std::min(full, 2 * shape.slots);
  std::set<std::int64_t> held_out;
  Generator random(options.seed);
  // A small grid may not have as many numbers left.
  for (int tries = 0; tries < 50 * options.held_out && static_cast<int>(held_out.size()) < options.held_out;
       ++tries) {
    const std::int64_t most = tries % 2 == 0 ? two_waves : full;
    const std::int64_t drawn =
        1 + random.below(static_cast<std::uint32_t>(std::min<std::int64_t>(most, UINT32_MAX)));
    const std::int64_t grid = whole_clusters(drawn, cluster);
    if (grid <= full && !fitted.contains(grid)) held_out.insert(grid);
  }
  std::vector<GridSample> grids;
  for (const std::int64_t grid : fitted) grids.push_back({grid, true, {}});
  for (const std::int64_t grid : held_out) grids.push_back({grid, false, {}});
  std::sort(grids.begin(), grids.end(),
            [](const auto& one, const auto& other) { return one.blocks < other.blocks; });
  return grids;
}

Tasks curve_tasks(const std::vector<const System*>& systems) {
  return {{kCurve, [systems](DeviceData& data, Watch& watch, Packet& request, Packet& answer) {
             const Repetition subject = take_repetition(request, systems);
             data.use(subject.inputs);
             for (const std::vector<double>& times_ns :
                  time_grids(data, watch, subject, take<WantedTimes>(request)))
               answer << times_ns;
           }}};
}

GridCurve measure_grid_curve(const Experiment& experiment, const Configuration& configuration,
                             Measurer& measurer, const ArtifactCache& cache, const CurveOptions& options) {
  return CurveMeasurer(experiment, configuration, measurer, cache, options).measure();
}

}  // namespace tailwave
