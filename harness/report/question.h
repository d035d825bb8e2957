#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "report/study.h"

namespace tailwave {

// What kind of question an experiment asks, which is told from what varies among its configurations:
// - scaling: a problem quantity has four or more values,
// - size: one numeric parameter has four or more values, for at most eight settings of the others,
// - tuning: twenty or more configurations of a problem that differ in two or more parameters, or in nothing that is a number,
// - steps: anything else, above all variants.
enum class Asks { steps, size, scaling, tuning };

template <>
struct EnumNames<Asks> {
  static constexpr std::string_view noun = "kind of question";
  static constexpr std::array<std::string_view, 4> names{"steps", "size", "scaling", "tuning"};
};

struct Question {
  Asks asks = Asks::steps;
  std::string axis;  // the parameter of a size, the quantity of a scaling; else ""
};

// rows: DeviceStudy::contenders().
Question question_of(const std::vector<const StudyRow*>& rows);

// Whether the best is the fastest: a rate that is to be high, or the time that is to be low.
bool is_speed(const Study& study);

// A row's value of a parameter or problem quantity, if it is a number; NaN if it is none or is not there.
double number_on(const StudyRow& row, const std::string& axis);

// Those with the same problem as `one`, in their order.
std::vector<const StudyRow*> with_problem(const std::vector<const StudyRow*>& rows, const StudyRow& one);

// By the metric, which all rows have; equal ones stay in their order.
std::vector<const StudyRow*> best_first(const DeviceStudy& device, std::vector<const StudyRow*> rows);

// Problem quantities that not all rows have alike.
std::set<std::string> varying_quantities(const std::vector<const StudyRow*>& rows);

// "N 4096, STEPS 10": what a problem has of these.
std::string quantities_text(const Values& problem, const std::set<std::string>& names);

}  // namespace tailwave
