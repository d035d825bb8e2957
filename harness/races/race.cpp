#include "races/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compile/prelude.h"

namespace tailwave {
namespace {

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int number_in(const std::string& text) {
  return static_cast<int>(std::strtol(text.c_str(), nullptr, 10));
}

constexpr std::size_t kPlaceFields = 4, kAccessFields = 4;

std::int64_t large_number_in(const std::string& text) {
  return std::strtoll(text.c_str(), nullptr, 10);
}

RaceAccess access_at(const std::vector<std::string>& fields, std::size_t first) {
  RaceAccess access{fields[first], fields[first + 2], number_in(fields[first + 3]), -1, -1};
  if (!access.file.empty()) access.file = display_path(access.file);
  const std::vector<std::string> numbers = split_at(fields[first + 1], ' ');
  if (numbers.size() != 2) return access;
  access.block = number_in(numbers[0]);
  access.thread = number_in(numbers[1]);
  return access;
}

Race race_of(const std::vector<std::string>& fields) {
  Race race;
  const std::string &kind = fields[1], &name = fields[2];
  race.memory = kind == "buffer"   ? fmt::format("buffer '{}'", name)
                : kind == "shared" ? "shared memory"
                                   : kind;
  race.offset = large_number_in(fields[3]);
  race.later = access_at(fields, kPlaceFields);
  race.earlier = access_at(fields, kPlaceFields + kAccessFields);
  return race;
}

StrayAccess stray_of(const std::vector<std::string>& fields) {
  StrayAccess stray;
  stray.buffer = fields[1];
  stray.bytes = large_number_in(fields[2]);
  stray.offset = large_number_in(fields[3]);
  stray.access = access_at(fields, kPlaceFields);
  return stray;
}

bool same_place(const RaceAccess& one, const RaceAccess& other) {
  return one.what == other.what && one.file == other.file && one.line == other.line;
}

// Whether one says nothing that the other does not.
bool says_as_much(const Race& known, const Race& race) {
  if (known.memory != race.memory) return false;
  if (race.earlier.file.empty())
    return same_place(known.later, race.later) || same_place(known.earlier, race.later);
  return (same_place(known.later, race.later) && same_place(known.earlier, race.earlier)) ||
         (same_place(known.later, race.earlier) && same_place(known.earlier, race.later));
}

std::string text_of(const std::string& what, const RaceAccess& access) {
  const std::string who =
      access.thread < 0 ? "" : fmt::format(" (block {}, thread {})", access.block, access.thread);
  if (access.file.empty()) return fmt::format("{}{} whose place could not be restored", what, who);
  return fmt::format("{} at {}:{}{}", what, access.file, access.line, who);
}

}  // namespace

RaceLog read_races(std::string_view text) {
  RaceLog log;
  std::vector<Race> all;
  for (const std::string& line : split_at(text, '\n')) {
    const std::vector<std::string> fields = split_at(line, '\t');
    if (fields[0] == "race" && fields.size() == kPlaceFields + 2 * kAccessFields)
      all.push_back(race_of(fields));
    if (fields[0] == "outside" && fields.size() == kPlaceFields + kAccessFields) {
      StrayAccess one = stray_of(fields);
      if (std::none_of(log.stray.begin(), log.stray.end(), [&](const StrayAccess& known) {
            return known.buffer == one.buffer && same_place(known.access, one.access);
          }))
        log.stray.push_back(std::move(one));
    }
    if (fields[0] == "shared" && fields.size() == 2) log.shared_fibers = fields[1];
    if (fields[0] == "more") log.left_some_out = true;
    if (fields[0] == "end") log.complete = true;
    if (fields[0] == "failed" && fields.size() == 2) log.failure = fields[1];
  }
  // Those with both places first, so that the others find what says more.
  std::stable_partition(all.begin(), all.end(), [](const Race& race) { return !race.earlier.file.empty(); });
  for (Race& race : all)
    if (std::none_of(log.races.begin(), log.races.end(),
                     [&](const Race& known) { return says_as_much(known, race); }))
      log.races.push_back(std::move(race));
  return log;
}

std::string to_string(const Race& race) {
  return fmt::format("{}: {} after {}", race.memory, text_of(race.later.what, race.later),
                     text_of(race.earlier.what, race.earlier));
}

// Of what lies before the buffer it is negative.
std::int64_t StrayAccess::element() const {
  return offset >= 0 ? offset / element_bytes : -((-offset + element_bytes - 1) / element_bytes);
}

std::string to_string(const StrayAccess& stray) {
  return fmt::format(
      "buffer '{}' of {} elements: {}", stray.buffer, stray.bytes / stray.element_bytes,
      text_of(fmt::format("{} of element {}", stray.access.what, stray.element()), stray.access));
}

}  // namespace tailwave
