#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "capture/application.h"
#include "capture/captured_launch.h"
#include "capture/captured_system.h"
#include "capture/replay_check.h"
#include "capture/source_variant.h"
#include "cli/captured_said.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/device_name.h"
#include "cli/new_system.h"
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
constexpr std::size_t kMostNamed = 10;
constexpr int kReplays = 20;

struct CaptureOptions {
  std::vector<std::string> command;
  std::string kernel, out, source, device = "cuda:0";
  std::string replayed;  // a manifest whose launch is only done again, for whoever looks at its time
  std::int64_t nth = 0, most_mib = 8192, size = 0;
  bool all_sizes = false, profile = false, unchecked = false;
};

std::string how_it_ended(const ApplicationEnd& end) {
  if (end.signal != 0) return fmt::format("was ended by signal {} ({})", end.signal, strsignal(end.signal));
  return fmt::format("ended with status {}", end.exit_status);
}

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

// What all processes of an application have left.
struct Seen {
  std::vector<fs::path> launches;
  std::vector<KernelTimes> times;
  std::vector<std::string> refused;
  std::string obstacle;
  std::size_t processes = 0;
};

Seen gather(const fs::path& folder) {
  Seen seen;
  for (const Injected& process : injected_processes(folder)) {
    ++seen.processes;
    seen.launches.insert(seen.launches.end(), process.launches.begin(), process.launches.end());
    seen.refused.insert(seen.refused.end(), process.refused.begin(), process.refused.end());
    if (!process.obstacle.empty()) seen.obstacle = process.obstacle;
    for (KernelTimes& one : read_kernel_times(process.folder / "kernels.json"))
      seen.times.push_back(std::move(one));
  }
  return seen;
}

