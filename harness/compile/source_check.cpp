#include "compile/source_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "compile/artifact.h"
#include "compile/host_code.h"
#include "compile/name_clash.h"
#include "compile/prebuilt_code.h"
#include "compile/prelude.h"
#include "compile/project_sources.h"
#include "core/suggestion.h"
#include "json/json.h"
#include "spec/paths.h"
#include "spec/reporter.h"
#include "spec/source_outline.h"

namespace tailwave {
namespace {

// "tools::reduce<4>" is defined as "reduce".
std::string defined_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

// "LENGTH" of "-DLENGTH={}"; empty for what defines no macro.
std::string macro_of(std::string_view option) {
  for (const std::string_view before : {"-D ", "-D", "--define-macro="})
    if (option.starts_with(before)) {
      option.remove_prefix(before.size());
      return std::string(option.substr(0, option.find('=')));
    }
  return "";
}

// Of a function that fills a buffer, or of a variant.
std::string place_of(const System& system, const VariantSpec& variant) {
  for (const auto& [name, buffer] : system.buffers)
    if (variant.name == maker_of(name)) return "/buffers/" + name + "/fill";
  return "/variants/" + variant.name;
}

class VariantCheck {
 public:
  // `sizes_alone`: types are let pass that have the same size.
  VariantCheck(const System& system, const VariantSpec& variant, Reporter& reporter, bool sizes_alone = false)
      : system_(system),
        variant_(variant),
        reporter_(reporter),
        sizes_alone_(sizes_alone),
        source_(display_path(variant.source)) {
    std::vector<std::string> kernels;
    for (const LaunchSpec& launch : variant.launches) kernels.push_back(launch.kernel);
    // What the host's code in a .cu uses is no matter of kernels.
    const std::string text = read_file(variant.source);
    text_ = text;
    std::vector<std::string> texts{is_cuda() ? without_runtime_calls(text, kernels) : text};
    for (const auto& header : project_headers(variant.source, system.directory))
      texts.push_back(read_file(header));
    outline_ = outline_of(texts);
  }

  void check() {
    check_functions();
    for (const auto& [name, comparison] : system_.reference.compare) check_written(name);
    check_undefined();
    check_clashes();
    check_unread();
  }

  void check_functions() {
    std::set<std::string> seen;
    for (const auto* plan : {&variant_.prepare, &variant_.launches, &variant_.finish})
      for (const LaunchSpec& launch : *plan)
        if (launch.is_kernel() && seen.insert(launch.kernel).second) check_function(launch);
  }

 private:
  [[nodiscard]] bool is_cuda() const { return variant_.target == VariantSpec::Target::cuda; }
  [[nodiscard]] std::string place() const { return place_of(system_, variant_); }

  void check_function(const LaunchSpec& launch) {
    const std::string name = defined_name(launch.kernel);
    std::vector<const OutlineFunction*> named;
    std::vector<std::string> others;
    for (const OutlineFunction& function : outline_.functions) {
      if (function.name == name) named.push_back(&function);
      if (function.kernel || !is_cuda()) others.push_back(function.name);
    }
    if (named.empty()) {
      if (outline_.words.contains(name) || outline_.pastes) return;
      const std::string what = is_cuda() ? "kernel" : "function";
      return reporter_.report(
          place(), fmt::format("no {} '{}' in {}", what, name, source_),
          others.empty() ? fmt::format("it has no {}", is_cuda() ? "__global__ function" : "function")
                         : suggestion(name, others));
    }
    if (is_cuda() && std::none_of(named.begin(), named.end(), [](const auto* each) { return each->kernel; }))
      return reporter_.report(place(), fmt::format("'{}' in {} is no kernel", name, source_),
                              "put __global__ before it");
    check_arguments(launch, named);
  }

  // Of overloads, and of what stands in several branches of an #if, one has to fit.
  void check_arguments(const LaunchSpec& launch, const std::vector<const OutlineFunction*>& named) {
    const std::size_t given = launch.arguments.size();
    for (const OutlineFunction* function : named)
      if (!function->parameters || (function->parameters->size() == given && named.size() > 1)) return;
    const std::vector<OutlineParameter>& parameters = *named.front()->parameters;
    if (parameters.size() != given) {
      std::vector<std::string> texts;
      for (const OutlineParameter& parameter : parameters) texts.push_back(parameter.text);
      return reporter_.report(place(),
                              fmt::format("'{}' in {} has {} parameters, 'args' has {}", named.front()->name,
                                          source_, parameters.size(), given),
                              fmt::format("its parameters are: {}", fmt::join(texts, ", ")));
    }
    // One that is missing or too much moves all that follow.
    for (std::size_t i = 0; i < given; ++i) {
      const std::string what = misfit(launch.arguments[i], parameters[i]);
      if (!what.empty()) return report_argument(launch, i, what, parameters);
    }
  }

