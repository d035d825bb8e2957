#include "compile/block_trace.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "compile/ptx_text.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

static_assert(sizeof(NotedWarp) == 16);

// Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): 2^32 over the golden ratio, made odd.
constexpr std::uint32_t kScatter = 0x9E3779B1;

// Where in its stretch the block that notes is.
std::int64_t place_in_stretch(std::int64_t stretch, int shift) {
  return static_cast<std::uint32_t>(stretch) * kScatter >> (32 - shift);
}

std::int64_t stretches(const NotedBlocks& noted) {
  return (noted.blocks + (std::int64_t{1} << noted.shift) - 1) >> noted.shift;
}

constexpr std::string_view kRegisters = R"(  .reg .pred %tailwave_p, %tailwave_q;
  .reg .b32 %tailwave_n, %tailwave_x, %tailwave_y, %tailwave_sm, %tailwave_time;
  .reg .b64 %tailwave_at;
)";

// Leaves in %tailwave_x which lanes that are here stand before this one: 0 in the first.
constexpr std::string_view kLanesBefore = R"(  activemask.b32 %tailwave_x;
  mov.u32 %tailwave_y, %lanemask_lt;
  and.b32 %tailwave_x, %tailwave_x, %tailwave_y;
)";

// Leaves in `to` the number, x fastest, of what has these three indices of so many: of "ctaid" of "nctaid". `size`: how
// many there are, where that is known.
std::string number_code(std::string_view to, std::string_view index, std::string_view count,
                        const std::optional<Dim3>& size) {
  if (size && size->y == 1 && size->z == 1) return fmt::format("  mov.u32 {}, %{}.x;\n", to, index);
  std::string code;
  const auto add = [&](char axis, std::int64_t of) {
    const std::string factor = size ? fmt::format("{}", of) : std::string("%tailwave_time");
    if (!size) code += fmt::format("  mov.u32 %tailwave_time, %{}.{};\n", count, axis);
    code += fmt::format("  mov.u32 %tailwave_sm, %{}.{};\n  mad.lo.u32 {}, {}, {}, %tailwave_sm;\n", index,
                        axis, to, to, factor);
  };
  if (!size || size->z > 1) {
    code += fmt::format("  mov.u32 {}, %{}.z;\n", to, index);
    add('y', size ? size->y : 0);
  } else {
    code += fmt::format("  mov.u32 {}, %{}.y;\n", to, index);
  }
  add('x', size ? size->x : 0);
  return code;
}

// Leaves in %tailwave_n the place where this block notes, or jumps.
std::string place_code(const NotedEntry& entry, std::string_view where_no_note) {
  const NotedBlocks& noted = entry.noted;
  std::string code = number_code("%tailwave_n", "ctaid", "nctaid", entry.grid);
  if (noted.all()) return code;
  const std::int64_t first_of_last = noted.blocks - noted.last;
  code += fmt::format(R"(  shr.u32 %tailwave_x, %tailwave_n, {};
  mul.lo.u32 %tailwave_y, %tailwave_x, {};
  shr.u32 %tailwave_y, %tailwave_y, {};
  and.b32 %tailwave_sm, %tailwave_n, {};
  setp.ne.u32 %tailwave_p, %tailwave_y, %tailwave_sm;
)",
                      noted.shift, kScatter, 32 - noted.shift, (1 << noted.shift) - 1);
  if (noted.last > 0)
    code += fmt::format("  setp.lt.and.u32 %tailwave_p, %tailwave_n, {}, %tailwave_p;\n", first_of_last);
  code += fmt::format("  @%tailwave_p bra {};\n", where_no_note);
  if (noted.last == 0) return code + "  mov.u32 %tailwave_n, %tailwave_x;\n";
  return code + fmt::format(R"(  setp.ge.u32 %tailwave_q, %tailwave_n, {0};
  add.s32 %tailwave_y, %tailwave_n, {1};
  selp.b32 %tailwave_n, %tailwave_y, %tailwave_x, %tailwave_q;
)",
                            first_of_last, stretches(noted) - first_of_last);
}

