#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/value.h"

namespace tailwave {

// What is needed of the spec of a stored run. Files that were imported may say anything: what is no JSON, or not made so, has nothing.

// In which order the spec names what its experiment has: one of ours, a manifest, or a T1 file.
struct SpecOrder {
  std::vector<std::string> variants, parameters, quantities;
};
SpecOrder spec_order(const std::string& spec_text);

// Of variants, the parameters as the manifest has them: the column `defaults` of a run.
std::map<std::string, Values> defaults_in(const std::string& text);

}  // namespace tailwave
