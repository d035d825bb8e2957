#include "selftest/selftest.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/number_check.h"
#include "cli/session.h"
#include "compile/cache.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

struct SelftestArguments {
  SessionOptions session;
  bool quick = false;
  int spin_only = 0;
};

// As --device takes it: "auto" on a machine with a GPU is its first one.
std::string argument_for(const SelftestArguments& options, const Session& session) {
  if (options.session.device != "auto") return options.session.device;
  return session.device().kind == DeviceKind::cuda ? "cuda:0" : "cpu";
}

void selftest(const SelftestArguments& options, const Console& console) {
  Session session(options.session, {}, console);
  Worker& worker = *session.tools().device;
  Artifact kernels;
  try {
    kernels = build_selftest_kernels(*session.tools().kernels, ArtifactCache::default_root() / "selftest");
  } catch (const Failure& failure) {
    throw Error(fmt::format("the self-test's kernels do not compile: {}", failure.what()));
  }
  if (options.spin_only > 0) {
    return profile_selftest(worker, kernels, options.spin_only);
  }
  ResultStore& store = session.store();
  const std::string run_at = utc_now();
  std::vector<Check> checks;
  try {
    checks = run_selftest(worker, kernels, {.pairs = options.quick ? kQuickPairs : SelftestSettings{}.pairs},
                          argument_for(options, session));
  } catch (const Cancelled&) {
    throw Error("interrupted: nothing was stored");
  }
  store.add_selftest(session.device(), run_at, checks);
  const Table table = selftest_table(checks);
  console.say(fmt::format("self-test on {}\n", session.device().name));
  console.show(table);
  console.result(
      {{"device", session.device().name}, {"passed", all_passed(checks)}, {"checks", to_json(table)}});
  if (!all_passed(checks))
    throw Error("the self-test failed: see the rows marked FAIL before trusting times from this device");
}

}  // namespace

void add_selftest(Command& app) {
  Command* command =
      app.add_subcommand("selftest", "Test the instrument itself: known durations, equal kernels, caches");
  auto options = std::make_shared<SelftestArguments>();
  add_session_options(*command, options->session);
  command->add_flag("--quick", options->quick, "fewer pairs of equal kernels");
  // For Nsight Compute: runs only what it is to time; see selftest/checks.h.
  command->add_option("--spin-only", options->spin_only, "")->hidden()->check(whole_number(1, 1000));
  command->footer("Exit status 1 when a self-test failed.\nExample: tailwave selftest --device cuda:0");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([options, output] { selftest(*options, Console(*output)); });
}

}  // namespace tailwave
