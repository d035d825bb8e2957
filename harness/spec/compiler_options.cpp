#include "spec/compiler_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

namespace tailwave {
namespace {

bool any_is_allowed = false;
constexpr std::size_t kLongestOption = 1024;  // matching takes stack by the character

// Of GCC and Clang.
const std::regex& of_host_compilers() {
  static const std::regex allowed(
      "-O([0-3sgz]|fast|\\{\\})?|-std=[a-z0-9+:]+|-[DU][A-Za-z_][A-Za-z0-9_]*(=.*)?|-g[0-3]?|-w|-W[A-Za-z0-9=+-]+|"
      "-pedantic(-errors)?|-pthread|-l[A-Za-z0-9_+.-]+|"
      "-m(?!llvm)[a-z0-9][A-Za-z0-9._+-]*(=([A-Za-z0-9._+,:-]+|\\{\\}))?|"
      "-f(no-)?("
      "(align|associative|builtin|constexpr|cx|fast|finite|float|fp|gcse|graphite|inline|ipa|ira|isolate|lifetime|loop|"
      "math|merge|modulo|move|omit|partial|peel|prefetch|reciprocal|reorder|rounding|sched|schedule|sched2|shrink|"
      "signed|signaling|simd|single|slp|split|stack-protector|strict|template|tree|trapping|unroll|unsafe|unswitch|"
      "unwind|vect|vectorize|zero)(-[a-z0-9-]+)?|"
      "aggressive-loop-optimizations|allow-store-data-races|asynchronous-unwind-tables|branch-count-reg|char8_t|"
      "code-hoisting|combine-stack-adjustments|common|compare-elim|coroutines|cprop-registers|crossjumping|"
      "cse-follow-jumps|dce|delete-null-pointer-checks|denormal-fp-math|devirtualize|dse|early-inlining|errno-math|"
      "exceptions|excess-precision|expensive-optimizations|ext-numeric-literals|forward-propagate|function-sections|"
      "data-sections|guess-branch-probability|honor-infinities|honor-nans|if-conversion2?|ivopts|keep-inline-functions|"
      "lto|non-call-exceptions|openmp|openmp-simd|optimize-sibling-calls|permissive|pic|PIC|plt|protect-parens|rename-"
      "registers|rerun-cse-after-loop|rtti|sanitize|semantic-interposition|short-enums|ssa-phiopt|store-merging|"
      "thread-jumps|threadsafe-statics|tracer|trapv|visibility|visibility-inlines-hidden|web|wrapv|wrapv-pointer"
      ")(=([A-Za-z0-9._+,-]+|\\{\\}))?");
  return allowed;
}

// Of NVRTC, each with one hyphen or two.
const std::regex& of_nvrtc() {
  static const std::regex allowed(
      "-[DU] ?[A-Za-z_][A-Za-z0-9_]*(=.*)?|--(un)?define-macro=[A-Za-z_][A-Za-z0-9_]*(=.*)?|-G|-w|"
      "--?std=[a-z0-9+]+|--?(fmad|ftz|prec-div|prec-sqrt|use_fast_math|maxrregcount|split-compile|jump-table-density|"
      "builtin-move-forward|builtin-initializer-list|modify-stack-limit|device-stack-protector|"
      "extra-device-vectorization|restrict|device-debug|generate-line-info|lineinfo|dopt|disable-warnings|"
      "disable-optimizer-constants|device-int128|device-float128|minimal|Ofast-compile|ofast-compile|default-device|"
      "device-as-default-execution-space|display-error-number|no-display-error-number|err-no|diag-error|"
      "diag-suppress|diag-warn|brief-diagnostics|"
      "static-global-template-stub|optimization-info|opt-info)(=([A-Za-z0-9,.-]+|\\{\\}))?|"
      "(--ptxas-options=|-Xptxas=?)-(-?[a-zA-Z0-9-]+)(=[A-Za-z0-9.-]+)?");
  return allowed;
}

// Of nvcc beside those of NVRTC; what it hands to the host's compiler after "-Xcompiler=".
const std::regex& of_nvcc() {
  static const std::regex allowed(
      "-O[0-3]|-g|-l[A-Za-z0-9_+.-]+|--?(expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|"
      "relocatable-device-code=(true|false)|rdc=(true|false)|default-stream=(legacy|null|per-thread)|"
      "threads=[0-9]+|device-debug|resource-usage|Werror|Wno-deprecated-gpu-targets)");
  return allowed;
}

// Of ptxas, which NVRTC and nvcc hand them to.
bool names_a_file_of_ptxas(const std::string& option) {
  static const std::regex refused(
      "(--ptxas-options=|-Xptxas=?)--?(o|output-file|optf|options-file|ias|input-as-string|tool-name)(=.*)?");
  return std::regex_match(option, refused);
}

// "--name" is "-name" of "-name=value".
bool is_one_of(std::string_view option, const auto& names) {
  if (option.starts_with("--")) option.remove_prefix(1);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return option == name || (option.starts_with(name) && option.substr(name.size()).starts_with('='));
  });
}

