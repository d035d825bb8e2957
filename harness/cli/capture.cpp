#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "capture/application.h"
#include "capture/captured_launch.h"
#include "capture/captured_system.h"
#include "capture/replay_check.h"
#include "capture/source_variant.h"
#include "cli/captured_said.h"
#include "cli/captured_seen.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/device_name.h"
#include "cli/new_system.h"
#include "cli/number_check.h"
#include "core/error.h"
#include "core/statistics.h"
#include "core/temporary_folder.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cupti_files.h"
#include "report/units.h"
#include "spec/names.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr double kNsPerSecond = 1e9;
constexpr int kReplays = 20;

struct CaptureOptions {
  std::vector<std::string> command;
  std::string kernel, out, source, device = "cuda:0";
  std::string replayed;  // a manifest whose launch is only done again, for whoever looks at its time
  std::int64_t nth = 0, most_mib = 8192, size = 0;
  bool all_sizes = false, profile = false, unchecked = false;
};

Injection injection_of(const CaptureOptions& options, const fs::path& folder, bool output_to_error) {
  constexpr std::size_t kMib = std::size_t{1} << 20U;
  Injection injection{.kernel = options.profile ? "" : options.kernel,
                      .nth = static_cast<std::size_t>(options.nth),
                      .most_bytes = static_cast<std::size_t>(options.most_mib) * kMib,
                      .folder = folder,
                      .cupti = cupti_candidates({}).front(),
                      .output_to_error = output_to_error};
  if (options.all_sizes) injection.nth.reset();
  return injection;
}

void add_to_readme(const fs::path& manifest, const std::string& text) {
  std::ofstream(manifest.parent_path() / "README.md", std::ios::app) << "\n" << text << "\n";
}

// "54.4 us in the application and 54.1 us here, medians of 20 and 20 launches by CUPTI"; "" where it is not known.
std::string times_said(const CaptureOptions& options, const CapturedLaunch& launch, const fs::path& manifest,
                       std::size_t size, const std::vector<KernelTimes>& in_application) {
  const KernelTimes* const there = times_of(in_application, launch);
  if (there == nullptr) return "";
  const TemporaryFolder folder("tailwave-capture-");
  CaptureOptions again = options;
  again.profile = true;
  run_injected({fs::read_symlink("/proc/self/exe"), "capture", "--replay", manifest, "--size",
                std::to_string(size), "--device", options.device},
               injection_of(again, folder.path(), true));
  const std::vector<KernelTimes> times = gather(folder.path()).times;
  const KernelTimes* const here = times_of(times, launch);
  if (here == nullptr) return "";
  const auto text = [](const KernelTimes& one) { return format_time(median(one.first_ns) / kNsPerSecond); };
  return fmt::format("{} in the application and {} here, medians of {} and {} launches by CUPTI",
                     text(*there), text(*here), there->first_ns.size(), here->first_ns.size());
}

// Launches that are alike, of which each is a size.
using Sizes = std::vector<CapturedLaunch>;

void say_captured(const Sizes& sizes, const CapturedSystem& system, const Console& console) {
  console.say(fmt::format("captured {}\n", sizes.front().demangled));
  for (const CapturedLaunch& one : sizes)
    console.say(
        fmt::format("  grid {}, block {}\n", fmt::join(one.grid, " x "), fmt::join(one.block, " x ")));
  console.say(fmt::format("wrote {}\n", system.manifest.string()));
  if (!system.experiment.empty()) console.say(fmt::format("wrote {}\n", system.experiment.string()));
  for (const std::string& note : system.notes)
    console.say(fmt::format("  not captured or not verified: {}\n", note));
}

void say_source(const CaptureOptions& options, const SourceVariant& source, const Console& console) {
  console.say(fmt::format("the variant 'tuned' is {}: {}\n", options.source, fmt::join(source.shapes, "; ")));
  for (const std::string& remark : source.remarks) console.say(fmt::format("  guessed: {}\n", remark));
}

