#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tailwave::faults {

// What a database holds of a run, as far as nothing of it may be lost.
struct Records {
  struct Finished {
    std::string outcome;
    // By repetition and position: the bytes of the time, in hexadecimal digits, as an unfinished trial has them, too.
    std::map<std::pair<int, int>, std::string> times;
  };
  struct Unfinished {
    int repetitions = 0;
    std::string contents;  // hexadecimal digits
  };
  std::map<std::string, std::vector<Finished>> finished;  // by key
  std::map<std::string, Unfinished> unfinished;           // by key
  bool readable = false;                                  // false: there is no database, or not all of it yet
};

// What there is at the moment; throws nothing.
Records read_records(const std::filesystem::path& database);

// What `later` lacks of `before`; "" where that is nothing.
std::string lost(const Records& before, const Records& later);

// What is wrong with a database that a whole run has left, after all: "" where nothing is.
std::string wrong_at_the_end(const std::filesystem::path& database, int configurations);

}  // namespace tailwave::faults
