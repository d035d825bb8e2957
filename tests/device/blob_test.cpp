#include "device/blob.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.h"

namespace tailwave {
namespace {

using testing::Each;
using testing::SizeIs;

// The same file of memory, as a message brings it.
Descriptor sent(const Blob& blob) {
  return Descriptor(dup(blob.descriptor()));
}

std::string refusal_to_receive(Descriptor descriptor, std::size_t size_bytes) {
  try {
    Blob::received(std::move(descriptor), size_bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool refuses_writes(const Blob& blob) {
  try {
    static_cast<void>(blob.writable());
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "bytes that were handed over are written to");
    return true;
  }
  return false;
}

TEST(Blob, HasNothingAtFirst) {
  Blob blob;
  EXPECT_THAT(blob.bytes(), SizeIs(0));
  EXPECT_THAT(blob.writable(), SizeIs(0));
  EXPECT_EQ(blob.descriptor(), -1);
  blob.hand_over();
}

TEST(Blob, KeepsItsOwnBytesWhichCopiesShare) {
  const Blob blob(std::vector<std::byte>(3, std::byte{1}));
  const Blob copy = blob;
  EXPECT_EQ(blob.descriptor(), -1);
  blob.writable()[1] = std::byte{2};
  EXPECT_THAT(copy.bytes(), testing::ElementsAre(std::byte{1}, std::byte{2}, std::byte{1}));
}

TEST(Blob, SharesZerosThatCanBeWritten) {
  const Blob blob = Blob::shared(10'000);
  EXPECT_THAT(blob.bytes(), SizeIs(10'000));
  EXPECT_THAT(blob.bytes(), Each(std::byte{0}));
  blob.writable()[9'999] = std::byte{7};
  EXPECT_EQ(blob.bytes()[9'999], std::byte{7});
  EXPECT_GE(blob.descriptor(), 0);
}

TEST(Blob, CanBeReadButNotWrittenOnceHandedOver) {
  Blob blob = Blob::shared(100);
  const Blob copy = blob;
  blob.writable()[5] = std::byte{9};
  blob.hand_over();
  EXPECT_EQ(blob.bytes()[5], std::byte{9});
  EXPECT_TRUE(refuses_writes(blob));
  EXPECT_TRUE(refuses_writes(copy));
  blob.hand_over();
  EXPECT_EQ(blob.bytes()[5], std::byte{9});
}

TEST(Blob, IsSealedByItsReceiverWithoutACopy) {
  Blob blob = Blob::shared(5'000);
  std::fill(blob.writable().begin(), blob.writable().end(), std::byte{3});
  blob.hand_over();
  const Blob received = Blob::received(sent(blob), 5'000);
  EXPECT_THAT(received.bytes(), Each(std::byte{3}));
  EXPECT_GE(received.descriptor(), 0);
  EXPECT_TRUE(refuses_writes(received));
  const std::byte other{4};
  EXPECT_EQ(pwrite(blob.descriptor(), &other, 1, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(blob.descriptor(), 1), -1);
  EXPECT_EQ(mmap(nullptr, 5'000, PROT_READ | PROT_WRITE, MAP_SHARED, blob.descriptor(), 0), MAP_FAILED);
  EXPECT_THAT(received.bytes(), Each(std::byte{3}));
}

TEST(Blob, IsWhereItWasForItsCopiesWhenItIsHandedOver) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  std::optional<Blob> before = Blob::shared(kBytes);
  Blob blob = Blob::shared(kBytes);
  std::fill(blob.writable().begin(), blob.writable().end(), std::byte{5});
  const Blob copy = blob;
  before.reset();  // what is mapped next would lie there
  blob.hand_over();
  EXPECT_EQ(copy.bytes().data(), blob.bytes().data());
  EXPECT_THAT(copy.bytes(), Each(std::byte{5}));
  EXPECT_TRUE(refuses_writes(copy));
}

TEST(Blob, IsHandedOnByItsReceiver) {
  Blob blob = Blob::shared(100);
  blob.writable()[0] = std::byte{8};
  blob.hand_over();
  Blob received = Blob::received(sent(blob), 100);
  received.hand_over();
  EXPECT_EQ(Blob::received(sent(received), 100).bytes()[0], std::byte{8});
}

TEST(Blob, IsCopiedWhereItsSenderCouldStillWrite) {
  const Blob blob = Blob::shared(5'000);
  std::fill(blob.writable().begin(), blob.writable().end(), std::byte{3});
  const Blob received = Blob::received(sent(blob), 5'000);  // it was not handed over
  std::fill(blob.writable().begin(), blob.writable().end(), std::byte{4});
  EXPECT_THAT(received.bytes(), SizeIs(5'000));
  EXPECT_THAT(received.bytes(), Each(std::byte{3}));
  EXPECT_EQ(received.descriptor(), -1);
  EXPECT_TRUE(refuses_writes(received));
}

TEST(Blob, IsRefusedWithAnotherSizeThanTold) {
  Blob blob = Blob::shared(100);
  blob.hand_over();
  EXPECT_EQ(refusal_to_receive(sent(blob), 99), "another process handed over no 99 bytes of memory");
  EXPECT_EQ(refusal_to_receive(sent(blob), 101), "another process handed over no 101 bytes of memory");
  EXPECT_EQ(refusal_to_receive(sent(blob), 100), "");
}

TEST(Blob, IsRefusedWhereItIsNoMemory) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor writing(ends[1]);
  EXPECT_EQ(refusal_to_receive(Descriptor(ends[0]), 0), "another process handed over no 0 bytes of memory");
  EXPECT_EQ(refusal_to_receive(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)), 0),
            "another process handed over no 0 bytes of memory");
  EXPECT_EQ(refusal_to_receive(Descriptor(), 10), "another process handed over no 10 bytes of memory");
  // One whose size anybody could change.
  EXPECT_EQ(refusal_to_receive(Descriptor(memfd_create("unsealed", MFD_CLOEXEC)), 0),
            "another process handed over no 0 bytes of memory");
}

TEST(Blob, MayBeEmptyAndShared) {
  Blob blob = Blob::shared(0);
  blob.hand_over();
  EXPECT_THAT(Blob::received(sent(blob), 0).bytes(), SizeIs(0));
}

TEST(Blob, SaysWhyItCannotShareThatMuch) {
  try {
    Blob::shared(std::size_t{1} << 62);
    FAIL() << "shared";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("sharing 4611686018427387904 bytes of memory with another process: "));
  }
}

// Its pages go when the last of them does.
TEST(Blob, GivesItsMemoryBack) {
  int number = -1;
  {
    const Blob blob = Blob::shared(1);
    const Blob copy = blob;
    number = blob.descriptor();
    EXPECT_GE(fcntl(number, F_GETFD), 0);
  }
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace tailwave
