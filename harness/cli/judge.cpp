// `tailwave judge`: what a source in the place of a variant's is worth, as JSON.
#include "judge/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/own_streams.h"
#include "cli/session.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/printable.h"
#include "judge/service.h"
#include "judge/verdict.h"
#include "measure/draw.h"
#include "spec/paths.h"
#include "spec/system_reader.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

struct JudgeArguments {
  std::optional<std::string> candidate, database, socket;
  std::vector<std::string> systems;
  std::string variant, baseline;
  std::string parameters, problem, baseline_parameters;  // K=V,K=V
  SessionOptions session;
  MeasureSettings measure{.deadline_s = 10, .build_deadline_s = 60};
  int samples = 0;  // 0: as many as the settings take
  bool serves = false;
};

// "TILE=8,FAST=true" as an object; `option` is where it was given. Absent for "".
Json parse_pairs(const std::string& text, const std::string& option) {
  if (text.empty()) return {};
  OrderedJson object = OrderedJson::object();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string pair = text.substr(begin, end - begin);
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw Error(Diagnostic{.cause = fmt::format("{} '{}' is not NAME=VALUE", option, pair),
                             .hint = "several are separated by commas: N=4096,DT=0.01"});
    const std::string name = pair.substr(0, equals);
    if (object.contains(name))
      throw Error(Diagnostic{.cause = fmt::format("{} has '{}' twice", option, name)});
    std::visit([&](const auto& value) { object[name] = value; }, parse_value(pair.substr(equals + 1)));
    begin = end + 1;
  }
  return {std::move(object), option};
}

// A system's manifest by its name in this project, its folder or its file.
fs::path manifest_of(const std::string& system) {
  std::error_code ignored;
  fs::path given(system);
  if (fs::is_regular_file(given, ignored)) return given;
  if (fs::is_regular_file(given / "system.json", ignored)) return given / "system.json";
  const fs::path templates = find_project_root(fs::current_path()) / "kernel_templates";
  if (fs::path file = templates / system / "system.json"; fs::is_regular_file(file, ignored)) return file;
  const std::vector<std::string> names = names_in(
      templates, [](const auto& entry) { return fs::is_regular_file(entry.path() / "system.json"); });
  const std::string near = nearest(system, names);
  throw Error(Diagnostic{.cause = fmt::format("unknown system '{}'", system),
                         .hint = near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                              : fmt::format("did you mean '{}'?", near)});
}

Experiment experiment_of(const std::string& name) {
  const fs::path file = manifest_of(name);
  Diagnostics wrong;
  std::optional<System> system = load_system(file, wrong);
  if (!system) throw Error(wrong);
  Experiment experiment;
  experiment.name = "judge";
  experiment.question = "How fast is a candidate?";
  experiment.file = file;
  experiment.metric.name = "time";
  experiment.system = *std::move(system);
  return experiment;
}

std::vector<Experiment> experiments_of(const JudgeArguments& options) {
  std::vector<Experiment> experiments;
  std::set<std::string> names;
  for (const std::string& name : options.systems) {
    experiments.push_back(experiment_of(name));
    const std::string& system = experiments.back().system.name;
    if (!names.insert(system).second)
      throw Error(Diagnostic{.cause = fmt::format("--system has '{}' twice", system)});
  }
  return experiments;
}

// Keeps judgements in a database: a run for each candidate, with its source as the run's spec, and one for each time
// that a baseline was measured.
class Keeper {
 public:
  explicit Keeper(Session& session) : session_(session) {
    for (const Experiment& experiment : session.experiments()) {
      store_what_reports_need(experiment, session.store());
      records_.push_back(describe_experiment(session.environment(experiment), experiment, session.tools()));
    }
  }

  void keep(const JudgedCandidate& judgement) {
    if (judgement.reused) return;
    RunRecord record = records_[judgement.request.system];
    if (judgement.baseline && judgement.baseline != last_baseline_) {
      RunRecord of_baseline = record;
      of_baseline.experiment = "judge_baseline";
      of_baseline.question = "What are candidates compared with?";
      keep(of_baseline, *judgement.baseline);
      last_baseline_ = judgement.baseline;
    }
    record.spec_file = judgement.request.name;
    record.spec_text = judgement.request.source;
    record.spec_hash = content_hash(judgement.request.source);
    keep(record, judgement.trial);
  }

 private:
  void keep(RunRecord record, const Trial& trial) {
    record.started_at = utc_now();
    ResultStore& store = session_.store();
    const std::int64_t run = store.begin_run(record, session_.device());
    store.add_trial(run, session_.device(), trial);
    store.finish_run(run, RunStatus::done, utc_now());
  }

  Session& session_;
  std::vector<RunRecord> records_;
  std::shared_ptr<const Trial> last_baseline_;
};