// Empty for other options.
std::string why_no_target(std::string_view option) {
  static constexpr std::array<std::string_view, 5> kTargets{"-arch", "-gpu-architecture", "-gencode",
                                                            "-generate-code", "-code"};
  if (!is_one_of(option, kTargets)) return "";
  return fmt::format(
      "the option '{}' names a GPU: code is made for the one at hand, with what it alone has "
      "(sm_90a)",
      option);
}

std::string why_nvrtc_cannot(std::string_view option) {
  static constexpr std::array<std::string_view, 7> kToBeLinked{
      "-dlto", "-dlink-time-opt",          "-rdc", "-relocatable-device-code", "-dc",
      "-ewp",  "-extensible-whole-program"};
  if (is_one_of(option, kToBeLinked) && !option.ends_with("=false"))
    return fmt::format(
        "the option '{}' makes code that has to be linked, and a kernel is loaded as it was compiled",
        option);
  return why_no_target(option);
}

std::string why_too_long(std::string_view option) {
  if (option.size() <= kLongestOption) return "";
  return fmt::format("the option '{}...' has {} characters; {} are allowed", option.substr(0, 20),
                     option.size(), kLongestOption);
}

// What nvcc hands to the host's compiler, all of it allowed there; commas part options.
bool is_for_host_compiler(const std::string& option) {
  static constexpr std::array<std::string_view, 2> kBefore{"-Xcompiler=", "--compiler-options="};
  for (const std::string_view before : kBefore) {
    if (!option.starts_with(before)) continue;
    const std::string handed = option.substr(before.size());
    return handed.find(',') == std::string::npos && std::regex_match(handed, of_host_compilers());
  }
  return false;
}

}  // namespace

bool is_left_out_for_nvrtc(std::string_view option) {
  static const std::regex left_out(
      "(-O[0-3]?|--optimize=[0-3]|-m(64|=64)|--machine=64|--?expt-relaxed-constexpr|-g|--debug|"
      "-lcuda|-lcudart|-lm|--?res(ource)?-usage|--?compiler-options(=.*)?|-Xcompiler(=.*)?|--?ccbin(=.*)?|"
      "--?compiler-bindir(=.*)?|-Xlinker(=.*)?|--?keep|-t=?[0-9]+|--?threads=[0-9]+|-c|--compile|)");
  return option.size() <= kLongestOption && std::regex_match(std::string(option), left_out);
}

bool asks_for_older_cpp(std::string_view option) {
  const bool is_standard = option.starts_with("-std=") || option.starts_with("--std=");
  return is_standard && (option.ends_with("03") || option.ends_with("11") || option.ends_with("14"));
}

std::string why_not_an_option(std::string_view option, VariantSpec::Target target) {
  if (any_is_allowed) return "";
  const bool is_host = VariantSpec::is_host_code(target);
  if (!is_host && is_left_out_for_nvrtc(option)) return "";
  if (std::string why = is_host ? "" : why_nvrtc_cannot(option); !why.empty()) return why;
  if (std::string why = why_too_long(option); !why.empty()) return why;
  const std::string text(option);
  const bool is_known = std::regex_match(text, is_host ? of_host_compilers() : of_nvrtc()) &&
                        text.find('/') == std::string::npos;
  if (is_known && (is_host || !names_a_file_of_ptxas(text))) return "";
  return "the option '" + text + "' is not among those that specs may have" + (is_host ? "" : " of NVRTC");
}

std::string why_not_an_nvcc_option(std::string_view option) {
  if (any_is_allowed) return "";
  for (const auto why_not : {why_no_target, why_too_long})
    if (std::string why = why_not(option); !why.empty()) return why;
  const std::string text(option);
  const bool is_known =
      std::regex_match(text, of_nvcc()) || std::regex_match(text, of_nvrtc()) || is_for_host_compiler(text);
  if (is_known && text.find('/') == std::string::npos && !names_a_file_of_ptxas(text)) return "";
  return "the option '" + text + "' is not among those that specs may have of nvcc";
}

void allow_any_option() {
  any_is_allowed = true;
}

}  // namespace tailwave
