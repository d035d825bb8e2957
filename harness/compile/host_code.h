#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// What of a CUDA source is the host's and may be left out where only kernels are wanted: declarations at namespace scope
// (functions, classes, variables, templates) with nothing in them that is marked __global__, __device__, __constant__,
// __shared__, __managed__ or constexpr, be it by a macro of the source, and that name none of `kernels`. That does not
// say that no kernel needs one: only those that do not compile are to be left out.
class HostCode {
 public:
  // `source` has to outlive this; its lines count from 1.
  HostCode(std::string_view source, const std::vector<std::string>& kernels);

  struct Declaration {
    std::string name;  // "main"; the first words of what has none
    std::size_t begin = 0, end = 0;
    int first_line = 0, last_line = 0;
    bool uses_runtime =
        false;  // launches with <<<>>>, or names what the CUDA runtime alone has: cudaMalloc, ...
  };
  [[nodiscard]] const std::vector<Declaration>& declarations() const { return declarations_; }

  // The source without some of them and, with `no_using_std`, without "using namespace std;", line for line.
  [[nodiscard]] std::string without(const std::set<const Declaration*>& left_out,
                                    bool no_using_std = false) const;

 private:
  std::string_view source_;
  std::vector<Declaration> declarations_;
  std::vector<std::pair<std::size_t, std::size_t>> using_std_;
};

// Without what uses the runtime, and what names a function that does: for compilers that have none.
std::string without_runtime_calls(const std::string& source, const std::vector<std::string>& kernels);

}  // namespace tailwave
