#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/host_copies.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tailwave {
namespace {

// Copies to pinned memory take a third of the time of those to other memory, on an H100.
constexpr std::size_t kStagingBytes = std::size_t{4} << 20;
constexpr std::size_t kZonesBytes = 2 * CudaBuffer::kGuardBytes;
constexpr std::size_t kLargestPiece = std::size_t{32} << 20;
constexpr auto kUploading = "copying to the device", kReading = "copying from the device";

const CudaBuffer& entered(const Buffer& buffer) {
  const auto& own = dynamic_cast<const CudaBuffer&>(buffer);
  own.context().enter();
  return own;
}

// Pinned memory that is handed out from its beginning.
class Staging {
 public:
  explicit Staging(std::byte* begin) : next_(begin) {}

  // Null where there is no room for so much.
  std::byte* take(std::size_t size_bytes) {
    if (size_bytes > left_) return nullptr;
    left_ -= size_bytes;
    return std::exchange(next_, next_ + size_bytes);
  }

 private:
  std::byte* next_;
  std::size_t left_ = kStagingBytes;
};

}  // namespace

HostCopies::HostCopies(std::shared_ptr<Context> context, CUstream stream)
    : context_(std::move(context)),
      stream_(stream),
      staging_(make_mapped_memory(context_, kStagingBytes + kZonesBytes)) {}

// One half of pinned memory is filled while the other is copied.
void HostCopies::upload(const CudaBuffer& to, const Executor::Produce& produce) const {
  const std::size_t piece_bytes = std::min(kLargestPiece, to.size_bytes());
  const std::size_t halves = to.size_bytes() > piece_bytes ? 2 : 1;
  const HostMemory pinned = make_mapped_memory(context_, std::max<std::size_t>(1, halves * piece_bytes));
  const std::array<Event, 2> copied{make_event(to.shared_context(), CU_EVENT_DISABLE_TIMING),
                                    make_event(to.shared_context(), CU_EVENT_DISABLE_TIMING)};
  std::size_t half = 0;
  for (std::size_t offset = 0; offset < to.size_bytes(); offset += piece_bytes, half = (half + 1) % halves) {
    std::byte* const from = static_cast<std::byte*>(pinned.get()) + half * piece_bytes;
    const std::size_t size_bytes = std::min(piece_bytes, to.size_bytes() - offset);
    context_->check(api().event_synchronize(copied[half].get()), kUploading);
    produce(offset, {from, size_bytes});
    to.context().enter();
    context_->check(
        api().copy(to.address() + offset, reinterpret_cast<CUdeviceptr>(from), size_bytes, to.stream()),
        kUploading);
    context_->check(api().event_record(copied[half].get(), to.stream()), kUploading);
  }
  wait_for(to.stream(), kUploading);
}

// What is small is queued, and waited for once.
std::vector<std::string> HostCopies::read(const Reading& reading) const {
  Staging staging(static_cast<std::byte*>(staging_.get()));
  std::byte* const zones_at_once = static_cast<std::byte*>(staging_.get()) + kStagingBytes;
  const auto room_for = [&](const CudaBuffer& buffer, std::size_t size_bytes) {
    return buffer.stream() == stream_ ? staging.take(size_bytes) : nullptr;
  };

  // Where each will lie; null for what is read at once.
  std::vector<const std::byte*> zones, contents;
  std::vector<std::string> damage;
  for (const Buffer* buffer : reading.guarded) {
    const CudaBuffer& from = entered(*buffer);
    std::byte* const to = room_for(from, kZonesBytes);
    zones.push_back(to);
    from.read_guards(to != nullptr ? to : zones_at_once);
    if (to == nullptr) wait_for(from.stream(), "reading the guard zones");
    damage.push_back(to != nullptr ? "" : CudaBuffer::damage_in(zones_at_once, from.size_bytes()));
  }
  for (const auto& [buffer, wanted] : reading.contents) {
    require_same_size(buffer->size_bytes(), wanted.size());
    const CudaBuffer& from = entered(*buffer);
    std::byte* const to = room_for(from, wanted.size());
    contents.push_back(to);
    const auto place = reinterpret_cast<CUdeviceptr>(to != nullptr ? to : wanted.data());
    context_->check(api().copy(place, from.address(), wanted.size(), from.stream()), kReading);
    if (to == nullptr) wait_for(from.stream(), kReading);
  }
  context_->enter();
  wait_for(stream_, kReading);

  for (std::size_t i = 0; i < zones.size(); ++i)
    if (zones[i] != nullptr) damage[i] = CudaBuffer::damage_in(zones[i], reading.guarded[i]->size_bytes());
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::span<std::byte> to = reading.contents[i].second;
    if (contents[i] != nullptr && !to.empty()) std::memcpy(to.data(), contents[i], to.size());
  }
  return damage;
}

void HostCopies::wait_for(CUstream stream, const char* doing) const {
  context_->check(api().stream_synchronize(stream), doing);
}

}  // namespace tailwave
#endif
