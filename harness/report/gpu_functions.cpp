#include "report/gpu_functions.h"

#include <array>
#include <exception>
#include <string>

#include "core/error.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

std::string text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? "" : text;
}

Occupancy occupancy_of(const DeviceSpec& gpu, sqlite3_value** launch) {
  KernelResources kernel;
  kernel.registers = sqlite3_value_int(launch[1]);
  kernel.static_shared_bytes = sqlite3_value_int64(launch[2]);
  return compute_occupancy(gpu, kernel, {sqlite3_value_int(launch[0]), 1, 1}, 0);
}

void sms(sqlite3_context* context, const DeviceSpec& gpu, sqlite3_value**) {
  sqlite3_result_int(context, gpu.sms);
}
void clock_mhz(sqlite3_context* context, const DeviceSpec& gpu, sqlite3_value**) {
  sqlite3_result_double(context, gpu.clock_mhz);
}
void bandwidth(sqlite3_context* context, const DeviceSpec& gpu, sqlite3_value**) {
  sqlite3_result_double(context, gpu.bandwidth_gb_per_s);
}
void blocks_per_sm(sqlite3_context* context, const DeviceSpec& gpu, sqlite3_value** rest) {
  sqlite3_result_int(context, occupancy_of(gpu, rest).blocks_per_sm);
}
void limiter(sqlite3_context* context, const DeviceSpec& gpu, sqlite3_value** rest) {
  const std::string name = occupancy_of(gpu, rest).limiter;
  sqlite3_result_text(context, name.c_str(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
}
void waves(sqlite3_context* context, const DeviceSpec& gpu, sqlite3_value** rest) {
  const int blocks = occupancy_of(gpu, rest + 1).blocks_per_sm;
  if (blocks > 0) sqlite3_result_double(context, sqlite3_value_double(rest[0]) / blocks / gpu.sms);
}

using Answer = void (*)(sqlite3_context*, const DeviceSpec&, sqlite3_value** rest);

template <Answer answer>
void about_gpu(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;
  try {
    answer(context, find_device(text_of(values[0])), values + 1);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

struct Function {
  const char* name;
  int arguments;
  void (*call)(sqlite3_context*, int, sqlite3_value**);
};

constexpr std::array<Function, 6> kFunctions{{{"gpu_sms", 1, about_gpu<sms>},
                                              {"gpu_clock_mhz", 1, about_gpu<clock_mhz>},
                                              {"gpu_bandwidth", 1, about_gpu<bandwidth>},
                                              {"gpu_blocks_per_sm", 4, about_gpu<blocks_per_sm>},
                                              {"gpu_limiter", 4, about_gpu<limiter>},
                                              {"gpu_waves", 5, about_gpu<waves>}}};

}  // namespace

void add_gpu_functions(sqlite3* database) {
  for (const Function& function : kFunctions)
    if (sqlite3_create_function_v2(database, function.name, function.arguments, kFlags, nullptr,
                                   function.call, nullptr, nullptr, nullptr) != SQLITE_OK)
      throw Error(sqlite3_errmsg(database));
}

}  // namespace tailwave
