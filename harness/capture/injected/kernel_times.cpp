#include "capture/injected/kernel_times.h"

#include <cupti_activity.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "capture/injected/api.h"
#include "capture/injected/json_text.h"

namespace tailwave::injected {
namespace {

// Later records only grew at the end (device/cuda/activity_recorder.cpp).
using KernelActivity = CUpti_ActivityKernel9;

struct Shape {
  std::string kernel;
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;  // dynamic

  bool operator<(const Shape& other) const {
    return std::tie(kernel, grid, block, shared_bytes) <
           std::tie(other.kernel, other.grid, other.block, other.shared_bytes);
  }
};

struct Times {
  std::uint64_t launches = 0, total_ns = 0;
  std::vector<std::uint64_t> first;  // of the first launches, in nanoseconds
};
constexpr std::size_t kMostKept = 1000;

// CUPTI calls from threads of its own, also while the process ends, so that nothing destroys it.
struct Recorded {
  std::mutex mutex;
  std::map<Shape, Times> times;

  static Recorded& here() {
    static auto* const one = new Recorded;
    return *one;
  }

  void add(const KernelActivity& record) {
    if (record.name == nullptr || record.start == 0 || record.end < record.start) return;
    const auto extents = [](int x, int y, int z) {
      return std::array{static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
    };
    Times& one = times[{record.name, extents(record.gridX, record.gridY, record.gridZ),
                        extents(record.blockX, record.blockY, record.blockZ),
                        static_cast<unsigned>(record.dynamicSharedMemory)}];
    ++one.launches;
    one.total_ns += record.end - record.start;
    if (one.first.size() < kMostKept) one.first.push_back(record.end - record.start);
  }
};

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr std::size_t kAlignment = 8;

void CUPTIAPI hand_out(uint8_t** buffer, size_t* bytes, size_t* records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;
}

void CUPTIAPI take_back(CUcontext /*context*/, uint32_t /*stream*/, uint8_t* buffer, size_t /*bytes*/,
                        size_t valid) {
  Recorded& recorded = Recorded::here();
  const std::lock_guard lock(recorded.mutex);
  CUpti_Activity* record = nullptr;
  while (Api::here().cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      recorded.add(*reinterpret_cast<const KernelActivity*>(record));
  std::free(buffer);  // NOLINT(cppcoreguidelines-no-malloc)
}

const char* text_of(CUptiResult result) {
  const char* text = nullptr;
  Api::here().cuptiGetResultString(result, &text);
  return text == nullptr ? "CUPTI refuses" : text;
}

std::string line_of(const Shape& shape, const Times& times) {
  std::string line = "{\"kernel\": " + json_text(shape.kernel) + ", \"grid\": " + list_of(shape.grid) +
                     ", \"block\": " + list_of(shape.block) +
                     ", \"dynamic_shared_bytes\": " + std::to_string(shape.shared_bytes) +
                     ", \"launches\": " + std::to_string(times.launches) +
                     ", \"total_ns\": " + std::to_string(times.total_ns) + ", \"first_ns\": [";
  for (std::size_t i = 0; i < times.first.size(); ++i)
    line += (i == 0 ? "" : ", ") + std::to_string(times.first[i]);
  return line + "]}";
}

}  // namespace

const char* begin_kernel_times() {
  const Api& api = Api::here();
  for (const CUptiResult result : {api.cuptiActivityRegisterCallbacks(hand_out, take_back),
                                   api.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)})
    if (result != CUPTI_SUCCESS) return text_of(result);
  return nullptr;
}

void write_kernel_times(const std::filesystem::path& file) {
  Api::here().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  Recorded& recorded = Recorded::here();
  const std::lock_guard lock(recorded.mutex);
  const std::filesystem::path part = file.string() + ".part";
  std::FILE* const out = std::fopen(part.c_str(), "w");
  if (out == nullptr) return;
  std::fputs("[", out);
  const char* before = "\n";
  for (const auto& [shape, times] : recorded.times) {
    std::fprintf(out, "%s%s", before, line_of(shape, times).c_str());
    before = ",\n";
  }
  std::fputs("\n]\n", out);
  std::error_code ignored;
  if (std::fclose(out) == 0) std::filesystem::rename(part, file, ignored);
}

}  // namespace tailwave::injected