// A session that judges, of one candidate or of many.
class JudgeSession {
 public:
  JudgeSession(const JudgeArguments& options, const Console& console)
      : options_(options),
        draw_(options.session.draw.value_or(static_cast<std::int64_t>(random_draw()))),
        defaults_{.systems = {},
                  .variant = options.variant,
                  .baseline = options.baseline,
                  .parameters = parse_pairs(options.parameters, "--params"),
                  .problem = parse_pairs(options.problem, "--problem"),
                  .baseline_parameters = parse_pairs(options.baseline_parameters, "--baseline-params")},
        session_(session_options(), experiments_of(options), console),
        settings_{.build_processes = build_processes(), .measure = options.measure} {
    for (const Experiment& experiment : session_.experiments())
      defaults_.systems.push_back(&experiment.system);
    if (options.samples > 0) {
      settings_.measure.samples = settings_.measure.max_samples = options.samples;
      settings_.measure.precision = 0;
    }
    if (options.database) keeper_.emplace(session_);
  }

  OrderedJson judge_one(const std::string& source) {
    const OrderedJson wanted{{"source", source}, {"name", fs::path(*options_.candidate).filename().string()}};
    JudgeRequest request = read_request(Json(wanted, "judge"), defaults_);
    Measurer measurer(session_.tools());
    Judge judge(defaults_.systems, measurer, settings_);
    judge.take(std::move(request));
    const JudgeAnswer answer = wait_for_answer(judge);
    if (!answer.judgement) throw Error(answer.error);
    return verdict(*answer.judgement, {{"draw", draw_}});
  }

  void serve_many(const Console& console) {
    check_defaults();
    if (!options_.socket) require_streams();
    std::signal(SIGPIPE, SIG_IGN);  // a client that has gone is no reason to end
    Measurer measurer(session_.tools());
    Judge judge(defaults_.systems, measurer, settings_);
    std::optional<ListeningSocket> socket;
    if (options_.socket) socket.emplace(*options_.socket);
    std::unique_ptr<LineClients> clients =
        socket ? std::make_unique<LineClients>(socket->number())
               : std::make_unique<LineClients>(streams_.input(), streams_.output());
    // Who knew the draw could make a candidate for the inputs.
    const OrderedJson session{{"session", content_hash(std::to_string(draw_))}};
    serve(judge, *clients,
          {.defaults = defaults_,
           .verdict = [&](const JudgedCandidate& judgement) { return verdict(judgement, session); },
           .stop_requested = InterruptGuard::requested});
    console.note(fmt::format("the inputs were those of --draw {}\n", draw_));
  }

 private:
  [[nodiscard]] SessionOptions session_options() const {
    SessionOptions session = options_.session;
    session.plans_occupancy = true;
    if (options_.database) session.database = *options_.database;
    session.draw = draw_;
    session.keeps_references = false;  // no other session has these inputs
    session.hidden = streams_.descriptors();
    return session;
  }

  OrderedJson verdict(const JudgedCandidate& judgement, const OrderedJson& session) {
    if (keeper_) keeper_->keep(judgement);
    return verdict_json(judgement, session_.device(), session);
  }

  static JudgeAnswer wait_for_answer(Judge& judge) {
    constexpr double kLongestS = 0.5;  // in which nobody looks whether a stop is requested
    for (bool stopped = false;;) {
      judge.advance();
      if (std::optional<JudgeAnswer> answer = judge.next_answer()) return *std::move(answer);
      if (!stopped && InterruptGuard::requested()) {
        judge.stop();
        stopped = true;
        continue;
      }
      std::vector<pollfd> all = judge.descriptors();
      const double wait_s = std::min(kLongestS, judge.due_s());
      poll(all.data(), all.size(), static_cast<int>(std::ceil(wait_s * 1e3)));
    }
  }

  void require_streams() const {
    for (const auto& [number, name] : {std::pair(streams_.input(), "input"), {streams_.output(), "output"}})
      if (number < 0)
        throw Error(Diagnostic{.place = "judge",
                               .cause = fmt::format("standard {} is closed", name),
                               .hint = "--socket serves without it"});
  }

  // What all requests would be refused for is said before the first one comes.
  void check_defaults() const {
    const bool has_variant = !options_.variant.empty() || !options_.baseline.empty();
    if (defaults_.systems.size() > 1 || !has_variant) return;
    read_request(Json(OrderedJson{{"source", ""}}, "judge"), defaults_);
  }

  const JudgeArguments& options_;
  OwnStreams streams_;
  std::int64_t draw_;  // of the inputs
  JudgeDefaults defaults_;
  Session session_;
  JudgeSettings settings_;
  std::optional<Keeper> keeper_;
};

