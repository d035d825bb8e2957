#include "spec/t1/arguments.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "spec/names.h"
#include "spec/system_reader.h"
#include "spec/t1/fill.h"

namespace tailwave {
namespace {

// As T1 calls it.
std::string t1_name(ScalarType type) {
  return type == ScalarType::float32   ? "float"
         : type == ScalarType::float64 ? "double"
                                       : std::string(to_string(type));
}

// Of one argument.
class ArgumentReader {
 public:
  ArgumentReader(const T1File& file, Json place, System& system, std::size_t index)
      : file_(file), place_(std::move(place)), system_(system), index_(index) {}

  // Empty, and the reason reported, when it is bad.
  std::optional<Argument> read() {
    const std::size_t before = file_.errors.diagnostics().size();
    read_name();
    read_type();
    const std::string* memory = required_text(place_, "MemoryType", file_.errors);
    if (memory == nullptr || file_.errors.diagnostics().size() != before) return std::nullopt;
    read_constness(*memory);
    std::optional<Argument> argument;
    if (*memory == "Vector" || is_symbol_) {
      argument = read_vector();
    } else if (*memory == "Scalar") {
      argument = read_scalar();
    } else {
      file_.errors.report(place_.find("MemoryType").pointer(),
                          "the MemoryType '" + *memory + "' is not supported",
                          "one of 'Scalar', 'Vector', 'Symbol'");
    }
    if (file_.errors.diagnostics().size() != before) return std::nullopt;
    return argument;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_constant() const { return is_constant_; }  // copied to the symbol of its name
  [[nodiscard]] bool is_symbol() const { return is_symbol_; }      // and never an argument
  [[nodiscard]] bool is_output() const {
    const Json output = place_.find("Output");
    return output.as_whole().value_or(0) != 0 || output.as_flag().value_or(false);
  }
  [[nodiscard]] bool is_written() const {
    const std::string* access = place_.find("AccessType").as_text();
    return !is_constant_ && access != nullptr && *access != "ReadOnly";
  }
  [[nodiscard]] const Json& place() const { return place_; }

 private:
  void read_name() {
    const std::string* text = place_.find("Name").as_text();
    name_ = text != nullptr ? *text : "argument_" + std::to_string(index_);
    const std::string why = why_not_a_name(name_);
    if (!why.empty()) file_.errors.report(place_.find("Name").pointer(), "the name '" + name_ + "' " + why);
    beside_ = file_.beside_argument(name_);
    if (system_.buffers.contains(name_))
      file_.errors.report(place_.find("Name").pointer(), "the argument '" + name_ + "' is there twice");
  }

  void read_type() {
    const bool is_beside = static_cast<bool>(beside_.find("type"));
    Reporter& errors = is_beside ? file_.side_errors : file_.errors;
    const Json place = is_beside ? beside_.find("type") : place_.find("Type");
    const std::string* text = is_beside ? place.as_text() : required_text(place_, "Type", errors);
    if (text == nullptr) return;
    const auto type = read_element_type(place, errors);
    if (type) type_ = {*type, *text == "bool"};
  }

  void read_constness(const std::string& memory) {
    const std::string* kind = place_.find("MemType").as_text();
    is_symbol_ = memory == "Symbol";
    is_constant_ = is_symbol_ || (kind != nullptr && *kind == "Constant");
    if (is_constant_) {
      const std::string why = why_not_a_function(name_);
      if (!why.empty()) file_.errors.report(place_.find("Name").pointer(), "'" + name_ + "' " + why);
    } else if (kind != nullptr && (*kind == "Shared" || *kind == "Texture" || *kind == "Local")) {
      file_.errors.report(place_.find("MemType").pointer(), "the MemType '" + *kind + "' is not supported",
                          "leave it out for global memory, or give 'Constant'");
    }
  }

  std::optional<Argument> read_scalar() {
    const Json value = place_.find("FillValue");
    if (!value) {
      file_.errors.report(place_.pointer(), "missing key 'FillValue'");
      return std::nullopt;
    }
    const auto expression = read_t1_expression(value, file_);
    if (!expression) return std::nullopt;
    const auto number = try_evaluate(*expression, file_.default_scope(), value.pointer(), file_.errors);
    if (number) check_t1_value(*number, type_.scalar, value.pointer(), file_);
    if (is_constant_ && number && !std::holds_alternative<std::string>(*number)) {
      BufferSpec buffer = buffer_of(type_.lanes);
      buffer.fill = {.kind = Fill::Kind::constant, .value = to_double(*number)};
      system_.buffers.emplace(name_, buffer);
    }
    const ScalarArgument component{*expression, type_.scalar};
    if (type_.lanes == 1) return component;
    return StructArgument{{static_cast<std::size_t>(type_.lanes), component}, alignment_bytes(type_)};
  }

  [[nodiscard]] BufferSpec buffer_of(std::int64_t count) const {
    BufferSpec buffer;
    buffer.type = type_.scalar;
    buffer.count = Expression::constant(count);
    return buffer;
  }

  std::optional<Argument> read_vector() {
    const std::optional<std::int64_t> size = read_size();
    if (!size) return std::nullopt;
    BufferSpec buffer = buffer_of(*size * type_.lanes);
    if (!beside_.find("fill") && !beside_.find("output_only"))
      buffer.fill = read_t1_fill(place_, type_, index_, *size * type_.lanes, file_);
    if (*size == 1 && !is_symbol_ && !beside_.find("count"))
      file_.warnings.report(place_.find("Size").pointer(), "the vector '" + name_ + "' has one element",
                            "a kernel that reads beyond it finds what happens to lie there");
    system_.buffers.emplace(name_, buffer);
    return BufferArgument{name_};
  }

  // Names mean lists here. In elements.
  std::optional<std::int64_t> read_size() {
    const Json place = place_.find("Size");
    if (beside_.find("count")) return 1;  // until that is read
    if (!place) {
      if (is_symbol_) return 1;
      file_.errors.report(place_.pointer(), "missing key 'Size'");
      return std::nullopt;
    }
    std::optional<Value> value = place.as_value();
    try {
      if (place.as_text() != nullptr) value = Expression::parse(*place.as_text()).evaluate(file_.lists);
      const std::int64_t size = value ? Expression::constant(*value).evaluate_int({}) : 0;
      constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 64;
      if (size >= 1 && size <= kMost) return size;
      file_.errors.report(Diagnostic{"", place.pointer(),
                                     "the size is " + std::to_string(size) + ", expected at least 1",
                                     place.as_text() == nullptr ? "" : *place.as_text(), -1, ""});
    } catch (const ExpressionError& error) {
      const bool its_own = place.as_text() != nullptr && error.text == *place.as_text();
      file_.errors.report(place.pointer(),
                          its_own ? error
                                  : ExpressionError(error.what(), -1, error.hint,
                                                    place.as_text() == nullptr ? "" : *place.as_text()));
    }
    return std::nullopt;
  }

  const T1File& file_;
  Json place_;
  Json beside_;  // what the side file says of the argument
  System& system_;
  std::size_t index_;
  std::string name_;
  T1ElementType type_;
  bool is_constant_ = false, is_symbol_ = false;
};

// Of all of them.
class ArgumentListReader {
 public:
  ArgumentListReader(const T1File& file, const T1Source* source, System& system, VariantSpec& variant,
                     LaunchSpec& launch)
      : file_(file), source_(source), system_(system), variant_(variant), launch_(launch) {}

