#include "adopt/adopted_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "space/expression.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kOriginal = "original";
constexpr const char* kTuned = "tuned";
constexpr const char* kHost = "reference";
constexpr std::size_t kWidth = 110;

// What fits goes on one line.
std::string pretty(const OrderedJson& json, std::size_t indent) {
  std::string line = json.dump();
  if (!json.is_structured() || json.empty()) return line;
  std::string spaced;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    spaced += line[i];
    if (!quoted && (line[i] == ':' || line[i] == ',')) spaced += ' ';
  }
  constexpr std::size_t kKey = 24;  // that may stand before it
  if (spaced.size() + indent + kKey <= kWidth && indent > 0) return spaced;
  const std::string inner(indent + 2, ' ');
  std::string text = json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& item : json.items()) {
    text += (first ? "\n" : ",\n") + inner;
    if (json.is_object()) text += OrderedJson(item.key()).dump() + ": ";
    text += pretty(item.value(), indent + 2);
    first = false;
  }
  return text + "\n" + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

OrderedJson number_or_text(const Polynomial& size) {
  return size.is_number() ? OrderedJson(size.number()) : OrderedJson(size.text());
}

OrderedJson value_json(const Value& value) {
  return std::visit([](const auto& plain) { return OrderedJson(plain); }, value);
}

// Without the directions of 1 at the end.
OrderedJson size_json(const std::array<Polynomial, 3>& size) {
  std::size_t directions = 3;
  while (directions > 1 && size[directions - 1] == Polynomial(1)) --directions;
  if (directions == 1) return number_or_text(size[0]);
  OrderedJson all = OrderedJson::array();
  for (std::size_t i = 0; i < directions; ++i) all.push_back(number_or_text(size[i]));
  return all;
}

// Rounding of the type, with room for another order of sums.
double tolerance_of(ScalarType type) {
  switch (type) {
    case ScalarType::float64:
      return 1e-11;
    case ScalarType::float16:
      return 5e-3;
    case ScalarType::bfloat16:
      return 4e-2;
    case ScalarType::float8_e4m3:
    case ScalarType::float8_e5m2:
      return 0.3;
    default:
      return 1e-5;
  }
}

class FileWriter {
 public:
  FileWriter(const Draft& draft, const AdoptOptions& options) : draft_(draft), options_(options) {}

  std::vector<AdoptedFile> write() const {
    const std::filesystem::path folder = std::filesystem::path("kernel_templates") / options_.name;
    const std::string code = source();
    std::vector<AdoptedFile> files{{folder / "system.json", pretty(manifest(), 0) + "\n"},
                                   {folder / "tuned.cu", code}};
    if (options_.host_reference)
      files.push_back({folder / "reference.cpp", host_reference()});
    else
      files.push_back({folder / "original.cu", code});
    files.push_back({std::filesystem::path("experiments") / options_.name / (options_.name + ".json"),
                     pretty(experiment(), 0) + "\n"});
    return files;
  }

