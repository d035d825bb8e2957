#include "measure/device_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "fakes/fake_device.h"
#include "fakes/one_variant.h"
#include "measure/inputs.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A device of little memory that counts what is asked of it.
class SmallExecutor final : public fakes::FakeExecutor {
 public:
  using FakeExecutor::FakeExecutor;
  std::size_t room = std::size_t{1} << 20;
  int allocations = 0, uploads = 0;
  std::vector<Placement> places;
  std::set<const Buffer*> alive;
  std::vector<std::vector<std::byte>> left;  // what was in each that went
  bool shares = true;

  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) override {
    if (size_bytes + place.before > room) throw Failure(Outcome::out_of_memory, "no room");
    ++allocations;
    places.push_back(place);
    room -= size_bytes + place.before;
    auto buffer = std::make_unique<Tracked>(*this, size_bytes, place.before);
    alive.insert(buffer.get());
    return buffer;
  }
  void upload(Buffer& buffer, const Produce& produce) override {
    ++uploads;
    FakeExecutor::upload(buffer, produce);
  }
  [[nodiscard]] std::vector<std::byte> share(const Buffer& /*buffer*/) override {
    return shares ? std::vector<std::byte>(1) : std::vector<std::byte>();
  }

 private:
  struct Tracked final : fakes::FakeBuffer {
    Tracked(SmallExecutor& of, std::size_t size, std::size_t bytes_before)
        : FakeBuffer(size), owner(of), before(bytes_before) {}
    ~Tracked() override {
      owner.room += size_bytes() + before;
      owner.left.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size_bytes()));
      owner.alive.erase(this);
    }
    SmallExecutor& owner;
    std::size_t before;
  };
};

// A system of buffers of bytes: "random" differs by draw, "same" does not, "zeros" and "out" are one byte everywhere.
System byte_system() {
  System system;
  const auto add = [&](const std::string& name, Fill fill, bool output_only = false) {
    BufferSpec& buffer = system.buffers[name];
    buffer.type = ScalarType::int32;
    buffer.fill = std::move(fill);
    buffer.output_only = output_only;
  };
  add("random", {.kind = Fill::Kind::uniform, .low = 0, .high = 1e6, .seed = 7});
  add("same", {.kind = Fill::Kind::constant, .value = 3});
  add("zeros", {.kind = Fill::Kind::zero});
  add("out", {.kind = Fill::Kind::zero}, true);
  add("other", {.kind = Fill::Kind::constant, .value = 5});
  return system;
}

class DeviceDataTest : public testing::Test {
 protected:
  std::vector<std::byte> contents(const Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.size_bytes());
    device_.download(buffer, bytes);
    return bytes;
  }
  std::vector<std::byte> input(const std::string& name, std::size_t count, std::uint64_t draw) {
    return make_input(system_.buffers.at(name), count, draw);
  }

  SmallExecutor device_;
  System system_ = byte_system(), other_system_ = byte_system();
  int released_ = 0;
  DeviceData data_{device_, [this] { ++released_; }};
};

TEST_F(DeviceDataTest, KeepsBuffersAndInputsFromOneConfigurationToTheNext) {
  data_.prepare(system_, {{"random", 100}, {"same", 50}});
  const Buffer* live = &data_.live("random");
  const Restoration same = data_.restoration("same", 0);
  EXPECT_EQ(contents(*same.from), input("same", 50, 0));
  EXPECT_EQ(data_.restoration("same", 1).from, same.from);  // the same in every draw
  EXPECT_EQ(device_.allocations, 3);
  EXPECT_EQ(device_.uploads, 1);

  data_.prepare(system_, {{"random", 100}});  // what has no "same" leaves it where it is
  data_.prepare(system_, {{"random", 100}, {"same", 50}});
  EXPECT_EQ(&data_.live("random"), live);
  EXPECT_EQ(data_.restoration("random", 0).to, live);
  EXPECT_EQ(data_.restoration("same", 1).from, same.from);
  EXPECT_EQ(device_.allocations, 3);
  EXPECT_EQ(device_.uploads, 1);
}