// Leaves in %tailwave_at where this warp of the block at the place %tailwave_n notes, and in %tailwave_x the number of
// the thread in its block.
std::string address_code(const NotedEntry& entry, const std::string& variable) {
  return fmt::format(R"({}  shr.u32 %tailwave_y, %tailwave_x, 5;
  mad.lo.u32 %tailwave_n, %tailwave_n, {}, %tailwave_y;
  mov.u64 %tailwave_at, {};
  mad.wide.u32 %tailwave_at, %tailwave_n, {}, %tailwave_at;
)",
                     number_code("%tailwave_x", "tid", "ntid", entry.block), entry.warps, variable,
                     sizeof(NotedWarp));
}

// All lanes write the same: one alone would part from the others, and may go through a whole loop of the kernel before they do.
std::string begin_in_memory(const NotedEntry& entry, const std::string& variable) {
  return fmt::format(R"({{
{}  .reg .b32 %tailwave_begun;
  mov.u32 %tailwave_begun, %globaltimer_lo;
{}{}  mov.u32 %tailwave_sm, %smid;
  st.global.v2.u32 [%tailwave_at], {{%tailwave_sm, %tailwave_begun}};
$tailwave_begun:
}}
)",
                     kRegisters, place_code(entry, "$tailwave_begun"), address_code(entry, variable));
}

constexpr std::string_view kBeginInRegister = R"(  .reg .b32 %tailwave_start;
  mov.u32 %tailwave_start, %globaltimer_lo;
)";

std::string begin_code(const NotedEntry& entry, const std::string& variable, StartKept kept) {
  return kept == StartKept::in_register ? std::string(kBeginInRegister) : begin_in_memory(entry, variable);
}

// Of a warp that lived for long: whether it is the latest to end of those of its SM. One lane asks: the atomic operations
// of lanes on one address are done one after another.
std::string latest_code() {
  return fmt::format(R"({{
  .reg .b64 %tailwave_now;
  sub.u32 %tailwave_x, %tailwave_end_time, %tailwave_start;
  ld.const.u32 %tailwave_y, [{0}];
  setp.le.u32 %tailwave_p, %tailwave_x, %tailwave_y;
  @%tailwave_p bra $tailwave_short;
{4}  setp.ne.u32 %tailwave_p, %tailwave_x, 0;
  @%tailwave_p bra $tailwave_short;
  mov.u32 %tailwave_x, %smid;
  and.b32 %tailwave_x, %tailwave_x, {1};
  mov.u64 %tailwave_at, {2};
  mad.wide.u32 %tailwave_at, %tailwave_x, 8, %tailwave_at;
  mov.u64 %tailwave_now, %globaltimer;
  red.global.max.u64 [%tailwave_at+{3}], %tailwave_now;
$tailwave_short:
}}
)",
                     kTraceLongLife, kTraceTimeCount - kTraceLatest - 1, kTraceTimes, 8 * kTraceLatest,
                     kLanesBefore);
}

std::string end_code(const NotedEntry& entry, const std::string& variable, StartKept kept) {
  constexpr std::string_view kReadTime = "  mov.u32 %tailwave_end_time, %globaltimer_lo;\n";
  const std::string_view store =
      kept == StartKept::in_register
          ? "  mov.u32 %tailwave_sm, %smid;\n  mov.u32 %tailwave_y, 1;\n{}"
            "  @%tailwave_q st.global.v4.u32 [%tailwave_at], "
            "{{%tailwave_sm, %tailwave_start, %tailwave_end_time, %tailwave_y}};\n"
          : "  mov.u32 %tailwave_y, 1;\n{}"
            "  @%tailwave_q st.global.v2.u32 [%tailwave_at+8], {{%tailwave_end_time, %tailwave_y}};\n";
  const bool all = entry.noted.all();
  const std::string first =
      all ? "" : std::string(kReadTime) + (kept == StartKept::in_register ? latest_code() : "");
  return fmt::format(R"(
$tailwave_end:
{{
{}  .reg .b32 %tailwave_end_time;
{}{}{}{}  setp.eq.u32 %tailwave_q, %tailwave_x, 0;
{}$tailwave_left:
}}
  ret;
)",
                     kRegisters, first, place_code(entry, "$tailwave_left"), address_code(entry, variable),
                     kLanesBefore, fmt::format(fmt::runtime(store), all ? kReadTime : ""));
}

bool leaves_kernel(std::string_view token) {
  return token == "ret" || token == "ret.uni" || token == "exit";
}

