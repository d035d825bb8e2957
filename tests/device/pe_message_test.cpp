#include "device/pe_message.h"

#include <gmock/gmock.h>

#include "fakes/fake_device.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

// As a processing element gets it. The one buffer has the number 7.
Launch sent(const Launch& launch, Buffer& buffer) {
  Packet packet;
  put(packet, launch, [](const Buffer* one) { return std::uint64_t{one == nullptr ? 0U : 7U}; });
  return take_launch(packet, [&](std::uint64_t number) { return number == 7 ? &buffer : nullptr; });
}

TEST(PeMessage, HasTheAttributesOfALaunch) {
  fakes::FakeBuffer buffer(8);
  Launch launch;
  launch.kernel = "k";
  launch.cluster = Dim3{4, 2, 1};
  launch.dependent = true;
  launch.priority = -3;
  launch.stream = 2;
  const Launch other = sent(launch, buffer);
  EXPECT_EQ(other.kernel, "k");
  EXPECT_EQ(other.cluster, (Dim3{4, 2, 1}));
  EXPECT_TRUE(other.dependent);
  EXPECT_EQ(other.priority, -3);
  EXPECT_EQ(other.stream, 2);
  EXPECT_EQ(sent(Launch{}, buffer).cluster, std::nullopt);
}

TEST(PeMessage, HasEachKindOfArgument) {
  fakes::FakeBuffer buffer(8);
  Launch launch;
  launch.arguments = {
      &buffer, scalar(5), StructBytes{std::vector<std::byte>(16, std::byte{1}), {{8, &buffer}}},
      TextureView{&buffer, ScalarType::uint8, {4, 2}, {.filter = TextureFilter::linear, .channels = 4}},
      TensorMapView{
          &buffer, ScalarType::float16, {.dims = {8, 4}, .box = {8, 2}, .strides = {8}, .swizzle = 64}}};
  const std::vector<LaunchArgument> arguments = sent(launch, buffer).arguments;
  ASSERT_EQ(arguments.size(), 5U);
  EXPECT_EQ(std::get<Buffer*>(arguments[0]), &buffer);
  EXPECT_EQ(std::get<ScalarBytes>(arguments[1]).size, sizeof(int));
  EXPECT_THAT(std::get<StructBytes>(arguments[2]).addresses, ElementsAre(testing::Pair(8U, &buffer)));
  const auto& texture = std::get<TextureView>(arguments[3]);
  EXPECT_EQ(texture.buffer, &buffer);
  EXPECT_EQ(texture.type, ScalarType::uint8);
  EXPECT_THAT(texture.size, ElementsAre(4, 2));
  EXPECT_EQ(texture.look, (TextureLook{.filter = TextureFilter::linear, .channels = 4}));
  const auto& map = std::get<TensorMapView>(arguments[4]);
  EXPECT_EQ(map.buffer, &buffer);
  EXPECT_EQ(map.type, ScalarType::float16);
  EXPECT_EQ(map.shape, (TensorMapShape{.dims = {8, 4}, .box = {8, 2}, .strides = {8}, .swizzle = 64}));
}

}  // namespace
}  // namespace tailwave