  // What an argument is that does not fit a parameter; empty where it does, or may.
  [[nodiscard]] std::string misfit(const Argument& argument, const OutlineParameter& parameter) const {
    bool pointer = true;
    ScalarType type{};
    std::string what;
    if (std::holds_alternative<BytesArgument>(argument)) return "";
    if (std::holds_alternative<StructArgument>(argument))
      return !parameter.pointer && (!parameter.type || parameter.lanes > 1) ? "" : "a struct";
    const bool texture = std::holds_alternative<TextureArgument>(argument);
    if (texture || std::holds_alternative<TensorMapArgument>(argument)) {
      if (!parameter.pointer && (!parameter.type || (texture && *parameter.type == ScalarType::uint64)))
        return "";
      return texture ? "a texture" : "a tensor map";
    }
    if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) {
      pointer = false;
      type = scalar->type;
      what = fmt::format("{}, {}", scalar->value.text(), with_article(to_string(type)));
    } else {
      const auto* one = std::get_if<BufferArgument>(&argument);
      const std::string& buffer =
          one != nullptr ? one->buffer : std::get<BufferChoice>(argument).buffers.front();
      type = system_.buffers.at(buffer).type;
      what = fmt::format("the buffer '{}' of {}", buffer, to_string(type));
    }
    // A type that is none of C++'s own may hide a pointer or stand for anything.
    const bool pointer_fits = parameter.pointer == pointer || (!parameter.pointer && !parameter.type);
    const bool lanes_fit = pointer || parameter.lanes == 1;
    return pointer_fits && lanes_fit && (!parameter.type || fits(*parameter.type, type)) ? "" : what;
  }

  void report_argument(const LaunchSpec& launch, std::size_t i, const std::string& what,
                       const std::vector<OutlineParameter>& parameters) {
    const bool order = fits_in_another_order(launch, parameters);
    reporter_.report(
        place(),
        fmt::format("argument {} of '{}' is {}; the parameter is '{}'", i + 1, defined_name(launch.kernel),
                    what, parameters[i].text),
        order ? fmt::format("'args' has to be in the order of the parameters in {}", source_)
              : fmt::format("no order of 'args' fits: change its type here, or the parameter's in {}",
                            source_));
  }