TEST_F(DeviceDataTest, HasRandomNumbersMadeWhereTheyAreNeeded) {
  data_.prepare(system_, {{"random", 100}});
  for (const std::uint64_t draw : {0, 1}) {
    const Restoration random = data_.restoration("random", draw);
    ASSERT_TRUE(random.random);
    device_.restore(std::span(&random, 1));
    EXPECT_EQ(contents(*random.to), input("random", 100, draw));
  }
  EXPECT_NE(input("random", 100, 0), input("random", 100, 1));
  EXPECT_EQ(device_.allocations, 1);
  EXPECT_EQ(device_.uploads, 0);
}

TEST_F(DeviceDataTest, DropsWhatHasAnotherSize) {
  data_.prepare(system_, {{"same", 50}, {"other", 10}});
  data_.restoration("same", 0);
  data_.restoration("other", 0);
  data_.prepare(system_, {{"same", 51}, {"other", 10}});
  EXPECT_EQ(device_.alive.size(), 2U);
  EXPECT_EQ(data_.live("same").size_bytes(), 204U);
  EXPECT_EQ(contents(*data_.restoration("same", 0).from), input("same", 51, 0));
  data_.restoration("other", 0);
  EXPECT_EQ(device_.uploads, 3);
}

TEST_F(DeviceDataTest, KeepsWhatHasAnotherSizeWhereThereIsMemory) {
  device_.set_memory_bytes(std::int64_t{8} * (2 * 4 * 51 + 2 * 4 * 50));
  data_.prepare(system_, {{"same", 50}});
  const Restoration first = data_.restoration("same", 0);
  data_.prepare(system_, {{"same", 51}});
  EXPECT_EQ(contents(*data_.restoration("same", 0).from), input("same", 51, 0));
  data_.prepare(system_, {{"same", 50}});
  EXPECT_EQ(data_.restoration("same", 0).to, first.to);
  EXPECT_EQ(data_.restoration("same", 0).from, first.from);
  EXPECT_EQ(device_.allocations, 4);
  EXPECT_EQ(device_.uploads, 2);

  data_.prepare(system_, {{"same", 52}});  // what waits is as much as may
  EXPECT_EQ(device_.alive.size(), 4U);
  data_.restoration("same", 0);
  data_.prepare(system_, {{"same", 50}});  // one has to go: what was unused the longest
  EXPECT_EQ(data_.restoration("same", 0).to, first.to);
  EXPECT_EQ(device_.alive.size(), 4U);
  data_.prepare(system_, {{"same", 52}});
  data_.restoration("same", 0);
  EXPECT_EQ(device_.allocations, 6);
}

TEST_F(DeviceDataTest, HasOtherMemoryForTheSameInputsWhereItIsPlacedAnew) {
  data_.prepare(system_, {{"same", 50}, {"other", 10}});
  for (const char* name : {"same", "other"}) data_.restoration(name, 0);
  data_.live("same", 1);
  data_.share("same");
  data_.prepare(system_, {{"same", 50}});
  data_.place_anew();
  data_.prepare(system_, {{"same", 50}});
  const std::vector<std::byte> poisoned(200, kPoison);  // nothing of what was found out
  EXPECT_THAT(device_.left, ElementsAre(poisoned, poisoned));
  EXPECT_EQ(released_, 1);
  EXPECT_EQ(contents(*data_.restoration("same", 0).from), input("same", 50, 0));
  EXPECT_EQ(device_.allocations, 6);
  EXPECT_EQ(device_.uploads, 2);
}

TEST_F(DeviceDataTest, LiesWhereItDidAgainWhenItIsNotPlacedAnew) {
  device_.room = std::size_t{1} << 30;
  const auto before = [&](bool anew) {
    if (anew) data_.place_anew();
    data_.prepare(system_, {{"out", 50}});
    data_.live("out");
    return device_.places.back().before;
  };
  for (int i = 0; i < 10 && before(true) == 0;) ++i;
  ASSERT_GT(device_.places.back().before, 0U);
  EXPECT_EQ(before(false), 0U);
  const int allocations = device_.allocations;
  EXPECT_EQ(before(false), 0U);
  EXPECT_EQ(device_.allocations, allocations);
}

