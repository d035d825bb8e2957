#include "adopt/struct_arguments.h"

#include <fmt/format.h>

namespace tailwave {

std::optional<std::pair<ScalarType, std::int64_t>> array_of_structs(const Draft& draft,
                                                                    const std::string& type_name) {
  const auto text = struct_named(draft.declarations, type_name);
  if (!text) return std::nullopt;
  std::optional<ScalarType> one;
  std::int64_t scalars = 0;
  for (const OutlineParameter& member : text->members) {
    const auto type = element_named(member.type_name, draft.aliases);
    if (!type || member.pointer || (one && *one != type->scalar)) return std::nullopt;
    one = type->scalar;
    scalars += type->lanes;
  }
  return one ? std::optional(std::pair(*one, scalars)) : std::nullopt;
}

std::vector<OutlineParameter> pointers_of(const Draft& draft, const KernelText& kernel) {
  std::vector<OutlineParameter> all;
  for (const OutlineParameter& parameter : kernel.parameters) {
    if (parameter.pointer) {
      all.push_back(parameter);
      continue;
    }
    const auto text = struct_named(draft.declarations, parameter.type_name);
    if (!text) continue;
    for (OutlineParameter member : text->members) {
      if (!member.pointer || member.name.empty()) continue;
      member.name = parameter.name + "." + member.name;
      all.push_back(std::move(member));
    }
  }
  return all;
}

DraftStruct struct_argument(const Draft& draft, const DraftLaunch& launch,
                            const OutlineParameter& parameter) {
  DraftStruct argument{.fields = {{"struct", nlohmann::ordered_json::array()}}, .why_not = ""};
  const auto text = struct_named(draft.declarations, parameter.type_name);
  if (!text) {
    argument.why_not = "whose type is no struct of plain variables in this file";
    return argument;
  }
  auto& fields = argument.fields["struct"];
  for (const OutlineParameter& member : text->members) {
    const auto type = draft.type_of(launch, member);
    const std::string name = parameter.name + "." + member.name;
    const auto buffer = launch.buffers.find(name);
    if (member.name.empty() || (member.pointer ? buffer == launch.buffers.end() : !type)) {
      argument.why_not = fmt::format("a struct with '{}'", member.text);
      return argument;
    }
    if (member.pointer) {
      fields.push_back(buffer->second);
    } else if (type->lanes == 1) {
      fields.push_back(draft.argument(launch.known.at(name), type->scalar));
    } else {
      const std::vector<int> ones(static_cast<std::size_t>(type->lanes), 1);
      fields.push_back({{"value", ones}, {"type", to_string(*type)}});
    }
  }
  return argument;
}

}  // namespace tailwave
