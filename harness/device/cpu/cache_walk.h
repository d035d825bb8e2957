#pragma once

#include <vector>

namespace tailwave {

// Drives other data out of the caches by writing to every line of a buffer that is larger than the last of them.
// A core's own caches are emptied only where the last one holds their lines too, and on the core that calls.
class CacheWalk {
 public:
  // The first call allocates the buffer: twice the last-level cache, at least 64 MiB. Throws
  // Failure(out_of_memory).
  void flush();

 private:
  std::vector<unsigned char> bytes_;
};

}  // namespace tailwave
