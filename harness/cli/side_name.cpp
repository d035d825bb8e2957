#include "cli/side_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/result_database.h"
#include "cli/stored_device.h"
#include "core/error.h"
#include "spec/experiment.h"
#include "spec/paths.h"
#include "store/contents.h"

namespace tailwave {
namespace {

struct Word {
  std::string key, value;  // key "": what it is has to be looked up
};

constexpr std::array<std::string_view, 4> kKeys{"run", "device", "commit", "db"};

[[noreturn]] void refuse_word(const std::string& word, const std::string& cause,
                              const std::string& near = "") {
  throw Error(Diagnostic{
      .cause = fmt::format("'{}' {}", word, cause),
      .hint = near.empty() ? "a side is " + side_help() : fmt::format("did you mean '{}'?", near)});
}

// At each ',' that no other stands beside.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool twice = text[i] == ',' && i + 1 < text.size() && text[i + 1] == ',';
    if (text[i] == ',' && !twice)
      words.emplace_back();
    else
      words.back() += text[i];
    if (twice) ++i;
  }
  return words;
}

bool looks_like_a_file(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".db") || word.ends_with(".sqlite") ||
         word.ends_with(".sqlite3");
}

Word word_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string key = colon == std::string::npos ? "" : text.substr(0, colon);
  if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) return {key, text.substr(colon + 1)};
  if (text == "latest" || text == "previous") return {"age", text};
  return {looks_like_a_file(text) ? "db" : "", text};
}

std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  for (const std::string& part : split(text)) {
    const Word word = word_of(part);
    if (word.value.empty()) refuse_word(text, "has an empty word");
    words.push_back(word);
  }
  return words;
}

bool is_file(const std::string& text) {
  std::error_code error;
  return std::filesystem::is_regular_file(text, error);
}

std::string near_file(const std::string& text) {
  std::string near = near_path(text).string();
  return is_file(near) ? near : "";
}

// What a person may have meant by a word that is nothing; empty where nothing is near.
std::string near_word(const std::string& word) {
  if (is_file(word)) return "db:" + word;
  if (const std::size_t colon = word.find(':'); colon != std::string::npos) {
    const std::string key = nearest(word.substr(0, colon), {kKeys.begin(), kKeys.end()});
    if (!key.empty()) return key + word.substr(colon);
  }
  if (std::string age = nearest(word, {"latest", "previous"}); !age.empty()) return age;
  const std::string file = near_file(word);
  return file.empty() || looks_like_a_file(file) ? file : "db:" + file;
}

// Without a database nothing can be looked up.
void require_known_words(const std::vector<Word>& words, const std::filesystem::path& database) {
  std::error_code error;
  if (std::filesystem::exists(database, error)) return;
  for (const Word& word : words)
    if (word.key.empty())
      refuse_word(
          word.value,
          fmt::format("is no database file, and there is no {} to look for a run, commit or device in",
                      database.string()),
          near_word(word.value));
}

std::optional<std::int64_t> whole_number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_commit(Database& database, const std::string& text) {
  constexpr std::size_t kFewestDigits = 4;
  const bool digits = text.size() >= kFewestDigits && std::all_of(text.begin(), text.end(), [](char c) {
                        return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                      });
  return digits && has_commit(database, text);
}

bool is_device(Database& database, const std::string& text) {
  try {
    return stored_device(database, text) != text || has_device(database, text);
  } catch (const Error&) {
    return false;
  }
}

// What a word without a key stands for.
Word looked_up(Database& database, const std::string& word) {
  // A number is no part of a device's name, and one with a 0 before it is a commit.
  const auto number = word.starts_with('0') ? std::nullopt : whole_number_in(word);
  const bool commit = is_commit(database, word);
  const bool other = number ? has_run(database, *number) : is_device(database, word);
  const std::string key = number ? "run" : "device";
  if (commit && other)
    throw Error(Diagnostic{.cause = fmt::format("'{}' is both a {} and how a commit begins", word, key),
                           .hint = fmt::format("write {0}:{1} or commit:{1}", key, word)});
  if (commit) return {"commit", word};
  if (number || other) return {key, word};
  refuse_word(word, "names no run, device, commit or database", near_word(word));
}

// Of one kind a side has one word: "device:CPU, 2 cores" is a device's name with a comma that was not doubled.
void require_different_kinds(const std::string& text, const std::vector<Word>& words) {
  for (auto word = words.begin(); word != words.end(); ++word)
    for (auto other = words.begin(); other != word; ++other)
      if (!word->key.empty() && other->key == word->key)
        refuse_word(text, fmt::format("has two words of one kind: '{}' and '{}'", other->value, word->value));
}

void apply(const Word& word, NamedSide& side) {
  if (word.key == "age") {
    side.name.age = word.value == "latest" ? SideName::Age::latest : SideName::Age::previous;
  } else if (word.key == "run") {
    side.name.run = whole_number_in(word.value);
    if (!side.name.run) refuse_word(word.value, "is no number of a run");
  } else if (word.key == "commit") {
    side.name.commit = word.value;
  } else if (word.key == "device") {
    side.name.device = stored_device(*side.database, word.value);
  }
}

}  // namespace

NamedSide parse_side(const std::string& text, const std::filesystem::path& database,
                     const std::string& device) {
  std::vector<Word> words = words_of(text);
  require_different_kinds(text, words);
  std::filesystem::path file = database;
  const auto named =
      std::find_if(words.begin(), words.end(), [](const Word& word) { return word.key == "db"; });
  if (named != words.end()) {
    require_database(named->value);
    file = named->value;
  } else {
    require_known_words(words, file);
  }
  NamedSide side{{}, std::make_shared<Database>(open_to_read(file))};
  side.name.text = text;
  if (!device.empty()) side.name.device = stored_device(*side.database, device);
  for (Word& word : words)
    if (word.key.empty()) word = looked_up(*side.database, word.value);
  require_different_kinds(text, words);
  for (const Word& word : words) apply(word, side);
  return side;
}

std::string side_help() {
  return "latest, previous, run:12, device:h200, commit:abc1234, or a database file (before.db, db:FILE); "
         "several joined by ','";
}

}  // namespace tailwave
