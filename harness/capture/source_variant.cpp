#include "capture/source_variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <variant>

#include "adopt/adopt.h"
#include "capture/captured_values.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "spec/experiment_reader.h"

namespace tailwave {
namespace fs = std::filesystem;

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kVariant = "tuned";  // as adopt() calls it

// What adopt() makes of the source, read as any spec is.
class AdoptedSource {
 public:
  AdoptedSource(const fs::path& source, const std::string& kernel)
      : source_(source), adopted_(adopt({.source = source, .kernels = {kernel}, .name = "captured"})) {
    for (const AdoptedFile& file : adopted_.files) {
      const fs::path path = folder_.path() / file.path;
      fs::create_directories(path.parent_path());
      std::ofstream(path) << file.text;
    }
    experiment_ = load_experiment(folder_.path() / adopted_.files.back().path);
    const VariantSpec* const variant = experiment_.system.find_variant(kVariant);
    for (const LaunchSpec& launch : variant->launches)
      if (launch.kernel == kernel || launch.kernel.starts_with(kernel + "<")) launch_ = &launch;
    if (launch_ == nullptr) refuse(fmt::format("no launch of '{}' is found in it", kernel));
  }

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  [[nodiscard]] const VariantSpec& variant() const { return *experiment_.system.find_variant(kVariant); }
  [[nodiscard]] const LaunchSpec& launch() const { return *launch_; }
  // Without what is the experiment's and the other variant's.
  [[nodiscard]] std::vector<std::pair<fs::path, std::string>> files() const {
    std::vector<std::pair<fs::path, std::string>> files;
    const fs::path system = fs::path("kernel_templates") / "captured";
    for (const AdoptedFile& file : adopted_.files) {
      const fs::path below = file.path.lexically_relative(system);
      const bool is_of_the_system = !below.empty() && *below.begin() != "..";
      if (is_of_the_system && below != "system.json" && below != "original.cu")
        files.emplace_back(below, file.text);
    }
    return files;
  }
  // Inputs, sizes and the grid are those that were captured, whatever was guessed of them.
  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> lines;
    for (const Adopted::Remark& one : adopted_.by_hand) lines.push_back(one.what + ": " + one.where);
    for (const Adopted::Remark& one : adopted_.guesses) {
      const auto is_about = [&](std::string_view place) { return one.where.starts_with(place); };
      if (!is_about("/buffers") && !is_about("/problem") && !is_about("/verify") && !is_about("\""))
        lines.push_back(one.what + ": " + one.where);
    }
    return lines;
  }
  [[nodiscard]] OrderedJson manifest_variant() const {
    for (const AdoptedFile& file : adopted_.files)
      if (file.path.filename() == "system.json")
        return OrderedJson::parse(file.text).at("variants").at(kVariant);
    refuse("it gives no manifest");
  }

  [[noreturn]] void refuse(const std::string& cause, const std::string& hint = "") const {
    throw Error({.file = source_.string(), .cause = cause, .hint = hint});
  }

 private:
  fs::path source_;
  Adopted adopted_;
  TemporaryFolder folder_;
  Experiment experiment_;
  const LaunchSpec* launch_ = nullptr;
};

// The number that captured bytes are, of that type.
std::optional<Value> number_of(const std::string& bytes, ScalarType type) {
  const auto json = exact_json(bytes, type);
  if (!json) return std::nullopt;
  if (json->is_number_integer()) return Value(json->get<std::int64_t>());
  return Value(json->get<double>());
}

// What the quantities of the problem were in a launch: those that the kernel gets as they are by its arguments, the others as
// the source has them.
Values quantities_of(const AdoptedSource& source, const CapturedLaunch& launch) {
  Values values;
  const System& system = source.experiment().system;
  for (const auto& [name, quantity] : system.problem) values[name] = quantity.default_value;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    for_each_placed_leaf(source.launch().arguments[i], [&](const Argument& leaf, std::size_t offset) {
      const auto* const scalar = std::get_if<ScalarArgument>(&leaf);
      if (scalar == nullptr || !system.problem.contains(scalar->value.text())) return;
      const std::string bytes = launch.arguments[i].bytes.substr(offset, size_bytes(scalar->type));
      if (const auto value = number_of(bytes, scalar->type)) values[scalar->value.text()] = *value;
    });
  return values;
}

