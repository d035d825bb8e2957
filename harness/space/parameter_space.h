#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/value.h"
#include "space/expression.h"

namespace tailwave {

struct Parameter {
  std::string name;
  std::vector<Value> values;  // in the order given

  bool operator==(const Parameter&) const = default;
};

// The tunable values and the constraints that rule some out. Enumeration is a depth-first walk that assigns
// one parameter at a time and tests each constraint as soon as the last parameter it names has a value, so a
// ruled-out prefix is never extended and the Cartesian product never exists. A constraint that names few parameters is
// worked out once for each combination of their values.
class ParameterSpace {
 public:
  // `fixed` are values that constraints may name but that do not vary (the problem). Throws ExpressionError
  // for a constraint that names neither a parameter nor a fixed value.
  ParameterSpace(std::vector<Parameter> parameters, std::vector<Expression> constraints, Values fixed = {});

  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<Expression>& constraints() const { return constraints_; }
  [[nodiscard]] const Values& fixed() const { return fixed_; }
  // The places in parameters() of those that a constraint names, ascending.
  [[nodiscard]] std::vector<std::size_t> parameters_of(std::size_t constraint) const;
  // Size of the Cartesian product, constraints ignored.
  [[nodiscard]] double cartesian_size() const;

  // Calls `visit` with each valid assignment (one value index per parameter, in parameters() order), in lexicographic
  // order of the indices: the first parameter varies slowest. Stops early, and is false, when visit returns false, or
  // when `stop`, asked each Assignment::kGivenBetween values that are tried, returns true. A constraint that cannot
  // be evaluated for an assignment (division by zero) throws ExpressionError whose cause ends with the values: "'//'
  // by zero (N = 4096, X = 0)".
  bool for_each(const std::function<bool(const std::vector<std::uint32_t>&)>& visit,
                const std::function<bool()>& stop = {}) const;

  [[nodiscard]] std::vector<Values> enumerate() const;
  [[nodiscard]] std::uint64_t count() const;

 private:
  // Where a constraint's name takes its value from: a parameter, which then varies, or a fixed value.
  struct Use {
    std::uint32_t constraint;
    std::uint32_t slot;  // into the constraint's names()
  };
  // A constraint that does not name all that varies before it can be tested: the same answer comes again.
  struct Table {
    std::size_t combinations = 0;  // of the values of the parameters that it names; 0: not worth remembering
    std::vector<std::size_t> parameters, strides;
  };
  friend class Assignment;

  void lay_out_tables();

  std::vector<Parameter> parameters_;
  std::vector<Expression> constraints_;
  Values fixed_;
  std::vector<std::vector<Value>> initial_slots_;      // by constraint: fixed values filled in
  std::vector<std::vector<Use>> uses_;                 // by parameter
  std::vector<Table> tables_;                          // by constraint
  std::vector<std::vector<std::uint32_t>> tested_at_;  // by level: constraints that are decided once the
                                                       // first `level` parameters have values
};

}  // namespace tailwave
