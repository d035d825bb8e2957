#include "listing/disassembler.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using samples::error_of;
using testing::StartsWith;

class DisassemblerTest : public testing::Test {
 protected:
  ~DisassemblerTest() override { unsetenv("TAILWAVE_NVDISASM"); }

  fs::path write_file(const std::string& name, const std::string& text) const {
    fs::path file = folder_.write(name, "#!/bin/sh\n" + text);
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  // A shell script that the variable names.
  fs::path write_program(const std::string& name, const std::string& text) const {
    fs::path file = write_file(name, text);
    setenv("TAILWAVE_NVDISASM", file.c_str(), 1);
    return file;
  }

  ScratchFolder folder_;
};

TEST_F(DisassemblerTest, IsAskedForItsVersionAndForCode) {
  const fs::path program =
      write_program("nvdisasm", "[ $1 = --version ] && echo 'Cuda, release 13.2, V13.2.51' || echo \"$@\"\n");
  const Disassembler found = find_disassembler("");
  EXPECT_EQ(found.program, program);
  EXPECT_EQ(found.version, "nvdisasm 13.2");
  EXPECT_EQ(found.disassemble("/a/b.cubin"), "-c /a/b.cubin\n");
  write_program("cuobjdump", "echo \"$@\"\n");
  EXPECT_EQ(find_disassembler("").version, "cuobjdump");
  EXPECT_EQ(find_disassembler("").disassemble("/a/b.cubin"), "-sass /a/b.cubin\n");
}

TEST_F(DisassemblerTest, SaysWhatTheProgramSaysWhereItFails) {
  const fs::path program =
      write_program("nvdisasm", "echo 'nvdisasm fatal : no such architecture'; exit 3\n");
  const Disassembler found = find_disassembler("");
  EXPECT_EQ(error_of([&] { (void)found.disassemble("x"); }),
            program.string() + ": ended with status 3: nvdisasm fatal : no such architecture");
}

TEST_F(DisassemblerTest, IsAnErrorWhereTheVariableNamesNone) {
  setenv("TAILWAVE_NVDISASM", "/nowhere/nvdisasm", 1);
  EXPECT_EQ(error_of([] { (void)find_disassembler(""); }),
            "/nowhere/nvdisasm: is no program, though $TAILWAVE_NVDISASM names it\n"
            "  name nvdisasm or cuobjdump of a CUDA toolkit");
}

class DisassemblerWithoutPath : public DisassemblerTest {
 protected:
  DisassemblerWithoutPath() { setenv("PATH", "/nowhere", 1); }
  ~DisassemblerWithoutPath() override { setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_ = std::getenv("PATH");
};

TEST_F(DisassemblerWithoutPath, IsLookedForBesideWheels) {
  write_file("cu13/bin/nvdisasm", "");
  const Disassembler found = find_disassembler(folder_ / "cu13/lib/libnvrtc.so.13");
  // A toolkit of this machine comes first.
  EXPECT_EQ(found.program.filename(), "nvdisasm");
  EXPECT_THAT(found.version, StartsWith("nvdisasm"));
}

TEST_F(DisassemblerWithoutPath, IsAnErrorThatSaysWhatHelps) {
  const std::string error = error_of([] { (void)find_disassembler(""); });
  if (error == "no error") GTEST_SKIP() << "a CUDA toolkit here has one";
  EXPECT_EQ(error,
            "machine code cannot be shown: neither nvdisasm nor cuobjdump is on PATH or in bin/ of a CUDA "
            "toolkit\n"
            "  install one (pip: nvidia-cuda-nvdisasm), name it with TAILWAVE_NVDISASM, or look at --ptx");
}

}  // namespace
}  // namespace tailwave
