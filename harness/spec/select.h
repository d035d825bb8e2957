#pragma once

#include <string>
#include <vector>

#include "spec/experiment.h"

namespace tailwave {

// A person means configurations either by values, "variant=shared,BLOCK_SIZE=128": names of parameters and of the
// problem, and `variant`, with their values as Configuration::name() writes them, true and false also as True and
// False, 1 and 0, or a text as to_shown() has it, in quotes; what is not given may be anything. Or, by a text without '=', as a regular expression (RE2's) that
// their names match somewhere; a name itself is one.
inline constexpr const char* kSelectionHelp =
    "those with the values K=V,K=V (variant=NAME, parameters, problem; a text with a ',' as TXT=\"a,b\"), "
    "or whose names match a regular expression";

// The one of `configurations` that is meant. `file` is where they come from, for messages.
// Throws Error (bad usage) for a text that is neither, a name that no configuration has (with a suggestion), values
// that no configuration has together (with those there are), an expression that matches none, and when several
// configurations fit (with the names that tell them apart, and their values).
const Configuration& select_configuration(const std::vector<Configuration>& configurations,
                                          const std::string& text, const std::string& file);

// The experiment with the cases of such variants alone.
Experiment with_target(Experiment experiment, VariantSpec::Target target);

struct Selection {
  std::vector<Configuration> all;       // of the experiment; none of one that is too large for enumerate()
  std::vector<Configuration> selected;  // empty without a filter: all
  std::size_t left_out_on_cpu = 0;

  [[nodiscard]] const std::vector<Configuration>& chosen(const std::string& filter) const {
    return filter.empty() ? all : selected;
  }
};

// The configurations of an experiment, and those that a filter means. Of an experiment that is too large for
// enumerate(), values that the filter names take the place of all that their parameters have, before anything is
// enumerated. Throws as select_configurations() and enumerate() do, and Error (bad usage) for a regular expression on
// so large an experiment.
Selection select_from(const Experiment& experiment, bool for_cpu_device, const std::string& filter);

// All of them that fit, in their order; all with an empty text. Throws as above except for several.
std::vector<Configuration> select_configurations(const std::vector<Configuration>& configurations,
                                                 const std::string& text, const std::string& file);

}  // namespace tailwave
