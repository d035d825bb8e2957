#include "report/chart_script.h"

#include "chart_script/embedded.h"
#include "json/compressed_file.h"

namespace tailwave {

const std::string& chart_script() {
  static const std::string script = [] {
    const auto& files = embedded::chart_script::files();
    return files.empty() ? "" : decompressed(files.begin()->second, files.begin()->first);
  }();
  return script;
}

}  // namespace tailwave
