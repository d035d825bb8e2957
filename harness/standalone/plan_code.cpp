#include "standalone/plan_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "measure/launch_plan.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostStatements = 2000, kMostRepeated = 64;

class PlacedBuffer : public Buffer {
 public:
  explicit PlacedBuffer(const ProgramBuffer& buffer) : buffer_(buffer) {}
  [[nodiscard]] std::size_t size_bytes() const override {
    return buffer_.count * tailwave::size_bytes(buffer_.type);
  }
  [[nodiscard]] std::string code() const { return fmt::format("tw_b[{}]", buffer_.place); }

 private:
  ProgramBuffer buffer_;
};

const PlacedBuffer& placed(const Buffer* buffer) {
  return dynamic_cast<const PlacedBuffer&>(*buffer);
}

template <class Real>
std::string literal_of(Real value) {
  constexpr bool kFloat = sizeof(Real) == sizeof(float);
  const char* const type = kFloat ? "float" : "double";
  if (!std::isfinite(value))
    return fmt::format("{}std::numeric_limits<{}>::{}()", value < 0 ? "-" : "", type,
                       std::isnan(value) ? "quiet_NaN" : "infinity");
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + (kFloat ? "f" : "");
}

// A number that a launch takes: its type and value as C++ has them.
struct Slot {
  std::string type, value;

  [[nodiscard]] std::string code() const { return fmt::format("{}{{{}}}", type, value); }
  bool operator==(const Slot&) const = default;
};

// A launch or a call, with kSlot in the place of each number.
struct Statement {
  std::string text;
  std::vector<Slot> slots;

  bool operator==(const Statement&) const = default;
};
constexpr char kSlot = '\1';

std::string type_code(ScalarType type) {
  return visit_scalar(type, [&]<class Number>(Number) -> std::string {
    if constexpr (kIsSmallFloat<Number>)
      return fmt::format("tailwave::{}", type == ScalarType::float16       ? "Float16"
                                         : type == ScalarType::bfloat16    ? "BFloat16"
                                         : type == ScalarType::float8_e4m3 ? "Float8E4M3"
                                                                           : "Float8E5M2");
    else if constexpr (!std::is_integral_v<Number>)
      return sizeof(Number) == sizeof(float) ? "float" : "double";
    else
      return fmt::format("std::{}_t", to_string(type));
  });
}

Slot bytes_slot(const std::byte* bytes, std::size_t size) {
  std::vector<std::string> digits;
  for (std::size_t i = 0; i < size; ++i)
    digits.push_back(fmt::format("{:#04x}", std::to_integer<unsigned>(bytes[i])));
  return {fmt::format("tailwave_program::AnyBytes<{}>", size),
          fmt::format("{{{}}}", fmt::join(digits, ", "))};
}

// As the kernel takes it.
Slot scalar_slot(ScalarType type, const ScalarBytes& scalar) {
  return visit_scalar(type, [&]<class Number>(Number number) -> Slot {
    std::memcpy(&number, scalar.bytes.data(), sizeof number);
    if constexpr (kIsSmallFloat<Number>)
      return bytes_slot(scalar.bytes.data(), sizeof number);
    else if constexpr (!std::is_integral_v<Number>)
      return {type_code(type), literal_of(number)};
    else if (std::cmp_equal(number, std::numeric_limits<std::int64_t>::min()))
      return {type_code(type), "std::numeric_limits<std::int64_t>::min()"};
    else
      return {type_code(type), fmt::format("{}{}", number,
                                           sizeof number < sizeof(std::int64_t) ? ""
                                           : std::is_unsigned_v<Number>         ? "ULL"
                                                                                : "LL")};
  });
}

class PlanWriter {
 public:
  PlanWriter(const VariantSpec& variant, const std::vector<LaunchSpec>& plan)
      : variant_(variant), plan_(plan) {}

  [[nodiscard]] Statement statement(const Launch& launch) const {
    Statement made;
    made.text = call(launch, made.slots);
    if (launch.exit) {
      const char* const leaves = is_host() ? "tailwave_program::ends_loop" : "tailwave_program::leaves";
      made.text += fmt::format("\n  if ({}<{}>({}, {})) goto tw_{};", leaves, type_code(launch.exit->type),
                               placed(launch.exit->buffer).code(), literal_of(launch.exit->at_most),
                               launch.exit->next);
    }
    return made;
  }

 private:
  [[nodiscard]] bool is_host() const { return variant_.target == VariantSpec::Target::host; }

