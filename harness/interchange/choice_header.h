#pragma once

#include <string>
#include <vector>

#include "interchange/header_fields.h"
#include "interchange/wisdom.h"

namespace tailwave {

// The part of a header that has choose(), which takes a configuration for a problem that was not measured only where that is
// known to be better than the default, as docs/interchange.md describes; it comes after Problem and Configuration.
// Empty where the default is not known.
std::string choice_code(const Wisdom& wisdom, const std::vector<Field>& problem,
                        const std::vector<Field>& parameters);

}  // namespace tailwave
