#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial.h"

namespace tailwave {

// What a cubin (CUDA machine code as an ELF file) says of itself.
struct Cubin {
  int target = 0;                        // 90 for sm_90
  bool relocatable = false;              // nvcc -rdc=true made it: a part of a program that is to be linked
  std::vector<KernelResources> kernels;  // entry points in symbol-table order; `kernel` is the symbol
  std::map<std::string, std::vector<int>>
      parameters;  // bytes of each kernel's, by symbol; not of all it is known
  // What outlives a launch and can be written by one: __device__ and __managed__ variables, those in a namespace or a
  // function included, by the symbols under which the driver finds them (cuModuleGetGlobal).
  std::vector<std::string> variables;
  std::string code_hash;  // of instructions, constants, initialised data and the resources; debug
                          // information and the note of compiler options are left out
};

// Reads cubins of ELF ABI 7 (CUDA 11, 12) and 8 (CUDA 13), sm_50 and later. Throws Error for anything else
// and for a damaged file; never reads outside `bytes`.
//
// The format is not documented by NVIDIA; these places agree with what ptxas -v reports (tests/compile):
// - registers: attribute 0x2f of .nv.info, (symbol, count), callees included.
// - stack_bytes: the larger of attributes 0x11 and 0x12 (callees included; ptxas says "cumulative stack size").
// - barriers: attribute 0x4c of .nv.info.KERNEL; in ABI 7 bits 20..26 of the flags of .text.KERNEL.
// - max_threads: attribute 0x05 (__launch_bounds__) or 0x10 (__block_size__), x * y * z.
// - cluster: attribute 0x3d (__cluster_dims__).
// - parameters: attribute 0x17, one a parameter: its place and offset as two halfwords, then its size from bit 18 on; 0x19
//   is the size of all together.
// - static_shared_bytes: the size of .nv.shared.KERNEL, less the 1024 bytes that sm_90 and later reserve in it.
// - spill_bytes: attribute 0x55 lists the instructions that spill and refill by their offsets; the widths of the
//   stores among them add up to what ptxas calls "bytes spill stores". A function that was not inlined has no such
//   list: its spills are not counted.
Cubin read_cubin(std::string_view bytes);

// Of relocatable machine code: the variables of its own, as in Cubin::variables, that its code names. What headers define
// and nothing uses stays in such code, and what is linked with it brings more. Throws as read_cubin() does.
std::set<std::string> variables_named_in(std::string_view relocatable);

}  // namespace tailwave