OrderedJson write_system(const CaptureOptions& options, const Sizes& sizes, const fs::path& folder,
                         const Seen& seen, const Console& console) {
  std::optional<SourceVariant> source;
  if (!options.source.empty()) source = source_variant(sizes, options.source);
  const CapturedSystem system =
      write_captured_system(sizes, folder, options.command, seen.times, source ? &*source : nullptr);
  say_captured(sizes, system, console);
  if (source) say_source(options, *source, console);
  OrderedJson result{{"manifest", system.manifest.string()},
                     {"kernel", sizes.front().demangled},
                     {"sizes", sizes.size()},
                     {"notes", system.notes}};
  if (!system.experiment.empty()) result["experiment"] = system.experiment.string();
  if (options.unchecked) return result;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    const ReplayCheck check = check_replay(system.manifest, static_cast<int>(size),
                                           cuda_device({.ordinal = parse_ordinal(options.device)}));
    const std::string sentence =
        (sizes.size() > 1 ? fmt::format("SIZE {}: ", size) : "") + sentence_of(check, options.device);
    console.say(fmt::format("  {}\n", sentence));
    add_to_readme(system.manifest, sentence);
    OrderedJson replay = json_of(check);
    if (const std::string times =
            check.is_identical() ? times_said(options, sizes[size], system.manifest, size, seen.times) : "";
        !times.empty()) {
      console.say(fmt::format("  {}\n", times));
      add_to_readme(system.manifest, times);
      replay["times"] = times;
    }
    result["replays"].push_back(replay);
  }
  return result;
}

// Those that one manifest can have together. Of one size, which several processes may have launched, the first is as good as
// any.
std::vector<Sizes> systems_of(const std::vector<fs::path>& folders, bool all_sizes) {
  std::vector<Sizes> systems;
  for (const fs::path& folder : folders) {
    CapturedLaunch launch = read_captured_launch(folder);
    const auto has_size = [&](const Sizes& sizes) {
      return std::ranges::any_of(sizes,
                                 [&](const CapturedLaunch& one) { return are_of_one_size(one, launch); });
    };
    if (std::ranges::any_of(systems, has_size) || (!all_sizes && !systems.empty())) continue;
    const auto like =
        std::ranges::find_if(systems, [&](const Sizes& one) { return are_alike(one.front(), launch); });
    if (like == systems.end())
      systems.push_back({std::move(launch)});
    else
      like->push_back(std::move(launch));
  }
  return systems;
}

// Without one that is asked for, the kernel's name, or the first with a number behind it where there is room.
fs::path folder_for(const CaptureOptions& options, const CapturedLaunch& launch,
                    const std::set<fs::path>& taken) {
  const fs::path wanted = options.out.empty() ? fs::path("kernel_templates") / system_name(launch.demangled)
                                              : fs::path(options.out);
  std::error_code error;
  const auto is_free = [&](const fs::path& folder) {
    return !taken.contains(folder) && (!fs::exists(folder, error) || fs::is_empty(folder, error)) &&
           !fs::exists(experiment_of_sizes(folder), error);
  };
  fs::path folder = wanted;
  for (int i = 2; !is_free(folder); ++i) folder = wanted.string() + fmt::format("_{}", i);
  return folder;
}

// Before the application runs, which may take long.
void require_possible(CaptureOptions& options) {
  if (options.command.empty())
    throw Error(
        {.place = "capture",
         .cause = "which program is to be run is not said",
         .hint = "its command line stands behind --: tailwave capture --kernel softmax -- python3 model.py"});
  if (options.profile) return;
  if (options.kernel.empty())
    throw Error(
        {.place = "--kernel",
         .cause = "which kernel is to be captured is not said",
         .hint = "--kernel takes a regular expression, and --profile lists the kernels of a program"});
  if (!options.unchecked) parse_ordinal(options.device);
  std::error_code error;
  if (!options.source.empty() && !fs::is_regular_file(options.source, error))
    throw Error({.file = options.source,
                 .cause = "there is no such file",
                 .hint = "--source takes a .cu file with the kernel"});
  if (options.out.empty()) return;
  fs::path out = fs::path(options.out).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  options.out = out.string();
  require_system_name(fs::absolute(out).lexically_normal().filename().string());
  require_room(out);
}

// As a shell takes it.
std::string command_line(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char letter : word) line += letter == '\'' ? "'\\''" : std::string(1, letter);
    line += '\'';
  }
  return line;
}

