#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mutator.h"

namespace tailwave::fuzz {

// What is fed, in a process of its own. Made there, so that it may keep files and databases.
class Subject {
 public:
  virtual ~Subject() = default;
  // "" for an input that is accepted, else the words with which it is refused. What the parser may not throw comes
  // out, and so does a std::logic_error for an answer that is wrong.
  virtual std::string feed(const std::string& input) = 0;
};

struct Target {
  std::string_view name;
  Material material;
  // Below the project's folder: files, or folders with all their files that end so.
  struct Source {
    std::string_view path;
    std::string_view ending;
  };
  std::vector<Source> sources;
  std::function<std::unique_ptr<Subject>()> make;
  std::function<std::vector<std::string>()> made_seeds;  // may be empty
};

const std::vector<Target>& all_targets();

// The files of tests/fuzz/corpus/<name> (of one that ends with .lines each line), those of the target's sources and its
// made seeds, in the order of their paths. Of large JSON the lists are cut short. Throws Error where there is none.
std::vector<std::string> corpus_of(const Target& target);

// The folder with the shipped experiments.
std::filesystem::path project_folder();

// Of the parts.
std::vector<Target> text_targets();
std::vector<Target> spec_targets();
std::vector<Target> result_targets();
std::vector<Target> binary_targets();

}  // namespace tailwave::fuzz