  void run() {
    const Json list = file_.root.find("KernelSpecification").find("Arguments");
    std::size_t index = 0;
    std::vector<std::string> written, outputs;
    for (const Json& place : list.items()) {
      ArgumentReader reader(file_, place, system_, index++);
      const auto argument = reader.read();
      if (!argument) continue;
      if (reader.is_constant()) add_copy(reader);
      if (!reader.is_symbol()) {
        launch_.arguments.push_back(*argument);
        passed_.push_back(place);
      }
      if (!std::holds_alternative<BufferArgument>(*argument) || reader.is_symbol()) continue;
      if (reader.is_written()) written.push_back(reader.name());
      if (reader.is_output()) outputs.push_back(reader.name());
    }
    if (!file_.errors.clean()) return;
    for (const std::string& name : outputs.empty() ? written : outputs) compare(name);
    if (system_.reference.compare.empty() && !file_.side.find("reference"))
      file_.errors.report(list ? list.pointer() : "/KernelSpecification",
                          "no argument is an output: nothing could be verified",
                          "give the vector that the kernel writes \"Output\": 1");
    if (source_ != nullptr && !file_.beside_kernel().find("launches")) match_signature(list.pointer());
  }

 private:
  void add_copy(const ArgumentReader& reader) {
    LaunchSpec copy;
    copy.kernel = reader.name();
    copy.copied = reader.name();
    variant_.prepare.push_back(copy);
    if (source_ == nullptr || source_->has(reader.name())) return;
    file_.warnings.report(reader.place().find("Name").pointer(),
                          "the source has no variable '" + reader.name() + "' of constant memory");
  }

  void compare(const std::string& name) {
    Comparison comparison;
    const ScalarType type = system_.buffers.at(name).type;
    const bool real = is_real(type);
    comparison.norm = real ? Comparison::Norm::relative_l2 : Comparison::Norm::exact;
    if (real) comparison.tolerance = Expression::constant(std::max(kTolerance, 4 * rounding_unit(type)));
    system_.reference.compare.emplace(name, comparison);
  }

