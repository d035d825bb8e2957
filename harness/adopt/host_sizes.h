#pragma once

#include <optional>
#include <string>

#include "adopt/draft.h"

namespace tailwave {

// What scalars of the host's code are made of.
class HostSizes {
 public:
  explicit HostSizes(Draft& draft) : draft_(draft) {}

  // What a term is declared with, where that is a variable: other names for it, parameters of functions and casts followed.
  [[nodiscard]] HostTerm source_of(const CTerm& term, std::size_t place) const;
  // Whether it is computed from variables that are sizes, or could be, be it in a way that cannot be read.
  bool has_sizes(const HostTerm& source);
  // Of a quotient without a remainder of a variable that no kernel asks for: a quantity of that name, of which the variable
  // becomes a multiple, so that no size of the problem leaves a remainder.
  std::optional<Polynomial> quotient(const HostTerm& source, const std::string& name, ScalarType type);
  // Its value, with a quantity for each variable that is a number.
  std::optional<Polynomial> derived(const HostTerm& source);

 private:
  std::optional<Polynomial> divisor(const CTerm& term, const std::string& op, std::size_t place);

  Draft& draft_;
};

}  // namespace tailwave
