#include "capture/captured_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace tailwave {

using OrderedJson = nlohmann::ordered_json;

CapturedArguments::CapturedArguments(const std::vector<CapturedLaunch>& launches)
    : launches_(launches), first_(launches.front()), signature_(parameters_of(first_.demangled)) {
  if (signature_.size() != first_.arguments.size()) signature_.clear();
  for (std::size_t i = 0; i < first_.memory.size(); ++i) {
    names_.push_back(name_of(i));
    types_.push_back(type_of(i));
  }
}

OrderedJson CapturedArguments::json() const {
  OrderedJson all = OrderedJson::array();
  for (std::size_t i = 0; i < first_.arguments.size(); ++i) all.push_back(argument_json(i));
  return all;
}

const SignatureType* CapturedArguments::said_of(std::size_t argument) const {
  return signature_.empty() ? nullptr : &signature_[argument];
}

// After the first argument that points there.
std::string CapturedArguments::name_of(std::size_t memory) const {
  for (std::size_t i = 0; i < first_.arguments.size(); ++i)
    for (const CapturedPointer& one : first_.arguments[i].pointers) {
      if (one.memory != memory) continue;
      const bool alone = first_.arguments[i].bytes.size() == kPointerBytes;
      return alone ? fmt::format("arg{}", i + 1) : fmt::format("arg{}_at{}", i + 1, one.at);
    }
  return fmt::format("memory{}", memory + 1);
}

// What all arguments that point there say it is; bytes where they differ, or one does not say.
ScalarType CapturedArguments::type_of(std::size_t memory) const {
  std::set<ScalarType> types;
  std::size_t misplaced = 0;
  for (const CapturedLaunch& launch : launches_) {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const SignatureType* const said = said_of(i);
      for (const CapturedPointer& one : launch.arguments[i].pointers) {
        if (one.memory != memory) continue;
        const bool is_known = said != nullptr && said->pointer && said->type;
        const ScalarType type = is_known ? said->type->scalar : ScalarType::uint8;
        types.insert(type);
        misplaced += one.offset % size_bytes(type) + launch.memory[memory].bytes % size_bytes(type);
      }
    }
  }
  return types.size() == 1 && misplaced == 0 ? *types.begin() : ScalarType::uint8;
}

// The pointer number `which` of an argument.
OrderedJson CapturedArguments::pointer_json(std::size_t argument, std::size_t which) const {
  const std::size_t memory = first_.arguments[argument].pointers[which].memory;
  const OrderedJson offset = by_size_of([&](const CapturedLaunch& one) {
    return one.arguments[argument].pointers[which].offset / size_bytes(types_[memory]);
  });
  if (offset == 0) return names_[memory];
  return {{"buffer", names_[memory]}, {"offset", offset}};
}

// A number where all sizes have one that says it exactly, else none.
OrderedJson CapturedArguments::scalar_json(std::size_t argument) const {
  std::vector<const CapturedArgument*> sizes;
  for (const CapturedLaunch& one : launches_) sizes.push_back(&one.arguments[argument]);
  const std::optional<ScalarType> type = type_of_scalar(sizes, said_of(argument));
  if (!type) return nullptr;
  std::vector<OrderedJson> values;
  for (const CapturedArgument* one : sizes) {
    auto value = exact_json(one->bytes, *type);
    if (!value) return nullptr;
    values.push_back(*std::move(value));
  }
  return value_json(by_size(values), *type);
}

// Of an argument the bytes from `begin` to `end`: what is the same in all sizes as it is, the rest as numbers.
void CapturedArguments::add_bytes(std::size_t argument, std::size_t begin, std::size_t end,
                                  OrderedJson& fields) const {
  const auto part = [&](const CapturedLaunch& launch, std::size_t from, std::size_t bytes) {
    return launch.arguments[argument].bytes.substr(from, bytes);
  };
  // A number asks for an alignment, and the struct would grow to a multiple of it.
  const bool is_of_words = first_.arguments[argument].bytes.size() % sizeof(std::uint32_t) == 0;
  std::string same;
  const auto flush = [&] {
    if (!same.empty()) fields.push_back(bytes_json(std::exchange(same, "")));
  };
  for (std::size_t at = begin; at < end;) {
    const std::size_t bytes =
        is_of_words && at % sizeof(std::uint32_t) == 0 && end - at >= sizeof(std::uint32_t)
            ? sizeof(std::uint32_t)
            : 1;
    const std::string here = part(first_, at, bytes);
    if (std::ranges::all_of(launches_,
                            [&](const CapturedLaunch& one) { return part(one, at, bytes) == here; })) {
      same += here;
    } else {
      flush();
      fields.push_back(value_json(by_size_of([&](const CapturedLaunch& one) {
                                    return value_of_bytes<std::uint32_t>(part(one, at, bytes));
                                  }),
                                  bytes == 1 ? ScalarType::uint8 : ScalarType::uint32));
    }
    at += bytes;
  }
  flush();
}

OrderedJson CapturedArguments::argument_json(std::size_t i) const {
  const CapturedArgument& one = first_.arguments[i];
  if (one.pointers.empty())
    if (OrderedJson value = scalar_json(i); !value.is_null()) return value;
  if (one.bytes.size() == kPointerBytes && !one.pointers.empty()) return pointer_json(i, 0);
  OrderedJson fields = OrderedJson::array();
  std::size_t end = 0;
  for (std::size_t which = 0; which < one.pointers.size(); ++which) {
    add_bytes(i, end, one.pointers[which].at, fields);
    fields.push_back(pointer_json(i, which));
    end = one.pointers[which].at + kPointerBytes;
  }
  add_bytes(i, end, one.bytes.size(), fields);
  return fields.size() == 1 && fields[0].contains("bytes") ? fields[0] : OrderedJson{{"struct", fields}};
}

}  // namespace tailwave
