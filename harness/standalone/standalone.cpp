#include "standalone/standalone.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "compile/artifact.h"
#include "compile/prelude.h"
#include "compile/project_sources.h"
#include "core/error.h"
#include "core/printable.h"
#include "core/version.h"
#include "measure/inputs.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"
#include "spec/compiler_options.h"
#include "standalone/embedded.h"
#include "standalone/plan_code.h"
#include "verify/verdict.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSupport = "tailwave";  // the folder of what programs have of this project

// Its smallest value has no literal of its own.
std::string whole_code(std::int64_t value) {
  return value == std::numeric_limits<std::int64_t>::min() ? "std::numeric_limits<std::int64_t>::min()"
                                                           : std::to_string(value);
}

// In a string or a remark of C++.
std::string one_line(const std::string& text) {
  return replace_characters(printable(text, LineEnds::as_spaces), {{'"', "'"}, {'\\', "/"}});
}

bool is_standard(const std::string& option) {
  return option.starts_with("--std=") || option.starts_with("-std=");
}

class ProgramWriter {
 public:
  explicit ProgramWriter(const StandaloneRequest& request)
      : system_(*request.system),
        configuration_(request.configuration),
        variant_(*system_.find_variant(configuration_.variant)),
        request_(request) {}

  StandaloneProgram write() {
    require_source();
    find_reference();
    place_buffers();
    add_support();
    add_source(variant_, configuration_);
    add_checks();
    if (reference_) add_reference();
    program_.command = command();
    program_.files["program.cu"] = main_file();
    return std::move(program_);
  }

 private:
  void require_source() const {
    if (variant_.target != VariantSpec::Target::cuda) throw NotExportable("its variant is no CUDA kernel");
    if (variant_.is_prebuilt())
      throw NotExportable("its kernels are machine code or PTX, which nvcc does not compile");
    if (variant_.pes) throw NotExportable("it runs on processing elements, by NVSHMEM");
  }

  // With its defaults, but for what a configuration decides.
  void find_reference() {
    const VariantSpec* const variant = system_.find_variant(system_.reference.variant);
    if (variant == nullptr || variant->target != VariantSpec::Target::host) return;
    Configuration own = default_configuration(system_, *variant, configuration_.problem);
    for (const auto& [name, value] : reference_parameters(system_, configuration_.parameters))
      if (own.parameters.contains(name)) own.parameters[name] = value;
    reference_.emplace(variant, std::move(own));
  }

  void place_buffers() {
    place_buffers_of(variant_, configuration_.scope());
    if (reference_) place_buffers_of(*reference_->first, reference_->second.scope());
  }

  // What the reference alone has may lie anywhere.
  void place_buffers_of(const VariantSpec& variant, const Values& scope) {
    for (const auto& [name, count] : buffer_counts(system_, variant, scope)) {
      const BufferSpec& buffer = system_.buffers.at(name);
      if (!buffers_.emplace(name, ProgramBuffer{buffers_.size(), buffer.type, count}).second) continue;
      lines_of_buffers_.push_back(
          fmt::format("{{\"{}\", Type::{}, {}, {}, Memory::{}, {}}},", name, to_string(buffer.type), count,
                      fill_code(name, buffer, count, scope),
                      &variant == &variant_ ? memory_of(name, buffer, scope) : "device", buffer.output_only));
    }
  }

  static std::string memory_of(const std::string& name, const BufferSpec& buffer, const Values& scope) {
    const Placement place = evaluate_placement(buffer, scope, name);
    if (place.gpu != 0) throw NotExportable(fmt::format("buffer '{}' is another GPU's", name));
    if (place.memory == MemoryKind::symmetric || place.memory == MemoryKind::pageable)
      throw NotExportable(fmt::format("buffer '{}' lies in {} memory", name, to_string(place.memory)));
    return std::string(to_string(place.memory));
  }

