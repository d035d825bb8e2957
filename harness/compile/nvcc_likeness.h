#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// What nvcc takes and NVRTC takes only with help, learned from the errors of a source: names of the host's headers without an
// include (compile/nvcc_names.h), C++20 where it is a part that nvcc takes as an extension of C++17, __int128, lambdas
// marked __device__, and headers that are not there, in place of which there are empty ones.
class NvccLikeness {
 public:
  // Whether the log shows something that helps and that was not known before.
  bool learn(std::string_view log, bool has_toolkit_headers);

  [[nodiscard]] std::string lines() const;  // before the source's prelude
  void add_options(std::vector<std::string>& options) const;
  void add_headers(std::map<std::string, std::string>& headers) const;
  [[nodiscard]] std::string source(const std::string& text) const;
  [[nodiscard]] const std::set<std::string>& absent_headers() const { return absent_; }  // "<a.h>"

 private:
  bool add_lines(std::string lines, bool has_toolkit_headers);
  bool learn_names(std::string_view message, bool has_toolkit_headers);
  bool learn_of(std::string_view message, std::string_view source_line);

  std::set<std::string> lines_;
  std::set<std::string> absent_;
  bool cpp20_ = false, int128_ = false, unmarked_lambdas_ = false;
};

// A line for each part of GCC's language that errors are about, which NVRTC lacks, with what to write instead.
std::string hint_on_language(std::string_view log);

}  // namespace tailwave