void profile(const CaptureOptions& options, const Console& console) {
  const TemporaryFolder folder("tailwave-capture-");
  const ApplicationEnd end =
      run_injected(options.command, injection_of(options, folder.path(), console.json()));
  const Seen seen = gather(folder.path());
  require_cuda(seen, end, options.command.front());
  const std::vector<ApplicationKernel> kernels = kernels_of(seen.times);
  if (kernels.empty())
    cannot_capture(fmt::format("'{}' launched no kernel, or its times are lost: it {}",
                               options.command.front(), how_it_ended(end)));
  const Table table = profile_table(kernels);
  console.result(
      OrderedJson{{"kernels", to_json(table)}, {"exit_status", end.exit_status}, {"signal", end.signal}});
  if (console.json()) return;
  console.show(table);
  console.say(fmt::format("\nTo capture a launch of the first:\n  tailwave capture --kernel '{}' -- {}\n",
                          base_name(kernels.front().name), command_line(options.command)));
}

void capture(CaptureOptions options, const Console& console) {
  if (!options.replayed.empty())
    return launch_again(options.replayed, static_cast<int>(options.size),
                        cuda_device({.ordinal = parse_ordinal(options.device)}), kReplays);
  require_possible(options);
  if (options.profile) return profile(options, console);
  const TemporaryFolder raw("tailwave-capture-");
  const Injection injection = injection_of(options, raw.path(), console.json());
  const ApplicationEnd end = run_injected(options.command, injection);
  const Seen seen = gather(raw.path());
  require_cuda(seen, end, options.command.front());
  require_launch(injection, seen, end);
  if (end.signal != 0 || end.exit_status != 0)
    console.note(fmt::format("the application {}\n", how_it_ended(end)));
  for (const std::string& one : seen.refused) console.note(fmt::format("not captured: {}\n", one));
  OrderedJson written = OrderedJson::array();
  std::set<fs::path> taken;
  for (const Sizes& sizes : systems_of(seen.launches, options.all_sizes)) {
    const fs::path folder = folder_for(options, sizes.front(), taken);
    taken.insert(folder);
    written.push_back(write_system(options, sizes, folder, seen, console));
  }
  console.result(OrderedJson{{"systems", written}, {"exit_status", end.exit_status}, {"signal", end.signal}});
  const OrderedJson& first = written.front();
  console.say(fmt::format("Next:\n  tailwave {} {}\n", options.source.empty() ? "run" : "tune",
                          first.value("experiment", first.at("manifest").get<std::string>())));
}

}  // namespace

void add_capture(Command& app) {
  Command* command = app.add_subcommand(
      "capture",
      "Make a system of a kernel that a program launches, with its inputs and results, or list its kernels");
  auto options = std::make_shared<CaptureOptions>();
  command->add_option("command", options->command, "the program and its arguments, behind --");
  command->add_option("--kernel", options->kernel,
                      "POSIX extended regular expression over the kernel's name, as in C++ or its symbol");
  Option* nth = command->add_option("--nth", options->nth, "which of its launches, from 0")
                    ->check(whole_number(0))
                    ->capture_default_str();
  command
      ->add_flag("--all-sizes", options->all_sizes,
                 "one launch of each size: of each grid, block and values of arguments")
      ->excludes(nth);
  command->add_option("--source", options->source,
                      "a .cu file with the kernel, which becomes a variant with parameters");
  command->add_option("--out", options->out, "folder of the system (kernel_templates/KERNEL)");
  command->add_option("--most-mib", options->most_mib, "of memory that is captured for one launch")
      ->check(whole_number(1, 1 << 20))
      ->capture_default_str();
  command
      ->add_option("--device", options->device, "where it is launched anew, to see whether it does the same")
      ->capture_default_str();
  command->add_flag("--unchecked", options->unchecked, "it is not launched anew");
  command->add_option("--replay", options->replayed, "only launch what a manifest captured")->hidden();
  command->add_option("--size", options->size, "of that, which size")->hidden();
  command->add_flag("--profile", options->profile,
                    "the kernels of the program by their time, and nothing is captured");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->footer(
      "The program runs as ever, with a library in it that sees its launches. docs/capturing.md says what is captured, and what is not.\n"
      "Example: tailwave capture --kernel softmax --nth 3 -- python3 model.py");
  command->callback([options, output] { capture(*options, Console(*output)); });
}

}  // namespace tailwave
