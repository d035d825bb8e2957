#include "store/rows.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/error.h"
#include "json/values.h"
#include "store/statement.h"

namespace tailwave {
namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::int64_t insert(Database& database, Statement& statement) {
  statement.run();
  return database.last_row_id();
}

std::int64_t find_or_insert_build(Database& database, const BuildRecord& build) {
  Statement known = database.prepare("SELECT id FROM build WHERE key = ?");
  if (known.bind_all(build.key).step()) return known.integer(0);
  Statement statement = database.prepare(
      "INSERT INTO build (key, compiler, target, options, code_hash, log) VALUES (?, ?, ?, ?, ?, ?)");
  statement.bind_all(build.key, build.compiler, build.target, build.options, build.code_hash, build.log);
  return insert(database, statement);
}

void bind_resources(Statement& statement, const KernelResources& kernel) {
  statement.bind(":registers", kernel.registers)
      .bind(":spill_bytes", kernel.spill_bytes)
      .bind(":stack_bytes", kernel.stack_bytes)
      .bind(":barriers", kernel.barriers)
      .bind(":max_threads", kernel.max_threads)
      .bind(":static_shared_bytes", kernel.static_shared_bytes);
}

void bind_occupancy(Statement& statement, const Occupancy& occupancy) {
  statement.bind(":blocks_per_sm", occupancy.blocks_per_sm)
      .bind(":occupancy", occupancy.occupancy)
      .bind(":limiter", unless_empty(occupancy.limiter))
      .bind(":limit_registers", occupancy.limit_registers)
      .bind(":limit_shared_memory", occupancy.limit_shared_memory)
      .bind(":limit_warps", occupancy.limit_warps)
      .bind(":limit_blocks", occupancy.limit_blocks);
}

void bind_waves(Statement& statement, const Waves& waves) {
  statement.bind(":waves", waves.waves)
      .bind(":full_waves", waves.full_waves)
      .bind(":tail_fraction", waves.tail_fraction)
      .bind(":quantisation_efficiency", waves.quantisation_efficiency)
      .bind(":active_sms", waves.active_sms);
}

void insert_launch(Database& database, std::int64_t trial, const LaunchRecord& launch) {
  // Parameters left unbound are NULL.
  Statement statement = database.prepare(R"(
    INSERT INTO launch VALUES (:trial, :position, :kernel, :grid_x, :grid_y, :grid_z, :block_x, :block_y, :block_z,
      :dynamic_shared_bytes, :registers, :spill_bytes, :stack_bytes, :barriers, :max_threads, :static_shared_bytes,
      :occupancy_device, :blocks_per_sm, :occupancy, :limiter, :limit_registers, :limit_shared_memory, :limit_warps,
      :limit_blocks, :waves, :full_waves, :tail_fraction, :quantisation_efficiency, :active_sms,
      :driver_blocks_per_sm, :count))");
  statement.bind(":trial", trial)
      .bind(":position", launch.position)
      .bind(":kernel", launch.kernel)
      .bind(":grid_x", launch.grid.x)
      .bind(":grid_y", launch.grid.y)
      .bind(":grid_z", launch.grid.z)
      .bind(":block_x", launch.block.x)
      .bind(":block_y", launch.block.y)
      .bind(":block_z", launch.block.z)
      .bind(":dynamic_shared_bytes", launch.dynamic_shared_bytes)
      .bind(":occupancy_device", unless_empty(launch.occupancy_device))
      .bind(":driver_blocks_per_sm", launch.driver_blocks_per_sm)
      .bind(":count", launch.count);
  if (launch.resources) bind_resources(statement, *launch.resources);
  if (launch.occupancy) bind_occupancy(statement, *launch.occupancy);
  if (launch.waves) bind_waves(statement, *launch.waves);
  statement.run();
}

void insert_samples(Database& database, std::int64_t trial, const std::vector<Sample>& samples) {
  Statement statement = database.prepare(R"(
    INSERT INTO sample (trial_id, repetition, position, time_ns, executions, dropped, sequence, sm_clock_mhz,
      temperature_c, throttle_reasons) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?))");
  for (const Sample& sample : samples) {
    statement
        .bind_all(trial, sample.repetition, sample.position, sample.time_ns, sample.executions,
                  unless_empty(sample.dropped), sample.sequence, sample.sm_clock_mhz, sample.temperature_c,
                  unless_empty(sample.throttle_reasons))
        .run();
  }
}

void insert_verifications(Database& database, std::int64_t trial, const std::vector<Verification>& all) {
  Statement statement = database.prepare("INSERT INTO verification VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  int position = 0;
  for (const Verification& one : all) {
    statement
        .bind_all(trial, position++, one.phase, one.buffer, one.norm, one.error, one.tolerance, one.passed,
                  unless_empty(one.detail))
        .run();
  }
}

}  // namespace