bool matches(const std::string& pattern, const KernelTimes& one) {
  regex_t expression{};
  if (regcomp(&expression, pattern.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0) return false;
  const auto fits = [&](const std::string& text) {
    return regexec(&expression, text.c_str(), 0, nullptr, 0) == 0;
  };
  const bool any = fits(one.kernel) || fits(one.demangled);
  regfree(&expression);
  return any;
}

[[noreturn]] void fail(const std::string& cause, const std::string& hint = "",
                       const std::string& excerpt = "") {
  throw Error({.cause = cause, .excerpt = excerpt, .hint = hint}, Error::kRunFailed);
}

void require_cuda(const Seen& seen, const ApplicationEnd& end, const std::string& program) {
  if (!seen.obstacle.empty()) fail("the launches cannot be seen: " + seen.obstacle);
  if (seen.processes > 0) return;
  fail(fmt::format("'{}' did not begin to use CUDA, and {}", program, how_it_ended(end)),
       "a program that sets CUDA_INJECTION64_PATH itself, or runs under a profiler, cannot be captured");
}

// Nothing was captured: why, as far as it is known.
[[noreturn]] void explain_nothing(const CaptureOptions& options, const Seen& seen,
                                  const ApplicationEnd& end) {
  if (!seen.refused.empty()) fail(fmt::format("the launch cannot be captured: {}", seen.refused.front()));
  std::int64_t launches = 0;
  for (const KernelTimes& one : seen.times)
    if (matches(options.kernel, one)) launches += one.launches;
  if (launches > 0)
    fail(fmt::format("'{}' fits {} launches, and --nth asks for number {}, from 0", options.kernel, launches,
                     options.nth));
  const std::vector<ApplicationKernel> kernels = kernels_of(seen.times);
  std::vector<std::string> names;
  for (const ApplicationKernel& one : kernels)
    if (names.size() < kMostNamed) names.push_back(base_name(one.name));
  const std::string ended = end.signal != 0 || end.exit_status != 0 ? ", and it " + how_it_ended(end) : "";
  if (names.empty())
    fail(fmt::format("no launch of '{}' was seen{}", options.kernel, ended),
         "nothing is known of the kernels that it launched");
  fail(fmt::format("no launch of '{}' was seen{}", options.kernel, ended),
       fmt::format("it launched {}{}; 'tailwave capture --profile' lists them", fmt::join(names, ", "),
                   kernels.size() > names.size() ? ", ..." : ""));
}

void add_to_readme(const fs::path& manifest, const std::string& text) {
  std::ofstream(manifest.parent_path() / "README.md", std::ios::app) << "\n" << text << "\n";
}

const KernelTimes* times_of(const std::vector<KernelTimes>& times, const CapturedLaunch& launch) {
  const auto mine = std::ranges::find_if(times, [&](const KernelTimes& one) {
    return one.kernel == launch.kernel && one.grid == launch.grid && one.block == launch.block &&
           one.dynamic_shared_bytes == launch.dynamic_shared_bytes && !one.first_ns.empty();
  });
  return mine == times.end() ? nullptr : &*mine;
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
    const ReplayCheck check =
        check_replay(system.manifest, static_cast<int>(size), cuda_device(parse_ordinal(options.device)));
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

// Those that one manifest can have together.
std::vector<Sizes> systems_of(const std::vector<fs::path>& folders) {
  std::vector<Sizes> systems;
  for (const fs::path& folder : folders) {
    CapturedLaunch launch = read_captured_launch(folder);
    const auto like =
        std::ranges::find_if(systems, [&](const Sizes& one) { return are_alike(one.front(), launch); });
    if (like == systems.end())
      systems.push_back({std::move(launch)});
    else
      like->push_back(std::move(launch));
  }
  return systems;
}

fs::path folder_for(const CaptureOptions& options, const CapturedLaunch& launch) {
  return options.out.empty() ? fs::path("kernel_templates") / system_name(launch.demangled)
                             : fs::path(options.out);
}

void profile(const CaptureOptions& options, const Console& console) {
  const TemporaryFolder folder("tailwave-capture-");
  const ApplicationEnd end =
      run_injected(options.command, injection_of(options, folder.path(), console.json()));
  const Seen seen = gather(folder.path());
  require_cuda(seen, end, options.command.front());
  const std::vector<ApplicationKernel> kernels = kernels_of(seen.times);
  if (kernels.empty())
    fail(fmt::format("'{}' launched no kernel, or its times are lost: it {}", options.command.front(),
                     how_it_ended(end)));
  const Table table = profile_table(kernels);
  console.result(
      OrderedJson{{"kernels", to_json(table)}, {"exit_status", end.exit_status}, {"signal", end.signal}});
  if (console.json()) return;
  console.show(table);
  console.say(fmt::format("\nTo capture a launch of the first:\n  tailwave capture --kernel '{}' -- {}\n",
                          base_name(kernels.front().name), fmt::join(options.command, " ")));
}

void capture(const CaptureOptions& options, const Console& console) {
  if (!options.replayed.empty())
    return launch_again(options.replayed, static_cast<int>(options.size),
                        cuda_device(parse_ordinal(options.device)), kReplays);
  if (options.command.empty())
    throw Error(
        {.place = "capture",
         .cause = "which program is to be run is not said",
         .hint = "its command line stands behind --: tailwave capture --kernel softmax -- python3 model.py"});
  if (options.profile) return profile(options, console);
  if (options.kernel.empty())
    throw Error(
        {.place = "--kernel",
         .cause = "which kernel is to be captured is not said",
         .hint = "--kernel takes a regular expression, and --profile lists the kernels of a program"});
  if (!options.out.empty()) require_system_name(fs::path(options.out).filename().string());
  const TemporaryFolder raw("tailwave-capture-");
  const ApplicationEnd end = run_injected(options.command, injection_of(options, raw.path(), console.json()));
  const Seen seen = gather(raw.path());
  require_cuda(seen, end, options.command.front());
  if (seen.launches.empty()) explain_nothing(options, seen, end);
  if (end.signal != 0 || end.exit_status != 0)
    console.note(fmt::format("the application {}\n", how_it_ended(end)));
  OrderedJson written = OrderedJson::array();
  const std::vector<Sizes> systems = systems_of(seen.launches);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    fs::path folder = folder_for(options, systems[i].front());
    if (i > 0) folder += fmt::format("_{}", i + 1);
    written.push_back(write_system(options, systems[i], folder, seen, console));
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
  Option* nth =
      command->add_option("--nth", options->nth, "which of its launches, from 0")->capture_default_str();
  command
      ->add_flag("--all-sizes", options->all_sizes,
                 "one launch of each size: of each grid, block and values of arguments")
      ->excludes(nth);
  command->add_option("--source", options->source,
                      "a .cu file with the kernel, which becomes a variant with parameters");
  command->add_option("--out", options->out, "folder of the system (kernel_templates/KERNEL)");
  command->add_option("--most-mib", options->most_mib, "of memory that is captured for one launch")
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
