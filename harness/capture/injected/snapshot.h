#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "capture/injected/images.h"
#include "capture/injected/launch.h"

namespace tailwave::injected {

// Memory that an argument points into, whole, as it was allocated.
struct Allocation {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  std::string memory;  // "device", "managed" or "pinned"
};

// An 8-byte word of an argument that is an address in an allocation.
struct PointerPlace {
  std::size_t parameter = 0, at = 0;  // bytes from where the argument begins
  std::size_t allocation = 0;         // of those of the launch
  std::size_t offset = 0;             // bytes into it
};

// Words in an allocation that look like addresses of memory of the GPU.
struct InnerPointers {
  std::size_t count = 0, first = 0;  // the place of the first, in bytes
};

// What a launch reaches by its arguments.
struct Reach {
  std::vector<Allocation> allocations;
  std::vector<PointerPlace> pointers;
  std::vector<std::string> notes;  // what is not followed, for people
};
Reach reach_of(const Launch& launch);

// Contents of the allocations and of the module's variables at one moment.
struct Contents {
  std::vector<std::string> allocations;
  std::vector<std::string> variables;
};
// Throws std::runtime_error with the driver's words.
Contents read_contents(const Reach& reach, CUmodule module, const std::vector<ImageVariable>& variables);
// Puts back what was there before, as far as it is there no more: others may have written the rest meanwhile.
// Contents of another size are not known, and all is put back.
void put_back(const Reach& reach, CUmodule module, const std::vector<ImageVariable>& variables,
              const Contents& before, const Contents& after);

InnerPointers inner_pointers(const std::string& contents, const Reach& reach);

// Throws std::runtime_error("cuMemcpyDtoH: ...") for anything but success.
void require(CUresult result, const char* doing);

}  // namespace tailwave::injected
