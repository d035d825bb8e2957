#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bootstrap.h"
#include "core/device_kind.h"
#include "core/enum_names.h"
#include "core/outcome.h"
#include "core/table.h"
#include "core/value.h"
#include "report/side_trials.h"
#include "report/sides.h"

namespace tailwave {

// What became of a configuration from side A to side B: what changed first, what one side alone has last. Of the first four, see core/bootstrap.h (compare_pairs): all
// configurations of a comparison are one family.
enum class ComparedAs {
  failed,  // correct in A, not in B
  slower,
  other_outcome,  // not correct on either side, in different ways; also correct on one and given up on the other
  fixed,          // correct in B, not in A
  faster,
  unclear,         // also where a side has no samples
  same,            // also the same outcome that is not correct
  not_comparable,  // correct on both sides, but see Obstacle
  only_a,          // B has no trial of it
  only_b,
};

template <>
struct EnumNames<ComparedAs> {
  static constexpr std::string_view noun = "comparison";
  static constexpr std::array<std::string_view, 10> names{
      "failed",  "slower", "other outcome",  "fixed",     "faster",
      "unclear", "same",   "not comparable", "only in A", "only in B"};
};

// Why the costs of two sides are not those of the same thing. Where the devices of the runs are of different kinds,
// outcomes are not compared either.
enum class Obstacle { none, cpu_and_gpu, recorded_and_measured, timer, metric, goal, work };

template <>
struct EnumNames<Obstacle> {
  static constexpr std::string_view noun = "obstacle";
  static constexpr std::array<std::string_view, 7> names{
      "",
      "the times of a CPU device say nothing of a GPU's",
      "times that another program recorded are no measurements of tailwave's",
      "times that are taken in different ways",
      "different metrics",
      "different goals",
      "different work"};
};

struct ComparedRow {
  std::string experiment;  // system/name
  std::string configuration;
  std::optional<SideTrial> a, b;
  std::optional<double> ratio;  // of the cost in B to that in A: above 1, B is worse
  std::optional<Interval> interval;
  ComparedAs compared = ComparedAs::unclear;
  bool tested = false;  // enough samples on both sides for a verdict on them
  Obstacle obstacle = Obstacle::none;
  std::string obstacle_detail;  // "interactions is 100 in A, 50 in B"
};

// A part of the environment in which the sides differ; several values of a side are joined by ", ".
struct Difference {
  std::string what, a, b;
};

// Results of a side that count as correct, and that nothing has verified.
struct UnverifiedPart {
  std::string side;  // "A" or "B"
  std::string why;   // as of a Trial
  std::size_t configurations = 0;

  bool operator==(const UnverifiedPart&) const = default;
};

struct SideComparison {
  std::string name_a, name_b;  // "run 12 (NVIDIA H200, 2026-01-02T10:00:00Z)"
  double margin = 0.01;
  std::vector<ComparedRow> rows;  // in the order of ComparedAs, the largest ratio first
  std::vector<Difference> differences;
  std::vector<std::string> only_a, only_b;  // experiments

  [[nodiscard]] std::size_t count(ComparedAs compared) const;
  [[nodiscard]] std::vector<UnverifiedPart> unverified() const;  // by side, then reason
  // Those that both sides have, which come first.
  [[nodiscard]] std::size_t on_both() const;
};

// Compares the sides' experiments that both have, configuration by configuration. The databases may be the same.
SideComparison compare_sides(Database& database_a, const std::vector<Side>& a, Database& database_b,
                             const std::vector<Side>& b, double margin = 0.01);

}  // namespace tailwave
