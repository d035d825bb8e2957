#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "docs/markdown.h"
#include "docs/shell.h"

namespace tailwave::docs {
namespace {

// The lines of fenced blocks that begin with "tailwave", without their comments.
std::vector<std::string> commands_of(const std::string& markdown) {
  std::vector<std::string> commands;
  for (const Fence& fence : fences(markdown)) {
    std::istringstream lines(fence.text);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("tailwave ")) commands.push_back(line.substr(0, line.find(" #")));
  }
  return commands;
}

TEST(CommandsShown, HaveOptionsThatTheProgramKnows) {
  const Shell shell;
  std::map<std::string, std::string> helps;
  int options = 0;
  for (const auto& page : project_pages()) {
    for (const std::string& command : commands_of(read_text(page))) {
      SCOPED_TRACE(page.string() + ": " + command);
      std::smatch word;
      ASSERT_TRUE(std::regex_search(command, word, std::regex(R"(^tailwave +([a-z]*))")));
      std::string& help = helps[word[1]];
      // Without a word the options are the program's own.
      if (help.empty()) help = shell.run("tailwave " + word[1].str() + " --help").output;
      EXPECT_NE(help.find("Usage: tailwave"), std::string::npos) << help;
      static const std::regex option(R"( (--[a-z-]+))");
      for (std::sregex_iterator at(command.begin(), command.end(), option), end; at != end; ++at, ++options)
        EXPECT_TRUE(std::regex_search(help, std::regex((*at)[1].str() + "[^a-z-]"))) << (*at)[1];
    }
  }
  EXPECT_GT(options, 50);
}

}  // namespace
}  // namespace tailwave::docs