void require_same_arguments(const AdoptedSource& source, const CapturedLaunch& launch) {
  const std::vector<Argument>& arguments = source.launch().arguments;
  bool same = arguments.size() == launch.arguments.size();
  for (std::size_t i = 0; same && i < arguments.size(); ++i)
    same = layout_of(arguments[i]).bytes == launch.arguments[i].bytes.size();
  if (same) return;
  std::vector<std::size_t> given, wanted;
  for (const Argument& one : arguments) given.push_back(layout_of(one).bytes);
  for (const CapturedArgument& one : launch.arguments) wanted.push_back(one.bytes.size());
  source.refuse(fmt::format("'{}' takes arguments of {} bytes there, and the captured one of {}",
                            source.launch().kernel, fmt::join(given, ", "), fmt::join(wanted, ", ")),
                "it is another kernel, or another version of it");
}

// Whole numbers among the arguments of which a size may be made, each as it was in every launch.
std::vector<std::vector<std::int64_t>> numbers_in(const std::vector<CapturedLaunch>& launches) {
  std::vector<std::vector<std::int64_t>> all;
  for (std::size_t i = 0; i < launches.front().arguments.size(); ++i) {
    const CapturedArgument& argument = launches.front().arguments[i];
    for (std::size_t at = 0; at + sizeof(std::int32_t) <= argument.bytes.size(); at += sizeof(std::int32_t)) {
      const auto is_here = [&](const CapturedPointer& one) {
        return at >= one.at && at < one.at + kPointerBytes;
      };
      if (std::ranges::any_of(argument.pointers, is_here)) continue;
      std::vector<std::int64_t> values;
      for (const CapturedLaunch& one : launches)
        values.push_back(value_of_bytes<std::int32_t>(one.arguments[i].bytes.substr(at)));
      if (std::ranges::all_of(values, [](std::int64_t one) { return one > 1; }))
        all.push_back(std::move(values));
    }
  }
  return all;
}

// As it stands in an expression.
template <class Number>
std::string number_text(const std::vector<Number>& by_sizes) {
  const OrderedJson json = by_size(by_sizes);
  return json.is_string() ? json.get<std::string>() : json.dump();
}

// Without those around a lone number, which substituting has put there.
std::string without_brackets(const std::string& text) {
  static const std::regex lone(R"((^|[ (,*+-])\((\d+)\))");
  return std::regex_replace(text, lone, "$1$2");
}

class ShapeFinder {
 public:
  ShapeFinder(const AdoptedSource& source, const std::vector<CapturedLaunch>& launches)
      : launches_(launches) {
    for (const CapturedLaunch& one : launches) quantities_.push_back(quantities_of(source, one));
    for (const auto& [name, value] : source.variant().parameters) parameters_[name] = value;
  }

  // An expression over the parameters that has the captured value in each size; none: it has not.
  [[nodiscard]] std::optional<std::string> checked(const Expression& expression,
                                                   const std::vector<std::int64_t>& captured) const {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      Values scope = quantities_[i];
      scope.insert(parameters_.begin(), parameters_.end());
      try {
        if (expression.evaluate_int(scope) != captured[i]) return std::nullopt;
      } catch (const ExpressionError&) {
        return std::nullopt;
      }
    }
    return over_parameters(expression);
  }

  // With the captured values in place of the quantities.
  [[nodiscard]] std::string over_parameters(const Expression& expression) const {
    return without_brackets(with_numbers(expression).text());
  }

  // A parameter that has the captured value; else the value.
  [[nodiscard]] std::string likely(const std::vector<std::int64_t>& captured) const {
    for (const auto& [name, value] : parameters_)
      if (checked(Expression::parse(name), captured)) return name;
    return number_text(captured);
  }

  // ceil_div(EXTENT, BLOCK) of a whole number of the arguments, or a product of two, that gives the captured grid.
  [[nodiscard]] std::optional<std::string> sought(const std::string& block,
                                                  const std::vector<std::int64_t>& captured) const {
    std::vector<std::vector<std::int64_t>> numbers = numbers_in(launches_);
    numbers.emplace_back(launches_.size(), 1);
    for (const auto& one : numbers)
      for (const auto& other : numbers) {
        std::vector<std::int64_t> extents;
        for (std::size_t i = 0; i < one.size(); ++i) extents.push_back(one[i] * other[i]);
        std::string text = fmt::format("ceil_div({}, {})", number_text(extents), block);
        if (gives(text, captured)) return text;
      }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool gives(const std::string& text, const std::vector<std::int64_t>& captured) const {
    const Expression expression = Expression::parse(text);
    for (std::size_t i = 0; i < captured.size(); ++i) {
      Values scope = parameters_;
      scope[kSize] = static_cast<std::int64_t>(i);
      if (expression.evaluate_int(scope) != captured[i]) return false;
    }
    return true;
  }

  [[nodiscard]] Expression with_numbers(const Expression& expression) const {
    std::map<std::string, Expression> numbers;
    for (const std::string& name : expression.names()) {
      if (parameters_.contains(name) || !quantities_.front().contains(name)) continue;
      std::vector<OrderedJson> values;
      for (const Values& one : quantities_)
        values.push_back(std::visit([](const auto& plain) { return OrderedJson(plain); }, one.at(name)));
      numbers.emplace(name, Expression::parse(number_text(values)));
    }
    return expression.substitute(numbers);
  }

  const std::vector<CapturedLaunch>& launches_;
  std::vector<Values> quantities_;  // by size
  Values parameters_;               // as the source has them
};

