#include "compile/artifact.h"

#include <algorithm>

namespace tailwave {

std::vector<std::string> kernel_names(const VariantSpec& variant) {
  std::vector<std::string> names;
  for (const auto* phase : {&variant.prepare, &variant.launches, &variant.finish})
    for (const LaunchSpec& launch : *phase)
      if (launch.is_kernel() && std::find(names.begin(), names.end(), launch.kernel) == names.end())
        names.push_back(launch.kernel);
  return names;
}

}  // namespace tailwave
