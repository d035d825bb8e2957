#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/bootstrap.h"
#include "core/device_kind.h"
#include "core/members.h"
#include "core/outcome.h"
#include "core/standing.h"
#include "core/statistics.h"
#include "core/table.h"
#include "core/value.h"
#include "report/front.h"
#include "report/regimes.h"
#include "report/units.h"
#include "spec/spec_order.h"
#include "store/wave_facts.h"

namespace tailwave {

// What the database knows of one experiment, in the shape that reports need; report/study_reader.h reads it.

struct StudyRow {
  std::int64_t trial_id = 0;
  std::string configuration;
  std::string variant;
  Values parameters, problem;
  std::string device;  // where it ran
  DeviceKind kind = DeviceKind::cuda;
  std::int64_t peers = 0;  // whom it is ranked among: current_trial.peers
  Outcome outcome = Outcome::correct;
  bool standard = false;  // has the manifest's defaults, or what has their code; false where no run said them
  std::string unverified;  // why nothing says whether its results are right
  std::string detail;
  std::optional<double> value;     // of the metric, SI units; none unless correct and timed
  std::optional<double> median_s;  // with its 95 % interval
  Interval interval_s;
  std::int64_t samples = 0;
  std::int64_t other_processes = 0;  // the most that are known of while these were taken; see Sample
  // Beside the best of its device and problem (core/standing.h, margin 1 %), its peers alone: none
  // without a time. tied, unclear: how many of these are; the best is one of the tied.
  std::optional<Standing> standing;
  std::int64_t tied = 0, unclear = 0;
  bool one_repetition = false;  // it or that best has no more than one
  std::optional<WaveFacts> waves;
  // The tightest limit of the manifest, and which share of its speed was reached; none without a limit or a time.
  std::string limit;
  std::optional<double> limit_share;
  std::vector<MetricRecord> metrics;  // where the experiment has several, or one by an expression

  // Intervals, standings, metrics and what is standard are read by themselves.
  static constexpr auto members() {
    return std::tuple{member("trial_id", &StudyRow::trial_id),
                      member("configuration", &StudyRow::configuration),
                      member("variant", &StudyRow::variant),
                      member("parameters", &StudyRow::parameters),
                      member("problem", &StudyRow::problem),
                      member("device", &StudyRow::device),
                      member("kind", &StudyRow::kind),
                      member("peers", &StudyRow::peers),
                      member("outcome", &StudyRow::outcome),
                      member<kNotRow>("standard", &StudyRow::standard),
                      member("unverified", &StudyRow::unverified),
                      member("detail", &StudyRow::detail),
                      member("value", &StudyRow::value),
                      member("median_s", &StudyRow::median_s),
                      member<kNotRow>("interval", &StudyRow::interval_s),
                      member("samples", &StudyRow::samples),
                      member("other_processes", &StudyRow::other_processes),
                      member<kNotRow>("standing", &StudyRow::standing),
                      member<kNotRow>("tied", &StudyRow::tied),
                      member<kNotRow>("unclear", &StudyRow::unclear),
                      member<kNotRow>("one_repetition", &StudyRow::one_repetition),
                      member("", &StudyRow::waves),
                      member("limit_name", &StudyRow::limit),
                      member("limit_share", &StudyRow::limit_share),
                      member<kNotRow>("metrics", &StudyRow::metrics)};
  }

  // By its name; null: it has none such.
  [[nodiscard]] const MetricRecord* metric(const std::string& name) const;

  [[nodiscard]] bool correct() const { return outcome == Outcome::correct; }
  // What took the time of a program: "process", from its start to its end, or "self-reported"; "" for other variants.
  [[nodiscard]] std::string program_timer() const {
    return peers == 1 ? "process" : peers == 2 ? "self-reported" : "";
  }
};

struct PublishedFigure {
  std::string variant;
  Values named;  // the parameters it names
  std::string device, study, quantity;
  double value = 0;
  std::optional<double> ours, ratio;
  std::int64_t trial_id = 0;  // of ours; 0: there is none
  std::int64_t fitting = 0;   // configurations that fit it; ours is the best of them
  std::string invalid, note;

  static constexpr auto members() {
    return std::tuple{member("variant", &PublishedFigure::variant),
                      member("named", &PublishedFigure::named),
                      member("published_device", &PublishedFigure::device),
                      member("study", &PublishedFigure::study),
                      member("quantity", &PublishedFigure::quantity),
                      member("published_value", &PublishedFigure::value),
                      member("value", &PublishedFigure::ours),
                      member("ratio", &PublishedFigure::ratio),
                      member("trial_id", &PublishedFigure::trial_id),
                      member("fitting", &PublishedFigure::fitting),
                      member("invalid", &PublishedFigure::invalid),
                      member("note", &PublishedFigure::note)};
  }
};

// What correct rows were compared with the reference on, beside their own problem.
struct VerifiedWith {
  std::int64_t fewest_draws = 0, most_draws = 0;  // of the inputs; 0: nothing is known of it
  std::vector<std::string> problems;              // "N = 1", those of most rows first