TEST_F(DeviceDataTest, PlacesOnlyTheFirstOfManySetsAnew) {
  device_.room = std::size_t{1} << 30;
  for (int i = 0; i < 5; ++i) {
    data_.place_anew();
    data_.prepare(system_, {{"out", 50}});
    data_.live("out", 3);
    EXPECT_THAT(std::span(device_.places).last(3), testing::Each(Placement{}));
  }
}

TEST_F(DeviceDataTest, BeginsAnywhereWhereItIsPlacedAnew) {
  device_.room = std::size_t{1} << 30;
  std::set<std::size_t> places;
  for (int i = 0; i < 20; ++i) {
    data_.place_anew();
    data_.prepare(system_, {{"same", 50}});
    data_.restoration("same", 0);
    places.insert(
        device_.places.at(device_.places.size() - (i == 0 ? 2 : 1)).before);  // then come inputs, once
  }
  EXPECT_GT(places.size(), 10U);
  for (const std::size_t before : places) EXPECT_EQ(before % 512, 0U);
  EXPECT_LT(*places.rbegin(), DeviceData::kMostBefore);
}

TEST_F(DeviceDataTest, NeedsNoRoomToBePlacedAnewNorThatOfOthers) {
  device_.set_memory_bytes(1 << 20);
  device_.room = 4 * (10 + 2 * 100);
  data_.prepare(system_, {{"same", 10}});
  const Buffer* waits = &data_.live("same");
  for (int i = 0; i < 5; ++i) {
    data_.place_anew();
    data_.prepare(system_, {{"same", 100}});
    EXPECT_EQ(contents(*data_.restoration("same", 0).from), input("same", 100, 0));
    EXPECT_TRUE(device_.alive.contains(waits));
  }
}

TEST_F(DeviceDataTest, ForgetsToPlaceAnewWhatIsDropped) {
  device_.room = std::size_t{1} << 30;
  data_.place_anew();
  data_.drop();
  data_.prepare(system_, {{"same", 100}});
  data_.live("same");
  EXPECT_EQ(device_.places.back().before, 0U);
}

TEST_F(DeviceDataTest, PlacesOnlyMemoryOfAGpuAnew) {
  const std::vector<DeviceData::Wanted> pinned{{"out", 50, {.memory = MemoryKind::pinned}}};
  SmallExecutor cpu(DeviceKind::cpu);
  DeviceData on_cpu(cpu);
  for (int i = 0; i < 2; ++i) {
    data_.prepare(system_, pinned);
    data_.live("out");
    data_.place_anew();
    on_cpu.prepare(system_, {{"same", 50}});
    on_cpu.live("same");
    on_cpu.place_anew();
  }
  EXPECT_EQ(device_.allocations, 1);
  EXPECT_EQ(cpu.allocations, 1);
}

TEST_F(DeviceDataTest, LetsNothingWaitThatWasPlacedAnew) {
  device_.set_memory_bytes(std::int64_t{1} << 30);
  device_.room = std::size_t{1} << 30;
  do {
    data_.place_anew();
    data_.prepare(system_, {{"out", 50}});
    data_.live("out");
  } while (device_.places.back().before == 0 && device_.allocations < 10);
  data_.prepare(system_, {{"out", 51}});
  EXPECT_THAT(device_.alive, IsEmpty());
}

TEST_F(DeviceDataTest, NamesAllThatMayNotBeWrittenBeyond) {
  device_.set_memory_bytes(1 << 20);
  data_.prepare(system_, {{"same", 50}});
  data_.restoration("same", 0);
  data_.prepare(system_, {{"same", 51}});
  data_.live("same");
  std::vector<std::string> names;
  for (const DeviceData::Guarded& one : data_.guarded()) {
    EXPECT_TRUE(device_.alive.contains(one.buffer));
    names.push_back(one.name);
  }
  EXPECT_THAT(names, ElementsAre("buffer 'same'", "buffer 'same' of another problem",
                                 "what buffer 'same' of another problem begins with"));
}

