#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "core/members.h"

namespace tailwave {

// One thing that `tailwave selftest` found out about the instrument.
struct Check {
  std::string name;      // of the self-test: "known_duration"
  std::string quantity;  // what `value` is: "20 us: floor-corrected error"
  std::string unit;
  std::string expectation;      // "within 0.5 us"; empty: the row only informs
  std::string detail;           // what the value was made of, or why there is none
  std::optional<double> value;  // none: it could not be measured
  std::optional<bool> passed;   // none: it only informs, or does not apply here

  static constexpr auto members() {
    return std::tuple{member("name", &Check::name),
                      member("quantity", &Check::quantity),
                      member<kMayBeAbsent>("unit", &Check::unit),
                      member<kMayBeAbsent>("expectation", &Check::expectation),
                      member<kMayBeAbsent>("detail", &Check::detail),
                      member("value", &Check::value),
                      member("passed", &Check::passed)};
  }
};

}  // namespace tailwave
