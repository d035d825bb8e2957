#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/value.h"
#include "space/expression.h"
#include "spec/launch_spec.h"

namespace tailwave {

struct VariantSpec {
  // cuda: kernels of a template. host: functions for the host's compiler. library: such functions that queue the work of a
  // library on the run's GPU, so that its time stands beside those of kernels. program: a program of the user's own, run as a
  // process whose time is taken; reporting_program: one that says itself how long it took, which is held against no time
  // that was taken (is_program() is both).
  enum class Target { cuda, host, program, reporting_program, library } target = Target::cuda;
  std::string name;
  std::string description;
  std::filesystem::path source;                           // absolute, inside the system's folder
  std::vector<std::pair<std::string, Value>> parameters;  // name and default, in manifest order
  // Values that parameters take in the experiment that the manifest is (experiment_reader.h); others have their default.
  std::vector<std::pair<std::string, std::vector<Value>>> values;
  // Compiler option -> expression. A true bool adds the option, a false one leaves it out; any other value
  // replaces "{}" in the option: {"--maxrregcount={}": "MAX_REGISTERS"}.
  std::vector<std::pair<std::string, Expression>> options;
  // Macros besides the parameters, over problem and parameters: grid_size_x of a T1 file, ...
  std::vector<std::pair<std::string, Expression>> defines;
  // A parameter "loop_unroll_factor..." that is 0 takes the lines "#pragma unroll loop_unroll_factor..." with its
  // name out of the source, as Kernel Tuner does.
  bool zero_unrolls_nothing = false;
  std::vector<LaunchSpec> prepare;   // untimed, once after the inputs are uploaded (e.g. change of layout)
  std::vector<LaunchSpec> launches;  // one execution: what is timed
  // Over problem and parameters: on how many processing elements all launches run alike, each a process with a GPU of
  // its own, by NVSHMEM. The launches' expressions may name PES and their own number, PE. Empty: none.
  std::optional<Expression> pes;
  std::optional<Expression> domain;  // over problem and parameters: where it is made for; empty: everywhere
  std::vector<std::string> main;     // kernels of launches that do the work (see main_launch); empty: any may
  std::vector<LaunchSpec> finish;    // untimed, once before the outputs are compared
  std::string unavailable_on_cpu;    // why the CPU device cannot run it; empty: it can
  std::string known_races;           // why its races are as they should be; empty: it is to have none
  std::vector<CommandWord> build;    // makes a program of its source; empty: the source is the program

  [[nodiscard]] bool is_program() const {
    return target == Target::program || target == Target::reporting_program;
  }
  // Functions of the host.
  static constexpr bool is_host_code(Target target) {
    return target == Target::host || target == Target::library;
  }
  [[nodiscard]] bool is_host_code() const { return is_host_code(target); }
  // A library variant in CUDA C++, which nvcc makes.
  [[nodiscard]] bool is_nvcc_code() const { return target == Target::library && source.extension() == ".cu"; }
  [[nodiscard]] bool has_parameter(std::string_view parameter) const;
  // The source is code of a GPU already: a .ptx, .cubin or .fatbin (docs/kernels.md).
  [[nodiscard]] bool is_prebuilt() const;
};

template <>
struct EnumNames<VariantSpec::Target> {
  static constexpr std::string_view noun = "target";
  static constexpr std::array<std::string_view, 5> names{"cuda", "host", "program", "reporting_program",
                                                         "library"};
};

// What an experiment with variants of several kinds is about, the first that it has: nothing compares those of one kind
// with those of another, but kernels with a library. Host variants stand beside the others as the reference.
inline constexpr std::array kTargetsByRank{VariantSpec::Target::cuda, VariantSpec::Target::library,
                                           VariantSpec::Target::program,
                                           VariantSpec::Target::reporting_program, VariantSpec::Target::host};

}  // namespace tailwave
