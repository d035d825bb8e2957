#include "adopt/host_stub.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tailwave {
namespace {

std::string cpp_type(ScalarType type) {
  switch (type) {
    case ScalarType::int32:
      return "int";
    case ScalarType::float32:
      return "float";
    case ScalarType::float64:
      return "double";
    case ScalarType::float16:
      return "__half";
    case ScalarType::bfloat16:
      return "__nv_bfloat16";
    case ScalarType::float8_e4m3:
      return "__nv_fp8_e4m3";
    case ScalarType::float8_e5m2:
      return "__nv_fp8_e5m2";
    default:
      return "std::" + std::string(to_string(type)) + "_t";
  }
}

}  // namespace

std::string host_stub(const Draft& draft) {
  std::vector<std::string> parameters, results;
  for (const DraftBuffer& each : draft.buffers) {
    parameters.push_back((each.is_compared ? "" : "const ") + cpp_type(each.type.scalar) + "* " + each.name);
    if (each.is_compared) results.push_back(each.name);
  }
  for (const DraftQuantity& each : draft.quantities)
    parameters.push_back(cpp_type(each.type) + " " + each.name);
  return fmt::format(
      "#include <cstdint>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n\n"
      "// What is right, as plainly as you can write it, best in double: all others are compared with it.\n"
      "#error \"the reference is not written yet: have it compute {} here, then remove this line\"\n"
      "extern \"C\" void reference({}) {{\n}}\n",
      fmt::join(results, ", "), fmt::join(parameters, ", "));
}

}  // namespace tailwave
