#include "adopt/adopted_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "adopt/adopted_experiment.h"
#include "adopt/draft_variants.h"
#include "adopt/host_stub.h"
#include "adopt/pretty_json.h"
#include "space/expression.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

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
  FileWriter(const Draft& draft, const AdoptOptions& options)
      : draft_(draft), options_(options), variants_(variants_of(draft)) {}

  std::vector<AdoptedFile> write() const {
    const std::filesystem::path folder = std::filesystem::path("kernel_templates") / options_.name;
    const std::string code = source();
    std::vector<AdoptedFile> files{{folder / "system.json", pretty_json(manifest()) + "\n"},
                                   {folder / "tuned.cu", code}};
    if (options_.host_reference)
      files.push_back({folder / "reference.cpp", host_stub(draft_)});
    else
      files.push_back({folder / "original.cu", code});
    files.push_back({std::filesystem::path("experiments") / options_.name / (options_.name + ".json"),
                     pretty_json(adopted_experiment(draft_, options_.name)) + "\n"});
    return files;
  }

  std::string file_name() const { return options_.source.filename().string(); }
  static std::string kernel_name(const DraftLaunch& launch) {
    const std::string arguments = launch.template_arguments.empty()
                                      ? ""
                                      : fmt::format("<{}>", fmt::join(launch.template_arguments, ", "));
    return launch.kernel->full_name() + arguments;
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
    OrderedJson json{
        {"$schema", "../../schemas/system.schema.json"}, {"schema_version", 1}, {"name", options_.name}};
    json["title"] = fmt::format("{} of {}", fmt::join(kernel_names(draft_), ", "), file_name());
    json["problem"] = OrderedJson::object();
    for (const DraftQuantity& each : draft_.quantities)
      json["problem"][each.name] = {{"type", to_string(each.type)}, {"default", value_json(each.value)}};
    for (const DraftBuffer& each : draft_.buffers) json["buffers"][each.name] = buffer(each);
    OrderedJson& reference = json["reference"];
    reference["variant"] = options_.host_reference ? kReferenceVariant : kOriginalVariant;
    if (const auto by = followed_parameters(draft_); !by.empty()) reference["by"] = by;
    for (const DraftBuffer& each : draft_.buffers)
      if (each.is_compared) reference["compare"][each.name] = comparison(each);
    for (const auto& [name, size] : draft_.verified_sizes)
      json["verify"]["problems"][0][name] = number_or_text(size);
    OrderedJson& variants = json["variants"];
    if (options_.host_reference)
      variants[kReferenceVariant] = host_variant();
    else
      variants[kOriginalVariant] = cuda_variant(
          "original.cu", "the code as it was, with its defaults: the reference; leave it as it is",
          variants_.front());
    for (const DraftVariant& each : variants_)
      variants[each.name] = cuda_variant("tuned.cu", "the same code, to be changed and tuned", each);
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
      case DraftBuffer::Fill::value:
        json["fill"] = {{"kind", "constant"}, {"value", number_or_text(buffer.value)}};
        break;
      case DraftBuffer::Fill::generated:
        json["fill"] = {{"kind", "generated"}, {"element", buffer.element}};
        break;
      case DraftBuffer::Fill::uniform:
        json["fill"] = {
            {"kind", "uniform"}, {"low", 0}, {"high", is_real(buffer.type.scalar) ? 1 : 100}, {"seed", seed}};
        break;
    }
    return json;
  }

  OrderedJson parameters_of_counts() const {
    const std::set<std::string> names = names_of_counts(draft_);
    OrderedJson json = OrderedJson::object();
    for (const DraftParameter& each : draft_.parameters)
      if (names.contains(each.name)) json[each.name] = value_json(each.value);
    return json;
  }

  OrderedJson cuda_variant(const std::string& source, const std::string& description,
                           const DraftVariant& variant) const {
    OrderedJson json{{"target", "cuda"}, {"source", source}, {"description", description}};
    for (const DraftParameter* each : variant.parameters)
      json["parameters"][each->name] = value_json(each->value);
    for (const DraftQuantity& each : draft_.quantities)
      if (each.is_macro) json["options"]["-D" + each.name + "={}"] = each.name;
    const std::vector<std::string> conditions = conditions_of(variant);
    if (!conditions.empty()) json["requires"] = fmt::format("{}", fmt::join(conditions, " and "));
    for (const DraftBuffer& each : draft_.buffers)
      if (!each.symbol.empty()) json["prepare"].push_back({{"copy", each.name}, {"symbol", each.symbol}});
    for (const DraftLaunch* launch : variant.launches) json["launches"].push_back(launch_json(*launch));
    return json;
  }

  static OrderedJson launch_json(const DraftLaunch& launch) {
    OrderedJson one{{"kernel", kernel_name(launch)},
                    {"grid", size_json(launch.grid)},
                    {"block", size_json(launch.block)}};
    if (!launch.shared_bytes.empty()) one["dynamic_shared_bytes"] = launch.shared_bytes;
    const bool by_call = launch.host != nullptr && launch.host->is_cooperative;
    if (by_call || launch.body.words.contains("this_grid")) one["cooperative"] = true;
    one["args"] = launch.arguments;
    return one;
  }

  // That have to hold so that there are whole blocks, and none of too many threads.
  std::vector<std::string> conditions_of(const DraftVariant& variant) const {
    const auto& launches = variant.launches;
    std::vector<std::string> all;
    if (draft_.alternatives) all = variant.thread_limits;
    for (const DraftLaunch* launch : launches)
      for (const std::string& each : launch->conditions)
        if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
    for (const DraftDivision& each : draft_.divisible) {
      const bool is_of_others =
          draft_.alternatives &&
          std::none_of(launches.begin(), launches.end(), [&](const DraftLaunch* launch) {
            return std::any_of(launch->grid.begin(), launch->grid.end(),
                               [&](const Polynomial& size) { return size.has(each.quotient); });
          });
      if (!is_of_others) all.push_back(each.condition);
    }
    return all;
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

  const Draft& draft_;
  const AdoptOptions& options_;
  std::vector<DraftVariant> variants_;
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
                                launch.is_as_launched ? ", as the file launches it" : ""));
  }
  for (const DraftBuffer& each : draft.buffers)
    lines.push_back(fmt::format("{}: {} of {}, {}", each.name, each.count.text(), to_string(each.type),
                                !each.is_compared ? "an input"
                                : !each.is_read   ? "a result"
                                                  : "an input and a result"));
  for (const DraftQuantity& each : draft.quantities)
    if (each.is_macro)
      lines.push_back(fmt::format("{}: a size, {}{}, which the code gets as a macro", each.name,
                                  to_string(each.value),
                                  each.on_cpu ? fmt::format(" ({} on a CPU)", *each.on_cpu) : ""));
  if (!draft.verified_sizes.empty()) {
    std::vector<std::string> sizes;
    for (const auto& [name, size] : draft.verified_sizes)
      sizes.push_back(fmt::format("{} = {}", name, size.text()));
    lines.push_back(fmt::format("besides the problem that is timed, results are verified for {}",
                                fmt::join(sizes, ", ")));
  }
  for (const std::string& name : draft.constants)
    lines.push_back(fmt::format("{}: {}, as the file says; no parameter, since nothing else is tried", name,
                                *draft.macro(name)->value));
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
