#include "spec/t1/fill.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "spec/fill_reader.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

class FillReader {
 public:
  FillReader(Json place, const T1ElementType& type, std::size_t index, const T1File& file)
      : file_(file), place_(std::move(place)), type_(type), index_(index) {}

  Fill read(std::int64_t count) {
    const std::string* kind = place_.find("FillType").as_text();
    const std::string type = kind == nullptr ? "Constant" : *kind;
    if (type == "Constant") return constant_fill();
    if (type == "Random") return random_fill();
    if (type == "Generator") return generated_fill();
    if (type == "BinaryRaw") return file_fill(count);
    file_.errors.report(place_.find("FillType").pointer(), "the FillType '" + type + "' is not supported",
                        "one of 'Constant', 'Random', 'Generator', 'BinaryRaw'");
    return {};
  }

 private:
  Fill constant_fill() {
    const double value = fill_value().value_or(0);
    return {.kind = value == 0 ? Fill::Kind::zero : Fill::Kind::constant, .value = value};
  }

  // From 0 to FillValue, which real numbers do not reach. Each argument has its own sequence.
  Fill random_fill() {
    double end = fill_value().value_or(1);
    if (end == 0) end = 1;
    double high = type_.boolean ? 1 : std::max(end, 0.0);
    if (!is_real(type_.scalar)) high = std::floor(high) + 1;
    return {.kind = Fill::Kind::uniform, .low = std::min(end, 0.0), .high = high, .seed = index_ + 1};
  }

  std::optional<double> fill_value() {
    const Json place = place_.find("FillValue");
    if (!place) return std::nullopt;
    std::optional<Value> value = place.as_value();
    if (place.as_text() != nullptr) {
      const auto expression = read_expression(place, {}, file_.errors);
      value = expression ? try_evaluate(*expression, {}, place.pointer(), file_.errors) : std::nullopt;
      if (!value) return std::nullopt;
    }
    if (!value || std::holds_alternative<std::string>(*value)) {
      file_.errors.report(place.pointer(), "expected a number");
      return std::nullopt;
    }
    check_t1_value(*value, type_.scalar, place.pointer(), file_);
    return to_double(*value);
  }

  // The text that says where values come from; FillValue has it in some files.
  [[nodiscard]] Json data_source() const {
    return place_.find("DataSource") ? place_.find("DataSource") : place_.find("FillValue");
  }

  Fill generated_fill() {
    const Json place = data_source();
    if (!place) {
      file_.errors.report(place_.pointer(), "missing key 'DataSource'");
      return {};
    }
    std::vector<std::string> sizes;
    for (const auto& entry : file_.problem_values) sizes.push_back(to_string(entry.second));
    const std::string* const text = place.as_text();
    const auto element = text == nullptr ? read_expression(place, {"i"}, file_.errors)
                                         : expression_of(with_problem_size(*text, sizes), {"i"},
                                                         place.pointer(), file_.errors);
    if (!element) return {};
    Values first{{"i", std::int64_t{0}}};
    (void)try_evaluate(*element, first, place.pointer(), file_.errors);
    Fill fill{.kind = Fill::Kind::generated};
    fill.element = *element;
    return fill;
  }

  Fill file_fill(std::int64_t count) {
    const Json place = data_source();
    Fill fill{.kind = Fill::Kind::file};
    if (place.as_text() == nullptr) {
      file_.errors.report(place_.pointer(), "missing key 'DataSource': the name of a file");
      return fill;
    }
    const auto path = t1_file_inside(
        file_.folder, place,
        "put it there: its first bytes are the argument's values; or give another FillType", file_.errors);
    if (!path) return fill;
    const auto needed = static_cast<std::uintmax_t>(count) * size_bytes(type_.scalar);
    std::error_code error;
    const std::uintmax_t found = fs::file_size(*path, error);
    const std::string sizes =
        "the file has " + std::to_string(found) + " bytes, the argument " + std::to_string(needed);
    if (error || found < needed) {
      file_.errors.report(place.pointer(), sizes);
      return fill;
    }
    if (found > needed) file_.warnings.report(place.pointer(), sizes);
    return fill_from_file(*path, place.pointer(), file_.errors);
  }

  const T1File& file_;
  Json place_;
  T1ElementType type_;
  std::size_t index_;
};

}  // namespace

void check_t1_value(const Value& value, ScalarType type, const std::string& pointer, const T1File& file) {
  Value number = value;
  if (const bool* flag = std::get_if<bool>(&value)) number = std::int64_t{*flag ? 1 : 0};
  const auto* real = std::get_if<double>(&value);
  if (real != nullptr && !is_real(type) && *real == std::floor(*real) && std::fabs(*real) < 0x1p62)
    number = static_cast<std::int64_t>(*real);
  (void)quantity_of(type, number, pointer, file.errors);
}

Fill read_t1_fill(const Json& place, const T1ElementType& type, std::size_t index, std::int64_t count,
                  const T1File& file) {
  return FillReader(place, type, index, file).read(count);
}

}  // namespace tailwave