// With a jump to the end wherever the kernel is left.
std::string traced_body(std::string_view text, const PtxFunction& function, const NotedEntry& entry,
                        StartKept kept) {
  const std::string variable = block_trace_variable(function.name);
  const std::size_t first = first_instruction(text, function);
  std::string body(text.substr(function.open, first - function.open));
  body += begin_code(entry, variable, kept);
  PtxScanner scanner(text, first);
  std::size_t copied = first;
  for (std::string_view token = scanner.next(); scanner.begin() < function.close; token = scanner.next()) {
    if (!leaves_kernel(token)) continue;
    body += text.substr(copied, scanner.begin() - copied);
    body += "bra $tailwave_end";
    copied = scanner.at();
  }
  body += text.substr(copied, function.close - copied);
  return body + end_code(entry, variable, kept) + "}";
}

void refuse_exits(std::string_view text, const PtxFunction& function) {
  PtxScanner scanner(text, function.open);
  for (std::string_view token = scanner.next(); scanner.begin() < function.close; token = scanner.next()) {
    if (token == "exit")
      throw Failure(Outcome::compile_error,
                    "cannot be traced: the function '" + function.name + "' ends its thread with 'exit'");
  }
}

void refuse_too_many_notes(const std::map<std::string, NotedEntry>& entries) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  for (const auto& [name, entry] : entries) {
    if (entry.bytes() > kMostBytes)
      throw Failure(Outcome::compile_error,
                    fmt::format("cannot be traced: the notes of {} blocks of '{}' take more than {} bytes",
                                entry.noted.blocks, name, kMostBytes));
  }
}

std::string stamp_entry() {
  return fmt::format(R"(
.visible .entry {0}(.param .u32 {0}_place)
{{
  .reg .b32 %tailwave_place;
  .reg .b64 %tailwave_at, %tailwave_now;
  ld.param.u32 %tailwave_place, [{0}_place];
  mov.u64 %tailwave_at, {1};
  mad.wide.u32 %tailwave_at, %tailwave_place, 8, %tailwave_at;
  mov.u64 %tailwave_now, %globaltimer;
  st.global.u64 [%tailwave_at], %tailwave_now;
  ret;
}}
)",
                     kTraceStamp, kTraceTimes);
}

}  // namespace

std::int64_t NotedBlocks::places() const {
  return all() ? blocks : stretches(*this) + last;
}

std::optional<std::int64_t> NotedBlocks::block_at(std::int64_t place) const {
  if (all()) return place;
  const std::int64_t sampled = stretches(*this);
  if (place >= sampled) return blocks - last + (place - sampled);
  const std::int64_t block = (place << shift) + place_in_stretch(place, shift);
  return block < blocks - last ? std::optional(block) : std::nullopt;
}

std::int64_t NotedEntry::bytes() const {
  return noted.places() * warps * static_cast<std::int64_t>(sizeof(NotedWarp));
}

std::string block_trace_variable(std::string_view entry) {
  return fmt::format("tailwave_trace_{}", entry);
}

std::string add_block_trace(std::string_view ptx, const std::map<std::string, NotedEntry>& entries,
                            StartKept kept) {
  refuse_too_many_notes(entries);
  const std::size_t header = behind_ptx_header(ptx);
  std::string traced(ptx.substr(0, header));
  for (const auto& [name, entry] : entries)
    traced +=
        fmt::format(".visible .global .align 16 .b8 {}[{}];\n", block_trace_variable(name), entry.bytes());
  traced += fmt::format(".visible .global .align 8 .b8 {}[{}];\n", kTraceTimes, 8 * kTraceTimeCount);
  traced += fmt::format(".visible .const .align 4 .u32 {} = 4294967295;\n", kTraceLongLife);
  std::map<std::string, NotedEntry> missing = entries;
  std::size_t copied = header;
  for (const PtxFunction& function : ptx_functions(ptx)) {
    if (!function.entry) refuse_exits(ptx, function);
    const auto entry = entries.find(function.name);
    if (!function.entry || entry == entries.end()) continue;
    missing.erase(function.name);
    traced += ptx.substr(copied, function.open - copied);
    traced += traced_body(ptx, function, entry->second, kept);
    copied = function.close + 1;
  }
  if (!missing.empty()) throw no_entry(missing.begin()->first);
  traced += ptx.substr(copied);
  return traced += stamp_entry();
}

}  // namespace tailwave
