#include "capture/captured_system.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "capture/raw_launch.h"
#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"
#include "spec/experiment_reader.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class CapturedSystemTest : public testing::Test {
 protected:
  CapturedSystemTest() {
    samples::write_raw_launch(raw_);
    samples::write_raw_times(folder_.path() / "kernels.json");
    launch_ = read_captured_launch(raw_);
  }

  CapturedSystem write() {
    return write_captured_system({launch_}, system_, {"./app", "--fast"},
                                 read_kernel_times(folder_.path() / "kernels.json"));
  }

  ScratchFolder folder_;
  fs::path raw_ = folder_.path() / "raw", system_ = folder_.path() / "blur";
  CapturedLaunch launch_;
};

TEST_F(CapturedSystemTest, IsAManifestWithTheLaunchAsAVariant) {
  const CapturedSystem made = write();
  Diagnostics wrong;
  ASSERT_TRUE(load_system(made.manifest, wrong)) << (wrong.empty() ? "" : to_string(wrong.front()));
  EXPECT_THAT(wrong, IsEmpty());
  const auto manifest = nlohmann::ordered_json::parse(text_of(made.manifest));
  EXPECT_EQ(manifest["name"], "blur");
  EXPECT_EQ(manifest["title"], "blur as app launched it");
  EXPECT_EQ(
      manifest["buffers"]["arg1_at8"].dump(),
      R"({"type":"uint8","count":16,"fill":{"kind":"file","file":"arg1_at8.before.bin"},"memory":"managed"})");
  EXPECT_EQ(manifest["buffers"]["arg2"]["type"], "float32");
  EXPECT_EQ(manifest["buffers"]["arg2"]["count"], 2);
  EXPECT_EQ(manifest["reference"]["stored"].dump(),
            R"({"arg1_at8":"arg1_at8.after.bin","arg2":"arg2.after.bin"})");
  const auto& variant = manifest["variants"]["captured"];
  EXPECT_EQ(variant["description"],
            "captured from app on NVIDIA H200, where it took 55 us (median of 3 launches)");
  EXPECT_EQ(variant["prepare"].dump(), R"([{"copy":"variable1","symbol":"calls"}])");
  const auto& launch = variant["launches"][0];
  EXPECT_EQ(launch["grid"].dump(), "[126,375,1]");
  EXPECT_EQ(launch["cluster"].dump(), "[2,1,1]");
  EXPECT_EQ(
      launch["args"].dump(),
      R"([{"struct":[{"bytes":"0100000000000000"},{"buffer":"arg1_at8","offset":4},{"bytes":"aabbccdd00000000"}]},)"
      R"("arg2",{"value":-2,"type":"int32"},{"value":1.5,"type":"float32"}])");
  EXPECT_EQ(text_of(system_ / "arg2.after.bin"), std::string(8, '\1'));
  EXPECT_EQ(text_of(system_ / "code.cubin"), "machine code");
}

TEST_F(CapturedSystemTest, SaysWhatItDoesNotHave) {
  launch_.from_graph = true;
  const CapturedSystem made = write();
  EXPECT_THAT(made.notes,
              ElementsAre(HasSubstr("texture"), HasSubstr("'arg1_at8' holds what look like 3 addresses"),
                          HasSubstr("the launch changed the variable 'calls'"),
                          HasSubstr("a node of a graph"), HasSubstr("2 modules have a kernel of that name")));
  for (const std::string& note : made.notes) EXPECT_THAT(text_of(system_ / "README.md"), HasSubstr(note));
}

TEST_F(CapturedSystemTest, IsNotWrittenOverAnother) {
  write();
  samples::write_raw_launch(raw_);
  EXPECT_THAT(samples::error_of([&] { write(); }), HasSubstr("blur: is there already, and not empty"));
  EXPECT_EQ(text_of(system_ / "arg2.after.bin"), std::string(8, '\1'));
}

