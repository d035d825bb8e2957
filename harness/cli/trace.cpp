#include <fmt/format.h>

#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/number_check.h"
#include "cli/observed.h"
#include "report/units.h"
#include "store/observation_store.h"
#include "tune/tracer.h"

namespace tailwave {
namespace {

struct TraceArguments {
  ObservationArguments observed;
  double most_slower = 100 * TraceOptions{}.most_slower;  // percent
};

std::string describe_traced(const TracedLaunch& traced) {
  const std::int64_t blocks = traced.grid.count();
  const std::int64_t slots = slots_of(traced);
  std::string line = fmt::format("  {}: {} blocks, {} waves of {} ({} an SM{})", traced.kernel, blocks,
                                 format_number(static_cast<double>(blocks) / static_cast<double>(slots)),
                                 slots, traced.blocks_per_sm, traced.cluster_slots ? ", in clusters" : "");
  if (traced.traced && traced.registers)
    line += fmt::format("; registers {}, traced {}; blocks an SM traced {}", *traced.registers,
                        traced.traced->registers, traced.traced->blocks_per_sm);
  return line;
}

void print_trace(const Trace& trace) {
  print_words(fmt::format("{}\n  {}, traced {} ({:+.1f} %); clock step {} ns\n", trace.configuration.name(),
                          format_time(trace.plain_time_ns / 1e9), format_time(trace.traced_time_ns / 1e9),
                          (trace.traced_time_ns / trace.plain_time_ns - 1) * 100, trace.clock_step_ns));
  for (const TracedLaunch& launch : trace.launches) print_words(describe_traced(launch) + "\n");
  if (!trace.disturbed.empty()) print_words(fmt::format("  DISTURBED by tracing: {}\n", trace.disturbed));
}

}  // namespace

void add_trace(Command& app) {
  Command* command = app.add_subcommand(
      "trace", "Observe waves: the SM, start and end of every block of configurations of an experiment");
  auto arguments = std::make_shared<TraceArguments>();
  add_observation_options(*command, arguments->observed);
  add_sms_option(*command, arguments->observed.session);
  command
      ->add_option("--most-slower", arguments->most_slower,
                   "percent by which tracing may change the time before a trace counts as disturbed")
      ->check(finite_number(0, 1000))
      ->capture_default_str();
  command->footer(
      "Traced executions are never times. "
      "'tailwave query traces' and 'tailwave query lost_time' explain them.\n"
      "Example: tailwave trace experiments/nbody/basic_block_size.json --filter BLOCK_SIZE=1");
  command->callback([arguments] {
    observe(arguments->observed, [&](const Observation& seen, const Configuration& configuration) {
      const Trace trace = trace_configuration(seen.experiment, configuration, seen.measurer,
                                              ArtifactCache(ArtifactCache::default_root()),
                                              {.most_slower = arguments->most_slower / 100});
      add_trace(seen.store.database(), seen.record, seen.device, trace);
      print_trace(trace);
    });
  });
}

}  // namespace tailwave
