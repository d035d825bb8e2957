#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/new_system.h"

namespace tailwave {
namespace {

void make_new(const std::string& name, const std::string& directory, const Console& console) {
  const std::vector<std::filesystem::path> files = write_new_system(name, directory);
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  for (const std::filesystem::path& file : files) {
    console.say(fmt::format("wrote {}\n", file.string()));
    written.push_back(file.string());
  }
  const std::string experiment = files.front().string();
  console.result({{"experiment", experiment}, {"files", written}});
  if (console.quiet()) return;
  console.say(
      fmt::format("It works as it is:\n"
                  "  tailwave check {0}\n"
                  "  tailwave plan {0} --target h100\n"
                  "  tailwave run {0} --device auto\n",
                  experiment));
}

}  // namespace

void add_new(Command& app) {
  Command* command = app.add_subcommand("new", "Write a system and an experiment to start from");
  auto name = std::make_shared<std::string>();
  auto directory = std::make_shared<std::string>(".");
  command
      ->add_option("SYSTEM", *name,
                   "its name: kernel_templates/SYSTEM and experiments/SYSTEM are made, and must not exist")
      ->required();
  command
      ->add_option("--dir", *directory, "the folder of kernel_templates/ and experiments/; made if need be")
      ->capture_default_str();
  command->footer("Example: tailwave new softmax");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([name, directory, output] { make_new(*name, *directory, Console(*output)); });
}

}  // namespace tailwave
