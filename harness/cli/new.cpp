#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "adopt/adopt.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/new_system.h"
#include "cli/spec_warnings.h"
#include "core/error.h"
#include "spec/experiment_reader.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

struct NewOptions {
  std::string name, from, directory = ".", reference = "code";
  std::vector<std::string> kernels;
  bool force = false;
};

// "my_kernel" for "src/my kernel.cu"; "tsp" for "tsp/src/main.cu", whose own name says nothing.
std::string name_of_file(const fs::path& file) {
  std::string name = file.stem().string();
  fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  if (folder.filename() == "src") folder = folder.parent_path();
  if ((name == "main" || name == "kernel") && folder.has_filename()) name = folder.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; },
      '_');
  if (!name.empty() && (std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name[0] == '-'))
    name = "k" + name;
  return name;
}

std::string experiment_of(const std::vector<fs::path>& paths) {
  const auto found = std::find_if(paths.begin(), paths.end(), [](const fs::path& path) {
    return path.extension() == ".json" && path.filename() != "system.json";
  });
  return found->string();
}

void say_commands(const Console& console, const std::string& experiment, const std::string& words) {
  if (console.quiet()) return;
  console.say(
      fmt::format("{1}\n"
                  "  tailwave check {0}\n"
                  "  tailwave plan {0} --target h100\n"
                  "  tailwave run {0} --device auto\n",
                  experiment, words));
}

std::vector<fs::path> write_files(const NewOptions& options, const std::vector<NewFile>& files,
                                  const Console& console) {
  std::vector<fs::path> paths = write_new_system(options.name, files, options.directory, options.force);
  for (const fs::path& path : paths) console.say(fmt::format("wrote {}\n", path.string()));
  return paths;
}

OrderedJson result_json(const std::vector<fs::path>& paths) {
  OrderedJson written = OrderedJson::array();
  for (const fs::path& path : paths) written.push_back(path.string());
  return {{"experiment", experiment_of(paths)}, {"files", written}};
}

void make_skeleton(const NewOptions& options, const Console& console) {
  const std::vector<fs::path> paths = write_files(options, skeleton_of(options.name), console);
  console.result(result_json(paths));
  say_commands(
      console, experiment_of(paths),
      "A skeleton: YOUR_RESULT stands in basic.cu and cpu_fp64.cpp for what your kernel computes. Then:");
}

void say_remarks(const Console& console, const char* heading, const std::vector<Adopted::Remark>& remarks) {
  if (!remarks.empty()) console.say(fmt::format("{}\n", heading));
  for (const Adopted::Remark& each : remarks) console.say(fmt::format("  {}: {}\n", each.what, each.where));
}

OrderedJson remarks_json(const std::vector<Adopted::Remark>& remarks) {
  OrderedJson all = OrderedJson::array();
  for (const Adopted::Remark& each : remarks) all.push_back({{"what", each.what}, {"where", each.where}});
  return all;
}

void make_from_source(NewOptions options, const Console& console) {
  if (options.name.empty()) options.name = name_of_file(options.from);
  require_system_name(options.name);
  const Adopted adopted = adopt({.source = options.from,
                                 .kernels = options.kernels,
                                 .name = options.name,
                                 .host_reference = options.reference == "host"});
  std::vector<NewFile> files;
  for (const AdoptedFile& file : adopted.files) files.push_back({file.path, file.text});
  const std::vector<fs::path> paths = write_files(options, files, console);
  console.say("understood:\n");
  for (const std::string& line : adopted.understood) console.say(fmt::format("  {}\n", line));
  say_remarks(console, "guessed, and where in system.json to say otherwise:", adopted.guesses);
  say_remarks(console, "to be described by hand in system.json; nothing compiles before:", adopted.by_hand);
  const std::string experiment = experiment_of(paths);
  try {
    SpecWarnings(console).say(warnings_of(load_experiment(experiment)));
  } catch (const Error&) {
    console.say("what was guessed does not fit together yet; in system.json say otherwise:\n");
    throw;
  }
  OrderedJson result = result_json(paths);
  result["understood"] = adopted.understood;
  result["guesses"] = remarks_json(adopted.guesses);
  result["by_hand"] = remarks_json(adopted.by_hand);
  console.result(result);
  if (options.reference == "host")
    say_commands(console, experiment, "Write reference.cpp, which says what is right. Then:");
  else if (!adopted.by_hand.empty())
    say_commands(console, experiment, "Then:");
  else
    say_commands(console, experiment, "Results are compared with those of the code as it was. Next:");
}

void make_new(const NewOptions& options, const Console& console) {
  if (!options.from.empty()) return make_from_source(options, console);
  if (options.name.empty())
    throw Error(
        Diagnostic{.cause = "new takes the name of a system, or --from FILE with a kernel that exists"});
  for (const auto& [given, name] : {std::pair(!options.kernels.empty(), "--kernel"),
                                    std::pair(options.reference == "host", "--reference host")})
    if (given) throw Error(Diagnostic{.cause = fmt::format("{} has no meaning without --from", name)});
  make_skeleton(options, console);
}

}  // namespace

void add_new(Command& app) {
  Command* command =
      app.add_subcommand("new", "Write a system and an experiment: of a kernel that exists, or a skeleton");
  auto options = std::make_shared<NewOptions>();
  command->add_option(
      "SYSTEM,--name", options->name,
      "its name: kernel_templates/SYSTEM and experiments/SYSTEM are made; that of the file where --from "
      "is given alone");
  command
      ->add_option(
          "--from", options->from,
          "a CUDA source: its kernels, their arguments, macros and launches are read, and parameters proposed")
      ->type_name("FILE");
  command
      ->add_option(
          "--kernel", options->kernels,
          "with --from: a kernel of the file; may be given several times, in the order of the launches")
      ->type_name("NAME")
      ->one_value_each();
  command
      ->add_option(
          "--reference", options->reference,
          "with --from: what results are compared with: the code as it is, or a host function to be written")
      ->one_of({"code", "host"})
      ->capture_default_str();
  command
      ->add_option("--dir", options->directory,
                   "the folder of kernel_templates/ and experiments/; made if need be")
      ->capture_default_str();
  command->add_flag("--force", options->force, "write over files that are there");
  command->footer("Example: tailwave new --from saxpy.cu");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([options, output] { make_new(*options, Console(*output)); });
}

}  // namespace tailwave