OrderedJson list_json(const std::array<std::string, 3>& texts) {
  OrderedJson list = OrderedJson::array();
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

// Symbols of the captured variables by their names in C++.
std::map<std::string, std::string> buffers_of_variables(const CapturedLaunch& launch) {
  std::map<std::string, std::string> buffers;
  for (std::size_t i = 0; i < launch.variables.size(); ++i)
    buffers.emplace(base_name(demangled_symbol(launch.variables[i].symbol)),
                    fmt::format("variable{}", i + 1));
  return buffers;
}

// Copies into variables, of what was captured; one that was not holds what the module has.
OrderedJson prepare_of(const OrderedJson& variant, const CapturedLaunch& launch) {
  const auto buffers = buffers_of_variables(launch);
  OrderedJson prepare = OrderedJson::array();
  for (const OrderedJson& one : variant.value("prepare", OrderedJson::array())) {
    if (!one.contains("symbol")) continue;
    const auto found = buffers.find(one.at("symbol").get<std::string>());
    if (found != buffers.end()) prepare.push_back({{"copy", found->second}, {"symbol", one.at("symbol")}});
  }
  return prepare;
}

}  // namespace

SourceVariant source_variant(const std::vector<CapturedLaunch>& launches, const fs::path& source) {
  const CapturedLaunch& first = launches.front();
  const AdoptedSource adopted(source, base_name(first.demangled));
  require_same_arguments(adopted, first);
  const LaunchSpec& launch = adopted.launch();
  const ShapeFinder finder(adopted, launches);
  SourceVariant made;
  std::array<std::string, 3> grid, block;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto blocks = of_each(launches, [&](const CapturedLaunch& one) { return one.block[i]; });
    const auto grids = of_each(launches, [&](const CapturedLaunch& one) { return one.grid[i]; });
    block[i] = finder.checked(launch.block[i], blocks).value_or(finder.likely(blocks));
    auto of_grid = finder.checked(launch.grid[i], grids);
    if (!of_grid) of_grid = finder.sought(block[i], grids);
    grid[i] = of_grid.value_or(number_text(grids));
  }
  const auto bytes = of_each(launches, [](const CapturedLaunch& one) { return one.dynamic_shared_bytes; });
  const std::string shared = finder.checked(launch.dynamic_shared_bytes, bytes).value_or(number_text(bytes));
  made.shapes.push_back(fmt::format("grid {} gives {}, block {} gives {}", fmt::join(grid, " x "),
                                    fmt::join(first.grid, " x "), fmt::join(block, " x "),
                                    fmt::join(first.block, " x ")));
  const OrderedJson before = adopted.manifest_variant();
  made.variant = {{"source", before.at("source")}, {"description", "the source, to be changed and tuned"}};
  for (const char* key : {"parameters", "options"})
    if (before.contains(key)) made.variant[key] = before.at(key);
  if (OrderedJson prepare = prepare_of(before, first); !prepare.empty())
    made.variant["prepare"] = std::move(prepare);
  OrderedJson one{{"kernel", launch.kernel}, {"grid", list_json(grid)}, {"block", list_json(block)}};
  if (shared != "0") one["dynamic_shared_bytes"] = shared;
  if (first.cooperative) one["cooperative"] = true;
  made.variant["launches"] = OrderedJson::array({one});
  for (const Case& with : adopted.experiment().cases)
    for (const auto& [name, values] : with.parameters) {
      OrderedJson list = OrderedJson::array();
      for (const Value& value : values)
        list.push_back(std::visit([](const auto& plain) { return OrderedJson(plain); }, value));
      made.parameters[name] = std::move(list);
    }
  for (const Expression& constraint : adopted.experiment().constraints)
    made.constraints.push_back(constraint.text());
  made.remarks = adopted.remarks();
  made.files = adopted.files();
  return made;
}

}  // namespace tailwave
