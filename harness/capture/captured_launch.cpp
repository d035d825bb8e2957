#include "capture/captured_launch.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/hex_digits.h"
#include "json/json.h"
#include "json/json_file.h"

namespace tailwave {
namespace fs = std::filesystem;

namespace {

std::array<std::int64_t, 3> extents(const Json& place) {
  return {place.at(0).whole(), place.at(1).whole(), place.at(2).whole()};
}

std::size_t amount(const Json& place) {
  if (place.whole() < 0) place.refuse("expected a number from 0");
  return static_cast<std::size_t>(place.whole());
}

std::string bytes_of(const Json& place) {
  const std::optional<std::string> bytes = bytes_of_hex(place.text());
  if (!bytes) place.refuse("expected two hexadecimal digits for each byte");
  return *bytes;
}

// Of launches and of their times.
template <class One, class Other>
bool have_one_shape(const One& one, const Other& other) {
  return one.kernel == other.kernel && one.grid == other.grid && one.block == other.block &&
         one.dynamic_shared_bytes == other.dynamic_shared_bytes;
}

// before and after of memory or of a variable
template <class Part>
Part with_files(Part part, const Json& place, const fs::path& folder) {
  part.bytes = amount(place.at("bytes"));
  part.before = folder / place.at("before").text();
  if (place.find("after")) part.after = folder / place.at("after").text();
  return part;
}

CapturedMemory memory_of(const Json& place, const fs::path& folder) {
  CapturedMemory one = with_files(CapturedMemory{}, place, folder);
  one.memory = place.at("memory").text();
  if (const Json inner = place.find("inner_pointers")) {
    one.inner_pointers = amount(inner.at("count"));
    one.first_inner = amount(inner.at("first"));
  }
  return one;
}

void add_pointer(const Json& place, CapturedLaunch& launch) {
  const CapturedPointer one{amount(place.at("at")), amount(place.at("allocation")),
                            amount(place.at("offset"))};
  const std::size_t argument = place.at("parameter").index(launch.arguments.size());
  if (one.memory >= launch.memory.size()) place.refuse("there is no such allocation");
  launch.arguments[argument].pointers.push_back(one);
}

}  // namespace

CapturedLaunch read_captured_launch(const fs::path& folder) {
  const Json document = read_json_file(folder / "launch.json").document;
  CapturedLaunch launch;
  launch.device = document.at("device").text();
  launch.kernel = document.at("kernel").text();
  launch.demangled = demangled_symbol(launch.kernel);
  launch.grid = extents(document.at("grid"));
  launch.block = extents(document.at("block"));
  launch.dynamic_shared_bytes = document.at("dynamic_shared_bytes").whole();
  launch.cooperative = document.at("cooperative").flag();
  if (const Json cluster = document.find("cluster")) launch.cluster = extents(cluster);
  launch.from_graph = document.at("from").text() == "graph";
  launch.code_candidates = document.at("code_candidates").small();
  launch.code = folder / "code.cubin";
  for (const Json& one : document.at("parameters").items())
    launch.arguments.push_back({bytes_of(one.at("bytes")), {}});
  for (const Json& one : document.at("allocations").items()) launch.memory.push_back(memory_of(one, folder));
  for (const Json& one : document.at("pointers").items()) add_pointer(one, launch);
  for (const Json& one : document.at("variables").items()) {
    CapturedVariable variable = with_files(CapturedVariable{}, one, folder);
    variable.symbol = one.at("name").text();
    launch.variables.push_back(std::move(variable));
  }
  for (const Json& one : document.at("notes").items()) launch.notes.push_back(one.text());
  return launch;
}

std::vector<KernelTimes> read_kernel_times(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  std::vector<KernelTimes> all;
  for (const Json& place : read_json_file(file).document.items()) {
    KernelTimes& one = all.emplace_back();
    one.kernel = place.at("kernel").text();
    one.demangled = demangled_symbol(one.kernel);
    one.grid = extents(place.at("grid"));
    one.block = extents(place.at("block"));
    one.dynamic_shared_bytes = place.at("dynamic_shared_bytes").whole();
    one.launches = place.at("launches").whole();
    one.total_ns = place.at("total_ns").real();
    for (const Json& time : place.at("first_ns").items()) one.first_ns.push_back(time.real());
  }
  return all;
}

void add_times(std::vector<KernelTimes>& all, std::vector<KernelTimes> more) {
  for (KernelTimes& one : more) {
    const auto same =
        std::ranges::find_if(all, [&](const KernelTimes& other) { return have_one_shape(one, other); });
    if (same == all.end()) {
      all.push_back(std::move(one));
      continue;
    }
    same->launches += one.launches;
    same->total_ns += one.total_ns;
    same->first_ns.insert(same->first_ns.end(), one.first_ns.begin(), one.first_ns.end());
  }
}

const KernelTimes* times_of(const std::vector<KernelTimes>& all, const CapturedLaunch& launch) {
  const auto mine = std::ranges::find_if(
      all, [&](const KernelTimes& one) { return have_one_shape(one, launch) && !one.first_ns.empty(); });
  return mine == all.end() ? nullptr : &*mine;
}

bool are_of_one_size(const CapturedLaunch& one, const CapturedLaunch& other) {
  const auto values_of = [](const CapturedArgument& argument) {
    std::string bytes = argument.bytes;
    for (const CapturedPointer& pointer : argument.pointers)
      bytes.replace(pointer.at, kPointerBytes, kPointerBytes, '\0');
    return bytes;
  };
  return have_one_shape(one, other) &&
         std::ranges::equal(one.arguments, other.arguments, {}, values_of, values_of);
}

std::string demangled_symbol(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : symbol;
}

// The parameters begin at the last bracket of depth 0, template arguments stand before it, and a type before the name.
std::string base_name(const std::string& demangled) {
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char letter = demangled[i];
    if (letter == '(' && demangled.compare(i, 21, "(anonymous namespace)") == 0) {
      i += 20;
      continue;
    }
    if (letter == '<') ++depth;
    if (depth == 0 && letter == '(') break;
    if (depth == 0) name = letter == ' ' || letter == ':' ? "" : name + letter;
    if (letter == '>') --depth;
  }
  return name;
}

}  // namespace tailwave
