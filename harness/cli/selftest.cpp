#include "selftest/selftest.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/device_name.h"
#include "cli/number_check.h"
#include "cli/result_database.h"
#include "cli/selftest_traces.h"
#include "cli/session.h"
#include "compile/cache.h"
#include "compile/nvrtc_compiler.h"
#include "device/cuda/cuda_device.h"
#include "selftest/checks.h"
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

Artifact own_kernels(Compiler& compiler) {
  try {
    return build_selftest_kernels(compiler, ArtifactCache::default_root() / "selftest");
  } catch (const Failure& failure) {
    throw Error(fmt::format("the self-test's kernels do not compile: {}", failure.what()));
  }
}

// In this process alone: what Nsight Compute profiles can neither be forked nor confined.
void profile(const SelftestArguments& options) {
  std::string obstacle;
  const auto nvrtc = NvrtcLibrary::load(obstacle);
  if (!nvrtc) throw Error("kernels cannot be compiled: " + obstacle);
  const std::unique_ptr<Executor> gpu = cuda_device({.ordinal = parse_ordinal(options.session.device)})();
  NvrtcCompiler compiler(nvrtc, ArtifactCache(ArtifactCache::default_root()),
                         gpu->description().compute_capability);
  Instrument instrument(*gpu, own_kernels(compiler));
  run_profiled_kernels(instrument, options.spin_only);
}

struct Selftested {
  DeviceDescription device;
  std::vector<Check> checks;
};

// Traces have a session of their own, with the systems that are traced.
Selftested check_all(const SelftestArguments& options, const Console& console) {
  Selftested done;
  {
    const Session session(options.session, {}, console);
    done.device = session.device();
    done.checks = run_selftest(*session.tools().device, own_kernels(*session.tools().kernels),
                               {.pairs = options.quick ? kQuickPairs : SelftestSettings{}.pairs},
                               argument_for(options, session));
  }
  if (done.device.kind != DeviceKind::cuda) {
    done.checks.push_back(without_traces("not a CUDA device"));
    return done;
  }
  for (Check& check : check_traces(options.session, console)) done.checks.push_back(std::move(check));
  return done;
}

void selftest(const SelftestArguments& options, const Console& console) {
  if (options.spin_only > 0) return profile(options);
  const std::string run_at = utc_now();
  open_to_write(options.session.database,
                console);  // a database that cannot be written is said before anything is done
  Selftested done;
  try {
    done = check_all(options, console);
  } catch (const Cancelled&) {
    throw Error("interrupted: nothing was stored");
  }
  Database database = open_to_write(options.session.database, console);
  ResultStore(database).add_selftest(done.device, run_at, done.checks);
  const Table table = selftest_table(done.checks);
  console.say(fmt::format("self-test on {}\n", done.device.name));
  console.show(table);
  console.result(
      {{"device", done.device.name}, {"passed", all_passed(done.checks)}, {"checks", to_json(table)}});
  if (!all_passed(done.checks))
    throw Error("the self-test failed: see the rows marked FAIL before trusting times from this device");
}

}  // namespace

void add_selftest(Command& app) {
  Command* command = app.add_subcommand(
      "selftest",
      "Test whether tailwave measures right here: known durations, equal kernels, caches, traces");
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