void check_arguments(const JudgeArguments& options) {
  const auto refuse = [](const std::string& cause, const std::string& hint) {
    throw Error(Diagnostic{.place = "judge", .cause = cause, .hint = hint});
  };
  if (options.candidate && options.serves)
    refuse("CANDIDATE and --serve exclude each other", "a service is sent its candidates");
  if (!options.candidate && !options.serves)
    refuse("CANDIDATE is missing", "the .cu file to be judged, or --serve");
  if (options.socket && !options.serves) refuse("--socket without --serve", "a socket is for a service");
  if (options.candidate && options.systems.size() > 1)
    refuse("--system is given several times", "one candidate is one for one system");
}

void judge_candidates(const JudgeArguments& options, const Console& console) {
  check_arguments(options);
  if (!options.serves) {
    constexpr int kIndent = 1;
    const std::string source = read_candidate(*options.candidate);
    const OrderedJson answer = JudgeSession(options, console).judge_one(source);
    const std::string text = answer.dump(kIndent, ' ', false, OrderedJson::error_handler_t::replace);
    fmt::print("{}\n", printable_json(text));
    return;
  }
  try {
    JudgeSession(options, console).serve_many(console);
  } catch (const Error& error) {
    fmt::print("{}\n", one_line({{"error", error.what()}}));
    throw;
  }
}

void add_measure_options(Command& command, JudgeArguments& options) {
  command
      .add_choice<TimingMode>("--mode", options.measure.mode,
                              {{"isolated", TimingMode::isolated},
                               {"batched", TimingMode::batched},
                               {"graph", TimingMode::graph}},
                              "how samples are timed (docs/measuring.md): isolated, batched or graph")
      ->default_str("isolated");
  command.add_option("--samples", options.samples, "exactly so many; 0: until the median is known to 1 %")
      ->check(whole_number(0, 10000))
      ->capture_default_str();
  command
      .add_option("--repetitions", options.measure.repetitions, "how often candidate and baseline take turns")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command
      .add_option("--deadline", options.measure.deadline_s, "seconds that one run of its kernels may take")
      ->check(finite_number(0.1, 1e4))
      ->capture_default_str();
  command.add_option("--build-deadline", options.measure.build_deadline_s, "seconds that a build may take")
      ->check(finite_number(0.1, 1e4))
      ->capture_default_str();
}

void add_service_options(Command& command, JudgeArguments& options) {
  command.add_flag(
      "--serve", options.serves,
      "judge what comes: a JSON object a line on standard input, an answer a line on standard output");
  command.add_option("--socket", options.socket,
                     "with --serve: a Unix socket to be made, for any number of clients");
  add_draw_option(command, options.session.draw, "one that nobody can know");
}

}  // namespace

void add_judge(Command& app) {
  Command* command = app.add_subcommand(
      "judge", "Verify and time a source in the place of a variant's: one JSON answer, or a service");
  auto options = std::make_shared<JudgeArguments>();
  command->add_option("CANDIDATE", options->candidate, "a .cu file with the kernels of the variant");
  command
      ->add_option(
          "--system", options->systems,
          "whose problem it solves: a name, or the folder or file of a manifest; several with --serve")
      ->required()
      ->one_value_each();
  command->add_option(
      "--variant", options->variant,
      "whose source it takes the place of (default: the baseline, or the only one for a GPU)");
  command->add_option("--params", options->parameters,
                      "NAME=VALUE,...: its parameters (default: the variant's)");
  command->add_option("--problem", options->problem, "NAME=VALUE,... (default: the system's)");
  command->add_option("--baseline", options->baseline,
                      "the variant that it is compared with (default: the one that it takes the place of)");
  command->add_option("--baseline-params", options->baseline_parameters,
                      "NAME=VALUE,...: the baseline's (default: its own)");
  add_measure_options(*command, *options);
  add_service_options(*command, *options);
  command->add_option("--device", options->session.device, "auto, cuda:0, cpu")->capture_default_str();
  add_unsafe_options(*command);
  add_sandbox_options(*command, options->session.sandbox);
  command->add_option(
      "--target", options->session.planned_for,
      "on the CPU device: the GPU that it is compiled for, too, of whose code registers and occupancy are "
      "(default: h100)");
  command->add_option("--db", options->database, "keep judgements in this database (default: nowhere)");
  add_reference_option(*command, options->session.reference_place);
  command->footer(
      "A candidate that is wrong is an answer: exit status 0.\n"
      "Example: tailwave judge mine.cu --system nbody --variant shared --baseline basic --device cuda:0");
  const auto output = add_output_options(*command, JsonResult::none);
  command->callback([options, output] { judge_candidates(*options, Console(*output)); });
}

}  // namespace tailwave
