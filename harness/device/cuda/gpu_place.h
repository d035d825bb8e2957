#pragma once

#include <string>

namespace tailwave {

// A GPU of those that the driver reports.
struct GpuPlace {
  int ordinal = 0;
  // The process that opens it needs no other one: on a host of several the driver is open in a part of the time when it
  // is not shown them.
  bool alone = false;
};

// The GPU at a place of those that CUDA_VISIBLE_DEVICES (`visible`; null: not set) names, as that variable would name it
// alone; "" where it names fewer. Of GPUs that the driver reports: it takes no more of a list from the first name on that is
// none, which is not looked at here but for an empty one and a negative number.
std::string visible_name(const char* visible, int ordinal);

// Whether CUDA_VISIBLE_DEVICES is set in this process.
bool has_visible_names();

// "cuda:99: no such device; the driver reports 4, cuda:0 being the first"
std::string no_such_gpu(int ordinal, int count);

// Called before the driver is opened in this process. The ordinal that the GPU has then.
int take_place(const GpuPlace& place);

}  // namespace tailwave
