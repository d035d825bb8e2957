#include "core/headline.h"

#include <cstddef>

#include "core/outcome.h"

namespace tailwave {

std::string headline(const std::string& detail) {
  const std::size_t error = detail.starts_with(kCpuDeviceLacks) ? std::string::npos : detail.find("error:");
  const std::size_t begin = error == std::string::npos ? 0 : detail.rfind('\n', error) + 1;
  return detail.substr(begin, detail.find('\n', begin) - begin);
}

}  // namespace tailwave
