#include "faults/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/error.h"
#include "store/database.h"

namespace tailwave::faults {
namespace {

// As it lies in memory.
std::string hex_of(double number) {
  std::string digits;
  for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof number>>(number))
    digits += fmt::format("{:02X}", byte);
  return digits;
}

void read_finished(Database& database, Records& records) {
  Statement trials = database.prepare("SELECT id, key, outcome FROM trial ORDER BY id");
  while (trials.step()) {
    Records::Finished one{trials.text(2), {}};
    Statement samples =
        database.prepare("SELECT repetition, position, time_ns FROM sample WHERE trial_id = ?");
    samples.bind_all(trials.integer(0));
    while (samples.step())
      one.times[{static_cast<int>(samples.integer(0)), static_cast<int>(samples.integer(1))}] =
          hex_of(samples.real(2));
    records.finished[trials.text(1)].push_back(std::move(one));
  }
}

void read_unfinished(Database& database, Records& records) {
  Statement rows =
      database.prepare("SELECT key, repetitions, hex(contents) FROM unfinished_trial ORDER BY run_id");
  while (rows.step()) records.unfinished[rows.text(0)] = {static_cast<int>(rows.integer(1)), rows.text(2)};
}

bool has(const Records& records, const std::string& key, const Records::Finished& wanted) {
  const auto found = records.finished.find(key);
  return found != records.finished.end() && std::ranges::any_of(found->second, [&](const auto& one) {
           return one.outcome == wanted.outcome && one.times == wanted.times;
         });
}

// Whether a trial has what its first repetitions left, not what others have measured in their place.
bool goes_on(const Records::Finished& trial, const Records::Unfinished& begun) {
  return std::ranges::all_of(trial.times, [&](const auto& sample) {
    return sample.first.first >= begun.repetitions || begun.contents.find(sample.second) != std::string::npos;
  });
}

// A trial that failed meanwhile has no samples, and its repetitions are nobody's loss.
bool goes_on(const Records& later, const std::string& key, const Records::Unfinished& begun) {
  if (const auto kept = later.unfinished.find(key);
      kept != later.unfinished.end() && kept->second.repetitions >= begun.repetitions)
    return true;
  const auto found = later.finished.find(key);
  return found != later.finished.end() && std::ranges::any_of(found->second, [&](const auto& trial) {
           return trial.outcome != "correct" || goes_on(trial, begun);
         });
}

std::string one_cell(Database& database, const std::string& sql) {
  Statement statement = database.prepare(sql);
  return statement.step() ? statement.text(0) : "nothing";
}

}  // namespace

Records read_records(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  try {
    Records records;
    Database database(file, Database::Mode::read_only);
    const std::string begin = "BEGIN", end = "COMMIT";
    database.execute(begin);
    read_finished(database, records);
    read_unfinished(database, records);
    database.execute(end);
    records.readable = true;
    return records;
  } catch (const Error&) {
    return {};
  }
}

std::string lost(const Records& before, const Records& later) {
  for (const auto& [key, trials] : before.finished)
    for (const Records::Finished& trial : trials)
      if (!has(later, key, trial))
        return fmt::format("a finished trial ({}, {} samples) is gone", trial.outcome, trial.times.size());
  for (const auto& [key, begun] : before.unfinished)
    if (!goes_on(later, key, begun))
      return fmt::format("{} finished repetitions of a configuration are gone", begun.repetitions);
  return "";
}

std::string wrong_at_the_end(const std::filesystem::path& file, int configurations) {
  try {
    Database database(file, Database::Mode::read_only);
    const std::vector<std::pair<std::string, std::string>> facts{
        {"SELECT group_concat(integrity_check) FROM pragma_integrity_check", "ok"},
        {"SELECT count(*) FROM pragma_foreign_key_check", "0"},
        {"SELECT count(*) FROM current_trial", std::to_string(configurations)},
        {"SELECT count(DISTINCT configuration_id) FROM current_trial WHERE outcome = 'correct'",
         std::to_string(configurations)},
        {"SELECT count(*) FROM (SELECT 1 FROM trial WHERE outcome = 'correct' GROUP BY configuration_id "
         "HAVING count(*) > 1)",
         "0"},
        {"SELECT count(*) FROM (SELECT 1 FROM trial JOIN sample ON trial_id = id GROUP BY id "
         "HAVING count(DISTINCT repetition) <> 3)",
         "0"},
        {"SELECT count(*) FROM unfinished_trial", "0"},
        {"SELECT status FROM run ORDER BY id DESC LIMIT 1", "done"}};
    for (const auto& [sql, wanted] : facts)
      if (const std::string found = one_cell(database, sql); found != wanted)
        return fmt::format("{}: {}, not {}", sql, found, wanted);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace tailwave::faults