  // What the manifest says of it: where several launches of a kernel differ in that, only its size is known.
  [[nodiscard]] std::optional<ScalarType> type_of(const Launch& launch, std::size_t place,
                                                  std::size_t size) const {
    std::set<ScalarType> types;
    for (const LaunchSpec& spec : plan_) {
      if (spec.kernel != launch.kernel || place >= spec.arguments.size()) continue;
      if (const auto* const scalar = std::get_if<ScalarArgument>(&spec.arguments[place]))
        types.insert(scalar->type);
    }
    if (types.size() != 1 || tailwave::size_bytes(*types.begin()) != size) return std::nullopt;
    return *types.begin();
  }

  [[nodiscard]] std::string argument(const Launch& launch, std::size_t place,
                                     std::vector<Slot>& slots) const {
    const LaunchArgument& argument = launch.arguments[place];
    if (const auto* const buffer = std::get_if<Buffer*>(&argument))
      return is_host() ? fmt::format("tailwave_program::AnyPointer{{{}}}", placed(*buffer).code())
                       : placed(*buffer).code();
    if (const auto* const scalar = std::get_if<ScalarBytes>(&argument)) {
      const auto type = type_of(launch, place, scalar->size);
      slots.push_back(type ? scalar_slot(*type, *scalar) : bytes_slot(scalar->bytes.data(), scalar->size));
      return {kSlot};
    }
    if (const auto* const whole = std::get_if<StructBytes>(&argument)) return structure(*whole);
    throw NotExportable(fmt::format("'{}' takes a texture or a tensor map", launch.kernel));
  }

  static std::string structure(const StructBytes& whole) {
    std::string code = bytes_slot(whole.bytes.data(), whole.bytes.size()).code();
    for (const auto& [offset, buffer] : whole.addresses)
      code = fmt::format("tailwave_program::with_address({}, {}, {})", code, offset, placed(buffer).code());
    return code;
  }

  [[nodiscard]] std::string call(const Launch& launch, std::vector<Slot>& slots) const {
    std::vector<std::string> arguments;
    for (std::size_t place = 0; place < launch.arguments.size(); ++place)
      arguments.push_back(argument(launch, place, slots));
    if (is_host()) return fmt::format("{}({});", launch.kernel, fmt::join(arguments, ", "));
    std::string code;
    for (const int stream : launch.wait)
      code += fmt::format(
          "tailwave_program::streams().begin({});\n  tailwave_program::streams().wait({}, {});\n  ",
          launch.stream, launch.stream, stream);
    if (launch.copied_to != nullptr)
      return code + fmt::format("tailwave_program::copy({}, {}, {}, {});", placed(launch.copied_to).code(),
                                placed(launch.copied).code(), launch.copied->size_bytes(), launch.stream);
    if (launch.copied != nullptr)
      return code + fmt::format("tailwave_program::copy_to_variable({}, {}, {}, {});", launch.kernel,
                                placed(launch.copied).code(), launch.copied->size_bytes(), launch.stream);
    if (launch.prefetched != nullptr)
      return code + fmt::format("tailwave_program::prefetch({}, {}, {}, {});",
                                placed(launch.prefetched).code(), launch.prefetched->size_bytes(),
                                launch.to_host, launch.stream);
    return code + kernel_launch(launch, arguments);
  }

  static std::string dim(const Dim3& size) { return fmt::format("dim3({}, {}, {})", size.x, size.y, size.z); }

  static std::string kernel_launch(const Launch& launch, const std::vector<std::string>& arguments) {
    std::string shape = fmt::format("{}, {}, {}, {}", dim(launch.grid), dim(launch.block),
                                    launch.dynamic_shared_bytes, launch.stream);
    if (launch.cooperative || launch.cluster || launch.dependent || launch.priority != 0)
      shape += fmt::format(", {}, {}, {}, {}", launch.cooperative,
                           dim(launch.cluster.value_or(Dim3{0, 0, 0})), launch.dependent, launch.priority);
    std::string code =
        fmt::format("tailwave_program::launch(\"{0}\", (const void*)({0}), {{{1}}}", launch.kernel, shape);
    for (const std::string& one : arguments) code += ", " + one;
    return code + ");";
  }

  const VariantSpec& variant_;
  const std::vector<LaunchSpec>& plan_;
};

void require_exportable(const Launch& launch) {
  const auto refuse = [&](bool wrong, const char* what) {
    if (wrong) throw NotExportable(fmt::format("'{}' {}", launch.kernel, what));
  };
  refuse(launch.gpu != 0, "runs on another GPU");
  refuse(launch.sms != 0, "asks for some of the multiprocessors");
  refuse(launch.collective != Collective::none, "is of several processing elements");
}

