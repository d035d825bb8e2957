#ifdef TAILWAVE_WITH_CUPTI
#include "device/cuda/activity_recorder.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "core/outcome.h"

namespace tailwave {
namespace {

// A copy between two GPUs is of a kind of its own.
constexpr std::array kRecorded{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                               CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

// These, which CUDA 12.6 has, too: later ones only grew at the end.
using KernelActivity = CUpti_ActivityKernel9;
using CopyActivity = CUpti_ActivityMemcpy5;
using PeerCopyActivity = CUpti_ActivityMemcpyPtoP4;
using FillActivity = CUpti_ActivityMemset4;

#if CUPTI_API_VERSION >= 130000
template <class One, class Other>
constexpr bool kAlike = offsetof(One, start) == offsetof(Other, start) &&
                        offsetof(One, end) == offsetof(Other, end) &&
                        offsetof(One, deviceId) == offsetof(Other, deviceId) &&
                        offsetof(One, contextId) == offsetof(Other, contextId) &&
                        offsetof(One, streamId) == offsetof(Other, streamId) &&
                        offsetof(One, correlationId) == offsetof(Other, correlationId);
static_assert(kAlike<KernelActivity, CUpti_ActivityKernel10> &&
              offsetof(KernelActivity, gridX) == offsetof(CUpti_ActivityKernel10, gridX) &&
              offsetof(KernelActivity, blockX) == offsetof(CUpti_ActivityKernel10, blockX) &&
              offsetof(KernelActivity, name) == offsetof(CUpti_ActivityKernel10, name));
static_assert(kAlike<CopyActivity, CUpti_ActivityMemcpy6> &&
              offsetof(CopyActivity, copyKind) == offsetof(CUpti_ActivityMemcpy6, copyKind) &&
              offsetof(CopyActivity, bytes) == offsetof(CUpti_ActivityMemcpy6, bytes));
#endif

// CUPTI's versions were small numbers before CUDA 13, and are its release since.
constexpr std::uint32_t kFirstUnknownVersion = 140'000;

const char* name_of_copy(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "device to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "host to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "GPU to GPU";
    default:
      return "copy";
  }
}

// What all records have. CUPTI gives a stream a number in its context.
template <class Record>
Activity activity_of(ActivityKind kind, const Record& record, int ordinal) {
  return {.kind = kind,
          .name = {},
          .gpu = static_cast<int>(record.deviceId) - ordinal,
          .stream = std::uint64_t{record.contextId} << 32 | record.streamId,
          .order = record.correlationId,
          .grid = {},
          .block = {},
          .begin_ns = static_cast<std::int64_t>(record.start),
          .end_ns = static_cast<std::int64_t>(record.end)};
}

Activity kernel_activity(const KernelActivity& record, int ordinal) {
  Activity done = activity_of(ActivityKind::kernel, record, ordinal);
  if (record.name != nullptr) done.name = record.name;
  done.grid = {record.gridX, record.gridY, record.gridZ};
  done.block = {record.blockX, record.blockY, record.blockZ};
  return done;
}

template <class Copy>
Activity copy_activity(const Copy& record, int ordinal) {
  Activity done = activity_of(ActivityKind::copy, record, ordinal);
  done.name = name_of_copy(record.copyKind);
  done.bytes = static_cast<std::int64_t>(record.bytes);
  return done;
}

Activity fill_activity(const FillActivity& record, int ordinal) {
  Activity done = activity_of(ActivityKind::fill, record, ordinal);
  done.name = "fill";
  done.bytes = static_cast<std::int64_t>(record.bytes);
  return done;
}

// What CUPTI hands over. It calls from threads of its own and with nothing of ours, so that this is the process's. It may
// do so while the process ends, so that nothing destroys it.
struct Received {
  std::mutex mutex;
  const CuptiApi* cupti = nullptr;  // null: what comes is not wanted
  int ordinal = 0;
  std::vector<Activity> activities;
  std::size_t lost = 0;  // records without a time, and those that found no memory

  static Received& here() {
    static auto* const one = new Received;
    return *one;
  }

