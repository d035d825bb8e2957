#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"
#include "core/trial.h"

namespace tailwave {

// A launch that Nsight Compute profiled.
struct NcuLaunch {
  std::string
      kernel;  // without arguments, template arguments and namespaces: "scale" of "void ns::scale<4>(float *)"
  std::optional<Dim3> grid, block;  // older versions have none in their table
  std::optional<std::int64_t> grid_size,
      block_size;                    // blocks and threads a block, where only these are known
  int compute_capability = 0;        // 90; 0: not said
  std::vector<CounterValue> values;  // in ns, bytes and the like, without what is no counter

  [[nodiscard]] const CounterValue* find(std::string_view metric) const;  // null: there is none
};

struct NcuReport {
  std::vector<NcuLaunch> launches;  // in the order of their launch
  std::string obstacle;             // in ncu's words: "ERR_NVGPUCTRPERM - ..."; empty: it names none
  std::vector<std::string> faults;  // "line 7: ...": what of a table was left out
};

// Reads what `ncu --csv` prints, amidst the lines that it and the program write around it: a row for each metric (as it
// is by default; names of the sections of --set are taken where they stand for one metric) or a row for each launch
// (--page raw), with a row of units; numbers with groups of thousands; the layouts of versions since 2019. Left out,
// with a fault that says so: rows that are cut off, launches whose grid or block cannot be read, and times and numbers of
// bytes in an unknown unit.
NcuReport parse_ncu_csv(const std::string& text);

// "scale" of "void ns::scale<4>(float *)", of "scale<4>" and of what a compiler makes of it (_ZN2ns5scaleILi4EEEvPf).
std::string kernel_base_name(std::string name);

}  // namespace tailwave