  std::string file_name() const { return options_.source.filename().string(); }
  std::string kernel_names() const {
    std::vector<std::string> names;
    for (const DraftLaunch& launch : draft_.launches)
      if (std::find(names.begin(), names.end(), launch.kernel->name) == names.end())
        names.push_back(launch.kernel->name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  static std::string kernel_name(const DraftLaunch& launch) {
    const std::string arguments = launch.template_arguments.empty()
                                      ? ""
                                      : fmt::format("<{}>", fmt::join(launch.template_arguments, ", "));
    return launch.kernel->full_name() + arguments;
  }

  // What says how many results there are: the reference has to follow it.
  std::set<std::string> followed() const {
    std::set<std::string> names;
    for (const DraftBuffer& each : draft_.buffers)
      names.insert(each.results_by.begin(), each.results_by.end());
    return names;
  }

 private:
  std::string source() const {
    std::string text;
    for (const DraftGuess& each : draft_.by_hand)
      text += fmt::format("#error \"describe {} in system.json of {}, then remove this line\"\n", each.what,
                          options_.name);
    return text + with_guards(draft_.source, draft_.guarded);
  }

  OrderedJson manifest() const {
    OrderedJson json{{"$schema", "../../schemas/system.schema.json"},
                     {"schema_version", 1},
                     {"name", options_.name},
                     {"title", kernel_names() + " of " + file_name()}};
    json["problem"] = OrderedJson::object();
    for (const DraftQuantity& each : draft_.quantities)
      json["problem"][each.name] = {{"type", to_string(each.type)}, {"default", value_json(each.value)}};
    for (const DraftBuffer& each : draft_.buffers) json["buffers"][each.name] = buffer(each);
    OrderedJson& reference = json["reference"];
    reference["variant"] = options_.host_reference ? kHost : kOriginal;
    if (const auto by = followed(); !by.empty()) reference["by"] = by;
    for (const DraftBuffer& each : draft_.buffers)
      if (each.is_compared) reference["compare"][each.name] = comparison(each);
    OrderedJson& variants = json["variants"];
    if (options_.host_reference)
      variants[kHost] = host_variant();
    else
      variants[kOriginal] = cuda_variant(
          "original.cu", "the code as it was, with its defaults: the reference; leave it as it is");
    variants[kTuned] = cuda_variant("tuned.cu", "the same code, to be changed and tuned");
    return json;
  }

  static OrderedJson comparison(const DraftBuffer& buffer) {
    if (!is_real(buffer.type.scalar)) return {{"norm", "exact"}};
    return {{"norm", "relative_l2"}, {"tolerance", tolerance_of(buffer.type.scalar)}};
  }

  OrderedJson buffer(const DraftBuffer& buffer) const {
    OrderedJson json{{"type", to_string(buffer.type)}, {"count", number_or_text(buffer.count)}};
    const auto seed = static_cast<std::uint64_t>(&buffer - draft_.buffers.data()) + 1;
    switch (buffer.fill) {
      case DraftBuffer::Fill::none:
        json["output_only"] = true;
        break;
      case DraftBuffer::Fill::zero:
        json["fill"] = {{"kind", "zero"}};
        break;
      case DraftBuffer::Fill::indices:
        json["fill"] = {
            {"kind", "integers"}, {"low", 0}, {"high", number_or_text(buffer.below - 1)}, {"seed", seed}};
        break;
      case DraftBuffer::Fill::uniform:
        json["fill"] = {
            {"kind", "uniform"}, {"low", 0}, {"high", is_real(buffer.type.scalar) ? 1 : 100}, {"seed", seed}};
        break;
    }
    return json;
  }

  OrderedJson parameters() const {
    OrderedJson json = OrderedJson::object();
    for (const DraftParameter& each : draft_.parameters) json[each.name] = value_json(each.value);
    return json;
  }

  // Those that say how many elements there are: every variant has to have them.
  OrderedJson parameters_of_counts() const {
    std::set<std::string> names = followed();
    for (const DraftBuffer& each : draft_.buffers) {
      const Expression count = Expression::parse(each.count.text());
      names.insert(count.names().begin(), count.names().end());
    }
    OrderedJson json = OrderedJson::object();
    for (const DraftParameter& each : draft_.parameters)
      if (names.contains(each.name)) json[each.name] = value_json(each.value);
    return json;
  }

  OrderedJson cuda_variant(const std::string& source, const std::string& description) const {
    OrderedJson json{{"target", "cuda"}, {"source", source}, {"description", description}};
    if (!draft_.parameters.empty()) json["parameters"] = parameters();
    std::vector<std::string> conditions;
    for (const DraftDivision& each : draft_.divisible) conditions.push_back(each.condition);
    if (!conditions.empty()) json["requires"] = fmt::format("{}", fmt::join(conditions, " and "));
    json["launches"] = OrderedJson::array();
    for (const DraftLaunch& launch : draft_.launches) {
      OrderedJson one{{"kernel", kernel_name(launch)},
                      {"grid", size_json(launch.grid)},
                      {"block", size_json(launch.block)}};
      if (!launch.shared_bytes.empty()) one["dynamic_shared_bytes"] = launch.shared_bytes;
      if (launch.body.words.contains("this_grid")) one["cooperative"] = true;
      one["args"] = launch.arguments;
      json["launches"].push_back(one);
    }
    return json;
  }

  // All buffers and quantities, in their order.
  OrderedJson host_variant() const {
    OrderedJson names = OrderedJson::array();
    for (const DraftBuffer& each : draft_.buffers) names.push_back(each.name);
    for (const DraftQuantity& each : draft_.quantities) names.push_back(each.name);
    OrderedJson json{
        {"target", "host"}, {"source", "reference.cpp"}, {"description", "what is right, on the CPU"}};
    const OrderedJson own = parameters_of_counts();
    if (!own.empty()) json["parameters"] = own;
    json["launches"] = OrderedJson::array({{{"function", "reference"}, {"args", names}}});
    return json;
  }

  static std::string cpp_type(ScalarType type) {
    switch (type) {
      case ScalarType::int32:
        return "int";
      case ScalarType::float32:
        return "float";
      case ScalarType::float64:
        return "double";
      case ScalarType::float16:
        return "__half";
      case ScalarType::bfloat16:
        return "__nv_bfloat16";
      case ScalarType::float8_e4m3:
        return "__nv_fp8_e4m3";
      case ScalarType::float8_e5m2:
        return "__nv_fp8_e5m2";
      default:
        return "std::" + std::string(to_string(type)) + "_t";
    }
  }

  std::string host_reference() const {
    std::vector<std::string> parameters, results;
    for (const DraftBuffer& each : draft_.buffers) {
      parameters.push_back((each.is_compared ? "" : "const ") + cpp_type(each.type.scalar) + "* " +
                           each.name);
      if (each.is_compared) results.push_back(each.name);
    }
    for (const DraftQuantity& each : draft_.quantities)
      parameters.push_back(cpp_type(each.type) + " " + each.name);
    return fmt::format(
        "#include <cstdint>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n\n"
        "// What is right, as plainly as you can write it, best in double: all others are compared with it.\n"
        "#error \"the reference is not written yet: have it compute {} here, then remove this line\"\n"
        "extern \"C\" void reference({}) {{\n}}\n",
        fmt::join(results, ", "), fmt::join(parameters, ", "));
  }

  OrderedJson experiment() const {
    OrderedJson tried = OrderedJson::object();
    std::vector<std::string> names;
    for (const DraftParameter& each : draft_.parameters) {
      if (each.tried.empty()) continue;
      tried[each.name] = each.tried;
      names.push_back(each.name);
    }
    OrderedJson json{{"$schema", "../../schemas/experiment.schema.json"},
                     {"schema_version", 1},
                     {"name", options_.name},
                     {"system", options_.name}};
    json["question"] =
        names.empty() ? "How long does it take?" : fmt::format("Which {} is best?", fmt::join(names, ", "));
    OrderedJson one{{"variant", kTuned}};
    if (!tried.empty()) one["parameters"] = tried;
    json["cases"] = OrderedJson::array({one});
    if (const auto constraints = thread_limits(); !constraints.empty()) json["constraints"] = constraints;
    json["metric"] = {{"name", "time"}};
    OrderedJson smaller = OrderedJson::object();
    for (const DraftQuantity& each : draft_.quantities)
      if (each.on_cpu) smaller[each.name] = OrderedJson::array({*each.on_cpu});
    if (!smaller.empty()) json["devices"]["cpu"]["problem"] = smaller;
    return json;
  }

  // Where values that are tried together could be more threads than a block can have.
  std::vector<std::string> thread_limits() const {
    std::vector<std::string> all;
    for (const DraftLaunch& launch : draft_.launches) {
      const Polynomial threads = launch.block[0] * launch.block[1] * launch.block[2];
      Values most;
      for (const DraftParameter& each : draft_.parameters)
        most[each.name] = each.tried.empty() ? each.value : Value(each.tried.back());
      const std::string text = threads.text() + " <= 1024";
      if (threads.value(most).value_or(0) > 1024 && std::find(all.begin(), all.end(), text) == all.end())
        all.push_back(text);
    }
    return all;
  }

  const Draft& draft_;
  const AdoptOptions& options_;
};

}  // namespace

std::vector<AdoptedFile> adopted_files(const Draft& draft, const AdoptOptions& options) {
  return FileWriter(draft, options).write();
}

std::vector<std::string> description_of(const Draft& draft, const AdoptOptions& options) {
  const FileWriter writer(draft, options);
  std::vector<std::string> lines;
  for (const DraftLaunch& launch : draft.launches) {
    const auto shown = [](const std::array<Polynomial, 3>& size) { return size_json(size).dump(); };
    lines.push_back(fmt::format("{}: grid {}, block {}{}", FileWriter::kernel_name(launch),
                                shown(launch.grid), shown(launch.block),
                                launch.host == nullptr ? "" : ", as the file launches it"));
  }
  for (const DraftBuffer& each : draft.buffers)
    lines.push_back(fmt::format("{}: {} of {}, {}", each.name, each.count.text(), to_string(each.type),
                                !each.is_compared ? "an input"
                                : !each.is_read   ? "a result"
                                                  : "an input and a result"));
  for (const DraftParameter& each : draft.parameters)
    lines.push_back(
        fmt::format("{}: a parameter, {}{}", each.name, to_string(each.value),
                    each.tried.empty() ? "" : fmt::format(", tried with {}", fmt::join(each.tried, ", "))));
  for (const MacroText& each : draft.guarded)
    lines.push_back(fmt::format(
        "{}: its line has an #ifndef around it in the copy, so that values can be given", each.name));
  return lines;
}

}  // namespace tailwave
