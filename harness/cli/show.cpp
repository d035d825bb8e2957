#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/confinement.h"
#include "cli/console.h"
#include "cli/plan_targets.h"
#include "cli/side_by_side.h"
#include "core/error.h"
#include "core/table.h"
#include "listing/disassembler.h"
#include "listing/ptx_listing.h"
#include "listing/sass_listing.h"
#include "measure/candidate.h"
#include "spec/experiment_reader.h"
#include "tune/compile_pool.h"
#include "tune/plan.h"

namespace tailwave {
namespace {

struct ShowArguments {
  SandboxOptions sandbox;
  std::string spec;
  std::string selection;
  std::optional<std::string> against;
  std::string target = "h100";
  bool ptx = false, sass = false, all = false;
};

// A configuration with its code.
struct ShownSide {
  Configuration configuration;
  Artifact artifact;
  std::vector<KernelListing> kernels;  // in the order of the manifest, then functions that they call
};

struct Shown {
  std::string heading;  // "SASS for sm_90, NVRTC 13.0, nvdisasm 13.2"
  std::vector<ShownSide> sides;
  std::string identity;  // what is said of two that are the same; empty: they are not
};

// The kernels of the manifest have its names. Other functions come behind them in PTX; in machine code they stand in the
// kernels' own, or belong to libraries.
std::vector<KernelListing> in_order(std::vector<KernelListing> all, const VariantSpec& variant,
                                    const std::map<std::string, std::string>& symbols, bool with_others) {
  std::vector<KernelListing> kernels;
  for (const std::string& name : kernel_names(variant)) {
    const auto symbol = symbols.find(name);
    if (symbol == symbols.end()) continue;
    const auto found = std::ranges::find(all, symbol->second, &KernelListing::kernel);
    if (found == all.end()) continue;
    kernels.push_back({name, std::move(found->lines)});
    all.erase(found);
  }
  if (with_others) std::ranges::move(all, std::back_inserter(kernels));
  return kernels;
}

class CodeShower {
 public:
  CodeShower(const ShowArguments& options, const Experiment& experiment, const PlanTargets& targets)
      : experiment_(experiment), device_(targets.devices.front()), ptx_(options.ptx) {
    if (!ptx_) disassembler_ = find_disassembler(targets.library);
  }

  [[nodiscard]] ShownSide side(const std::string& wanted) const {
    const Configuration configuration = planned_configuration(experiment_, wanted);
    const VariantSpec& variant = *experiment_.system.find_variant(configuration.variant);
    const BuildRequest request{&experiment_.system, &variant, configuration};
    Built built = build_elsewhere(*device_.compiler, request, [] { return false; });
    if (!built.artifact)
      throw Error(fmt::format("{}: {}: {}", configuration.name(), to_string(built.outcome), built.detail));
    std::vector<KernelListing> kernels =
        ptx_ ? ptx_of(request)
             : in_order(machine_code(*built.artifact), variant, built.artifact->symbols, false);
    return {configuration, *std::move(built.artifact), std::move(kernels)};
  }

  [[nodiscard]] std::string heading() const {
    const std::string compiled = fmt::format("sm_{}, {}", device_.target, device_.compiler->version());
    return ptx_ ? "PTX for " + compiled : fmt::format("SASS for {}, {}", compiled, disassembler_->version);
  }

 private:
  [[nodiscard]] std::vector<KernelListing> machine_code(const Artifact& artifact) const {
    return sass_listings(disassembler_->disassemble(artifact.file));
  }

  // It has compiled already, in a process that was confined.
  [[nodiscard]] std::vector<KernelListing> ptx_of(const BuildRequest& request) const {
    try {
      const std::optional<Ptx> ptx = device_.compiler->ptx(request);
      return in_order(ptx_listings(ptx->text), *request.variant, ptx->symbols, true);
    } catch (const Failure& failure) {
      throw Error(Diagnostic{.place = request.configuration.name(),
                             .cause = failure.what(),
                             .hint = "--sass shows machine code"},
                  Error::kRunFailed);
    }
  }