TEST_F(DeviceDataTest, LeavesNothingOfWhatAnotherProblemFoundOut) {
  device_.set_memory_bytes(1 << 20);
  data_.prepare(system_, {{"out", 50}});
  Buffer& result = data_.live("out");
  static_cast<fakes::FakeBuffer&>(result).bytes.assign(200 + fakes::FakeBuffer::kGuard, std::byte{1});
  data_.prepare(system_, {{"out", 51}});
  EXPECT_EQ(contents(result), std::vector<std::byte>(200, kPoison));
}

TEST_F(DeviceDataTest, LetsOnlySoManyWait) {
  device_.set_memory_bytes(1 << 20);
  for (std::size_t count = 1; count <= DeviceData::kMostWaiting + 5; ++count) {
    data_.prepare(system_, {{"out", count}});
    data_.live("out");
  }
  EXPECT_EQ(device_.alive.size(), DeviceData::kMostWaiting + 1);
}

TEST_F(DeviceDataTest, LetsOnlyMemoryOfTheDeviceWait) {
  device_.set_memory_bytes(1 << 20);
  data_.prepare(system_, {{"out", 50, {.memory = MemoryKind::pinned}}});
  data_.live("out");
  data_.prepare(system_, {{"out", 51, {.memory = MemoryKind::pinned}}});
  EXPECT_THAT(device_.alive, IsEmpty());
}

TEST_F(DeviceDataTest, DropsWhatWaitsWhenMemoryRunsOut) {
  device_.set_memory_bytes(1 << 20);
  device_.room = 4 * 250;
  data_.prepare(system_, {{"same", 100}});
  data_.restoration("same", 0);
  data_.prepare(system_, {{"same", 101}});
  data_.restoration("same", 0);
  EXPECT_EQ(device_.alive.size(), 2U);
  EXPECT_TRUE(data_.drop());
  EXPECT_THAT(device_.alive, IsEmpty());
}

TEST_F(DeviceDataTest, MakesInputsAnewWhereTheirAmountsDiffer) {
  system_.buffers.at("same").fill.value = Expression::parse("N");
  const auto first_of = [&](std::int64_t n) {
    data_.prepare(system_, {{"same", 50, {}, {{"N", n}}}});
    std::int32_t first = 0;
    std::memcpy(&first, contents(*data_.restoration("same", 0).from).data(), sizeof first);
    return first;
  };
  EXPECT_EQ(first_of(3), 3);
  EXPECT_EQ(first_of(3), 3);
  EXPECT_EQ(device_.uploads, 1);
  EXPECT_EQ(first_of(4), 4);
  EXPECT_EQ(device_.uploads, 2);
}

TEST_F(DeviceDataTest, DropsEverythingOfAnotherSystem) {
  data_.prepare(system_, {{"same", 50}});
  data_.restoration("same", 0);
  data_.prepare(other_system_, {{"same", 50}});
  EXPECT_THAT(device_.alive, IsEmpty());
  data_.restoration("same", 0);
  EXPECT_EQ(device_.uploads, 2);
}

TEST_F(DeviceDataTest, DropsWhatBelongsToAnotherGpu) {
  data_.prepare(system_, {{"same", 50, {}}});
  data_.restoration("same", 0);
  data_.prepare(system_, {{"same", 50, {2}}});
  EXPECT_THAT(device_.alive, IsEmpty());
  data_.restoration("same", 0);
  EXPECT_THAT(device_.places, ElementsAre(Placement{0}, Placement{0}, Placement{2}, Placement{2}));
}

TEST_F(DeviceDataTest, FillsWhatIsOneByteEverywhereInsteadOfCopyingIt) {
  data_.prepare(system_, {{"zeros", 50}, {"out", 50}});
  const Restoration zeros = data_.restoration("zeros", 1), out = data_.restoration("out", 1);
  EXPECT_EQ(zeros.to, &data_.live("zeros"));
  EXPECT_EQ(zeros.from, nullptr);
  EXPECT_EQ(zeros.byte, std::byte{0});
  EXPECT_EQ(out.to, &data_.live("out"));
  EXPECT_EQ(out.from, nullptr);
  EXPECT_EQ(out.byte, *uniform_byte(system_.buffers.at("out"), 1));
  EXPECT_EQ(device_.uploads, 0);
  EXPECT_EQ(device_.allocations, 2);
}

