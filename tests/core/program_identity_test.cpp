#include "core/program_identity.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/error.h"
#include "core/hash.h"

namespace tailwave {
namespace {

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(ProgramIdentity, IsTheBuildIdInTheProgramsFile) {
  const std::string id = build_id();
  ASSERT_GE(id.size(), 16U) << "is -Wl,--build-id missing?";
  EXPECT_EQ(program_identity(), id);
  std::string note("\3\0\0\0GNU\0", 8);
  for (std::size_t i = 0; i < id.size(); i += 2)
    note += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
  EXPECT_NE(bytes_of("/proc/self/exe").find(note), std::string::npos);
}

TEST(ProgramIdentity, IsTheHashOfTheFileWithoutABuildId) {
  EXPECT_EQ(identity_of("", "/proc/self/exe"), content_hash(bytes_of("/proc/self/exe")));
  EXPECT_THROW(identity_of("", "/nowhere"), Error);
}

}  // namespace
}  // namespace tailwave
