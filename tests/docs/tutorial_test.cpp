#include <gtest/gtest.h>

#include "docs/markdown.h"
#include "docs/shell.h"

namespace tailwave::docs {
namespace {

// Every block ```sh of the tutorial is run, in order. A block ```output behind it is what it has to print, exactly;
// what depends on the machine is shown as ```text and not compared.
TEST(Tutorial, WorksFromAnEmptyFolder) {
  const Shell shell;
  std::string printed;
  int ran = 0, compared = 0;
  for (const Fence& fence : fences(read_text(TAILWAVE_SOURCE_DIR "/docs/tutorial.md"))) {
    SCOPED_TRACE("docs/tutorial.md: line " + std::to_string(fence.line));
    if (fence.info == "output") {
      EXPECT_EQ(printed, fence.text);
      ++compared;
      continue;
    }
    if (fence.info == "text") continue;
    ASSERT_EQ(fence.info, "sh") << "a block that is neither run nor compared";
    const Shell::Result result = shell.run(fence.text);
    printed = result.output;
    ++ran;
    // The one step that needs a library which a machine without the CUDA toolkit may lack.
    if (result.exit_status != 0 && printed.starts_with("plan needs NVRTC: ")) continue;
    ASSERT_EQ(result.exit_status, 0) << printed;
  }
  EXPECT_GT(ran, 10);
  EXPECT_GT(compared, 5);
}

}  // namespace
}  // namespace tailwave::docs
