#pragma once

#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/host_code.h"

namespace tailwave {

// A source and the headers of its project, less what of the host's in them does not compile.
class SourceParts {
 public:
  // `text` of the source, which the log calls `name`; headers are looked up beside the source and in `folder`.
  SourceParts(const std::string& text, std::string name, const std::filesystem::path& source,
              const std::filesystem::path& folder, const std::vector<std::string>& kernels);

  // Adds what the errors of an attempt blame to what is left out in the next one; false: there is nothing more.
  bool leave_out(const std::string& log);

  [[nodiscard]] std::string source() const { return without(parts_.front()); }
  // Those that something is left out of, by what directives call them.
  [[nodiscard]] std::map<std::string, std::string> headers() const;
  // "(left out, since it does not compile for a GPU: main)"; empty for nothing.
  [[nodiscard]] std::string note() const;
  // Whether an error is about something that was left out.
  [[nodiscard]] bool is_missed(const std::string& log) const;

 private:
  struct Part {
    std::filesystem::path file;
    std::string text;
    std::set<std::string> names;  // in directives
    HostCode host{"", {}};
    std::set<const HostCode::Declaration*> left_out = {};
  };
  Part* part_of(std::string_view file);
  [[nodiscard]] std::string without(const Part& part) const;

  std::string name_;
  std::list<Part> parts_;  // the source, and its headers
  bool no_using_std_ = false;
};

}  // namespace tailwave
