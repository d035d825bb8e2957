#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/error.h"
#include "core/value.h"
#include "space/expression.h"
#include "spec/buffer_spec.h"
#include "spec/launch_spec.h"
#include "spec/reference_spec.h"
#include "spec/scalar_type.h"
#include "spec/variant_spec.h"

namespace tailwave {

// A quantity of the problem, e.g. N: its type as a kernel argument and its default.
struct ProblemQuantity {
  ScalarType type = ScalarType::int32;
  Value default_value;
};

// A roofline: the least time that one execution can take by one limit of a device.
struct RooflineBound {
  // Over problem, work, parameters that all variants have, and the rates of rate_names().
  Expression seconds;
  std::string description;
  bool hard = false;  // what is quicker cannot have done its work: it has no time
};

// What limits may name of a device: FP32_RATE, FP64_RATE and MUFU_RATE, instructions by one thread a second at the
// rated maximum clock, and COPY_BANDWIDTH, bytes read and written a second by a copy on the device, measured.
const std::vector<std::string>& rate_names();

// A number that programs report beside their time.
struct ReportedMetric {
  std::string unit;  // for people; may be empty
  bool maximise = false;
};

// A system: kernel_templates/<name>/system.json, validated.
struct System {
  std::string name;
  std::string title;
  std::filesystem::path file;       // the manifest
  std::filesystem::path directory;  // where its sources are
  std::map<std::string, ProblemQuantity> problem;
  std::map<std::string, BufferSpec> buffers;
  ReferenceSpec reference;
  VerifySpec verify;
  // Per execution, e.g. interactions -> N * N: over problem and parameters that all variants have. A quantity
  // that the manifest derives from another one has that one substituted.
  std::map<std::string, Expression> work;
  std::map<std::string, RooflineBound> limits;
  std::map<std::string, ReportedMetric> reported;  // by name; of programs of the user's own
  std::vector<VariantSpec> variants;               // in manifest order
  // Host variants that call the functions which fill buffers, by maker_of(); nothing else is done with them.
  std::vector<VariantSpec> makers;
  std::string inputs;  // the regime whose fills the buffers have; empty: those of the manifest

  [[nodiscard]] const VariantSpec* find_variant(std::string_view variant) const;  // a maker, too
};

// What the maker of a buffer is called, and whether that is a maker's name: no variant of a manifest has one.
std::string maker_of(const std::string& buffer);
bool is_maker(std::string_view variant);

// The plan's launches that belong to a loop with `until`.
bool has_until(const std::vector<LaunchSpec>& plan);

// Adds the names of the buffers that an argument may hand over.
void add_buffers_of(const Argument& argument, std::set<std::string>& names);

// Names of the buffers that the variant's launches take or wait for and of those that are compared, sorted: what has to
// be allocated for it. A filled buffer that is only compared with a range is none of a variant without such a launch:
// it would find what it was filled with.
std::vector<std::string> used_buffers(const System& system, const VariantSpec& variant);

// What the launches' expressions may name besides problem and parameters, for one of so many processing elements.
void add_pe(Values& scope, int pe, int pes);

// The variant with the launches of its plan, those on the run's own GPU, on so many SMs; 0: on all.
VariantSpec with_sms(VariantSpec variant, int sms);

// The defaults of problem and variant together.
Values default_scope(const System& system, const VariantSpec& variant);

// The variant with its default parameters.
Configuration default_configuration(const System& system, const VariantSpec& variant, const Values& problem);

// Whether the variant has all parameters that the expression names besides quantities of the problem.
bool has_names_of(const Expression& expression, const VariantSpec& variant, const System& system);

// Whether the configuration is in its variant's domain. Throws ExpressionError.
bool is_in_domain(const VariantSpec& variant, const Values& scope);

// Whether the reference can be computed by a parameter: its variant's own, or of one in Python what all variants have.
bool reference_has(const System& system, std::string_view parameter);

// The parameters with which the reference tells what is right for these ones.
Values reference_parameters(const System& system, const Values& parameters);

// What tolerances and fills may name: `scope`, and what it lacks of the reference's `by`.
Values scope_of_reference(const System& system, Values scope);

}  // namespace tailwave
