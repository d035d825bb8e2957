#pragma once

#include <string>

#include "core/error.h"

namespace tailwave::samples {

// What the Error says that the action throws.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tailwave::samples