  // Each argument takes a parameter, from one that had it where that finds another.
  [[nodiscard]] bool fits_in_another_order(const LaunchSpec& launch,
                                           const std::vector<OutlineParameter>& parameters) const {
    std::map<std::size_t, std::size_t> taken;  // parameter -> argument
    std::set<std::size_t> asked;
    const std::function<bool(std::size_t)> place_one = [&](std::size_t argument) {
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!misfit(launch.arguments[argument], parameters[i]).empty() || !asked.insert(i).second) continue;
        const auto other = taken.find(i);
        if (other != taken.end() && !place_one(other->second)) continue;
        taken[i] = argument;
        return true;
      }
      return false;
    };
    for (std::size_t argument = 0; argument < parameters.size(); ++argument) {
      asked.clear();
      if (!place_one(argument)) return false;
    }
    return true;
  }

  [[nodiscard]] static bool takes(const Argument& argument, const std::string& buffer) {
    std::set<std::string> taken;
    add_buffers_of(argument, taken);
    return taken.contains(buffer);
  }

  // The parameters of the one function that a launch calls; null where that cannot be told.
  [[nodiscard]] const std::vector<OutlineParameter>* parameters_of(const LaunchSpec& launch) const {
    const std::string name = defined_name(launch.kernel);
    const OutlineFunction* found = nullptr;
    for (const OutlineFunction& function : outline_.functions) {
      if (function.name != name) continue;
      if (found != nullptr) return nullptr;
      found = &function;
    }
    if (found == nullptr || !found->parameters || found->parameters->size() != launch.arguments.size())
      return nullptr;
    return &*found->parameters;
  }

  // A result that every launch takes as something to read is most often one of two arguments that changed places.
  void check_written(const std::string& buffer) {
    const LaunchSpec* reader = nullptr;
    std::size_t place = 0;
    for (const auto* plan : {&variant_.prepare, &variant_.launches, &variant_.finish}) {
      for (const LaunchSpec& launch : *plan) {
        const std::vector<std::string> others = launch.other_buffers();
        if (std::find(others.begin(), others.end(), buffer) != others.end()) return;
        const std::vector<OutlineParameter>* parameters = parameters_of(launch);
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
          if (!takes(launch.arguments[i], buffer)) continue;
          if (parameters == nullptr || !(*parameters)[i].reads) return;
          reader = &launch;
          place = i;
        }
      }
    }
    if (reader == nullptr) return;
    const std::vector<OutlineParameter>& parameters = *parameters_of(*reader);
    std::string hint = "its result would never be right";
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto* other = std::get_if<BufferArgument>(&reader->arguments[i]);
      if (other == nullptr || !parameters[i].pointer || parameters[i].reads) continue;
      if (system_.reference.compare.contains(other->buffer)) continue;
      hint = fmt::format(
          "argument {}, '{}', is given '{}', which is compared with nothing: are the two swapped?", i + 1,
          parameters[i].text, other->buffer);
      break;
    }
    reporter_.report(this->place(),
                     fmt::format("nothing writes the buffer '{}', which is compared with the reference: "
                                 "argument {} of '{}' is '{}'",
                                 buffer, place + 1, defined_name(reader->kernel), parameters[place].text),
                     hint);
  }

  [[nodiscard]] bool fits(ScalarType parameter, ScalarType given) const {
    return sizes_alone_ ? size_bytes(parameter) == size_bytes(given) : same_kind(parameter, given);
  }

  // Signed or not, the bits are the same.
  static bool same_kind(ScalarType left, ScalarType right) {
    if (is_real(left) || is_real(right)) return left == right;
    return size_bytes(left) == size_bytes(right);
  }

  void check_undefined() {
    std::vector<std::string> parameters;
    for (const auto& parameter : variant_.parameters) parameters.push_back(parameter.first);
    std::set<std::string> defined = outline_.declared;
    for (const auto& entry : variant_.options) defined.insert(macro_of(entry.first));
    for (const std::string& name : outline_.capitals) {
      if (defined.contains(name) || variant_.has_parameter(name) || comes_with_compilers(name)) continue;
      // A library's own header may have it.
      if (variant_.target == VariantSpec::Target::library && !system_.problem.contains(name)) continue;
      const std::string near = nearest(name, parameters);
      const std::string hint =
          name == "YOUR_RESULT" ? "it is the skeleton's: put what your kernel computes in its place"
          : !near.empty()       ? fmt::format("did you mean '{}'?", near)
          : system_.problem.contains(name)
              ? "it is a problem quantity, which reaches a kernel as an argument"
              : fmt::format("to tune it, give {} a default in \"parameters\", and an experiment its values",
                            name);
      reporter_.report(place(),
                       fmt::format("{} uses {}, which is no parameter of this variant and not defined there",
                                   source_, name),
                       hint);
    }
  }

  void check_clashes() {
    std::map<std::string, Value> values(variant_.parameters.begin(), variant_.parameters.end());
    std::set<std::string> names;
    for (const auto& parameter : variant_.parameters) names.insert(parameter.first);
    for (const NameClash& clash : name_clashes(text_, names))
      if (clash.is_of_template)
        reporter_.report(place() + "/parameters/" + clash.name,
                         to_string(clash, to_define(values.at(clash.name)), variant_.source));
  }

  void check_unread() {
    std::set<std::string> read(system_.reference.by.begin(), system_.reference.by.end());
    const auto reads = [&](const Expression& expression) {
      read.insert(expression.names().begin(), expression.names().end());
    };
    for (const auto& [option, expression] : variant_.options) reads(expression);
    for (const auto* plan : {&variant_.prepare, &variant_.launches, &variant_.finish})
      for (const LaunchSpec& launch : *plan) {
        read_launch(launch, reads);
        const SourceOutline of_name = outline_of({launch.kernel});  // "tiles<TILE>"
        read.insert(of_name.words.begin(), of_name.words.end());
      }
    for (const auto& [name, buffer] : system_.buffers)
      reads(buffer.count), reads(buffer.gpu), reads(buffer.memory);
    for (const auto& [name, quantity] : system_.work) reads(quantity);
    for (const auto& [name, limit] : system_.limits) reads(limit.seconds);
    for (const auto& [name, comparison] : system_.reference.compare)
      reads(comparison.tolerance), reads(comparison.absolute);
    for (const auto& parameter : variant_.parameters) {
      const std::string& name = parameter.first;
      if (read.contains(name) || outline_.words.contains(name) || outline_.pastes) continue;
      reporter_.report(
          place() + "/parameters/" + name,
          fmt::format("nothing reads the parameter: not {}, and no expression of the variant", source_),
          "its values would all be the same program");
    }
  }

  template <class Reads>
  static void read_launch(const LaunchSpec& launch, Reads reads) {
    for (const Expression* one : expressions_of(launch)) reads(*one);
    for (const Argument& argument : launch.arguments)
      for (const Expression* one : expressions_of(argument)) reads(*one);
  }

  const System& system_;
  const VariantSpec& variant_;
  Reporter& reporter_;
  bool sizes_alone_;
  std::string source_;
  std::string text_;
  SourceOutline outline_;
};

