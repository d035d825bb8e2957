#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/members.h"
#include "device/blob.h"

namespace tailwave {

// What a function of the host made of a buffer; equal keys, equal contents.
struct MadeInput {
  std::string key;
  Blob contents;

  static constexpr auto members() {
    return std::tuple{member("key", &MadeInput::key), member("contents", &MadeInput::contents)};
  }
};
using MadeInputs = std::map<std::string, MadeInput>;  // by buffer

}  // namespace tailwave
