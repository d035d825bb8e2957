#include "measure/device_data.h"

#include <algorithm>
#include <utility>

#include "core/outcome.h"
#include "core/random.h"
#include "measure/draw.h"

namespace tailwave {

DeviceData::~DeviceData() {
  if (shared_ && before_release_) before_release_();
}

std::size_t DeviceData::bytes_of(const Kept& kept) const {
  return kept.wanted.count * size_bytes(system_->buffers.at(kept.wanted.name).type);
}

void DeviceData::prepare(const System& system, const std::vector<Wanted>& wanted) {
  if (system_ != &system) release_all();
  system_ = &system;
  for (auto& [name, kept] : buffers_) kept.needed = false;
  for (const Wanted& one : wanted) {
    Input input = input_of(one.name, system.buffers.at(one.name), one.count, one.scope);
    Kept& kept = find(one);
    if (kept.input != input) kept.inputs.reset();
    kept.input = std::move(input);
    const auto made = made_.find(one.name);
    MadeInput contents = made == made_.end() ? MadeInput() : made->second;
    if (kept.made.key != contents.key) kept.inputs.reset();
    kept.made = std::move(contents);
    kept.wanted = one;
    kept.needed = true;
    place(kept);
  }
  places_anew_ = false;
  constexpr std::int64_t kPart = 8;
  release_waiting(static_cast<std::size_t>(device_.description().memory_bytes / kPart));
}

DeviceData::Kept& DeviceData::find(const Wanted& wanted) {
  const auto fits = [&](const Kept& kept) {
    return kept.wanted.name == wanted.name && kept.wanted.count == wanted.count &&
           kept.wanted.place == wanted.place;
  };
  const auto known = buffers_.find(wanted.name);
  if (known != buffers_.end() && fits(known->second)) return known->second;
  if (known != buffers_.end()) let_wait(std::exchange(known->second, {}));
  Kept& kept = buffers_[wanted.name];
  if (const auto found = std::ranges::find_if(waiting_, fits); found != waiting_.end()) {
    kept = std::move(*found);
    waiting_.erase(found);
  }
  return kept;
}

void DeviceData::let_wait(Kept kept) {
  if (kept.wanted.place.memory != MemoryKind::device) return release(kept);
  if (kept.live.size() > 1) kept.live.resize(1);
  kept.made.contents = {};
  poison(kept);
  if (kept.before > 0) release_live(kept);  // nobody wants it there again
  if (!kept.live.empty() || kept.inputs) waiting_.push_front(std::move(kept));
}

void DeviceData::place(Kept& kept) {
  constexpr std::uint32_t kStep = 512;
  const bool places_anew = places_anew_ && device_.description().kind == DeviceKind::cuda &&
                           kept.wanted.place.memory == MemoryKind::device;
  if (!places_anew && kept.before == 0) return;
  poison(kept);
  release_live(kept);
  kept.before = places_anew ? Generator(random_draw()).below(kMostBefore / kStep) * kStep : 0;
}

// What kernels left there is what others are to find out.
void DeviceData::poison(const Kept& kept) {
  for (const auto& buffer : kept.live) {
    const Restoration poisoned{.to = buffer.get(), .byte = kPoison};
    device_.restore(std::span(&poisoned, 1));
  }
}

void DeviceData::release_waiting(std::size_t most_bytes) {
  const auto held_by = [this](const Kept& kept) {
    return bytes_of(kept) * (kept.live.size() + (kept.inputs ? 1 : 0));
  };
  std::size_t bytes = 0;
  for (const Kept& kept : waiting_) bytes += held_by(kept);
  while (bytes > most_bytes || waiting_.size() > kMostWaiting) {
    Kept& oldest = waiting_.back();
    bytes -= held_by(oldest);
    release(oldest);
    waiting_.pop_back();
  }
}

bool DeviceData::drop() {
  const bool had_any = !buffers_.empty() || !waiting_.empty();
  release_all();
  places_anew_ = false;
  system_ = nullptr;
  return had_any;
}

void DeviceData::release_all() {
  for (auto& [name, kept] : buffers_) release(kept);
  for (Kept& kept : waiting_) release(kept);
  buffers_.clear();
  waiting_.clear();
}

void DeviceData::release(Kept& kept) {
  release_live(kept);
  kept.inputs.reset();
}

void DeviceData::release_live(Kept& kept) {
  if (!kept.live.empty() && std::exchange(shared_, false) && before_release_) before_release_();
  kept.live.clear();
}

std::unique_ptr<Buffer> DeviceData::allocate(const Kept& kept, std::size_t before) {
  const auto try_behind = [&](std::size_t unused) -> std::unique_ptr<Buffer> {
    Placement place = kept.wanted.place;
    place.before = unused;
    try {
      return device_.allocate_at(place, bytes_of(kept));
    } catch (const Failure& failure) {
      if (failure.outcome() != Outcome::out_of_memory) throw;
      return nullptr;
    }
  };
  std::unique_ptr<Buffer> made = try_behind(before);
  if (!made && before > 0) made = try_behind(0);
  if (made) return made;
  release_waiting(0);
  for (auto& [name, other] : buffers_)
    if (!other.needed) release(other);
  return device_.allocate_at(kept.wanted.place, bytes_of(kept));
}

Buffer& DeviceData::live(const std::string& name, std::size_t set) {
  Kept& kept = buffers_.at(name);
  while (kept.live.size() <= set) kept.live.push_back(allocate(kept, kept.live.empty() ? kept.before : 0));
  return *kept.live[set];
}

void DeviceData::use_pes(int pes) {
  if (pes == device_.pes()) return;
  drop();
  device_.use_pes(pes);
}

void DeviceData::drop_sets() {
  for (auto& [name, kept] : buffers_)
    if (kept.live.size() > 1) kept.live.resize(1);
}

Restoration DeviceData::restoration(const std::string& name, std::uint64_t draw, std::size_t set) {
  Kept& kept = buffers_.at(name);
  const BufferSpec& spec = system_->buffers.at(name);
  Restoration restoration{.to = &live(name, set)};
  if (const auto byte = uniform_byte(spec, draw)) {
    restoration.byte = *byte;
    return restoration;
  }
  restoration.random = random_fill(kept.input, draw);
  if (restoration.random) return restoration;
  const bool by_function = spec.fill.kind == Fill::Kind::function;
  if (by_function && kept.wanted.is_made) {
    restoration.byte = kPoison;
    return restoration;
  }
  if (by_function && kept.made.contents.bytes().size() != bytes_of(kept))
    throw Failure(Outcome::launch_failed, "nothing was made to fill the buffer '" + name + "' with");
  if (!kept.inputs) {
    std::unique_ptr<Buffer> made = allocate(kept);
    device_.upload(*made, [&](std::size_t offset, std::span<std::byte> piece) {
      if (by_function) {
        const auto from = kept.made.contents.bytes().subspan(offset, piece.size());
        std::copy(from.begin(), from.end(), piece.begin());
        return;
      }
      make_input(kept.input, draw, offset / size_bytes(spec.type), piece);
    });
    kept.inputs = std::move(made);
  }
  restoration.from = kept.inputs.get();
  return restoration;
}

std::vector<std::byte> DeviceData::share(const std::string& name) {
  std::vector<std::byte> handle = device_.share(live(name));
  shared_ = shared_ || !handle.empty();
  return handle;
}

std::vector<DeviceData::Guarded> DeviceData::guarded() const {
  std::vector<Guarded> all;
  const auto add = [&](const Kept& kept, const std::string& of) {
    const std::string name = "buffer '" + kept.wanted.name + "'" + of;
    for (const auto& buffer : kept.live) all.push_back({buffer.get(), name});
    if (kept.inputs) all.push_back({kept.inputs.get(), "what " + name + " begins with"});
  };
  for (const auto& [name, kept] : buffers_) add(kept, kept.needed ? "" : " of another variant");
  for (const Kept& kept : waiting_) add(kept, " of another problem");
  return all;
}

}  // namespace tailwave