std::int64_t find_or_insert_configuration(Database& database, const Configuration& configuration) {
  const std::string name = configuration.name();
  Statement known = database.prepare("SELECT id FROM configuration WHERE name = ?");
  if (known.bind_all(name).step()) return known.integer(0);
  Statement statement = database.prepare(
      "INSERT INTO configuration (name, system, variant, parameters, problem) VALUES (?, ?, ?, ?, ?)");
  statement.bind_all(name, configuration.system, configuration.variant, to_json(configuration.parameters),
                     to_json(configuration.problem));
  return insert(database, statement);
}

std::int64_t find_or_insert_device(Database& database, const DeviceRecord& device) {
  const std::string properties = to_json(device.properties);
  const auto bind = [&](Statement& statement) -> Statement& {
    return statement.bind_all(device.kind, device.name, device.uuid, device.compute_capability, device.sms,
                              device.memory_bytes, device.clock_mhz, device.memory_clock_mhz, properties);
  };
  Statement known = database.prepare(R"(
    SELECT id FROM device WHERE kind = ? AND name = ? AND uuid = ? AND compute_capability = ? AND sms = ?
      AND memory_bytes = ? AND clock_mhz = ? AND memory_clock_mhz = ? AND properties = ?)");
  if (bind(known).step()) return known.integer(0);
  Statement statement = database.prepare(R"(
    INSERT INTO device (kind, name, uuid, compute_capability, sms, memory_bytes, clock_mhz, memory_clock_mhz,
      properties) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?))");
  return insert(database, bind(statement));
}

bool names_a_file(const std::string& name) {
  const auto is_control = [](unsigned char letter) { return std::iscntrl(letter) != 0; };
  return name.find('/') == std::string::npos && name != "." && name != ".." &&
         std::none_of(name.begin(), name.end(), is_control);
}

void require_file_names(const std::string& system, const std::string& experiment) {
  for (const std::string& name : {system, experiment})
    if (!names_a_file(name))
      throw Error(Diagnostic{.cause = "'" + name + "' is a path and no name of a system or experiment"});
}

std::int64_t insert_run(Database& database, std::int64_t device, const RunRecord& run) {
  require_file_names(run.system, run.experiment);
  Statement statement = database.prepare(R"(
    INSERT INTO run (device_id, system, experiment, question, metric, maximise, spec_file, spec_hash, spec_text,
      fresh, started_at, host, driver, compiler, host_compiler, project_commit, tailwave_version, clocks,
      occupancy_device, seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))");
  statement.bind_all(device, run.system, run.experiment, run.question, run.metric, run.maximise,
                     run.spec_file, run.spec_hash, run.spec_text, run.fresh, run.started_at, run.host,
                     run.driver, run.compiler, run.host_compiler, run.commit, run.tailwave_version,
                     unless_empty(run.clocks), run.occupancy_device, run.seed);
  return insert(database, statement);
}

std::int64_t insert_trial(Database& database, std::int64_t run, std::int64_t device, const Trial& trial) {
  const bool correct = trial.outcome == Outcome::correct;
  std::optional<std::int64_t> build;
  std::optional<double> build_seconds;
  std::optional<bool> from_cache;
  if (trial.build) {
    build = find_or_insert_build(database, *trial.build);
    build_seconds = trial.build->seconds;
    from_cache = trial.build->from_cache;
  }
  Statement statement = database.prepare(R"(
    INSERT INTO trial (run_id, device_id, configuration_id, build_id, key, outcome, detail, timer, mode, stopped_by,
      work, build_seconds, build_from_cache, same_as) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))");
  statement.bind_all(run, device, find_or_insert_configuration(database, trial.configuration), build,
                     trial.key, to_string(trial.outcome), unless_empty(trial.detail),
                     correct ? unless_empty(trial.timer) : std::nullopt, unless_empty(trial.mode),
                     correct ? unless_empty(trial.stopped_by) : std::nullopt, to_json(trial.work),
                     build_seconds, from_cache, unless_empty(trial.same_as));
  const std::int64_t id = insert(database, statement);
  for (const LaunchRecord& launch : trial.launches) insert_launch(database, id, launch);
  if (correct) insert_samples(database, id, trial.samples);
  insert_verifications(database, id, trial.verifications);
  for (const LimitRecord& limit : trial.limits) {
    database.prepare("INSERT INTO time_limit VALUES (?, ?, ?)").bind_all(id, limit.name, limit.time_ns).run();
  }
  return id;
}

}  // namespace tailwave
