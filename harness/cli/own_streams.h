#pragma once

#include <vector>

#include "core/descriptor.h"

namespace tailwave {

// Keeps standard input and output to this process: what it starts meanwhile finds nothing to read, and what that writes
// to its standard output comes to standard error. Kernels print, and nobody should read that as an answer. Undone at
// the end.
class OwnStreams {
 public:
  OwnStreams();  // throws Error
  ~OwnStreams();
  OwnStreams(const OwnStreams&) = delete;
  OwnStreams& operator=(const OwnStreams&) = delete;

  [[nodiscard]] int input() const { return input_.number(); }
  [[nodiscard]] int output() const { return output_.number(); }
  // What processes of candidates have to close, since they inherit it.
  [[nodiscard]] std::vector<int> descriptors() const { return {input(), output()}; }

 private:
  Descriptor input_, output_;
};

}  // namespace tailwave
