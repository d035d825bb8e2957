#include "report/advice_rule.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "occupancy/launch_speed.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

using Arguments = std::array<std::int64_t, 4>;

// Those that are integers above 0; none if one is not.
std::optional<Arguments> positive(int count, sqlite3_value** values, int first = 0) {
  Arguments numbers{};
  for (int i = first; i < count; ++i) {
    auto& number = numbers.at(static_cast<std::size_t>(i));
    number = sqlite3_value_int64(values[i]);
    if (sqlite3_value_numeric_type(values[i]) == SQLITE_NULL || number <= 0) return std::nullopt;
  }
  return numbers;
}

void sql_wave_balance(sqlite3_context* context, int count, sqlite3_value** values) {
  if (const auto given = positive(count, values))
    sqlite3_result_double(context, wave_balance({(*given)[0], 1, (*given)[1], (*given)[2]}));
}

void sql_latency_hiding(sqlite3_context* context, int count, sqlite3_value** values) {
  if (const auto given = positive(count, values))
    sqlite3_result_double(context, latency_hiding({(*given)[0], (*given)[1], (*given)[2], (*given)[3]}));
}

// Of "h200:64", a part, the whole: an SM holds the same.
const DeviceSpec* known_device(std::string_view name) {
  const std::string_view whole = name.substr(0, name.find(':'));
  for (const DeviceSpec& device : known_devices())
    if (device.name == whole || device.title == name) return &device;
  return nullptr;
}

// No shared memory is an argument like others.
void sql_occupancy_blocks(sqlite3_context* context, int count, sqlite3_value** values) try {
  const auto* name = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const DeviceSpec* device = name == nullptr ? nullptr : known_device(name);
  const std::int64_t shared_bytes = sqlite3_value_int64(values[2]);
  const std::int64_t registers = sqlite3_value_int64(values[1]);
  const auto block = positive(count, values, 3);
  if (device == nullptr || !block || registers <= 0 || !occupancy_available(*device)) return;
  const KernelResources kernel{.kernel = "", .registers = static_cast<int>(registers)};
  sqlite3_result_int64(context,
                       compute_occupancy(*device, kernel, {(*block)[3]}, shared_bytes).blocks_per_sm);
} catch (const Error& error) {
  sqlite3_result_error(context, error.what(), -1);
}

struct ScalarFunction {
  const char* name;
  int arguments;
  void (*call)(sqlite3_context*, int, sqlite3_value**);
};

constexpr std::array<ScalarFunction, 3> kAdviceFunctions{{{"wave_balance", 3, sql_wave_balance},
                                                          {"latency_hiding", 4, sql_latency_hiding},
                                                          {"occupancy_blocks", 4, sql_occupancy_blocks}}};

// To add them again would have SQLite prepare every statement of the connection again.
bool has_advice_functions(sqlite3* database) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v2(database, "SELECT wave_balance(1, 1, 1)", -1, &statement, nullptr);
  sqlite3_finalize(statement);
  return result == SQLITE_OK;
}

}  // namespace

void add_advice_functions(sqlite3* database) {
  if (has_advice_functions(database)) return;
  for (const ScalarFunction& function : kAdviceFunctions) {
    const int result = sqlite3_create_function_v2(database, function.name, function.arguments,
                                                  SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                                  nullptr, function.call, nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
  }
}

}  // namespace tailwave
