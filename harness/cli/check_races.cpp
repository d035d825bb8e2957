#include "cli/check_races.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/sandbox.h"
#include "core/temporary_folder.h"
#include "races/race_check.h"
#include "races/race_shape.h"
#include "spec/paths.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson access_json(const RaceAccess& access) {
  const auto number = [](int value) { return value < 0 ? OrderedJson() : OrderedJson(value); };
  const bool known = !access.file.empty();
  return {{"access", access.what},
          {"file", known ? OrderedJson(access.file) : OrderedJson()},
          {"line", known ? OrderedJson(access.line) : OrderedJson()},
          {"block", number(access.block)},
          {"thread", number(access.thread)}};
}

OrderedJson race_json(const Race& race) {
  return {{"memory", race.memory},
          {"offset", race.offset},
          {"later", access_json(race.later)},
          {"earlier", access_json(race.earlier)}};
}

OrderedJson stray_json(const StrayAccess& stray) {
  return {{"buffer", stray.buffer},
          {"elements", stray.bytes / stray.element_bytes},
          {"element", stray.element()},
          {"access", access_json(stray.access)}};
}

std::string counted_races(std::size_t count) {
  return count == 1 ? "1 race" : fmt::format("{} races", count);
}

// Says and counts what was found.
class RaceTeller {
 public:
  explicit RaceTeller(const Console& console) : console_(console) {}

  void tell(const RaceCandidate& candidate, const RaceCheck& check) {
    const std::string name = candidate.configuration.name();
    const std::string& known = candidate.variant->known_races;
    const std::string detail = check.detail.empty() ? "" : "; " + check.detail;
    OrderedJson races = OrderedJson::array();
    for (const Race& race : check.races) races.push_back(race_json(race));
    OrderedJson stray = OrderedJson::array();
    for (const StrayAccess& one : check.stray) stray.push_back(stray_json(one));
    said_.configurations.push_back(OrderedJson{{"configuration", name},
                                               {"verdict", to_string(check.verdict)},
                                               {"known", known.empty() ? OrderedJson() : OrderedJson(known)},
                                               {"detail", check.detail},
                                               {"races", races},
                                               {"out_of_bounds", stray}});
    bool& found = known_[{candidate.experiment->system.file.string(), candidate.variant->name}];
    found = found || known.empty() || check.verdict != RaceVerdict::clean || check.may_miss_some;
    switch (check.verdict) {
      case RaceVerdict::clean:
        console_.say(fmt::format("{}: no races{}\n", name, detail));
        return;
      case RaceVerdict::races:
        if (known.empty()) ++racy_;
        console_.say(fmt::format("{}: {}{}{}\n", name, counted_races(check.races.size()),
                                 known.empty() ? "" : ", which its manifest knows: " + known, detail));
        say_each(check);
        return;
      case RaceVerdict::out_of_bounds:
        ++outside_;
        console_.say(fmt::format("{}: out of bounds{}{}\n", name,
                                 check.races.empty() ? "" : ", " + counted_races(check.races.size()),
                                 detail));
        say_each(check);
        return;
      case RaceVerdict::not_checked:
        ++not_checked_;
        console_.say(fmt::format("{}: not checked: {}\n", name, check.detail));
    }
  }

  RacesSaid take() {
    for (const auto& [variant, found] : known_)
      if (!found)
        console_.note(fmt::format("warning: {}: /variants/{}/known_races: no race was found\n",
                                  shown_path(variant.first), variant.second));
    const std::size_t all = said_.configurations.size();
    if (racy_ != 0)
      add_failure(fmt::format("{} of {} configurations {} races", racy_, all, racy_ == 1 ? "has" : "have"));
    if (outside_ != 0)
      add_failure(fmt::format("{} of {} configurations {} outside of buffers", outside_, all,
                              outside_ == 1 ? "reads or writes" : "read or write"));
    if (not_checked_ != 0)
      add_failure(fmt::format("{} of {} configurations {} not checked for races", not_checked_, all,
                              not_checked_ == 1 ? "was" : "were"));
    return std::move(said_);
  }

 private:
  void say_each(const RaceCheck& check) const {
    for (const StrayAccess& one : check.stray) console_.say("  " + to_string(one) + '\n');
    for (const Race& race : check.races) console_.say("  " + to_string(race) + '\n');
  }

  void add_failure(const std::string& text) { said_.failure += (said_.failure.empty() ? "" : "; ") + text; }

  const Console& console_;
  RacesSaid said_;
  // Of each variant, by manifest, whether what it says of its races can be right.
  std::map<std::pair<std::string, std::string>, bool> known_;
  std::size_t racy_ = 0, outside_ = 0, not_checked_ = 0;
};

// Compilers and the programs that they make have no more than this folder to write to.
void confine_races(const SandboxOptions& options, const std::vector<Experiment>& experiments,
                   const HostToolchain* toolchain, const std::filesystem::path& scratch,
                   const Console& console) {
  set_sandboxes(options, ArtifactCache(ArtifactCache::default_root()), console);
  for (const Experiment& experiment : experiments) allow_project(experiment);
  allow_host_compiler(toolchain);
  extend_sandbox(Confined::host_code, {.read = {}, .write = {scratch}, .marks_files = true});
  setenv("TMPDIR", scratch.c_str(), 1);
  confine_programs(Confined::host_code);
}

}  // namespace

Experiment defaults_of(System system) {
  Experiment experiment;
  experiment.name = system.name;
  experiment.file = system.file;
  for (const VariantSpec& variant : system.variants) experiment.cases.push_back({variant.name, {}});
  experiment.system = std::move(system);
  return experiment;
}

RacesSaid say_races(const std::vector<Experiment>& experiments, const SandboxOptions& sandbox,
                    const Console& console) {
  const std::vector<RaceCandidate> candidates = race_candidates(experiments);
  RaceTeller teller(console);
  if (candidates.empty()) {
    console.note("no cuda variant to look for races in\n");
    return teller.take();
  }
  const auto toolchain = HostToolchain::find();
  const TemporaryFolder scratch;
  confine_races(sandbox, experiments, toolchain.get(), scratch.path(), console);
  const RaceChecker checker(toolchain);
  std::mutex mutex;
  std::vector<std::optional<RaceCheck>> checks(candidates.size());
  std::size_t told = 0;
  for_each_at_once(candidates.size(), [&](std::size_t i) {
    RaceCheck check = checker.check(candidates[i]);
    const std::scoped_lock lock(mutex);
    checks[i] = std::move(check);
    for (; told < checks.size() && checks[told]; ++told) teller.tell(candidates[told], *checks[told]);
  });
  return teller.take();
}

}  // namespace tailwave
