#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adopt/draft.h"

namespace tailwave {

// An array of structs whose members are all of one type is an array of that: the type, and how many of it a struct has.
// Empty for other types.
std::optional<std::pair<ScalarType, std::int64_t>> array_of_structs(const Draft& draft,
                                                                    const std::string& type_name);

// The pointers that reach a kernel: its parameters, and members of structs that it gets by value, under their whole
// names ("box.points").
std::vector<OutlineParameter> pointers_of(const Draft& draft, const KernelText& kernel);

// The argument for a struct by value: its fields in order; or, where the manifest has no word for it, why.
struct DraftStruct {
  nlohmann::ordered_json fields;
  std::string why_not;  // "a struct with 'float** rows'"; empty: it has
};
// Scalars and buffers of the launch are known by then.
DraftStruct struct_argument(const Draft& draft, const DraftLaunch& launch, const OutlineParameter& parameter);

}  // namespace tailwave
