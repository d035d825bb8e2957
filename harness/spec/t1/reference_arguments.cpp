#include "spec/t1/reference_arguments.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "spec/t1/fill.h"
#include "spec/t1/side_file.h"

namespace tailwave {
namespace {

// KTT's, of what is not said.
constexpr const char* kMethod = "SideBySideComparison";
constexpr double kThreshold = 1e-4;
constexpr double kAlwaysAllowed = 1e-4;  // by SideBySideRelativeComparison

// Why one of them is, and where.
struct Unreadable {
  std::string pointer, cause;
};

class ReferenceArguments {
 public:
  ReferenceArguments(const T1File& file, System& system)
      : file_(file),
        system_(system),
        list_(file.root.find("KernelSpecification").find("ReferenceArguments")) {}

  void run() {
    if (list_.items().empty() || says_another()) return;
    try {
      for (const Json& place : list_.items()) read(place);
      require_all_outputs();
      require_inputs_that_stay();
    } catch (const Unreadable& unreadable) {
      return file_.warnings.report(
          unreadable.pointer,
          unreadable.cause + ": ReferenceArguments are not read, the default configuration is the reference",
          what_to_write());
    }
    system_.reference.variant.clear();
    system_.reference.stored = std::move(stored_);
    for (const auto& [name, quantity] : system_.problem)
      system_.reference.stored_problem.emplace(name, quantity.default_value);
    system_.reference.compare = std::move(compare_);
  }

 private:
  [[nodiscard]] bool says_another() const {
    const Json beside = file_.side.find("reference");
    return beside.find("variant") || beside.find("python") || beside.find("stored") || beside.find("none");
  }

  void read(const Json& place) {
    const std::string* const target = place.find("TargetName").as_text();
    if (target == nullptr) throw Unreadable{place.pointer(), "it has no TargetName"};
    const Json named = place.find("TargetName");
    const auto buffer = system_.buffers.find(*target);
    if (buffer == system_.buffers.end())
      throw Unreadable{named.pointer(), "no vector is called '" + *target + "'"};
    if (stored_.contains(*target)) throw Unreadable{named.pointer(), "'" + *target + "' has two of them"};
    compare_.emplace(*target, comparison(place, buffer->second.type));
    stored_.emplace(*target, fill(place, buffer->second));
  }

  static Comparison comparison(const Json& place, ScalarType type) {
    const std::string* const given = place.find("ValidationMethod").as_text();
    const std::string method = given == nullptr ? kMethod : *given;
    const Json threshold_place = place.find("ValidationThreshold");
    const double threshold = threshold_place.as_real().value_or(kThreshold);
    if (threshold_place && !(threshold_place.as_real() && threshold >= 0))
      throw Unreadable{threshold_place.pointer(), "expected a number from 0"};
    Comparison comparison;
    comparison.tolerance = Expression::constant(threshold);
    if (!is_real(type)) {
      comparison = {.norm = Comparison::Norm::exact};
    } else if (method == kMethod) {
      comparison.norm = Comparison::Norm::max_abs;
    } else if (method == "SideBySideRelativeComparison") {
      comparison.norm = Comparison::Norm::close;
      comparison.absolute = Expression::constant(kAlwaysAllowed);
    } else if (method == "AbsoluteDifference") {
      throw Unreadable{place.find("ValidationMethod").pointer(),
                       "no norm adds up the differences of all elements, as AbsoluteDifference does"};
    } else {
      throw Unreadable{place.find("ValidationMethod").pointer(), "unknown ValidationMethod '" + method + "'"};
    }
    return comparison;
  }

  // Read like an argument's, by which what is wrong there is why it cannot be read.
  Fill fill(const Json& place, const BufferSpec& buffer) {
    const std::string* const kind = place.find("FillType").as_text();
    if (kind == nullptr || (*kind != "Constant" && *kind != "Generator" && *kind != "BinaryRaw"))
      throw Unreadable{
          place.find("FillType") ? place.find("FillType").pointer() : place.pointer(),
          kind == nullptr ? "it has no FillType" : "the FillType '" + *kind + "' says no results"};
    Diagnostics found, strange;
    Reporter errors(file_.errors.file(), found), warnings(file_.errors.file(), strange);
    const T1File own{.root = file_.root,
                     .folder = file_.folder,
                     .errors = errors,
                     .warnings = warnings,
                     .side = file_.side,
                     .side_errors = errors,
                     .parameters = {},
                     .defaults = {},
                     .problem = file_.problem,
                     .problem_values = file_.problem_values,
                     .lists = {}};
    // Another size, said beside, is looked at when that is read.
    const std::int64_t count = buffer.count.names().empty() ? buffer.count.evaluate_int({}) : 1;
    T1ElementType type;
    type.scalar = buffer.type;
    Fill results = read_t1_fill(place, type, 0, count, own);
    if (!found.empty()) throw Unreadable{found.front().place, found.front().cause};
    return results;
  }

  // What is marked as one is verified, or nothing is.
  void require_all_outputs() {
    for (const Json& argument : file_.root.find("KernelSpecification").find("Arguments").items()) {
      const Json output = argument.find("Output");
      const std::string* const name = argument.find("Name").as_text();
      const bool is_output = output.as_whole().value_or(0) != 0 || output.as_flag().value_or(false);
      if (is_output && (name == nullptr || !stored_.contains(*name)))
        throw Unreadable{list_.pointer(), "the output '" + (name == nullptr ? "" : *name) + "' has none"};
    }
  }

  void require_inputs_that_stay() {
    for (const auto& [name, buffer] : system_.buffers) {
      const Json beside = file_.beside_argument(name);
      if (!beside.find("fill") && !beside.find("output_only") && is_random(buffer.fill))
        throw Unreadable{list_.pointer(),
                         "'" + name + "' is filled with other random numbers for each verification"};
    }
  }

  // For the first of them, as far as it can be told.
  [[nodiscard]] std::string what_to_write() const {
    const Json first = list_.items().front();
    const std::string* const target = first.find("TargetName").as_text();
    return fmt::format(
        R"('{}' beside it can say what is right: {{"reference": {{"stored": {{"{}": "FILE.npy"}}, "compare": {{"{}": {{"norm": "max_abs", "tolerance": {}}}}}}}}})",
        side_file_of(file_.errors.file()).filename().string(), target == nullptr ? "NAME" : *target,
        target == nullptr ? "NAME" : *target,
        to_string(Value(first.find("ValidationThreshold").as_real().value_or(kThreshold))));
  }

  const T1File& file_;
  System& system_;
  Json list_;
  std::map<std::string, Fill> stored_;
  std::map<std::string, Comparison> compare_;
};

}  // namespace

void read_t1_references(const T1File& file, System& system) {
  if (file.errors.clean()) ReferenceArguments(file, system).run();
}

}  // namespace tailwave