  const Experiment& experiment_;
  const PlannedDevice& device_;
  bool ptx_;
  std::optional<Disassembler> disassembler_;
};

// Whether a device executes the same for both.
bool same_work(const System& system, const ShownSide& a, const ShownSide& b) {
  try {
    return work_identity(system, a.configuration, a.artifact.record.code_hash) ==
           work_identity(system, b.configuration, b.artifact.record.code_hash);
  } catch (const std::exception&) {
    return false;  // what cannot be evaluated
  }
}

std::string identity_of(const System& system, const ShownSide& a, const ShownSide& b) {
  if (a.artifact.record.code_hash != b.artifact.record.code_hash) return "";
  if (same_work(system, a, b))
    return "A and B are the same, machine code and launches: neither is faster than the other.";
  return "A and B are the same machine code; what differs is how it is launched, or on what.";
}

// Code that only looks the same.
std::string remark_on(const ShownSide& a, const ShownSide& b) {
  if (a.kernels != b.kernels) return "";
  return "The same instructions: the machine code differs in what is not shown, as constants, addresses, "
         "hints for the scheduler or names.";
}

std::vector<std::string> texts(const KernelListing* listing) {
  std::vector<std::string> lines;
  if (listing != nullptr)
    for (const CodeLine& line : listing->lines) lines.push_back(line.text);
  return lines;
}

// Kernels of the same name, and then, in their order, those that have none.
using KernelPair = std::pair<const KernelListing*, const KernelListing*>;
std::vector<KernelPair> pairs_of(const ShownSide& a, const ShownSide& b) {
  std::vector<KernelPair> pairs;
  std::set<const KernelListing*> taken;
  for (const KernelListing& one : a.kernels) {
    const auto found = std::ranges::find(b.kernels, one.kernel, &KernelListing::kernel);
    pairs.emplace_back(&one, found == b.kernels.end() ? nullptr : &*found);
    taken.insert(pairs.back().second);
  }
  for (const KernelListing& other : b.kernels) {
    if (taken.contains(&other)) continue;
    const auto free = std::ranges::find(pairs, nullptr, &KernelPair::second);
    if (free == pairs.end())
      pairs.emplace_back(nullptr, &other);
    else
      free->second = &other;
  }
  return pairs;
}

std::string name_of(const KernelPair& pair) {
  if (pair.first == nullptr) return pair.second->kernel;
  if (pair.second == nullptr || pair.second->kernel == pair.first->kernel) return pair.first->kernel;
  return pair.first->kernel + " | " + pair.second->kernel;
}

Cell number_cell(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

Table counts_of(const ShownSide& side) {
  Table table{{"kernel", "class", "instructions"}, {}};
  for (const KernelListing& kernel : side.kernels) {
    std::size_t all = 0;
    for (const auto& [kind, count] : count_instructions(kernel)) {
      table.rows.push_back({kernel.kernel, std::string(to_string(kind)), number_cell(count)});
      all += count;
    }
    table.rows.push_back({kernel.kernel, std::string("all"), number_cell(all)});
  }
  return table;
}

Table counts_of(const std::vector<KernelPair>& pairs) {
  Table table{{"kernel", "class", "A", "B", "B - A"}, {}};
  for (const KernelPair& pair : pairs) {
    const auto add = [&](std::string_view kind, std::size_t a, std::size_t b) {
      table.rows.push_back({name_of(pair), std::string(kind), number_cell(a), number_cell(b),
                            static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a)});
    };
    const auto counts = [](const KernelListing* one) {
      return one == nullptr ? InstructionCounts() : count_instructions(*one);
    };
    InstructionCounts a = counts(pair.first), b = counts(pair.second);
    std::size_t all_a = 0, all_b = 0;
    for (const std::string_view name : EnumNames<InstructionClass>::names) {
      const InstructionClass kind = *find_enum<InstructionClass>(name);
      if (!a.contains(kind) && !b.contains(kind)) continue;
      add(name, a[kind], b[kind]);
      all_a += a[kind];
      all_b += b[kind];
    }
    add("all", all_a, all_b);
  }
  return table;
}

nlohmann::ordered_json side_json(const ShownSide& side) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const KernelListing& kernel : side.kernels) {
    nlohmann::ordered_json counts = nlohmann::ordered_json::object();
    for (const auto& [kind, count] : count_instructions(kernel)) counts[std::string(to_string(kind))] = count;
    kernels.push_back({{"kernel", kernel.kernel}, {"instructions", counts}, {"code", texts(&kernel)}});
  }
  return {{"configuration", side.configuration.name()},
          {"code_hash", side.artifact.record.code_hash},
          {"kernels", std::move(kernels)}};
}

