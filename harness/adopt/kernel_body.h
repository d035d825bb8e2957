#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adopt/c_term.h"
#include "adopt/element_names.h"
#include "adopt/kernel_text.h"

namespace tailwave {

// How a kernel touches what a pointer leads to.
struct MemoryAccess {
  std::string pointer;         // the kernel's parameter, or the member of one: "box.points"
  std::optional<CTerm> index;  // in elements of it; empty: it cannot be told
  bool reads = false, writes = false;
};

// left < right, where what follows is done only if that is so, as far as words can tell.
struct Guard {
  CTerm left, right;
  bool or_equal = false;  // left <= right
};

struct LocalVariable {
  std::optional<CTerm> first;  // what it is declared with
  bool changes = false;        // it is assigned again
  bool steps_by_grid = false;  // by something with gridDim
  std::optional<CTerm> step;   // what += adds to it, where there is one such
};

struct SharedArray {
  std::string name;
  std::string type;
  std::vector<std::optional<CTerm>> sizes;  // none: extern, the launch says how large
  std::vector<CTerm> indices;               // in its first brackets, wherever it is used
};

// What a kernel's body says without being run; no branch is evaluated.
struct KernelBody {
  std::map<std::string, LocalVariable> locals;  // "i@2" is the second one that is called i
  std::vector<Guard> guards;
  std::vector<MemoryAccess> accesses;
  std::vector<SharedArray> shared;
  std::set<std::string> words;  // "threadIdx.y" is one
  bool lower_bounds = false;    // a guard holds something above more than 0, as in x > 0
  // Pointers whose elements are part of indices, and what is indexed by them: pointers and shared arrays.
  std::map<std::string, std::set<std::string>> indexed_by;
};
// `pointers` are what reaches memory of others: the kernel's own ones, and members of its structs ("box.points"). `aliases`
// tell what casts of pointers are to.
KernelBody read_body(const KernelText& kernel, const std::vector<OutlineParameter>& pointers,
                     const TypeAliases& aliases);

}  // namespace tailwave