  std::string fill_code(const std::string& name, const BufferSpec& buffer, std::size_t count,
                        const Values& scope) {
    using Kind = Fill::Kind;
    if (buffer.output_only) return "{}";
    const Input input = input_of(name, buffer, count, scope_of_reference(system_, scope));
    const FillValues& values = input.values;
    switch (input.kind) {
      case Kind::function:
        throw NotExportable(fmt::format("a function fills buffer '{}'", name));
      case Kind::file:
      case Kind::generated:
        return fmt::format("{{Fill::file, 0, 0, 0, 0, 0, \"{}\"}}",
                           add_data("input_" + name, contents_of(name, buffer, count, scope)));
      default:
        return fmt::format("{{Fill::{}, {}, {}, {}, {}, {}ULL}}", to_string(input.kind),
                           real_code(values.low), real_code(values.high), whole_code(values.least),
                           whole_code(values.greatest), values.seed);
    }
  }

  std::string contents_of(const std::string& name, const BufferSpec& buffer, std::size_t count,
                          const Values& scope) {
    std::string bytes(count * size_bytes(buffer.type), '\0');
    make_input(input_of(name, buffer, count, scope_of_reference(system_, scope)), 0, 0,
               std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  std::string add_data(const std::string& name, std::string bytes) {
    std::string path = "data/" + name + ".bin";
    program_.files[path] = std::move(bytes);
    return path;
  }

  void add_support() {
    for (const auto& [path, text] : embedded::standalone::files())
      program_.files[fs::path(kSupport) / path] = std::string(text);
  }

  // The path of the source in the folder. What it includes from the system's folder comes with it.
  std::string add_source(const VariantSpec& variant, const Configuration& configuration) {
    const auto place_of = [&](const fs::path& file) {
      return fs::path("source") / file.lexically_relative(system_.directory);
    };
    for (const fs::path& header : project_headers(variant.source, system_.directory))
      program_.files.emplace(place_of(header), read_file(header));
    const fs::path place = place_of(variant.source);
    std::string text = source_text(variant, configuration);
    if (const auto known = program_.files.find(place); known != program_.files.end() && known->second != text)
      throw NotExportable("the reference is compiled of the same file, changed");
    program_.files[place] = std::move(text);
    include_folders_.insert(place.parent_path().string());
    return place.string();
  }

  void add_checks() {
    const Values scope = scope_of_reference(system_, configuration_.scope());
    for (const auto& [name, comparison] : system_.reference.compare) {
      const std::optional<ResolvedComparison> resolved = resolve(comparison, scope);
      const auto buffer = buffers_.find(name);
      if (!resolved || buffer == buffers_.end()) continue;
      const std::string path = expected_of(name, buffer->second, *resolved);
      if (path == "-") continue;
      const DifferenceRule rule = difference_rule(buffer->second.type, *resolved);
      lines_of_checks_.push_back(
          fmt::format("{{{}, {{tailwave::DifferenceNorm::{}, {}, {}, {}}}{}}},  // {}", buffer->second.place,
                      to_string(resolved->norm), real_code(rule.tolerance), real_code(rule.low),
                      real_code(rule.high), path.empty() ? "" : fmt::format(", \"{}\"", path), name));
    }
    if (!system_.reference.none.empty())
      program_.not_checked.push_back("all results: " + system_.reference.none);
  }

  // Its file; "" where the reference makes it, or nothing is expected; "-" where nothing says what is right.
  std::string expected_of(const std::string& name, const ProgramBuffer& buffer,
                          const ResolvedComparison& comparison) {
    if (comparison.norm == Comparison::Norm::range || reference_) return "";
    const auto stored = system_.reference.stored.find(name);
    if (stored == system_.reference.stored.end()) {
      program_.not_checked.push_back(fmt::format(
          "{}: {}, which such a program does not have", name,
          system_.reference.python ? "the reference is a function in Python" : "the reference is a kernel"));
      return "-";
    }
    const BufferSpec results{.type = buffer.type, .fill = stored->second};
    return add_data("expected_" + name, contents_of(name, results, buffer.count, {}));
  }

  [[nodiscard]] std::string function(const char* name, const VariantSpec& variant,
                                     const std::vector<LaunchSpec>& plan, const Values& scope) const {
    return fmt::format("{}(tailwave_program::Buffers tw_b) {{\n  (void)tw_b;\n{}}}\n", name,
                       plan_code(variant, plan, scope, buffers_));
  }

  // A kernel, which has a function of the host, and the reference's function may have one name.
  [[nodiscard]] std::string renamed_functions() const {
    const std::vector<std::string> kernels = kernel_names(variant_);
    std::string text;
    for (const std::string& function : kernel_names(*reference_->first))
      if (std::ranges::find(kernels, function) != kernels.end())
        text += fmt::format("#define {0} {0}_of_reference\n", function);
    return text;
  }

  void add_reference() {
    const auto& [variant, configuration] = *reference_;
    const std::string source = add_source(*variant, configuration);
    const Values scope = configuration.scope();
    std::string text = fmt::format(
        "// What the results are compared with: host variant '{}' of system '{}'.\n#include "
        "\"standalone/program.h\"\n\n{}{}#include \"{}\"\n\nnamespace {{\n\n",
        variant->name, system_.name, renamed_functions(), define_lines(*variant, configuration), source);
    text += function("void tw_prepare", *variant, variant->prepare, scope) + "\n" +
            function("void tw_launches", *variant, variant->launches, scope) + "\n" +
            function("void tw_finish", *variant, variant->finish, scope) +
            "\n}  // namespace\n\nvoid tw_reference(tailwave_program::Buffers tw_b) {\n  tw_prepare(tw_b);\n"
            "  tw_launches(tw_b);\n  tw_finish(tw_b);\n}\n";
    program_.files["reference.cpp"] = std::move(text);
  }

  [[nodiscard]] std::string architecture() const {
    constexpr int kFirstSpecific = 90;
    if (request_.compute_capability == 0) return "native";
    return fmt::format("sm_{}{}", request_.compute_capability,
                       request_.compute_capability >= kFirstSpecific ? "a" : "");
  }

  [[nodiscard]] std::string command() const {
    // Functions of the host are C++20, kernels C++17, unless they say something else; nvcc takes one for both.
    std::string standard = reference_ ? "-std=c++20" : "-std=c++17";
    std::vector<std::string> words;
    if (reference_)
      for (const std::string& option : expand_options(*reference_->first, reference_->second))
        if (!is_standard(option)) words.push_back("-Xcompiler " + option);
    for (const std::string& option : expand_options(variant_, configuration_)) {
      if (is_standard(option) && !asks_for_older_cpp(option))
        standard = option;
      else if (!is_standard(option))
        words.push_back(option);
    }
    std::string folders;
    for (const std::string& folder : include_folders_) folders += " -I" + folder;
    return fmt::format("nvcc {} -O3 -arch={} -I{}{} -Xcompiler -ffp-contract=off {}{}program.cu{} -o program",
                       standard, architecture(), kSupport, folders, fmt::join(words, " "),
                       words.empty() ? "" : " ", reference_ ? " reference.cpp" : "");
  }

  [[nodiscard]] std::string head() const {
    std::string text = fmt::format(
        "// {}\n// of tailwave's system '{}', as a program that verifies and times itself. In this folder:\n//\n"
        "//   {} && ./program\n//\n",
        one_line(configuration_.name()), system_.name, program_.command);
    if (!request_.measured.empty()) text += fmt::format("// Measured: {}.\n", one_line(request_.measured));
    for (const std::string& what : program_.not_checked)
      text += fmt::format("// NOT CHECKED: {}.\n", one_line(what));
    return text +
           fmt::format(
               "// It ends with 0 where its results are right, 1 where they are wrong, 2 where it cannot run. "
               "Options: --draw NUMBER, of other random\n// inputs; --samples NUMBER. Times are of one execution "
               "between two events, caches as they are then. Written by tailwave {}.\n\n",
               program_version());
  }

  // nvcc expands no macros in a pragma, which NVRTC does: what one names is a constant, too.
  [[nodiscard]] std::string constants_of_pragmas() const {
    static const std::regex kPragma(R"(#[ \t]*pragma[ \t]+unroll[^\n]*)");
    std::string pragmas;
    for (const auto& [path, text] : program_.files)
      if (*path.begin() == "source")
        for (std::sregex_iterator at(text.begin(), text.end(), kPragma), end; at != end; ++at)
          pragmas += at->str() + '\n';
    std::string constants;
    for (const auto& [name, value] : configuration_.parameters)
      if (std::holds_alternative<std::int64_t>(value) &&
          std::regex_search(pragmas, std::regex("\\b" + name + "\\b")))
        constants += fmt::format("constexpr int {} = {};\n", name, to_string(value));
    return constants;
  }

  [[nodiscard]] std::string main_file() const {
    const Values scope = configuration_.scope();
    const std::string source =
        (fs::path("source") / variant_.source.lexically_relative(system_.directory)).string();
    static const std::regex kMain(R"(\bmain\s*\()");
    const bool has_main = std::regex_search(program_.files.at(source), kMain);
    std::string text = head() + "#include \"standalone/cuda_program.h\"\n\n" + constants_of_pragmas() +
                       define_lines(variant_, configuration_);
    if (has_main) text += "#define main main_of_source\n";
    text += fmt::format("#include \"{}\"\n", source);
    if (has_main) text += "#undef main\n";
    if (reference_) text += "\nvoid tw_reference(tailwave_program::Buffers tw_b);\n";
    text += "\nnamespace {\n\n" + function("void tw_prepare", variant_, variant_.prepare, scope) + "\n" +
            function("void tw_launches", variant_, variant_.launches, scope) + "\n" +
            function("void tw_finish", variant_, variant_.finish, scope) + "\n}  // namespace\n\n";
    text += fmt::format(
        "int main(int tw_argc, char** tw_argv) {{\n  using namespace tailwave_program;\n"
        "  const Program tw_program{{\n      \"{}\",\n      {{",
        one_line(configuration_.name()));
    for (const std::string& line : lines_of_buffers_) text += "\n          " + line;
    text += "\n      },\n      {";
    for (const std::string& line : lines_of_checks_) text += "\n          " + line;
    text += "\n      },\n      {";
    for (const std::string& what : program_.not_checked)
      text += fmt::format("\n          \"{}\",", one_line(what));
    text += fmt::format(
        "}},\n      tw_prepare, tw_launches, tw_finish, {}}};\n  return run(tw_program, tw_argc, tw_argv);\n}}\n",
        reference_ ? "tw_reference" : "nullptr");
    return text;
  }

  const System& system_;
  const Configuration& configuration_;
  const VariantSpec& variant_;
  const StandaloneRequest& request_;
  std::optional<std::pair<const VariantSpec*, Configuration>> reference_;  // a host variant
  ProgramBuffers buffers_;
  std::vector<std::string> lines_of_buffers_, lines_of_checks_;  // in the order of their places
  std::set<std::string> include_folders_{"source"};
  StandaloneProgram program_;
};

}  // namespace

StandaloneProgram standalone_program(const StandaloneRequest& request) {
  const auto refuse = [&](const std::string& why) -> Error {
    return Error(Diagnostic{.file = request.configuration.name(),
                            .cause = "cannot be exported as a program: " + why,
                            .hint = "--config names another configuration, as --filter does elsewhere"});
  };
  try {
    return ProgramWriter(request).write();
  } catch (const NotExportable& obstacle) {
    throw refuse(obstacle.what());
  } catch (const Failure& failure) {
    throw refuse(failure.what());
  }
}

}  // namespace tailwave
