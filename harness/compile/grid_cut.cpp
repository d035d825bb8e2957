#include "compile/grid_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <vector>

#include "compile/ptx_text.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

const PtxFunction& find_entry(const std::vector<PtxFunction>& functions, const std::string& entry) {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const PtxFunction& one) { return one.entry && one.name == entry; });
  if (found == functions.end()) throw no_entry(entry);
  return *found;
}

// The quotient of %tailwave_n, below 2^31, and a constant. A product and a shift are exact for that (Granlund and
// Montgomery, Division by Invariant Integers using Multiplication, 1994, theorem 4.2); the assembler would divide.
std::string quotient_code(std::string_view to, std::uint32_t divisor) {
  if (std::has_single_bit(divisor))
    return fmt::format("shr.u32 {}, %tailwave_n, {}; ", to, std::countr_zero(divisor));
  constexpr int kDividendBits = 31;
  const auto bits = static_cast<int>(std::bit_width(divisor - 1));
  const std::uint64_t power = std::uint64_t{1} << (kDividendBits + bits);
  const std::uint64_t factor = (power + divisor - 1) / divisor;
  return fmt::format(
      "mul.wide.u32 %tailwave_w, %tailwave_n, {}; shr.u64 %tailwave_w, %tailwave_w, {}; "
      "cvt.u32.u64 {}, %tailwave_w; ",
      factor, kDividendBits + bits, to);
}

// Leaves in `to` what %tailwave_n modulo a constant is; may change %tailwave_q.
std::string remainder_code(std::string_view to, std::uint32_t divisor) {
  if (std::has_single_bit(divisor)) return fmt::format("and.b32 {}, %tailwave_n, {}; ", to, divisor - 1);
  return quotient_code("%tailwave_q", divisor) +
         fmt::format("mul.lo.u32 %tailwave_q, %tailwave_q, {}; sub.u32 {}, %tailwave_n, %tailwave_q; ",
                     divisor, to);
}

// Leaves in %tailwave_v what a block has as this index.
std::string index_code(char axis, const Dim3& grid) {
  const auto x = static_cast<std::uint32_t>(grid.x);
  const auto y = static_cast<std::uint32_t>(grid.y);
  const bool flat = grid.y == 1 && grid.z == 1;
  const std::string number = "mov.u32 %tailwave_n, %ctaid.x; ";
  switch (axis) {
    case 'x':
      return flat ? "mov.u32 %tailwave_v, %ctaid.x; " : number + remainder_code("%tailwave_v", x);
    case 'y':
      if (grid.y == 1) return "mov.u32 %tailwave_v, 0; ";
      if (grid.z == 1) return number + quotient_code("%tailwave_v", x);
      return number + quotient_code("%tailwave_q", x) + "mov.u32 %tailwave_n, %tailwave_q; " +
             remainder_code("%tailwave_v", y);
    default:
      return grid.z == 1 ? std::string("mov.u32 %tailwave_v, 0; ")
                         : number + quotient_code("%tailwave_v", x * y);
  }
}

std::string size_code(char axis, const Dim3& grid) {
  const std::int64_t size = axis == 'x' ? grid.x : axis == 'y' ? grid.y : grid.z;
  return fmt::format("mov.u32 %tailwave_v, {}; ", size);
}

bool is_index(std::string_view word) {
  return word == "%ctaid.x" || word == "%ctaid.y" || word == "%ctaid.z";
}
bool is_size(std::string_view word) {
  return word == "%nctaid.x" || word == "%nctaid.y" || word == "%nctaid.z";
}

// The whole vector at once, which compilers do not write.
bool is_vector(std::string_view word) {
  return word == "%ctaid" || word == "%nctaid";
}

bool reads_size(std::string_view ptx, const PtxFunction& function) {
  const std::string_view body = ptx.substr(function.open, function.close - function.open);
  return body.find("%nctaid") != std::string_view::npos;
}

Failure cannot_cut(const std::string& why) {
  return {Outcome::compile_error, "the grid cannot be cut: " + why};
}

void refuse_clusters(std::string_view ptx, const PtxFunction& function) {
  constexpr std::array<std::string_view, 2> kOfTheGrid{"%clusterid", "%nclusterid"};
  const std::string_view body = ptx.substr(function.open, function.close - function.open);
  for (const std::string_view word : kOfTheGrid)
    if (body.find(word) != std::string_view::npos)
      throw cannot_cut(fmt::format("'{}' reads {}", function.name, word));
}

