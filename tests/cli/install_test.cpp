// What `make install` and `make archive` put where, and that it works without the folders that it was built in.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class InstallTest : public ProjectFixture {
 protected:
  std::string shell(const std::string& line) const {
    const auto file = project_ / "output";
    EXPECT_EQ(std::system(("{ " + line + "; } >'" + file.string() + "' 2>&1").c_str()), 0)
        << line << text(file);
    return text(file);
  }
  [[nodiscard]] static std::string text(const std::filesystem::path& file) {
    std::ostringstream contents;
    contents << std::ifstream(file, std::ios::binary).rdbuf();
    return contents.str();
  }
};

TEST_F(InstallTest, LeavesAProgramThatWorksFromItsPrefixAloneAndHonoursDestdir) {
  std::string archive = shell("'" TAILWAVE_SOURCE_DIR "/cmake/archive.sh' '" TAILWAVE_BUILD_DIR "'");
  archive.pop_back();  // a newline
  const auto prefix = project_ / "prefix";
  std::filesystem::create_directory(prefix);
  shell("tar -C '" + prefix.string() + "' --strip-components=1 -xzf '" + archive + "'");
  std::filesystem::remove(archive);
  for (const char* file :
       {"bin/tailwave", "share/man/man1/tailwave.1.gz", "share/zsh/site-functions/_tailwave",
        "share/bash-completion/completions/tailwave", "share/doc/tailwave/LICENSE",
        "share/doc/tailwave/copyright", "share/doc/tailwave/CHANGELOG.md",
        "share/tailwave/schemas/system.schema.json", "share/doc/tailwave/docs/terminal.md"})
    EXPECT_TRUE(std::filesystem::is_regular_file(prefix / file)) << file;
#ifndef TAILWAVE_SANITIZE  // whose reports name the sources
  EXPECT_EQ(text(prefix / "bin/tailwave").find(TAILWAVE_SOURCE_DIR), std::string::npos);
#endif
  EXPECT_THAT(shell("zcat '" + (prefix / "share/man/man1/tailwave.1.gz").string() + "'"),
              HasSubstr(".TH TAILWAVE 1"));
  const std::string in_example = "cd '" + (prefix / "share/tailwave/example").string() +
                                 "' && env -i PATH=/usr/bin:/bin HOME='" + project_.string() +
                                 "' ../../../bin/tailwave ";
  EXPECT_THAT(shell(in_example + "--version"), HasSubstr("host compiler: g++"));
  EXPECT_THAT(shell(in_example + "check experiments/nbody kernel_templates/nbody"),
              HasSubstr("experiments/nbody/variants.json: ok: experiment, "));
  EXPECT_THAT(shell(in_example + "run experiments/nbody/variants.json --device cpu --filter shared --quiet"),
              HasSubstr("2 correct"));
  // Not a test of its own: both would write the same texts in the build folder.
  shell("DESTDIR='" + project_.string() + "' cmake --install '" TAILWAVE_BUILD_DIR "' --prefix /usr");
  EXPECT_TRUE(std::filesystem::exists(project_ / "usr/bin/tailwave"));
  EXPECT_TRUE(std::filesystem::exists(project_ / "usr/share/zsh/vendor-completions/_tailwave"));
}

}  // namespace
}  // namespace tailwave
