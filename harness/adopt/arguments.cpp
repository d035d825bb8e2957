#include "adopt/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/host_pointer.h"
#include "adopt/lexemes.h"
#include "adopt/struct_arguments.h"

namespace tailwave {
namespace {

// What the host's code passes for a pointer of the kernel; nothing is passed where nobody knows.
HostPointer passed_for(Draft& draft, const DraftLaunch& launch, const std::string& pointer) {
  const auto& parameters = launch.kernel->parameters;
  const std::size_t dot = pointer.find('.');
  const std::string whole = pointer.substr(0, dot);
  for (std::size_t i = 0;
       launch.host != nullptr && i < parameters.size() && i < launch.host->arguments.size(); ++i) {
    if (parameters[i].name != whole) continue;
    HostPointer found = memory_of(draft.host, pointer_of(launch.host->arguments[i]), launch.host->at);
    if (dot == std::string::npos || found.variable.empty()) return found;
    const std::string member = found.variable + pointer.substr(dot);
    const auto definition = HostScope(draft, found.place, false).definition_of(member);
    return memory_of(draft.host,
                     definition ? pointer_of(*definition) : HostPointer{member, member, "", false},
                     found.place);
  }
  return {};
}

// Elements of another type are no view of a buffer that there is.
void remark_on_types(Draft& draft, const DraftLaunch& launch, const OutlineParameter& pointer,
                     const HostPointer& given) {
  for (const DraftBuffer& each : draft.buffers)
    if (!given.passed.empty() && each.passed == given.passed && each.allocated_at == given.allocated_at)
      draft.guess(
          fmt::format("'{}' of {} is a buffer of its own: '{}', which the file passes too, has elements of "
                      "another type",
                      pointer.text, launch.kernel->name, each.name),
          "\"args\"");
}

bool is_bound(const DraftLaunch& launch, const std::string& buffer) {
  return std::any_of(launch.buffers.begin(), launch.buffers.end(),
                     [&](const auto& each) { return each.second == buffer; });
}

// What is not described by its type alone. `why` it is no struct that can be.
void leave_to_a_person(Draft& draft, DraftLaunch& launch, std::size_t i, const std::string& why) {
  const OutlineParameter& parameter = launch.kernel->parameters[i];
  const auto is_of = [&](const char* type) { return parameter.type_name.find(type) != std::string::npos; };
  std::string what = fmt::format("argument {} of {}, '{}'", i + 1, launch.kernel->name, parameter.text);
  std::string where;
  if (is_of("cudaTextureObject_t")) {
    where = R"({"texture": BUFFER, "width": W, "height": H} in "args", for a BUFFER of "buffers")";
  } else if (is_of("CUtensorMap")) {
    where = R"({"tensor_map": BUFFER, "dims": [...], "box": [...]} in "args", for a BUFFER of "buffers")";
  } else if (parameter.pointer) {
    where =
        R"(a buffer of a type that it is made of: {"type": "float32", "count": "4 * N"} for N structs of four floats)";
  } else {
    what += ", " + why;
    where = R"({"struct": [...]} in "args", with its fields in order)";
  }
  launch.arguments.push_back({{"struct", {{{"value", 0}, {"type", "int32"}}}}});
  draft.by_hand.push_back({what, where});
}

}  // namespace

void bind_buffers(Draft& draft, DraftLaunch& launch) {
  for (const OutlineParameter& pointer : launch.pointers) {
    if (std::count(pointer.text.begin(), pointer.text.end(), '*') > 1) continue;
    auto type = draft.type_of(launch, pointer);
    std::int64_t scalars = 1;
    if (!type) {
      const auto members = array_of_structs(draft, pointer.type_name);
      if (!members) continue;
      type = ElementType{members->first, 1};
      scalars = members->second;
    }
    const std::string own = pointer.name.substr(pointer.name.find('.') + 1);
    const HostPointer given = passed_for(draft, launch, pointer.name);
    const auto same = std::find_if(draft.buffers.begin(), draft.buffers.end(), [&](const DraftBuffer& each) {
      const bool is_one = given.passed.empty()
                              ? each.name == own && !is_bound(launch, own)
                              : each.passed == given.passed && each.allocated_at == given.allocated_at;
      return is_one && each.type.scalar == type->scalar && each.scalars == scalars;
    });
    if (same != draft.buffers.end()) {
      launch.buffers[pointer.name] = same->name;
      continue;
    }
    remark_on_types(draft, launch, pointer, given);
    const bool several = draft.launches.size() > 1 && !draft.alternatives && !given.variable.empty();
    const bool is_other = draft.buffer(own) != nullptr && own != pointer.name;
    const std::string wanted = several ? given.variable : is_other ? pointer.name : own;
    const std::string name = draft.free_name(wanted, true);
    draft.buffers.push_back({.name = name,
                             .type = *type,
                             .scalars = scalars,
                             .count = 0,
                             .below = 0,
                             .host_name = given.variable,
                             .passed = given.passed,
                             .host_place = given.place,
                             .allocated_at = given.allocated_at});
    launch.buffers[pointer.name] = name;
  }
}

void write_arguments(Draft& draft, DraftLaunch& launch) {
  const auto& parameters = launch.kernel->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const OutlineParameter& parameter = parameters[i];
    const auto type = draft.type_of(launch, parameter);
    const auto buffer = launch.buffers.find(parameter.name);
    const auto value = launch.known.find(parameter.name);
    if (buffer != launch.buffers.end()) {
      launch.arguments.push_back(buffer->second);
    } else if (parameter.pointer) {
      leave_to_a_person(draft, launch, i, "");
    } else if (type && type->lanes == 1 && value != launch.known.end()) {
      launch.arguments.push_back(draft.argument(value->second, type->scalar));
    } else if (type && type->lanes > 1) {
      const std::vector<int> ones(static_cast<std::size_t>(type->lanes), 1);
      launch.arguments.push_back({{"value", ones}, {"type", to_string(*type)}});
      draft.guess(fmt::format("'{}' of {} is all ones", parameter.text, launch.kernel->name), "\"args\"");
    } else if (DraftStruct made = struct_argument(draft, launch, parameter); made.why_not.empty()) {
      launch.arguments.push_back(std::move(made.fields));
      draft.guess(fmt::format("the fields of '{}' of {}", parameter.text, launch.kernel->name),
                  R"("args" and "problem")");
    } else {
      leave_to_a_person(draft, launch, i, made.why_not);
    }
  }
}

}  // namespace tailwave