// Statements of a body in which these registers stand, each in a scope of its own with the value before it.
class BodyChanger {
 public:
  BodyChanger(std::string_view ptx, const PtxFunction& function, const Dim3& grid)
      : ptx_(ptx), function_(function), grid_(grid) {}

  std::string changed() {
    PtxScanner scanner(ptx_, function_.open + 1);
    std::size_t statement = scanner.at();
    std::string code;
    std::string text;  // of the statement so far, with the register replaced
    std::size_t copied = statement;
    std::string result = "{";
    for (std::string_view word = scanner.next(); scanner.begin() < function_.close; word = scanner.next()) {
      if (is_vector(word)) throw cannot_cut(fmt::format("'{}' reads {} as a vector", function_.name, word));
      if (is_index(word) || is_size(word)) {
        if (!code.empty()) throw cannot_cut(fmt::format("'{}' reads two of them at once", function_.name));
        code = is_index(word) ? index_code(word.back(), grid_) : size_code(word.back(), grid_);
        text = std::string(ptx_.substr(statement, scanner.begin() - statement)) + "%tailwave_v";
        copied = scanner.at();
      }
      if (word != ";" && word != "{" && word != "}" && word != ":") continue;
      if (code.empty()) {
        result += ptx_.substr(statement, scanner.at() - statement);
      } else {
        result += fmt::format(
            "\n{{ .reg .b32 %tailwave_n, %tailwave_q, %tailwave_v; .reg .b64 %tailwave_w; {}{}{} }}", code,
            text, ptx_.substr(copied, scanner.at() - copied));
      }
      code.clear();
      statement = scanner.at();
    }
    return result + std::string(ptx_.substr(statement, function_.close - statement)) + "}";
  }

 private:
  std::string_view ptx_;
  const PtxFunction& function_;
  const Dim3& grid_;
};

// The blocks that a cluster has in x, y and z, as the entry says behind its name and its parameters; 1 where it says
// nothing.
std::array<std::int64_t, 3> cluster_shape(std::string_view ptx, const PtxFunction& entry) {
  std::array<std::int64_t, 3> shape{1, 1, 1};
  const std::string_view before = ptx.substr(0, entry.open);
  const std::string_view own = before.substr(std::min(before.rfind(entry.name), before.size()));
  constexpr std::string_view kShape = ".reqnctapercluster";
  const auto at = own.find(kShape);
  if (at == std::string_view::npos) return shape;
  PtxScanner scanner(own, at + kShape.size());
  for (std::int64_t& size : shape) {
    const std::string_view number = scanner.next();
    std::from_chars(number.data(), number.data() + number.size(), size);
    if (scanner.next() != ",") break;
  }
  return shape;
}

}  // namespace

bool runs_cut_as_it_is(std::string_view ptx, const std::string& entry, const Dim3& grid) {
  const std::vector<PtxFunction> functions = ptx_functions(ptx);
  find_entry(functions, entry);
  if (grid.y != 1 || grid.z != 1) return false;
  return std::none_of(functions.begin(), functions.end(), [&](const PtxFunction& one) {
    return (!one.entry || one.name == entry) && reads_size(ptx, one);
  });
}

std::string cut_grid(std::string_view ptx, const std::string& entry, const Dim3& grid) {
  constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;
  if (grid.count() > kMostBlocks) throw cannot_cut("it has 2^31 blocks or more");
  const std::vector<PtxFunction> functions = ptx_functions(ptx);
  const std::array<std::int64_t, 3> cluster = cluster_shape(ptx, find_entry(functions, entry));
  if (cluster[1] != 1 || cluster[2] != 1) throw cannot_cut("its clusters extend in y or z");
  std::string cut;
  std::size_t copied = 0;
  for (const PtxFunction& function : functions) {
    if (function.entry && function.name != entry) continue;
    refuse_clusters(ptx, function);
    cut += ptx.substr(copied, function.open - copied);
    cut += BodyChanger(ptx, function, grid).changed();
    copied = function.close + 1;
  }
  return cut += ptx.substr(copied);
}

std::int64_t cluster_blocks(std::string_view ptx, const std::string& entry) {
  const std::vector<PtxFunction> functions = ptx_functions(ptx);
  const std::array<std::int64_t, 3> shape = cluster_shape(ptx, find_entry(functions, entry));
  return shape[0] * shape[1] * shape[2];
}

}  // namespace tailwave
