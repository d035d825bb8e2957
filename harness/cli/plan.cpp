#include "tune/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "build/cache.h"
#include "build/nvrtc_compiler.h"
#include "cli/commands.h"
#include "core/table.h"

namespace tailwave {
namespace {

struct PlanArguments {
  std::vector<std::string> specs;
  std::string target = "h100";
  std::string format = "table";
};

void plan(const PlanArguments& options) {
  const DeviceSpec device = find_device(options.target);
  const TableFormat format = parse_table_format(options.format);
  std::string why_not;
  const std::shared_ptr<const NvrtcLibrary> nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) throw Error("plan needs NVRTC: " + why_not);
  NvrtcCompiler compiler(nvrtc, ArtifactCache(ArtifactCache::default_root()), device.compute_capability);
  if (compiler.target() != device.compute_capability) {
    fmt::print(
        stderr,
        "{} cannot compile for sm_{}: registers, and what follows from them, are those of code for sm_{}\n",
        compiler.version(), device.compute_capability, compiler.target());
  }
  for (const std::filesystem::path& file : expand_specs({options.specs.begin(), options.specs.end()})) {
    const Experiment experiment = load_experiment(file);
    if (format == TableFormat::table) {
      fmt::print("{} on {}, {} SMs, compiled for sm_{} by {}\n", experiment.name, device.title, device.sms,
                 compiler.target(), compiler.version());
    }
    fmt::print("{}", render(plan_table(experiment, compiler, device,
                                       std::max(1U, std::thread::hardware_concurrency())),
                            format));
  }
}

}  // namespace

void add_plan(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "plan", "Compile every configuration and compute occupancy, waves and tail; needs no GPU");
  auto options = std::make_shared<PlanArguments>();
  command->add_option("SPEC", options->specs, "experiment files or folders of them")->required();
  command->add_option("--target", options->target, "a known GPU (tailwave list devices) or sm_XX")
      ->capture_default_str();
  command->add_option("--format", options->format, "table, csv, json, markdown")->capture_default_str();
  command->footer("Example: tailwave plan experiments/nbody/basic_block_size.json --target a100");
  command->callback([options] { plan(*options); });
}

}  // namespace tailwave