// What a manifest cannot say leaves nothing behind.
TEST_F(CapturedSystemTest, LeavesNothingWhereItCannotBeWritten) {
  launch_.arguments[0].bytes.resize(20);
  EXPECT_THAT(samples::error_of([&] { write(); }),
              HasSubstr("argument 1 is a packed struct of 20 bytes with an address in it"));
  launch_.arguments[0].bytes.resize(40'000);
  EXPECT_THAT(samples::error_of([&] { write(); }), HasSubstr("bytes, and an argument"));
  EXPECT_FALSE(fs::exists(system_));
}

TEST_F(CapturedSystemTest, NeedsMemoryThatSaysWhatIsRight) {
  launch_.memory.clear();
  EXPECT_THAT(samples::error_of([&] { write(); }), HasSubstr("no argument of it points to memory"));
  EXPECT_FALSE(fs::exists(system_));
}

TEST_F(CapturedSystemTest, ValuesWithoutATypeAreTheBytesThatTheyWere) {
  launch_.demangled = launch_.kernel = "mm";
  launch_.arguments[1].pointers.clear();
  launch_.arguments[1].bytes = std::string("\x7f\xff\0\0", 4);
  launch_.memory.pop_back();
  write();
  const auto manifest = nlohmann::ordered_json::parse(text_of(system_ / "system.json"));
  EXPECT_EQ(manifest["variants"]["captured"]["launches"][0]["args"][1].dump(),
            R"({"value":65407,"type":"int32"})");
  EXPECT_EQ(manifest["variants"]["captured"]["launches"][0]["args"][3].dump(),
            R"({"value":1.5,"type":"float32"})");
}

// Of several sizes what differs is by SIZE, and the files have one part for each.
TEST_F(CapturedSystemTest, HasSeveralSizesOfOneLaunch) {
  samples::write_raw_launch(folder_.path() / "other");
  samples::write_file(folder_.path() / "other/memory1.before", "12345678abcd");
  samples::write_file(folder_.path() / "other/memory1.after", "ABCDEFGHIJKL");
  CapturedLaunch other = read_captured_launch(folder_.path() / "other");
  other.grid[1] = 188;
  other.memory[1].bytes = 12;
  other.arguments[0].bytes.replace(0, 1, "\7");
  other.arguments[2].bytes.replace(0, 1, "\xfd");
  ASSERT_TRUE(are_alike(launch_, other));
  const fs::path folder = folder_.path() / "kernel_templates/blur";
  const CapturedSystem made = write_captured_system({launch_, other}, folder, {"./app"},
                                                    read_kernel_times(folder_.path() / "kernels.json"));
  EXPECT_EQ(made.experiment, folder_.path() / "experiments/blur/sizes.json");
  const auto manifest = nlohmann::ordered_json::parse(text_of(made.manifest));
  EXPECT_EQ(manifest["buffers"]["arg2"]["count"], "[2,3][SIZE]");
  EXPECT_EQ(manifest["buffers"]["arg2"]["fill"]["offset"], "[0,2][SIZE]");
  EXPECT_EQ(manifest["reference"]["stored"]["arg2"].dump(),
            R"({"file":"arg2.after.bin","offset":"[0,2][SIZE]"})");
  const auto& launch = manifest["variants"]["captured"]["launches"][0];
  EXPECT_EQ(launch["grid"].dump(), R"([126,"[375,188][SIZE]",1])");
  EXPECT_EQ(launch["args"][0]["struct"][0].dump(), R"({"value":"[1,7][SIZE]","type":"uint32"})");
  EXPECT_EQ(launch["args"][0]["struct"][1].dump(), R"({"bytes":"00000000"})");
  EXPECT_EQ(launch["args"][2].dump(), R"({"value":"[-2,-3][SIZE]","type":"int32"})");
  EXPECT_EQ(text_of(folder / "arg2.after.bin"), std::string(8, '\1') + "ABCDEFGHIJKL");
  const auto experiment = nlohmann::ordered_json::parse(text_of(made.experiment));
  EXPECT_EQ(experiment["problem"].dump(), R"([{"SIZE":0,"weight":3},{"SIZE":1,"weight":1}])");
  const Experiment loaded = load_experiment(made.experiment);
  EXPECT_EQ(loaded.system.name, "blur");
}

// In a struct of 6 bytes a number of four would ask for 8.
TEST_F(CapturedSystemTest, KeepsTheSizesOfStructs) {
  launch_.demangled = "void blur<2>(View, float const*, short3, float)";
  launch_.arguments[2].bytes = std::string("\1\0\2\0\3\0", 6);
  CapturedLaunch other = launch_;
  other.arguments[2].bytes[0] = '\7';
  const CapturedSystem made = write_captured_system({launch_, other}, system_, {"./app"}, {});
  const auto manifest = nlohmann::ordered_json::parse(text_of(made.manifest));
  EXPECT_EQ(manifest["variants"]["captured"]["launches"][0]["args"][2].dump(),
            R"({"struct":[{"value":"[1,7][SIZE]","type":"uint8"},{"bytes":"0002000300"}]})");
}

TEST_F(CapturedSystemTest, TakesForOneWhatDiffersInSizesAlone) {
  CapturedLaunch other = launch_;
  other.arguments[0].pointers[0].offset = 8;
  EXPECT_TRUE(are_alike(launch_, other));
  other.arguments[0].pointers[0].at = 0;
  EXPECT_FALSE(are_alike(launch_, other));
  other = launch_;
  other.variables.clear();
  EXPECT_FALSE(are_alike(launch_, other));
  other = launch_;
  samples::write_file(folder_.path() / "other.cubin", "other code");
  other.code = folder_.path() / "other.cubin";
  EXPECT_FALSE(are_alike(launch_, other));
}

TEST(NamesOfCapturedSystems, AreWhatSystemsMayBeCalled) {
  EXPECT_EQ(system_name("void blur<2>(View)"), "blur");
  EXPECT_EQ(system_name("a::f.part(int)"), "f_part");
  EXPECT_EQ(system_name("2d"), "kernel2d");
}

}  // namespace
}  // namespace tailwave
