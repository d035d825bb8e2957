#include "compile/fatbin.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>

#include "compile/cubin.h"
#include "compile/prebuilt_code.h"
#include "compile/prelude.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/process.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using Kind = FatbinImage::Kind;
using Packing = FatbinImage::Packing;

FatbinImage image(Kind kind, int target, char suffix = '\0') {
  FatbinImage image;
  image.kind = kind;
  image.target = target;
  image.suffix = suffix;
  return image;
}

std::string best_of(const std::vector<FatbinImage>& images, int capability) {
  const FatbinImage* best = best_image(images, capability);
  return best == nullptr ? "none" : best->name();
}

TEST(FatbinImages, TheBestIsMachineCodeOfTheNearestTarget) {
  const std::vector<FatbinImage> images{image(Kind::ptx, 80),         image(Kind::cubin, 80),
                                        image(Kind::cubin, 86),       image(Kind::cubin, 90),
                                        image(Kind::cubin, 90, 'a'),  image(Kind::ptx, 90, 'a'),
                                        image(Kind::cubin, 100, 'f'), image(Kind::other, 120)};
  EXPECT_EQ(best_of(images, 80), "sm_80");
  EXPECT_EQ(best_of(images, 89), "sm_86");
  EXPECT_EQ(best_of(images, 90), "sm_90a");
  EXPECT_EQ(best_of(images, 100), "sm_100f");
  EXPECT_EQ(best_of(images, 103), "sm_100f");
  EXPECT_EQ(best_of(images, 120), "compute_80");
  EXPECT_EQ(best_of(images, 75), "none");
}

std::string fatbin_error(std::string_view bytes) {
  try {
    for (const FatbinImage& one : read_fatbin(bytes)) unpacked(one);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class Number>
void put_number(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// A container with one image of PTX for sm_90 of these bytes.
std::string fatbin_of(std::string_view packed, std::uint64_t flags, std::uint64_t unpacked_bytes) {
  std::string image;
  put_number(image, std::uint32_t{0x01010001});
  put_number(image, std::uint32_t{64});
  put_number(image, std::uint64_t{packed.size()});
  put_number(image, static_cast<std::uint32_t>(flags == 0 ? 0 : packed.size()));
  put_number(image, std::uint32_t{0});
  put_number(image, std::uint32_t{0x00090000});
  put_number(image, std::uint32_t{90});
  put_number(image, std::uint64_t{0});
  put_number(image, flags);
  put_number(image, std::uint64_t{0});
  put_number(image, unpacked_bytes);
  image += packed;
  std::string bytes;
  put_number(bytes, std::uint32_t{0xBA55ED50});
  put_number(bytes, std::uint32_t{0x00100001});
  put_number(bytes, std::uint64_t{image.size()});
  return bytes + image;
}

constexpr std::uint64_t kLz4 = 0x2000;

std::string unpacked_block(std::string_view block, std::size_t size) {
  const std::string bytes = fatbin_of(block, kLz4, size);
  return unpacked(read_fatbin(bytes).front());
}

TEST(FatbinImages, AreUnpackedFromBlocksOfLz4) {
  // One literal, and a copy that overlaps what it makes; then five literals at the end.
  EXPECT_EQ(unpacked_block(std::string_view("\x13x\x01\x00\x50-tail", 10), 13), "xxxxxxxx-tail");
  // Lengths of 15 and more: 15 + 3 literals; a copy of 4 + 15 + 255 + 1.
  EXPECT_EQ(
      unpacked_block(std::string("\xff\x03") + "abcdefghijklmnopqr" + std::string("\x12\x00\xff\x01\x10z", 6),
                     294),
      [] {
        std::string text;
        for (int i = 0; i < 18 + 275; ++i) text += static_cast<char>('a' + i % 18);
        return text + "z";
      }());
}

TEST(FatbinImages, OfADamagedFileAreRefused) {
  const std::string whole = fatbin_of("ptx", 0, 0);
  EXPECT_EQ(fatbin_error(whole), "no error");
  EXPECT_EQ(fatbin_error(""), "damaged fatbin: it ends too early");
  EXPECT_EQ(fatbin_error(std::string(16, 'x')),
            "not a fatbin: another file, or an object of the host with one inside");
  EXPECT_EQ(fatbin_error(whole.substr(0, whole.size() - 1)), "damaged fatbin: it ends too early");
  EXPECT_EQ(fatbin_error(whole + "more"), "damaged fatbin: it ends too early");
  std::string longer = whole;
  longer[16 + 8] = 100;  // of the image
  EXPECT_EQ(fatbin_error(longer), "damaged fatbin: an image lies outside the file");
  std::string over = fatbin_of("packed", kLz4, 10);
  over[16 + 16] = 100;  // of what is packed
  EXPECT_EQ(fatbin_error(over), "damaged fatbin: an image is longer than its place");
  EXPECT_EQ(fatbin_error(fatbin_of("\x70sh", kLz4, 7)), "damaged fatbin: its packed code ends too early");
  EXPECT_EQ(fatbin_error(fatbin_of("\x70seventy", kLz4, 6)),
            "damaged fatbin: its packed code is longer than it says");
  EXPECT_EQ(fatbin_error(fatbin_of(std::string_view("\x10s\x02\x00", 4), kLz4, 9)),
            "damaged fatbin: its packed code points outside itself");
  EXPECT_EQ(fatbin_error(fatbin_of("packed", kLz4, std::uint64_t{1} << 40U)),
            "damaged fatbin: an image of more than 1 GiB");
  EXPECT_EQ(fatbin_error(fatbin_of("no zstd", 0x8000, 10)),
            "damaged fatbin: its packed code cannot be unpacked");
}

// What nvcc makes, where it is there.
class FatbinOfNvcc : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* place : {"/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc"})
      if (std::filesystem::exists(place)) nvcc_ = place;
    if (nvcc_.empty()) GTEST_SKIP() << "there is no nvcc in /usr/local/cuda/bin or /usr/bin";
    source_ = scratch_.write("k.cu",
                             "template <int S> __global__ void scale(float* v) { v[threadIdx.x] *= S; }\n"
                             "template __global__ void scale<4>(float*);\n"
                             "__global__ void plain(float* v) { v[0] = 2; }\n");
  }

  std::filesystem::path make(std::vector<std::string> options) {
    const std::filesystem::path file = scratch_ / "k.fatbin";
    options.insert(options.begin(), {nvcc_, "-fatbin", source_.string(), "-o", file.string()});
    const ProcessResult made = run_process(options, std::chrono::minutes(2));
    if (made.exit_status != 0) throw Error("nvcc: " + made.output);
    return file;
  }

  std::string refusal(const std::filesystem::path& file, int capability) {
    try {
      read_prebuilt(file, capability);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.outcome(), Outcome::compile_error);
      return failure.what();
    }
    return "no failure";
  }

  ScratchFolder scratch_;
  std::string nvcc_;
  std::filesystem::path source_;
};

