#include "compile/program_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/process.h"
#include "fakes/one_variant.h"

namespace tailwave {
namespace {

using fakes::failure_of;
using testing::EndsWith;
using testing::HasSubstr;

CommandWord word_of(const std::string& text) {
  return {text, {text}};
}

class OwnPrograms : public testing::Test {
 protected:
  OwnPrograms() {
    one_.variant().target = VariantSpec::Target::program;
    one_.variant().launches.front().command = {CommandWord{"{program}", {CommandWord::Place::program}}};
  }
  // `sh -c TEXT SOURCE PROGRAM`: the script finds them as $0 and $1.
  void use_build(const std::string& script) {
    one_.variant().build = {word_of("sh"), word_of("-c"), word_of(script),
                            CommandWord{"{source}", {CommandWord::Place::source}},
                            CommandWord{"{program}", {CommandWord::Place::program}}};
  }
  [[nodiscard]] std::string failure() {
    return failure_of([&] { ProgramCompiler(one_.cache(), "sm_90").build(one_.request()); });
  }

  fakes::OneVariant one_{VariantSpec::Target::cuda, "echo hello\n", {"script"}, {{"TILE", std::int64_t{8}}}};
};

TEST_F(OwnPrograms, AreTheirSourceUnlessTheyAreBuilt) {
  EXPECT_THAT(failure(), HasSubstr("kernel.cu cannot be run: it is not executable (chmod +x)"));
  std::filesystem::permissions(one_.variant().source, std::filesystem::perms::owner_all);
  ProgramCompiler compiler(one_.cache(), "sm_90");
  const Artifact artifact = compiler.build(one_.request());
  EXPECT_EQ(artifact.kind, Artifact::Kind::program);
  EXPECT_EQ(artifact.file, one_.variant().source);
  EXPECT_EQ(artifact.record.target, "program");
  const std::string key = compiler.key(one_.request());
  one_.variant().target = VariantSpec::Target::reporting_program;
  EXPECT_EQ(compiler.build(one_.request()).kind, Artifact::Kind::reporting_program);
  EXPECT_NE(compiler.key(one_.request()), key);
  one_.folder().write("kernel.cu", "echo other\n");
  one_.variant().target = VariantSpec::Target::program;
  EXPECT_NE(compiler.key(one_.request()), key);
}

TEST_F(OwnPrograms, AreBuiltOnceForEachCommand) {
  use_build("cp $0 $1; echo compiled");
  one_.variant().build.push_back(CommandWord{"{TILE}", {Expression::parse("TILE")}});
  ProgramCompiler compiler(one_.cache(), "sm_90");
  const Artifact built = compiler.build(one_.request());
  EXPECT_FALSE(built.record.from_cache);
  EXPECT_EQ(built.record.log, "compiled\n");
  EXPECT_EQ(built.record.options, "sh -c cp $0 $1; echo compiled {source} {program} 8");
  EXPECT_EQ(run_process({"sh", built.file.string()}, std::chrono::seconds(20)).output, "hello\n");
  EXPECT_EQ(std::filesystem::status(built.file).permissions() & std::filesystem::perms::owner_exec,
            std::filesystem::perms::owner_exec);
  EXPECT_TRUE(compiler.build(one_.request()).record.from_cache);
  one_.configuration().parameters["TILE"] = std::int64_t{16};
  EXPECT_FALSE(compiler.build(one_.request()).record.from_cache);
  // It may be made for the machine.
  EXPECT_FALSE(ProgramCompiler(one_.cache(), "sm_80").build(one_.request()).record.from_cache);
}

TEST_F(OwnPrograms, ThatCannotBeBuiltSayWhy) {
  use_build("echo line 3: no such type; exit 2");
  EXPECT_EQ(failure(), "compile_error: 'sh' ended with status 2\nline 3: no such type\n");
  use_build("echo nothing");
  EXPECT_EQ(failure(), "compile_error: 'sh' did not make {program}\nnothing\n");
  one_.variant().build = {word_of("no-such-compiler")};
  EXPECT_EQ(failure(), "compile_error: no-such-compiler: cannot be started: No such file or directory");
  one_.variant().build = {word_of("sh"), CommandWord{"{1 / TILE}", {Expression::parse("1 / (TILE - 8)")}}};
  EXPECT_THAT(failure(), HasSubstr("compile_error: 'build': "));
}

TEST_F(OwnPrograms, AreGivenUpOnAtTheDeadline) {
  use_build("sleep 30");
  BuildRequest request = one_.request();
  request.deadline_s = 0.2;
  EXPECT_EQ(failure_of([&] { ProgramCompiler(one_.cache(), "sm_90").build(request); }),
            "compile_timeout: 'sh' took longer than 0.2 s");
}

}  // namespace
}  // namespace tailwave
