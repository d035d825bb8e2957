#include "cli/stored_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "core/device_kind.h"
#include "core/error.h"
#include "occupancy/device_spec.h"
#include "store/contents.h"

namespace tailwave {
namespace {

// What --target calls a device; "" for one that occupancy/devices.json lacks. "sm_90" names no device.
std::string short_name(const std::string& device) {
  if (device.starts_with("sm_")) return "";
  try {
    return find_device(device).name;
  } catch (const Error&) {
    return "";
  }
}

// "NVIDIA H200" -> "nvidiah200".
std::string plain(const std::string& text) {
  std::string letters;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) != 0) letters += static_cast<char>(std::tolower(byte));
  }
  return letters;
}

template <class Meant>
std::vector<std::string> those_of(const std::vector<std::string>& names, Meant is_meant) {
  std::vector<std::string> meant;
  std::copy_if(names.begin(), names.end(), std::back_inserter(meant), is_meant);
  return meant;
}

}  // namespace

std::string stored_device(Database& database, const std::string& wanted) {
  const std::vector<std::string> names = devices_that_ran(database);
  const bool is_name = std::find(names.begin(), names.end(), wanted) != names.end();
  if (names.empty() || is_name || find_enum<DeviceKind>(wanted)) return wanted;
  std::vector<std::string> meant;
  if (const std::string known = short_name(wanted); !known.empty())
    meant = those_of(names, [&](const std::string& name) { return short_name(name) == known; });
  if (const std::string part = plain(wanted); meant.empty() && !part.empty())
    meant =
        those_of(names, [&](const std::string& name) { return plain(name).find(part) != std::string::npos; });
  if (meant.size() == 1) return meant.front();
  Diagnostic diagnostic{.file = database.file().string()};
  if (meant.empty()) {
    diagnostic.cause = fmt::format("no device '{}'", wanted);
    diagnostic.hint = fmt::format("it has results of: {}", fmt::join(names, ", "));
  } else {
    diagnostic.cause = fmt::format("several devices are called '{}'", wanted);
    diagnostic.hint = fmt::format("name one of them: {}", fmt::join(meant, ", "));
  }
  throw Error(diagnostic);
}

}  // namespace tailwave
