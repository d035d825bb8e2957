#include "device/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "core/outcome.h"
#include "core/stopwatch.h"
#include "spec/system.h"

namespace tailwave {
namespace {

using testing::Each;
using testing::SizeIs;

// Two ends of a stream.
struct Ends {
  Descriptor here, there;

  Ends() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error("sockets");
    here = Descriptor(ends[0]);
    there = Descriptor(ends[1]);
  }

  void say(std::span<const std::byte> bytes) const {
    ASSERT_EQ(::send(there.number(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  // What goes wrong when a packet is received.
  [[nodiscard]] std::string loss(const Patience& patience = {}) const {
    try {
      receive(here.number(), patience);
    } catch (const ConnectionLost& lost) {
      return lost.what();
    }
    return "";
  }
};

// What begins a packet of so many bytes and descriptors.
std::vector<std::byte> header(std::uint64_t size_bytes, std::uint64_t descriptors = 0) {
  const std::array<std::uint64_t, 2> words{size_bytes, descriptors};
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

template <class Action>
std::string out_of_range(Action action) {
  try {
    action();
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kShort = "a packet is shorter than expected";

TEST(Packet, GivesBackWhatWasPutInInOrder) {
  const Values values{
      {"count", std::int64_t{1} << 40}, {"empty", std::string()}, {"yes", true}, {"x", -0.25}};
  const std::vector<std::string> names{"a", "", "b"};
  Packet packet;
  packet << values << ScalarType::int64 << names << std::optional<double>(1.5) << std::optional<double>();
  EXPECT_EQ(take<Values>(packet), values);
  EXPECT_EQ(take<ScalarType>(packet), ScalarType::int64);
  EXPECT_EQ(take<std::vector<std::string>>(packet), names);
  EXPECT_EQ(take<std::optional<double>>(packet), 1.5);
  std::optional<double> left_over = 2;
  packet >> left_over;
  EXPECT_EQ(left_over, std::nullopt);
}

TEST(Packet, DoesNotReadPastItsEnd) {
  EXPECT_EQ(out_of_range([] {
              Packet packet;
              packet << std::size_t{100};
              take<std::string>(packet);
            }),
            kShort);
  EXPECT_EQ(out_of_range([] {
              Packet packet;
              packet << 'a';
              take<int>(packet);
            }),
            kShort);
  // A number of elements for which nobody has memory.
  EXPECT_EQ(out_of_range([] {
              Packet packet;
              packet << ~std::size_t{0};
              take<std::vector<std::string>>(packet);
            }),
            kShort);
  EXPECT_EQ(out_of_range([] {
              Packet packet;
              packet << true << std::size_t{8};
              packet.take_blob();
            }),
            "a packet has fewer descriptors than expected");
}

TEST(Packet, TakesALargeTextAfterManySmallValues) {
  Packet packet;
  for (int i = 0; i < 1000; ++i) packet << i;
  packet << std::string(100'000, 'x');
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(take<int>(packet), i);
  EXPECT_EQ(take<std::string>(packet), std::string(100'000, 'x'));
}

TEST(Receive, WaitsNoLongerThanAskedAndNoticesTheEnd) {
  Ends ends;
  EXPECT_FALSE(readable(ends.here.number()));
  EXPECT_FALSE(receive(ends.here.number(), {.first_s = 0.01}).has_value());
  EXPECT_FALSE(receive(ends.here.number(), {.first_s = 0.01, .awake = true}).has_value());
  Packet packet;
  packet << 42;
  send(ends.there.number(), packet);
  EXPECT_TRUE(readable(ends.here.number()));
  std::optional<Packet> received = receive(ends.here.number(), {.first_s = 1});
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(take<int>(*received), 42);
  ends.there.close();
  EXPECT_TRUE(readable(ends.here.number()));
  EXPECT_EQ(ends.loss({.first_s = 1}), "the other process is gone");
  try {
    send(ends.here.number(), packet);
    FAIL() << "sent";
  } catch (const ConnectionLost& lost) {
    EXPECT_STREQ(lost.what(), "the other process does not take the message");
  }
}

TEST(Receive, TakesPacketsInTheOrderInWhichTheyWereSent) {
  Ends ends;
  for (int i = 0; i < 3; ++i) {
    Packet packet;
    send(ends.there.number(), packet << i);
  }
  for (int i = 0; i < 3; ++i) {
    std::optional<Packet> packet = receive(ends.here.number(), {.awake = true});
    ASSERT_TRUE(packet);
    EXPECT_EQ(take<int>(*packet), i);
  }
}

// More than a socket holds, so that both work at once.
TEST(Receive, PutsALongPacketTogether) {
  Ends ends;
  Packet packet;
  packet << std::string(5'000'000, 'y');
  std::thread sender([&] { send(ends.there.number(), packet); });
  std::optional<Packet> received = receive(ends.here.number(), {.first_s = 60, .rest_s = 60});
  sender.join();
  ASSERT_TRUE(received);
  EXPECT_EQ(take<std::string>(*received), std::string(5'000'000, 'y'));
}

TEST(Receive, EndsWithAnEmptyPacketWhereNothingWasPutIn) {
  Ends ends;
  send(ends.there.number(), Packet());
  const std::optional<Packet> received = receive(ends.here.number());
  ASSERT_TRUE(received);
  EXPECT_THAT(received->bytes(), SizeIs(0));
}

TEST(Receive, RefusesAPacketThatIsLargerThanTheLimit) {
  Ends ends;
  ends.say(header(101));
  EXPECT_EQ(ends.loss({.most_bytes = 100}), "the other process sent a message that is none");
}

TEST(Receive, RefusesAPacketThatNamesDescriptorsWhichDoNotCome) {
  Ends ends;
  ends.say(header(0, 1));
  EXPECT_EQ(ends.loss(), "the other process sent a message that is none");
}

TEST(Receive, NoticesAMessageThatStopsInTheMiddle) {
  for (const bool after_header : {false, true}) {
    Ends ends;
    std::vector<std::byte> begun = header(100);
    begun.resize(after_header ? begun.size() + 99 : begun.size() - 1);
    ends.say(begun);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(ends.loss({.rest_s = 0.05}), "the other process stopped in the middle of a message");
    EXPECT_GE(seconds_since(start), 0.04);
  }
}

TEST(Receive, NoticesAnOtherSideThatEndsInTheMiddleOfAMessage) {
  for (const std::size_t more : {0U, 99U}) {
    Ends ends;
    std::vector<std::byte> begun = header(100);
    begun.resize(begun.size() + more);
    ends.say(begun);
    ends.there.close();
    EXPECT_EQ(ends.loss(), "the other process is gone");
  }
}

TEST(Packet, HasNoFlagOrEnumThatNobodyPutIn) {
  Packet flag;
  flag << static_cast<unsigned char>(2);
  EXPECT_EQ(out_of_range([&] { take<bool>(flag); }), "a packet has a flag that is neither true nor false");
  Packet outcome;
  outcome << 1000;
  EXPECT_EQ(out_of_range([&] { take<Outcome>(outcome); }), "a packet has no outcome that there is");
}

TEST(Packet, CarriesBlobsAndTheirDescriptorsInOrder) {
  Ends ends;
  const Blob small(std::vector<std::byte>(10, std::byte{1}));
  const Blob large = Blob::shared(100'000), larger = Blob::shared(300'001), none = Blob::shared(0);
  std::fill(large.writable().begin(), large.writable().end(), std::byte{2});
  std::fill(larger.writable().begin(), larger.writable().end(), std::byte{3});
  Packet packet;
  packet.put(large);
  packet.put(small);
  packet.put(larger);
  packet.put(none);
  packet.put(Blob());
  packet << 42;
  EXPECT_LT(packet.bytes().size(), 100U);
  EXPECT_THAT(packet.blobs(), SizeIs(3));
  send(ends.there.number(), packet);
  packet = {};
  std::optional<Packet> received = receive(ends.here.number());
  ASSERT_TRUE(received);
  for (const auto& [size, byte] :
       std::vector<std::pair<std::size_t, int>>{{100'000, 2}, {10, 1}, {300'001, 3}, {0, 0}, {0, 0}}) {
    const Blob blob = received->take_blob();
    EXPECT_THAT(blob.bytes(), SizeIs(size));
    EXPECT_THAT(blob.bytes(), Each(static_cast<std::byte>(byte)));
  }
  EXPECT_EQ(take<int>(*received), 42);
}

TEST(Packet, ClosesDescriptorsThatNobodyTakes) {
  Ends ends;
  std::array<int, 2> ends_of_pipe{};
  const Blob blob = Blob::shared(100);
  for (int i = 0; i < 3; ++i) {
    Packet packet;
    packet.put(blob);
    send(ends.there.number(), packet);
    receive(ends.here.number());
    ASSERT_EQ(pipe(ends_of_pipe.data()), 0);
    const Descriptor first(ends_of_pipe[0]), second(ends_of_pipe[1]);
    static int number = 0;
    if (i == 0) number = first.number();
    EXPECT_EQ(first.number(), number);  // the smallest that is free
  }
}

TEST(Packet, HasNoMoreDescriptorsThanAMessageTakes) {
  const Ends ends;
  const Blob blob = Blob::shared(1);
  Packet packet;
  for (int i = 0; i < 250; ++i) packet.put(blob);
  send(ends.there.number(), packet);
  std::optional<Packet> received = receive(ends.here.number());
  ASSERT_TRUE(received);
  for (int i = 0; i < 250; ++i) ASSERT_THAT(received->take_blob().bytes(), SizeIs(1));
  packet.put(blob);
  try {
    send(ends.there.number(), packet);
    FAIL() << "sent";
  } catch (const std::length_error& error) {
    EXPECT_STREQ(error.what(), "a packet has too many descriptors");
  }
}

TEST(Descriptor, IsClosedOnceByTheLastThatHasIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor reading(ends[0]);
  char letter = 0;
  {
    Descriptor first(ends[1]);
    Descriptor second(std::move(first));
    EXPECT_EQ(first.number(), -1);
    first = std::move(second);
    EXPECT_EQ(first.number(), ends[1]);
    ASSERT_EQ(write(first.number(), "a", 1), 1);
    EXPECT_EQ(read(reading.number(), &letter, 1), 1);
  }
  EXPECT_EQ(read(reading.number(), &letter, 1), 0);
}

TEST(Descriptor, EndsASocketOfWhichAnotherHasACopy) {
  Ends ends;
  const Descriptor copy(dup(ends.there.number()));
  ends.there.shut_down();
  EXPECT_EQ(ends.there.number(), -1);
  EXPECT_EQ(ends.loss(), "the other process is gone");
}

}  // namespace
}  // namespace tailwave
