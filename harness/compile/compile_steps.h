#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "compile/unit_compiler.h"
#include "core/temporary_folder.h"

namespace tailwave {

// What compilers that are programs have in common: how they are found, asked and run.

// The words of a command in an environment variable; none where it is not set.
std::vector<std::string> words_in_environment(const char* name);
void append(std::vector<std::string>& words, const std::vector<std::string>& more);

// What a compiler answers with these arguments, standard error included; "" where it cannot be asked or fails. One that a
// signal ended is asked again.
std::string answer_of(std::vector<std::string> command, const std::vector<std::string>& arguments);
std::string first_line(const std::string& text);

// The file that a program's name means: on PATH, or where the name has a '/' that file; links are followed. Empty: none.
std::filesystem::path found_on_path(const std::string& program);
// Of bin/g++ the folder that has bin/ and lib/, unless that is the user's own or above it: then bin/.
std::filesystem::path installation_of(const std::filesystem::path& program);

// A unit and its headers in a folder of their own, which goes with this.
class UnitFolder {
 public:
  // `ending`: of the unit's file. Throws Error for what cannot be written.
  UnitFolder(const std::string& ending, const std::string& unit,
             const std::vector<UnitCompiler::File>& headers);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path object() const { return path() / "unit.o"; }
  [[nodiscard]] std::filesystem::path library() const { return path() / "unit.so"; }
  // To look for headers in the folder and in those of its folders, and to compile the unit to object(), noting what is read.
  [[nodiscard]] std::vector<std::string> flags(const std::vector<std::string>& includes) const;
  // What was read outside the folder, each once, without the compiler's own headers as far as it says so. Throws
  // Failure(compile_error) where the compiler, called `who`, did not note it.
  [[nodiscard]] std::vector<std::filesystem::path> inputs(const std::string& who) const;

 private:
  [[nodiscard]] std::filesystem::path noted() const { return path() / "unit.d"; }

  TemporaryFolder folder_;
  std::string source_;
};

// The commands that make one build, with one deadline for all.
class CompileSteps {
 public:
  // `who`: how messages call the compiler.
  CompileSteps(std::filesystem::path folder, double deadline_s, std::string who = "the host compiler");

  // The output of a compiler that succeeded, with "tailwave:" for the folder. Throws Failure(compile_error) with the output
  // of another, or that somebody else has ended it, and Failure(compile_timeout).
  [[nodiscard]] std::string run(const std::vector<std::string>& command) const;

 private:
  std::filesystem::path folder_;
  double deadline_s_;
  std::string who_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tailwave
