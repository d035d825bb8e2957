#include "core/outcome.h"

#include <array>
#include <utility>

namespace tailwave {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 10> kNames{{
    {Outcome::correct, "correct"},
    {Outcome::compile_error, "compile_error"},
    {Outcome::exceeds_device_limit, "exceeds_device_limit"},
    {Outcome::launch_failed, "launch_failed"},
    {Outcome::illegal_access, "illegal_access"},
    {Outcome::timeout, "timeout"},
    {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::wrong_result, "wrong_result"},
    {Outcome::crashed, "crashed"},
    {Outcome::skipped_identical, "skipped_identical"},
}};

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [value, name] : kNames) {
    if (value == outcome) return name;
  }
  throw std::logic_error("outcome without a name");
}

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace tailwave
