#include "compile/block_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/outcome.h"

namespace tailwave {
namespace {

static_assert(sizeof(TracedBlock) == 264);

// Leaves in %tailwave_x the number, x fastest, of what has these three indices of so many: of "ctaid" of "nctaid".
std::string number_code(std::string_view index, std::string_view count) {
  return fmt::format(R"(  mov.u32 %tailwave_x, %{0}.z;
  mov.u32 %tailwave_y, %{1}.y;
  mov.u32 %tailwave_z, %{0}.y;
  mad.lo.u32 %tailwave_x, %tailwave_x, %tailwave_y, %tailwave_z;
  mov.u32 %tailwave_y, %{1}.x;
  mov.u32 %tailwave_z, %{0}.x;
  mad.lo.u32 %tailwave_x, %tailwave_x, %tailwave_y, %tailwave_z;
)",
                     index, count);
}

// The address of the block's entry is computed where it is needed, so that nothing is kept in between.
std::string address_code(const std::string& variable) {
  return fmt::format(R"({0}  mov.u64 %tailwave_at, {1};
  mad.wide.u32 %tailwave_at, %tailwave_x, {2}, %tailwave_at;
)",
                     number_code("ctaid", "nctaid"), variable, sizeof(TracedBlock));
}

constexpr std::string_view kRegisters = R"(  .reg .pred %tailwave_p;
  .reg .b32 %tailwave_x, %tailwave_y, %tailwave_z;
  .reg .b64 %tailwave_at, %tailwave_time;
)";

std::string begin_code(const std::string& variable) {
  return fmt::format(R"({{
{0}  .reg .b32 %tailwave_start;
  mov.u32 %tailwave_start, %globaltimer_lo;
  mov.u32 %tailwave_x, %tid.x;
  mov.u32 %tailwave_y, %tid.y;
  mov.u32 %tailwave_z, %tid.z;
  or.b32 %tailwave_x, %tailwave_x, %tailwave_y;
  or.b32 %tailwave_x, %tailwave_x, %tailwave_z;
  setp.ne.u32 %tailwave_p, %tailwave_x, 0;
  @%tailwave_p bra $tailwave_begun;
{1}  st.global.u32 [%tailwave_at+4], %tailwave_start;
  mov.u32 %tailwave_x, %smid;
  st.global.u32 [%tailwave_at], %tailwave_x;
$tailwave_begun:
}}
)",
                     kRegisters, address_code(variable));
}

std::string end_code(const std::string& variable) {
  return fmt::format(R"(
$tailwave_end:
{{
{0}  activemask.b32 %tailwave_x;
  mov.u32 %tailwave_y, %lanemask_lt;
  and.b32 %tailwave_x, %tailwave_x, %tailwave_y;
  setp.ne.u32 %tailwave_p, %tailwave_x, 0;
  @%tailwave_p bra $tailwave_ended;
  mov.u64 %tailwave_time, %globaltimer;
{1}{2}  shr.u32 %tailwave_x, %tailwave_x, 5;
  mad.wide.u32 %tailwave_at, %tailwave_x, 8, %tailwave_at;
  st.global.u64 [%tailwave_at+{3}], %tailwave_time;
$tailwave_ended:
}}
  ret;
)",
                     kRegisters, address_code(variable), number_code("tid", "ntid"),
                     offsetof(TracedBlock, ends));
}

bool is_ptx_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

// Words and single characters of PTX, without comments and strings.
class PtxScanner {
 public:
  explicit PtxScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }        // behind the last token
  [[nodiscard]] std::size_t begin() const { return begin_; }  // of the last token

  // Empty at the end.
  std::string_view next() {
    skip();
    begin_ = at_;
    if (at_ == text_.size()) return {};
    if (!is_ptx_word(text_[at_])) return text_.substr(at_++, 1);
    while (at_ < text_.size() && is_ptx_word(text_[at_])) ++at_;
    return text_.substr(begin_, at_ - begin_);
  }

  void skip_behind(std::string_view what) {
    const auto found = text_.find(what, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + what.size();
  }

  // Behind the brace that closes the one at `open`.
  static std::size_t behind_body(std::string_view text, std::size_t open) {
    PtxScanner scanner(text, open);
    int depth = 0;
    do {
      const std::string_view token = scanner.next();
      if (token.empty()) throw Failure(Outcome::compile_error, "the PTX ends inside a function");
      depth += token == "{" ? 1 : token == "}" ? -1 : 0;
    } while (depth > 0);
    return scanner.at();
  }

 private:
  void skip() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        skip_behind("\n");
      } else if (rest.starts_with("/*")) {
        skip_behind("*/");
      } else if (rest.starts_with('"')) {
        ++at_;
        skip_behind("\"");
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_, begin_ = 0;
};

struct PtxFunction {
  bool entry = false;
  std::string name;
  std::size_t open = 0, close = 0;  // the braces of its body
};

// The function whose .entry or .func was just read; empty when it is only declared.
std::optional<PtxFunction> read_function(PtxScanner& scanner, std::string_view text, bool entry) {
  PtxFunction function{.entry = entry};
  std::string_view token = scanner.next();
  if (token == "(") {  // what a .func returns
    scanner.skip_behind(")");
    token = scanner.next();
  }
  function.name = token;
  for (token = scanner.next(); token != "{"; token = scanner.next()) {
    if (token.empty() || token == ";") return std::nullopt;
    if (token == "(") scanner.skip_behind(")");
  }
  function.open = scanner.begin();
  function.close = PtxScanner::behind_body(text, function.open) - 1;
  scanner = PtxScanner(text, function.close + 1);
  return function;
}