std::vector<std::string> generated_for(const std::vector<std::string>& codes) {
  std::vector<std::string> options;
  for (const std::string& code : codes) options.push_back("-gencode=" + code);
  return options;
}

TEST_F(FatbinOfNvcc, HasTheImagesThatItWasMadeFor) {
  auto options = generated_for({"arch=compute_80,code=sm_80", "arch=compute_90,code=[sm_90,compute_90]",
                                "arch=compute_90a,code=[sm_90a,compute_90a]"});
  const std::string bytes = read_file(make(options));
  std::vector<std::string> names;
  for (const FatbinImage& one : read_fatbin(bytes)) names.push_back(one.name());
  EXPECT_THAT(names, testing::UnorderedElementsAre("sm_80", "sm_90", "compute_90", "sm_90a", "compute_90a"));
}

TEST_F(FatbinOfNvcc, GivesTheSameCodeHoweverItIsPacked) {
  const auto targets = generated_for({"arch=compute_80,code=[sm_80,compute_80]"});
  std::string cubin, ptx;
  std::set<Packing> packings;
  for (const char* mode : {"none", "speed", "size", "balance"}) {
    auto options = targets;
    options.push_back(fmt::format("--compress-mode={}", mode));
    std::filesystem::path file;
    try {
      file = make(options);
    } catch (const Error& error) {
      GTEST_SKIP() << "this nvcc has no --compress-mode: " << error.what();
    }
    const std::string bytes = read_file(file);
    for (const FatbinImage& one : read_fatbin(bytes)) packings.insert(one.packing);
    const PrebuiltCode machine = read_prebuilt(file, 86);
    EXPECT_FALSE(machine.is_ptx);
    const std::string hash = read_cubin(machine.code).code_hash;
    EXPECT_EQ(hash, cubin.empty() ? hash : cubin) << mode;
    cubin = hash;
    const PrebuiltCode text = read_prebuilt(file, 120);
    EXPECT_TRUE(text.is_ptx);
    EXPECT_EQ(text.code, ptx.empty() ? text.code : ptx) << mode;
    ptx = text.code;
    EXPECT_THAT(ptx, HasSubstr(".target sm_80"));
    EXPECT_TRUE(ptx.ends_with("}\n\n") || ptx.ends_with("}\n")) << mode;
  }
  EXPECT_THAT(packings, ElementsAre(Packing::none, Packing::lz4, Packing::zstd));
}

TEST_F(FatbinOfNvcc, IsRefusedWhereItHasNothingForTheGpu) {
  const auto file = make(generated_for({"arch=compute_80,code=sm_80", "arch=compute_90,code=sm_90"}));
  EXPECT_FALSE(read_prebuilt(file, 86).is_ptx);
  EXPECT_THAT(refusal(file, 120),
              EndsWith("k.fatbin: it has sm_80, sm_90, which a GPU of sm_120 does not run; add -gencode "
                       "arch=compute_120,code=sm_120 to what nvcc makes it with"));
}

TEST_F(FatbinOfNvcc, IsRefusedWhereItIsToBeLinked) {
  const auto file = make({"-arch=sm_90", "-rdc=true"});
  EXPECT_THAT(
      refusal(file, 90),
      EndsWith(
          "k.fatbin: it is a part of a program, to be linked: compile it without -rdc=true, or link it by "
          "nvlink"));
}

}  // namespace
}  // namespace tailwave