void taken_by(const VariantSpec& variant, std::set<std::string>& buffers) {
  for (const auto* plan : {&variant.prepare, &variant.launches, &variant.finish}) {
    for (const LaunchSpec& launch : *plan) {
      for (const std::string& buffer : launch.other_buffers()) buffers.insert(buffer);
      for (const Argument& argument : launch.arguments) add_buffers_of(argument, buffers);
    }
  }
}

void check_buffers(const System& system, Reporter& reporter) {
  std::set<std::string> taken;
  for (const VariantSpec& variant : system.variants) {
    std::set<std::string> own;
    taken_by(variant, own);
    taken.insert(own.begin(), own.end());
    for (const auto& [name, comparison] : system.reference.compare)
      if (system.buffers.at(name).output_only && !own.contains(name) && !comparison.when)
        reporter.report(
            "/variants/" + variant.name,
            fmt::format("no launch takes the buffer '{}', which is compared with the reference", name),
            "its result would always be wrong");
  }
  for (const auto& [name, buffer] : system.buffers)
    if (!taken.contains(name) && !system.reference.compare.contains(name))
      reporter.report("/buffers/" + name, "no launch of any variant takes the buffer",
                      "name it in 'args', or remove it");
}

// Whether a difference is measured relative to the value, and by nothing else.
bool is_relative(const Comparison& comparison, const Values& scope) {
  using Norm = Comparison::Norm;
  if (comparison.norm == Norm::close) return comparison.absolute.evaluate_double(scope) == 0;
  return comparison.norm == Norm::relative_l2 || comparison.norm == Norm::max_rel;
}

// Of a tolerance of 0 a person knows what it means.
void check_tolerances(const System& system, Reporter& reporter) {
  for (const auto& [name, comparison] : system.reference.compare) {
    const ScalarType type = system.buffers.at(name).type;
    for (const VariantSpec& variant : system.variants) {
      double tolerance = 0;
      try {
        const Values scope = scope_of_reference(system, default_scope(system, variant));
        if (is_relative(comparison, scope)) tolerance = comparison.tolerance.evaluate_double(scope);
      } catch (const ExpressionError&) {
        continue;  // the reference need not have the parameters that it names
      }
      if (tolerance <= 0 || tolerance >= rounding_unit(type)) continue;
      const char* const key = comparison.norm == Comparison::Norm::close ? "relative" : "tolerance";
      reporter.report(
          "/reference/compare/" + name + "/" + key,
          fmt::format("{:g} is less than what rounding to {} changes a value by, {:.3g}", tolerance,
                      to_string(type), rounding_unit(type)),
          "hardly any result passes but one with the bits of the reference: give a larger tolerance, "
          "or the norm 'exact'");
      break;
    }
  }
}

// Machine code as it is; what is assembled or chosen for a GPU first is not known yet.
void check_machine_code(const VariantSpec& variant, Reporter& reporter) {
  if (variant.source.extension() != ".cubin") return;
  const std::string code = read_file(variant.source);
  const auto symbols = symbols_in(code, kernel_names(variant), variant.source);
  const std::string misfit = misfit_of_arguments(variant, code, symbols);
  if (!misfit.empty())
    reporter.report("/variants/" + variant.name, fmt::format("{}: {}", display_path(variant.source), misfit));
}

}  // namespace

Diagnostics check_sources(const System& system) {
  Diagnostics warnings;
  Reporter reporter(shown_path(system.file), warnings);
  check_buffers(system, reporter);
  check_tolerances(system, reporter);
  for (const VariantSpec& variant : system.variants) {
    if (variant.is_program()) continue;  // no text to look into
    try {
      if (variant.is_prebuilt())
        check_machine_code(variant, reporter);
      else
        VariantCheck(system, variant, reporter).check();
    } catch (const std::runtime_error& error) {
      reporter.report("/variants/" + variant.name, error.what());
    }
  }
  for (const VariantSpec& maker : system.makers) {
    try {
      VariantCheck(system, maker, reporter).check_functions();
    } catch (const Error& error) {
      reporter.report(place_of(system, maker), error.what());
    }
  }
  return warnings;
}

void require_fitting_maker(const System& system, const VariantSpec& maker) {
  Diagnostics misfits;
  Reporter reporter(shown_path(system.file), misfits);
  try {
    VariantCheck(system, maker, reporter, true).check_functions();
  } catch (const Error&) {
    return;  // what cannot be read the compiler has better words for
  }
  if (!misfits.empty()) throw Error(misfits, Error::kRunFailed);
}

}  // namespace tailwave