std::vector<PtxFunction> functions_of(std::string_view text) {
  std::vector<PtxFunction> functions;
  PtxScanner scanner(text);
  for (std::string_view token = scanner.next(); !token.empty(); token = scanner.next()) {
    if (token != ".entry" && token != ".func") continue;
    if (auto function = read_function(scanner, text, token == ".entry")) functions.push_back(*function);
  }
  return functions;
}

bool leaves_kernel(std::string_view token) {
  return token == "ret" || token == "ret.uni" || token == "exit";
}

// Behind the declarations and remarks on lines that a body begins with.
std::size_t first_instruction(std::string_view text, const PtxFunction& function) {
  PtxScanner scanner(text, function.open + 1);
  for (;;) {
    const std::string_view token = scanner.next();
    if (!token.starts_with('.')) return scanner.begin();
    scanner.skip_behind(token == ".loc" ? "\n" : ";");
  }
}

// With a jump to the end wherever the kernel is left.
std::string traced_body(std::string_view text, const PtxFunction& function, const std::string& variable) {
  const std::size_t first = first_instruction(text, function);
  std::string body(text.substr(function.open, first - function.open));
  body += begin_code(variable);
  PtxScanner scanner(text, first);
  std::size_t copied = first;
  for (std::string_view token = scanner.next(); scanner.begin() < function.close; token = scanner.next()) {
    if (!leaves_kernel(token)) continue;
    body += text.substr(copied, scanner.begin() - copied);
    body += "bra $tailwave_end";
    copied = scanner.at();
  }
  body += text.substr(copied, function.close - copied);
  return body + end_code(variable) + "}";
}

void refuse_exits(std::string_view text, const PtxFunction& function) {
  PtxScanner scanner(text, function.open);
  for (std::string_view token = scanner.next(); scanner.begin() < function.close; token = scanner.next()) {
    if (token == "exit")
      throw Failure(Outcome::compile_error,
                    "cannot be traced: the function '" + function.name + "' ends its thread with 'exit'");
  }
}

// Where a variable of the module can be declared: behind .version, .target and .address_size.
std::size_t behind_header(std::string_view text) {
  PtxScanner scanner(text);
  while (scanner.next() != ".address_size") {
    if (scanner.at() == text.size()) throw Failure(Outcome::compile_error, "the PTX has no .address_size");
  }
  scanner.skip_behind("\n");
  return scanner.at();
}

}  // namespace

std::string limit_registers(std::string_view ptx, const std::map<std::string, int>& registers) {
  std::string limited;
  std::size_t copied = 0;
  for (const PtxFunction& function : functions_of(ptx)) {
    const std::string_view head = ptx.substr(copied, function.open - copied);
    limited += head;
    const std::string_view own = head.substr(std::min(head.rfind(function.name), head.size()));
    const bool has_own =
        own.find(".maxnreg") != std::string_view::npos || own.find(".minnctapersm") != std::string_view::npos;
    const auto limit = registers.find(function.name);
    if (function.entry && !has_own && limit != registers.end())
      limited += fmt::format(".maxnreg {}\n", limit->second);
    limited += ptx.substr(function.open, function.close + 1 - function.open);
    copied = function.close + 1;
  }
  return limited += ptx.substr(copied);
}

bool reads_grid_size(std::string_view ptx, const std::string& entry) {
  for (const PtxFunction& function : functions_of(ptx)) {
    if (!function.entry || function.name != entry) continue;
    const std::string_view body = ptx.substr(function.open, function.close - function.open);
    return body.find("%nctaid") != std::string_view::npos;
  }
  throw Failure(Outcome::compile_error, "the PTX has no entry '" + entry + "'");
}

std::string block_trace_variable(std::string_view entry) {
  return fmt::format("tailwave_trace_{}", entry);
}

std::string add_block_trace(std::string_view ptx, const std::map<std::string, std::int64_t>& blocks) {
  constexpr std::int64_t kMostTraced = 4'000'000;  // 1 GB of notes
  for (const auto& [entry, count] : blocks) {
    if (count > kMostTraced)
      throw Failure(
          Outcome::compile_error,
          fmt::format("cannot be traced: {} blocks of '{}' are more than {}", count, entry, kMostTraced));
  }
  const std::size_t header = behind_header(ptx);
  std::string traced(ptx.substr(0, header));
  for (const auto& [entry, count] : blocks)
    traced += fmt::format(".visible .global .align 8 .b8 {}[{}];\n", block_trace_variable(entry),
                          count * static_cast<std::int64_t>(sizeof(TracedBlock)));
  std::map<std::string, std::int64_t> missing = blocks;
  std::size_t copied = header;
  for (const PtxFunction& function : functions_of(ptx)) {
    if (!function.entry) refuse_exits(ptx, function);
    if (!function.entry || missing.erase(function.name) == 0) continue;
    traced += ptx.substr(copied, function.open - copied);
    traced += traced_body(ptx, function, block_trace_variable(function.name));
    copied = function.close + 1;
  }
  if (!missing.empty())
    throw Failure(Outcome::compile_error, "the PTX has no entry '" + missing.begin()->first + "'");
  return traced += ptx.substr(copied);
}

}  // namespace tailwave