  // A kernel need not take the constant arguments at the end of the list, which it finds at their symbols.
  void match_signature(const std::string& pointer) {
    const auto* taken = source_->parameters_of(launch_.kernel);
    if (taken == nullptr) return;
    while (launch_.arguments.size() > taken->size() && last_is_constant()) launch_.arguments.pop_back();
    if (launch_.arguments.size() == taken->size()) return match_types(*taken);
    std::string texts;
    for (const OutlineParameter& parameter : *taken) texts += (texts.empty() ? "" : ", ") + parameter.text;
    file_.warnings.report(pointer,
                          "the list has " + std::to_string(launch_.arguments.size()) + " arguments, '" +
                              launch_.kernel + "' seems to take " + std::to_string(taken->size()),
                          taken->empty() ? "" : "it takes " + texts);
  }

  // A value of another size or kind than the kernel's parameter reaches it as other bits. What words cannot tell of is
  // let pass.
  void match_types(const std::vector<OutlineParameter>& taken) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const OutlineParameter& parameter = taken[i];
      const Json& place = passed_[i];
      const bool scalar = !std::holds_alternative<BufferArgument>(launch_.arguments[i]);
      const std::string kernel_takes = ", and the kernel takes '" + parameter.text + "'";
      if (scalar && parameter.pointer) {
        file_.errors.report(place.find("MemoryType").pointer(), "the argument is a scalar" + kernel_takes,
                            "a pointer needs the MemoryType 'Vector', and a Size");
      } else if (!scalar && !parameter.pointer && parameter.type) {
        file_.errors.report(place.find("MemoryType").pointer(), "the argument is a vector" + kernel_takes,
                            "a value needs the MemoryType 'Scalar', and its FillValue");
      } else if (const ElementType type = type_at(i);
                 parameter.type &&
                 (!same_bits(type.scalar, *parameter.type) || (scalar && type.lanes != parameter.lanes))) {
        if (!scalar && file_.beside_argument(*place.find("Name").as_text()).find("type")) {
          report_type_beside(place, type.scalar, parameter);
          continue;
        }
        const std::string word = with_article(*place.find("Type").as_text());
        (scalar ? file_.errors : file_.warnings)
            .report(place.find("Type").pointer(),
                    (scalar ? "the argument is " + word
                            : "the argument is a vector of " + *place.find("Type").as_text()) +
                        kernel_takes,
                    R"(write "Type": ")" + t1_name(*parameter.type) +
                        (scalar && parameter.lanes > 1 ? std::to_string(parameter.lanes) : "") + "\"");
      }
    }
  }

  // Of a type that the side file gives instead of the argument's.
  void report_type_beside(const Json& place, ScalarType type, const OutlineParameter& parameter) {
    Reporter warnings(file_.side_errors.file(), file_.warnings.diagnostics());
    warnings.report(file_.beside_argument(*place.find("Name").as_text()).find("type").pointer(),
                    "the argument is a vector of " + std::string(to_string(type)) +
                        ", and the kernel takes '" + parameter.text + "'",
                    R"(write "type": ")" + std::string(to_string(*parameter.type)) + "\"");
  }

  [[nodiscard]] ElementType type_at(std::size_t i) const {
    if (const auto* buffer = std::get_if<BufferArgument>(&launch_.arguments[i]))
      return {system_.buffers.at(buffer->buffer).type, 1};
    ElementType type{.lanes = 0};
    for_each_leaf(launch_.arguments[i], [&](const Argument& leaf) {
      type.scalar = std::get<ScalarArgument>(leaf).type;
      ++type.lanes;
    });
    return type;
  }

  // Signed or not, they are the same.
  static bool same_bits(ScalarType left, ScalarType right) {
    return is_real(left) || is_real(right) ? left == right : size_bytes(left) == size_bytes(right);
  }

  [[nodiscard]] bool last_is_constant() const {
    const auto* buffer = std::get_if<BufferArgument>(&launch_.arguments.back());
    return buffer != nullptr &&
           std::any_of(variant_.prepare.begin(), variant_.prepare.end(),
                       [&](const LaunchSpec& copy) { return copy.copied == buffer->buffer; });
  }

  static constexpr double kTolerance = 1e-4;

  const T1File& file_;
  const T1Source* source_;
  System& system_;
  VariantSpec& variant_;
  LaunchSpec& launch_;
  std::vector<Json> passed_;  // the places of launch_.arguments
};

}  // namespace

void read_t1_arguments(const T1File& file, const T1Source* source, System& system, VariantSpec& variant,
                       LaunchSpec& launch) {
  ArgumentListReader(file, source, system, variant, launch).run();
}

}  // namespace tailwave