// Launches one after another, and where loops that end early go on.
class StatementJoiner {
 public:
  StatementJoiner(const std::vector<Statement>& all, const std::set<std::size_t>& labels)
      : all_(all), labels_(labels) {}

  std::string text() {
    for (std::size_t begin = 0; begin < all_.size();) {
      add_label(begin);
      const Loop loop = longest_from(begin);
      const std::size_t lines = loop.covered == 0 ? 1 : loop.period;
      if ((written_ += lines) > kMostStatements)
        throw NotExportable(fmt::format("its plan has more than {} different launches", kMostStatements));
      add(begin, lines, loop.covered / lines);
      begin += std::max<std::size_t>(loop.covered, 1);
    }
    add_label(all_.size());
    return std::move(text_);
  }

 private:
  // So many statements are a repetition of the first `period`; 0: there is none.
  struct Loop {
    std::size_t covered = 0, period = 1;
  };

  // Of equal numbers if that is as long.
  [[nodiscard]] Loop longest_from(std::size_t begin) const {
    Loop best;
    for (const bool same_numbers : {true, false})
      for (std::size_t period = 1; period <= kMostRepeated; ++period)
        if (const std::size_t covered = repeated(begin, period, same_numbers); covered > best.covered)
          best = {covered, period};
    return best;
  }

  [[nodiscard]] std::size_t repeated(std::size_t begin, std::size_t period, bool same_numbers) const {
    std::size_t end = begin + period;
    const auto is_like = [&](const Statement& one, const Statement& other) {
      return same_numbers ? one == other : one.text == other.text;
    };
    while (end < all_.size() && is_like(all_[end], all_[end - period]) && !labels_.contains(end)) ++end;
    const std::size_t whole = end > all_.size() ? 0 : (end - begin) / period * period;
    return whole >= 2 * period ? whole : 0;
  }

  void add_label(std::size_t place) {
    if (labels_.contains(place)) text_ += fmt::format("tw_{}:;\n", place);
  }

  void add(std::size_t begin, std::size_t lines, std::size_t times) {
    if (times > 1) text_ += fmt::format("  for (int tw_i = 0; tw_i < {}; ++tw_i) {{\n", times);
    for (std::size_t i = begin; i < begin + lines; ++i)
      add_statement(i, lines, std::max<std::size_t>(times, 1));
    if (times > 1) text_ += "  }\n";
  }

  void add_statement(std::size_t place, std::size_t period, std::size_t times) {
    std::string line;
    std::size_t slot = 0;
    for (const char character : all_[place].text)
      line += character == kSlot ? number(place, slot++, period, times) : std::string(1, character);
    text_ += "  " + line + "\n";
  }

  // Of all repetitions: a table where they differ.
  std::string number(std::size_t place, std::size_t slot, std::size_t period, std::size_t times) {
    const Slot& first = all_[place].slots[slot];
    std::vector<std::string> values;
    for (std::size_t i = 0; i < times; ++i) values.push_back(all_[place + i * period].slots[slot].value);
    if (std::ranges::count(values, first.value) == static_cast<std::ptrdiff_t>(times)) return first.code();
    const std::string table = fmt::format("tw_numbers_{}", tables_++);
    text_ += fmt::format("  static const {} {}[] = {{{}}};\n", first.type, table, fmt::join(values, ", "));
    return table + "[tw_i]";
  }

  const std::vector<Statement>& all_;
  const std::set<std::size_t>& labels_;
  std::string text_;
  std::size_t written_ = 0, tables_ = 0;
};

}  // namespace

std::string real_code(double value) {
  return literal_of(value);
}

std::string plan_code(const VariantSpec& variant, const std::vector<LaunchSpec>& plan, const Values& scope,
                      const ProgramBuffers& buffers) {
  std::map<std::string, std::unique_ptr<PlacedBuffer>> known;
  for (const auto& [name, buffer] : buffers) known.emplace(name, std::make_unique<PlacedBuffer>(buffer));
  const std::vector<Launch> launches = resolve_plan(plan, scope, [&](const std::string& name) {
    return FoundBuffer{buffers.at(name).type, known.at(name).get()};
  });
  const PlanWriter writer(variant, plan);
  std::vector<Statement> statements;
  std::set<std::size_t> labels;
  for (const Launch& launch : launches) {
    require_exportable(launch);
    statements.push_back(writer.statement(launch));
    if (launch.exit) labels.insert(launch.exit->next);
  }
  return StatementJoiner(statements, labels).text();
}

}  // namespace tailwave
