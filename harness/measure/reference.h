#pragma once

#include <map>
#include <string>
#include <utility>

#include "build/artifact.h"
#include "device/executor.h"
#include "measure/workspace.h"

namespace tailwave {

// What the reference variant makes of the inputs: built by the host compiler, run once per problem and draw while the
// results are among the latest.
class ReferenceProvider {
 public:
  ReferenceProvider(Compiler& host_compiler, Executor& host) : compiler_(host_compiler), host_(host) {}

  // The compared buffers after one execution of the system's reference variant on make_inputs(draw). Throws
  // Error when the reference itself does not build or run: nothing could be verified then. Good until the next call.
  const BufferContents& expected(const System& system, const Values& problem, std::uint64_t draw);

 private:
  BufferContents compute(const System& system, const Values& problem, std::uint64_t draw);

  Compiler& compiler_;
  Executor& host_;
  ContentsCache computed_;
};

}  // namespace tailwave
