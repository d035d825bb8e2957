#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/observed.h"
#include "report/timelines.h"
#include "report/units.h"
#include "store/observation_store.h"
#include "tune/timelines.h"

namespace tailwave {
namespace {

void show_timeline(const Observation& seen, const Timeline& timeline, std::int64_t id) {
  std::int64_t span_ns = 0;
  for (const TimelineRecord& record : timeline.records) span_ns = std::max(span_ns, record.end_ns);
  seen.console.say(fmt::format("{}\n  {} unrecorded; recorded {} from the first begin to the last end{}\n",
                               timeline.configuration.name(), format_time(timeline.time_ns / 1e9),
                               format_time(static_cast<double>(span_ns) / 1e9),
                               timeline.remark.empty() ? "" : "; " + timeline.remark));
  seen.console.show(timeline_table(seen.store.database(), id));
}

}  // namespace

void add_timeline(Command& app) {
  Command* command = app.add_subcommand(
      "timeline",
      "Record what a GPU does when in configurations of an experiment: kernels, copies and fills by stream");
  auto arguments = std::make_shared<ObservationArguments>();
  add_observation_options(*command, *arguments);
  command->footer(
      "A configuration is verified and timed as ever, then recorded in another process; recorded executions are "
      "never times. 'tailwave query timeline' and timeline_shares show what is stored, and so does a report; "
      "docs/counters.md says what it means.\n"
      "Example: tailwave timeline experiments/nbody_force_law/streams.json --device cuda:0");
  command->callback([arguments] {
    arguments->session.counts = true;
    observe(*arguments, [&](const Observation& seen, const Configuration& configuration) {
      const VariantSpec& variant = *seen.experiment.system.find_variant(configuration.variant);
      const double time_ns = plain_time_ns(seen, configuration);
      const Timeline timeline = record_timeline(seen.experiment, configuration, seen.measurer.tools(),
                                                seen.session.recording(variant), time_ns);
      show_timeline(seen, timeline, add_timeline(seen.store.database(), seen.record, seen.device, timeline));
    });
  });
}

}  // namespace tailwave
