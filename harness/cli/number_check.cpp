#include "cli/number_check.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

namespace tailwave {
namespace {

template <class Number>
ValueCheck number_check(Number least, Number most, const std::string& range, const std::string& wanted) {
  const auto check = [least, most, wanted](const std::string& text) {
    Number number{};
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (end == last && error == std::errc::result_out_of_range && text.front() != '-')
      return fmt::format("a number up to {}", most);
    const bool good = error == std::errc{} && end == last && number >= least && number <= most;
    return good ? std::string() : wanted;
  };
  return {check, range};
}

}  // namespace

ValueCheck whole_number(std::int64_t least, std::int64_t most) {
  if (most == std::numeric_limits<std::int64_t>::max()) {
    const std::string range = fmt::format("{} or more", least);
    return number_check(least, most, range, "a whole number, " + range);
  }
  const std::string range = fmt::format("{} to {}", least, most);
  return number_check(least, most, range, "a whole number from " + range);
}

ValueCheck finite_number(double least, double most) {
  const std::string range = fmt::format("{:g} to {:g}", least, most);
  return number_check(least, most, range, "a number from " + range);
}

}  // namespace tailwave
