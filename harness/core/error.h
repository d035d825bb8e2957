#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tailwave {

// One thing wrong with one place of one file, in the form that people see:
//
//   experiments/nbody/stride.json: /constraints/0: unknown parameter 'BLOCK_SIZ'
//     BLOCK_SIZ * BLOCK_STRIDE <= N
//     ^ did you mean 'BLOCK_SIZE'?
struct Diagnostic {
  std::string file;     // path as the user gave it; may be empty
  std::string place;    // JSON pointer ("/constraints/0") or "line 3, column 7"; may be empty
  std::string cause;    // one line, no full stop
  std::string excerpt;  // the offending text, may be empty
  int column = -1;      // 0-based offset of the caret into `excerpt`; -1: no caret
  std::string hint;     // what to do about it; may be empty

  bool operator==(const Diagnostic&) const = default;
};

// Renders a diagnostic as above; without an excerpt the hint follows on its own indented line.
std::string to_string(const Diagnostic& diagnostic);

// Collects everything that is wrong before a command gives up.
using Diagnostics = std::vector<Diagnostic>;

// Ends a command. Caught only in main(), which prints what() and exits with `exit_status`:
// - kBadUsage: the command line asks for what cannot be meant: an unknown option or name, a spec that is wrong, a
//   file or database that is not there, an experiment or device that the database has nothing of. Another command
//   line helps.
// - kRunFailed: what was asked for could be meant and could not be done: a device or compiler failed, a file cannot
//   be written or is damaged, nothing ran correctly, it was interrupted.
// - kConditionFulfilled is no failure: a person asked to be told of a condition in this way.
class Error : public std::runtime_error {
 public:
  enum Status { kRunFailed = 1, kBadUsage = 2, kConditionFulfilled = 3 };

  explicit Error(const std::string& message, Status status = kRunFailed);
  explicit Error(const Diagnostic& diagnostic, Status status = kBadUsage);
  explicit Error(const Diagnostics& diagnostics, Status status = kBadUsage);

  [[nodiscard]] Status exit_status() const noexcept { return status_; }

 private:
  Status status_;
};

// The candidate nearest to `word` by edit distance (a swap of neighbours is one edit), or "" if none is near enough
// to be a likely typing error (at most a third of the word's length, at least 1, edits away).
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace tailwave
