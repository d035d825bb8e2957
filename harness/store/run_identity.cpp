#include "store/run_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <random>

#include "core/hash.h"

namespace tailwave {
namespace {

constexpr std::size_t kOrderDigits = 12, kOtherDigits = 20;

std::int64_t milliseconds_of(const std::string& time) {
  constexpr std::int64_t kPerSecond = 1000;
  std::tm parts{};
  if (strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return 0;
  return std::max<std::int64_t>(0, timegm(&parts)) * kPerSecond;
}

std::int64_t order_of(const std::string& identity) {
  constexpr int kBase = 16;
  std::int64_t order = -1;
  std::from_chars(identity.data(), identity.data() + std::min(kOrderDigits, identity.size()), order, kBase);
  return order;
}

std::string random_digits() {
  std::random_device device;
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += std::to_string(device()) + ' ';
  return content_hash(bytes).substr(0, kOtherDigits);
}

std::string identity(std::int64_t order, const std::string& others) {
  return fmt::format("{:0{}x}{}", order, kOrderDigits, others);
}

}  // namespace

bool is_run_identity(std::string_view text) {
  return text.size() == kOrderDigits + kOtherDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string new_run_identity(const std::string& started_at, const std::string& after) {
  return identity(std::max(milliseconds_of(started_at), order_of(after) + 1), random_digits());
}

std::string new_run_identity(Database& database, const std::string& started_at) {
  Statement latest = database.prepare("SELECT coalesce(max(identity), '') FROM run");
  latest.step();
  return new_run_identity(started_at, latest.text(0));
}

std::string recorded_run_identity(Database& database, const std::string& started_at,
                                  const std::string& facts) {
  const std::int64_t order = milliseconds_of(started_at);
  std::string known = identity(order, content_hash(facts).substr(0, kOtherDigits));
  Statement statement = database.prepare("SELECT 1 FROM run WHERE identity = ?");
  return statement.bind_all(known).step() ? identity(order, random_digits()) : known;
}

}  // namespace tailwave