  bool operator==(const VerifiedWith&) const = default;
};

// The runs of an experiment on one device.
struct DeviceStudy {
  std::string device;
  DeviceKind kind = DeviceKind::cuda;
  std::vector<StudyRow> rows;  // as Study::in_order
  std::vector<PublishedFigure> published;
  VerifiedWith verified;
  Table energy;                       // energy_shown(); may have no rows
  std::vector<Front> fronts;          // of problems, where the experiment has objectives
  std::vector<RegimeAnswer> regimes;  // whether winners hold; of problems that were measured in regimes
  std::vector<std::pair<std::string, std::string>> domains;      // variants with `requires` and that
  std::vector<std::pair<std::string, std::string>> environment;  // of the latest run that contributed
  std::int64_t runs = 0;                                         // that contributed
  std::string recorded_from;                                     // file of the latest run, when imported
  std::int64_t measured_correct = 0;  // of a choice: how many of all are correct, unverified ones too
  std::int64_t measured = 0;          // trials that count; the rows are a choice of them where they are fewer
  std::int64_t chosen_from =
      0;  // configurations, of which those that were measured are some; 0: they are all there are
  bool is_searched = false;  // a search chose them; else shards are missing
  std::int64_t peers = 0;    // those that compete: of a row with a value, else of any, the least
  bool maximise = true;      // as Study

  [[nodiscard]] bool is_choice() const { return static_cast<std::int64_t>(rows.size()) < measured; }

  // Rows with a value, in their order: those that compete; those that ran on this device when none does, and all when
  // none did.
  [[nodiscard]] std::vector<const StudyRow*> contenders() const;
  // For each problem, in the order of problems, the best of the contenders.
  [[nodiscard]] std::vector<const StudyRow*> best_of_problems() const;
  [[nodiscard]] std::size_t correct() const;
  // Of two values of the metric.
  [[nodiscard]] bool better(double a, double b) const { return maximise ? a > b : a < b; }
  // Not so for the host variants of a GPU's run, which say nothing of the GPU.
  [[nodiscard]] bool ran_here(const StudyRow& row) const { return row.device == device && row.kind == kind; }
  // What the experiment asks for: kernels where it has some, else programs. Host variants stand beside them as the
  // reference.
  [[nodiscard]] bool competes(const StudyRow& row) const { return ran_here(row) && row.peers == peers; }
};

struct Study {
  std::string system, experiment;
  std::string question;  // empty where nothing was run
  ShownMetric metric;
  bool maximise = true;
  std::string
      metric_without_work;  // the rate that was asked for, where results lack its work and times stand for it
  // Of the parameters, then of the problem quantities: as the spec of the latest run names them, or else by name.
  std::vector<std::string> names;
  std::vector<std::string> variants;  // in the same order
  std::vector<DeviceStudy> devices;   // GPUs first, then by name; without rows where it was only traced

  [[nodiscard]] std::string name() const { return system + "/" + experiment; }
  // Sets `names` and `variants` and sorts the rows of all devices.
  void put_in_order(const SpecOrder& spec);
  // Whether `a` stands above `b` in a table: by variant as the spec has them, by problem, by the values of the parameters.
  [[nodiscard]] bool in_order(const StudyRow& a, const StudyRow& b) const;
};

// Those of a row's problem that run where it does and compete with it, whether they have a value or not, itself too.
std::vector<const StudyRow*> rows_beside(const DeviceStudy& device, const StudyRow& row);

// All rows in their order, or with more than `most` only the `most` best ones, best first and those that compete
// before others, and those that have a published figure where `keep_published`.
std::vector<const StudyRow*> shown_rows(const DeviceStudy& device, std::size_t most, bool keep_published);

// How good a row is beside the best one with the same problem: 1 for the best. Only for rows with a value that
// compete: a host variant is not measured against kernels. None where the metric's work is 0.
std::optional<double> share_of_best(const DeviceStudy& device, const StudyRow& row);

// What rows have beside the metric that is optimised, but for the time, each once.
std::vector<MetricRecord> further_metrics(const std::vector<const StudyRow*>& rows);

// Blocks per SM, limiter and so on were computed for this device, when that is not the one that ran: "a100".
std::string predicted_for(const DeviceStudy& device);

}  // namespace tailwave
