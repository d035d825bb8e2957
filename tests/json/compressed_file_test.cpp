#include "json/compressed_file.h"

#include <gtest/gtest.h>

#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"
#include "fakes/written_file.h"

namespace tailwave {
namespace {

using samples::error_of;
using samples::gzipped;
using samples::write_file;

TEST(CompressedFile, IsReadAsWhatWentIn) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + '\n';
  EXPECT_EQ(read_decompressed(write_file(folder / "numbers.txt", gzipped(text))), text);
}

TEST(CompressedFile, ComesBackFromItsBytes) {
  const std::string text = std::string(100'000, 'a') + '\0' + "b";
  EXPECT_LT(compressed(text).size(), 1000U);
  EXPECT_EQ(compressed(text), compressed(text));
  EXPECT_EQ(decompressed(compressed(text), "memory"), text);
  EXPECT_EQ(decompressed(compressed(""), "memory"), "");
  EXPECT_EQ(error_of([&] { decompressed(compressed(text), "memory", 1000); }),
            "memory: has more than 0 MiB when decompressed\n  decompress it and look at what it is");
}

TEST(CompressedFile, MayHaveSeveralParts) {
  const ScratchFolder folder;
  EXPECT_EQ(read_decompressed(write_file(folder / "parts.gz", gzipped("one ") + gzipped("two"))), "one two");
}

TEST(CompressedFile, IsToldByItsContentNotItsName) {
  const ScratchFolder folder;
  EXPECT_EQ(read_decompressed(write_file(folder / "plain.json.gz", "{}")), "{}");
  EXPECT_EQ(read_decompressed(write_file(folder / "empty.gz", "")), "");
}

TEST(CompressedFile, IsRefusedWhereItIsCutOffAnywhere) {
  const ScratchFolder folder;
  const std::string whole = gzipped("twelve times the same, twelve times the same, twelve times the same");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const auto file = write_file(folder / "cut.gz", whole.substr(0, size));
    EXPECT_EQ(error_of([&] { read_decompressed(file); }),
              file.string() + ": the compressed data are cut off\n  fetch the file again")
        << size;
  }
}

TEST(CompressedFile, IsRefusedWhereItIsDamaged) {
  const ScratchFolder folder;
  std::string bytes = gzipped("some text");
  bytes[bytes.size() - 6] ^= 1;  // of the checksum
  const auto file = write_file(folder / "damaged.gz", bytes);
  EXPECT_EQ(
      error_of([&] { read_decompressed(file); }),
      file.string() + ": the compressed data are damaged: incorrect data check\n  fetch the file again");
}

TEST(CompressedFile, IsRefusedWhereItHasTooMuch) {
  const ScratchFolder folder;
  const auto file = write_file(folder / "bomb.gz", gzipped(std::string(std::size_t{3} << 20, ' ')));
  EXPECT_EQ(
      error_of([&] { read_decompressed(file, std::size_t{2} << 20); }),
      file.string() + ": has more than 2 MiB when decompressed\n  decompress it and look at what it is");
  EXPECT_EQ(read_decompressed(file, std::size_t{3} << 20).size(), std::size_t{3} << 20);
  EXPECT_EQ(error_of([] { read_decompressed("/dev/zero", std::size_t{2} << 20); }),
            "/dev/zero: has more than 2 MiB\n  is it what you meant?");
}

TEST(CompressedFile, IsRefusedWhereItCannotBeRead) {
  const ScratchFolder folder;
  EXPECT_EQ(error_of([&] { read_decompressed(folder / "none.gz"); }),
            (folder / "none.gz").string() + ": cannot be read");
  EXPECT_EQ(error_of([&] { read_decompressed(folder / "."); }), (folder / ".").string() + ": cannot be read");
}

}  // namespace
}  // namespace tailwave