nlohmann::ordered_json result_json(const Shown& shown) {
  nlohmann::ordered_json result{{"shown", shown.heading}};
  if (shown.sides.size() > 1) result["same_machine_code"] = !shown.identity.empty();
  for (const ShownSide& side : shown.sides) result["configurations"].push_back(side_json(side));
  return result;
}

void print_one(const Shown& shown, const Console& console) {
  const ShownSide& side = shown.sides.front();
  console.say(fmt::format("{}\n{}\n", side.configuration.name(), shown.heading));
  for (const KernelListing& kernel : side.kernels) {
    std::string text = "\n" + kernel.kernel + "\n";
    for (const CodeLine& line : kernel.lines) text += line.text + '\n';
    print_words(text);
  }
  print_words("\n");
  console.show(counts_of(side));
}

void print_both(const Shown& shown, bool all, const Console& console) {
  const ShownSide &a = shown.sides[0], &b = shown.sides[1];
  const std::string names =
      fmt::format("A: {}\nB: {}\n{}\n", a.configuration.name(), b.configuration.name(), shown.heading);
  if (!shown.identity.empty()) {
    console.say(shown.identity + "\n" + names + "\n");
    return console.show(counts_of(a));
  }
  const std::string remark = remark_on(a, b);
  console.say((remark.empty() ? "" : remark + "\n") + names + "\n");
  const std::vector<KernelPair> pairs = pairs_of(a, b);
  SideBySideStyle style{.all = all};
  if (const std::size_t columns = terminal_columns(STDOUT_FILENO); columns > 0) style.columns = columns;
  for (const KernelPair& pair : pairs)
    print_words(name_of(pair) + "\n" + side_by_side(texts(pair.first), texts(pair.second), style) + "\n");
  console.show(counts_of(pairs));
}

void show(const ShowArguments& options, const Console& console) {
  std::vector<DeviceSpec> devices = find_devices(options.target);
  if (devices.size() != 1)
    throw Error(Diagnostic{.cause = fmt::format("show takes one --target, there are {}", devices.size()),
                           .hint = "name one of them"});
  const PlanTargets targets = make_targets("show", std::move(devices), options.sandbox, console);
  warn_of_other_code(targets, console);
  const Experiment experiment = load_experiment(options.spec);
  allow_project(experiment);
  const CodeShower shower(options, experiment, targets);
  Shown shown{.heading = shower.heading()};
  shown.sides.push_back(shower.side(options.selection));
  if (options.against) {
    shown.sides.push_back(shower.side(*options.against));
    shown.identity = identity_of(experiment.system, shown.sides[0], shown.sides[1]);
  }
  if (console.json()) return console.result(result_json(shown));
  if (options.against) return print_both(shown, options.all, console);
  print_one(shown, console);
}

}  // namespace

void add_show(Command& app) {
  Command* command = app.add_subcommand(
      "show", "Show a configuration's machine code or PTX, beside another's, with what it is made of");
  auto options = std::make_shared<ShowArguments>();
  command->add_option("SPEC", options->spec, "an experiment file")->required();
  Option* filter = add_filter_option(*command, options->selection);
  command->add_option("--config", options->selection, "the same as --filter")->excludes(filter);
  command->add_option(
      "--against", options->against,
      "another configuration of the same experiment, named in the same way, to show beside it");
  Option* sass = command->add_flag("--sass", options->sass,
                                   "machine code, by nvdisasm or cuobjdump of a CUDA toolkit (the default)");
  command->add_flag("--ptx", options->ptx, "what the compiler gives before it is assembled")->excludes(sass);
  command->add_flag("--all", options->all, "with --against: also the lines in which they are equal");
  command
      ->add_option("--target", options->target, "a known GPU (tailwave list devices) or sm_XX to compile for")
      ->capture_default_str();
  add_unsafe_options(*command);
  add_sandbox_options(*command, options->sandbox);
  command->footer(
      "Addresses, encodings and line information are left out and labels are numbered, so that equal code is equal text. "
      "Instructions are counted as they stand in the code, not as often as they run: 'tailwave counters' counts that.\n"
      "Examples: tailwave show experiments/nbody/variants.json --filter variant=tuned,THIRD_LAW=true\n"
      "          tailwave show experiments/nbody/variants.json --filter variant=tuned,THIRD_LAW=true --against "
      "variant=tuned,THIRD_LAW=false --ptx");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([options, output] { show(*options, Console(*output)); });
}

}  // namespace tailwave