  // The mutex is the caller's.
  void add(const CUpti_Activity* record) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      case CUPTI_ACTIVITY_KIND_KERNEL:
        return add(kernel_activity(*reinterpret_cast<const KernelActivity*>(record), ordinal));
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        return add(copy_activity(*reinterpret_cast<const CopyActivity*>(record), ordinal));
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return add(copy_activity(*reinterpret_cast<const PeerCopyActivity*>(record), ordinal));
      case CUPTI_ACTIVITY_KIND_MEMSET:
        return add(fill_activity(*reinterpret_cast<const FillActivity*>(record), ordinal));
      default:
        return;
    }
  }

 private:
  // CUPTI writes 0 where it does not know a time.
  void add(Activity done) {
    if (done.begin_ns == 0 || done.end_ns < done.begin_ns)
      ++lost;
    else
      activities.push_back(std::move(done));
  }
};

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::malloc(kBytes));
  *bytes = *buffer == nullptr ? 0 : kBytes;
  *most_records = 0;  // as many as there is room for
}

struct FreeBuffer {
  void operator()(std::uint8_t* buffer) const noexcept { std::free(buffer); }
};

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                          std::size_t /*bytes*/, std::size_t valid_bytes) {
  const std::unique_ptr<std::uint8_t, FreeBuffer> owner(buffer);
  Received& received = Received::here();
  const std::scoped_lock lock(received.mutex);
  if (received.cupti == nullptr) return;
  CUpti_Activity* record = nullptr;
  while (received.cupti->activity_next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    try {
      received.add(record);
    } catch (const std::bad_alloc&) {
      ++received.lost;
    }
  }
}

void require_recording(const CuptiApi& cupti, CUptiResult result, const char* doing) {
  if (result != CUPTI_SUCCESS) throw Failure(Outcome::launch_failed, obstacle_text(cupti, result, doing));
}

// As long as this lives, what CUPTI records is received.
class Recording {
 public:
  Recording(const CuptiApi& cupti, int ordinal) : cupti_(cupti) {
    require_recording(cupti, cupti.activity_callbacks(give_buffer, take_buffer), "preparing to record");
    cupti.activity_flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);  // what a recording left that ended early
    receive(&cupti, ordinal);
    for (const CUpti_ActivityKind kind : kRecorded) {
      const CUptiResult result = cupti.activity_enable(kind);
      if (result == CUPTI_SUCCESS) continue;
      end();
      require_recording(cupti, result, "starting to record");
    }
  }
  ~Recording() { end(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // All so far, of a device that is idle.
  std::vector<Activity> take() {
    require_recording(cupti_, cupti_.activity_flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "reading the records");
    std::size_t dropped = 0;
    require_recording(cupti_, cupti_.activity_dropped(nullptr, 0, &dropped), "reading the records");
    Received& received = Received::here();
    const std::scoped_lock lock(received.mutex);
    if (const std::size_t lost = dropped + received.lost; lost > 0)
      throw Failure(
          Outcome::launch_failed,
          describe_obstacle(CounterObstacle::failed, fmt::format("CUPTI lost {} of {} records", lost,
                                                                 lost + received.activities.size())));
    return std::exchange(received.activities, {});
  }

 private:
  static void receive(const CuptiApi* cupti, int ordinal) {
    Received& received = Received::here();
    const std::scoped_lock lock(received.mutex);
    received.cupti = cupti;
    received.ordinal = ordinal;
    received.activities.clear();
    received.lost = 0;
  }

  // Those too that were not enabled: CUPTI takes no offence.
  void end() const noexcept {
    for (const CUpti_ActivityKind kind : kRecorded) cupti_.activity_disable(kind);
    receive(nullptr, 0);
  }

  const CuptiApi& cupti_;
};

}  // namespace

std::vector<Activity> record_activities(const CuptiApi& cupti, int ordinal,
                                        const std::function<void()>& work) {
  std::uint32_t version = 0;
  require_recording(cupti, cupti.version(&version), "asking for CUPTI's version");
  if (version >= kFirstUnknownVersion)
    throw Failure(Outcome::launch_failed,
                  describe_obstacle(CounterObstacle::not_supported,
                                    fmt::format("activity records of CUPTI {} are not known", version)));
  Recording recording(cupti, ordinal);
  work();
  return recording.take();
}

}  // namespace tailwave
#endif
