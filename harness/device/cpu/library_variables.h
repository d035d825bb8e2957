#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tailwave {

// What the variables of a loaded shared object held when this was made, but for thread-local ones.
class LibraryVariables {
 public:
  // `library` is what dlopen() returned, `inside` the address of anything in it. Must not outlive the library.
  LibraryVariables(void* library, void* inside);

  // Gives them those values again.
  void restore() const;

 private:
  struct Segment {
    std::span<std::byte> memory;
    std::vector<std::byte> initial;
  };
  std::vector<Segment> segments_;  // that can be written
};

}  // namespace tailwave
