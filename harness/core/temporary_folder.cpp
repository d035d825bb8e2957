#include "core/temporary_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "core/error.h"

namespace tailwave {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tailwave-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error(fmt::format("{}: cannot be created", name));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tailwave
