#include "measure/device_data.h"

#include <algorithm>
#include <utility>

#include "core/outcome.h"

namespace tailwave {

DeviceData::~DeviceData() {
  if (shared_ && before_release_) before_release_();
}

std::size_t DeviceData::bytes_of(const Kept& kept) const {
  return kept.wanted.count * size_bytes(system_->buffers.at(kept.wanted.name).type);
}

void DeviceData::prepare(const System& system, const std::vector<Wanted>& wanted) {
  if (system_ != &system) {
    for (auto& [name, kept] : buffers_) release(kept);
    buffers_.clear();
  }
  system_ = &system;
  for (auto& [name, kept] : buffers_) kept.needed = false;
  for (const Wanted& one : wanted) {
    Input input = input_of(one.name, system.buffers.at(one.name), one.count, one.scope);
    Kept& kept = buffers_[one.name];
    if (kept.input != input) kept.inputs.reset();
    kept.input = std::move(input);
    const auto made = made_.find(one.name);
    MadeInput contents = made == made_.end() ? MadeInput() : made->second;
    if (kept.made.key != contents.key) kept.inputs.reset();
    kept.made = std::move(contents);
    if (kept.wanted.count != one.count || kept.wanted.place != one.place) release(kept);
    kept.wanted = one;
    kept.needed = true;
  }
}

bool DeviceData::drop() {
  const bool had_any = !buffers_.empty();
  for (auto& [name, kept] : buffers_) release(kept);
  buffers_.clear();
  system_ = nullptr;
  return had_any;
}

void DeviceData::release(Kept& kept) {
  if (!kept.live.empty() && std::exchange(shared_, false) && before_release_) before_release_();
  kept.live.clear();
  kept.inputs.reset();
}

std::unique_ptr<Buffer> DeviceData::allocate(const Kept& kept) {
  const auto try_to_allocate = [&] { return device_.allocate_at(kept.wanted.place, bytes_of(kept)); };
  try {
    return try_to_allocate();
  } catch (const Failure& failure) {
    if (failure.outcome() != Outcome::out_of_memory) throw;
  }
  for (auto& [name, other] : buffers_)
    if (!other.needed) release(other);
  return try_to_allocate();
}

Buffer& DeviceData::live(const std::string& name, std::size_t set) {
  Kept& kept = buffers_.at(name);
  while (kept.live.size() <= set) kept.live.push_back(allocate(kept));
  return *kept.live[set];
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

}  // namespace tailwave