TEST_F(DeviceDataTest, HasMemoryForEverySetAndDropsAllButTheFirst) {
  data_.prepare(system_, {{"same", 50}});
  const Buffer* first = &data_.live("same");
  const Buffer* third = &data_.live("same", 2);
  EXPECT_NE(first, third);
  EXPECT_EQ(device_.alive.size(), 3U);
  const Restoration of_third = data_.restoration("same", 0, 2);
  EXPECT_EQ(of_third.to, third);
  EXPECT_EQ(of_third.from, data_.restoration("same", 0).from);
  data_.drop_sets();
  EXPECT_EQ(device_.alive.size(), 2U);
  EXPECT_EQ(&data_.live("same"), first);
}

TEST_F(DeviceDataTest, DropsWhatIsNotNeededWhenMemoryRunsOut) {
  device_.room = 4 * 300;
  data_.prepare(system_, {{"same", 100}});
  data_.restoration("same", 0);
  data_.prepare(system_, {{"other", 100}});
  data_.live("other");
  EXPECT_EQ(device_.alive.size(), 3U);
  EXPECT_EQ(contents(*data_.restoration("other", 0).from), input("other", 100, 0));
  EXPECT_EQ(device_.alive.size(), 2U);
  data_.prepare(system_, {{"same", 100}});
  EXPECT_EQ(contents(*data_.restoration("same", 0).from), input("same", 100, 0));
}

TEST_F(DeviceDataTest, FailsWhenEvenThenThereIsTooLittle) {
  device_.room = 4 * 150;
  data_.prepare(system_, {{"same", 100}});
  data_.live("same");
  EXPECT_EQ(fakes::failure_of([&] { data_.restoration("same", 0); }), "out_of_memory: no room");
  EXPECT_EQ(fakes::failure_of([&] { data_.live("same", 1); }), "out_of_memory: no room");
  device_.room = 4 * 150;
  EXPECT_EQ(contents(*data_.restoration("same", 0).from), input("same", 100, 0));
}

TEST_F(DeviceDataTest, CanBeDroppedWhenAKernelMayHaveSpoiledIt) {
  EXPECT_FALSE(data_.drop());
  data_.prepare(system_, {{"same", 100}});
  data_.restoration("same", 0);
  EXPECT_EQ(device_.alive.size(), 2U);
  EXPECT_TRUE(data_.drop());
  EXPECT_TRUE(device_.alive.empty());
  data_.prepare(system_, {{"same", 100}});
  const int uploads = device_.uploads;
  data_.restoration("same", 0);
  EXPECT_EQ(device_.uploads, uploads + 1);
}

TEST_F(DeviceDataTest, TellsBeforeMemoryGoesThatWasShared) {
  {
    DeviceData data(device_, [this] {
      ++released_;
      EXPECT_FALSE(device_.alive.empty());
    });
    data.prepare(system_, {{"same", 50}, {"other", 50}});
    data.live("other");
    EXPECT_THAT(data.share("same"), testing::SizeIs(1));
    data.prepare(system_, {{"same", 50}});
    EXPECT_EQ(released_, 0);
    data.prepare(system_, {{"same", 60}});
    EXPECT_EQ(released_, 1);
    data.live("same");
    data.prepare(system_, {{"same", 70}});
    EXPECT_EQ(released_, 1);
    data.share("same");
  }
  EXPECT_EQ(released_, 2);
}

TEST_F(DeviceDataTest, TellsNothingWhereNothingWasShared) {
  device_.shares = false;
  {
    DeviceData data(device_, [this] { ++released_; });
    data.prepare(system_, {{"same", 50}});
    EXPECT_THAT(data.share("same"), IsEmpty());
    data.prepare(other_system_, {{"same", 60}});
    data.live("same");
  }
  EXPECT_EQ(released_, 0);
}

}  // namespace
}  // namespace tailwave
