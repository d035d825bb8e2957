#include "adopt/adopt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "adopt/adopted_files.h"
#include "adopt/adopted_macros.h"
#include "adopt/alternatives.h"
#include "adopt/arguments.h"
#include "adopt/block_shape.h"
#include "adopt/buffer_sizes.h"
#include "adopt/constant_memory.h"
#include "adopt/device_variables.h"
#include "adopt/draft.h"
#include "adopt/grid_shape.h"
#include "adopt/lexemes.h"
#include "adopt/offsets.h"
#include "adopt/own_headers.h"
#include "adopt/problem_values.h"
#include "adopt/results.h"
#include "adopt/scalars.h"
#include "adopt/size_macros.h"
#include "adopt/sources_beside.h"
#include "adopt/struct_arguments.h"
#include "adopt/taken_launches.h"
#include "adopt/template_arguments.h"
#include "adopt/verified_sizes.h"
#include "adopt/whole_steps.h"
#include "compile/prelude.h"
#include "core/error.h"
#include "core/suggestion.h"
#include "core/utf16.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

std::vector<std::string> names_of(const std::vector<KernelText>& kernels) {
  std::vector<std::string> names;
  for (const KernelText& kernel : kernels)
    if (std::find(names.begin(), names.end(), kernel.name) == names.end()) names.push_back(kernel.name);
  return names;
}

// Chooses what is launched, and reads it.
class Adopter {
 public:
  Adopter(const AdoptOptions& options, const std::string& source, const std::string& headers,
          std::set<std::string> constants)
      : options_(options), headers_(headers), draft_(source, headers) {
    draft_.constants = std::move(constants);
    std::vector<std::string> unreadable;
    draft_.kernels = kernels_of(draft_.code, unreadable);
    if (draft_.kernels.empty())
      throw Error(Diagnostic{
          .file = options.source.string(),
          .cause = unreadable.empty()
                       ? "no kernel: it has no __global__ function with a body"
                       : fmt::format("the parameters of {} cannot be read: macros or packs make them",
                                     quoted_list(unreadable)),
          .hint = "'tailwave new NAME' writes a skeleton to put one into"});
  }

  void read() {
    draft_.macros = macros_of(draft_.source, names_of(draft_.kernels), headers_);
    choose();
    adopt_macros(draft_);
    for (DraftLaunch& launch : draft_.launches) bind_templates(draft_, launch);
    for (DraftLaunch& launch : draft_.launches) decide_block(draft_, launch);
    make_sizes_of_macros(draft_);
    adopt_constant_memory(draft_);
    bind_parameters();
    for (DraftLaunch& launch : draft_.launches) decide_grid(draft_, launch);
    for (DraftLaunch& launch : draft_.launches) require_whole_steps(draft_, launch);
    for (DraftLaunch& launch : draft_.launches) write_arguments(draft_, launch);
    decide_buffers(draft_);
    require_results(draft_, options_.source);
    decide_values(draft_);
    decide_verified_sizes(draft_);
    remark();
  }

  // Macros of the file of which no other value would be tried, and that no guess is about.
  [[nodiscard]] std::set<std::string> constants() const {
    std::set<std::string> names;
    for (const DraftParameter& each : draft_.parameters) {
      const MacroText* macro = draft_.macro(each.name);
      if (macro != nullptr && macro->where != MacroText::Where::nowhere && each.tried.empty() &&
          !each.of_blocks && !is_guessed_about(each.name))
        names.insert(each.name);
    }
    return names;
  }

  // What read() found out.
  Adopted adopted() {
    Adopted adopted;
    adopted.files = adopted_files(draft_, options_);
    adopted.understood = description_of(draft_, options_);
    include_sources_beside(options_.source, adopted);
    add_own_headers(options_.source, options_.name, adopted);
    for (const DraftGuess& each : draft_.guesses) adopted.guesses.push_back({each.what, each.where});
    for (const DraftGuess& each : draft_.by_hand) adopted.by_hand.push_back({each.what, each.where});
    return adopted;
  }

 private:
  [[nodiscard]] bool is_guessed_about(const std::string& name) const {
    return std::any_of(draft_.guesses.begin(), draft_.guesses.end(),
                       [&](const DraftGuess& each) { return has_word(each.what, name); });
  }

  void bind_parameters() {
    const std::size_t own = draft_.alternatives ? 1 : draft_.launches.size();
    const std::span<DraftLaunch> bound = std::span(draft_.launches).first(own);
    for (const SizeRound round : {SizeRound::variables, SizeRound::quotients, SizeRound::derived})
      for (DraftLaunch& launch : bound) bind_scalars(draft_, launch, round);
    for (DraftLaunch& launch : bound) bind_buffers(draft_, launch);
    for (DraftLaunch& launch : std::span(draft_.launches).subspan(own))
      name_as_first(draft_.launches.front(), launch);
  }

  void choose() {
    std::vector<std::string> wanted = options_.kernels;
    if (wanted.empty()) {
      for (const TakenLaunch& each : launches_of(nullptr)) add(each);
      draft_.alternatives = are_alternatives(draft_);
      if (!draft_.launches.empty()) return;
      wanted = names_of(draft_.kernels);
      draft_.alternatives = wanted.size() == draft_.kernels.size() && have_one_signature(draft_.kernels);
      if (wanted.size() > 1 && !draft_.alternatives)
        throw Error(
            Diagnostic{.file = options_.source.string(),
                       .cause = fmt::format("it has {} kernels and launches none of them: {}", wanted.size(),
                                            quoted_list(wanted)),
                       .hint = "name one with --kernel, or several in the order in which they are launched"});
    }
    for (const std::string& name : wanted) {
      const auto found =
          std::find_if(draft_.kernels.begin(), draft_.kernels.end(),
                       [&](const KernelText& each) { return each.name == name || each.full_name() == name; });
      if (found == draft_.kernels.end())
        throw Error(Diagnostic{.file = options_.source.string(),
                               .cause = fmt::format("no kernel '{}'", name),
                               .hint = suggestion(name, names_of(draft_.kernels))});
      const std::vector<TakenLaunch> launches = launches_of(&*found);
      for (const TakenLaunch& each : launches) add(each);
      if (launches.empty()) add({.kernel = &*found});
    }
  }

  // Of one kernel, or of all: those that are run one after the other.
  std::vector<TakenLaunch> launches_of(const KernelText* wanted) {
    std::vector<TakenLaunch> all;
    for (const HostLaunch& launch : draft_.host.launches()) {
      const KernelText* kernel = kernel_for(launch);
      if (kernel == nullptr || is_of_a_part(*kernel, launch) || (wanted != nullptr && kernel != wanted))
        continue;
      all.push_back({.kernel = kernel, .host = &launch});
    }
    return taken_launches(draft_, std::move(all));
  }

  // Whether it works at a part of what another launch of the same kernel does, as chunks in streams do.
  [[nodiscard]] bool is_of_a_part(const KernelText& kernel, const HostLaunch& launch) const {
    const auto& all = draft_.host.launches();
    return has_offset(kernel, launch) && std::any_of(all.begin(), all.end(), [&](const HostLaunch& other) {
             return other.kernel == launch.kernel && !has_offset(kernel, other);
           });
  }

  // Of several of a name the one that takes as many arguments.
  [[nodiscard]] const KernelText* kernel_for(const HostLaunch& launch) const {
    const KernelText* found = nullptr;
    for (const KernelText& each : draft_.kernels)
      if (each.name == launch.kernel &&
          (found == nullptr || each.parameters.size() == launch.arguments.size()))
        found = &each;
    return found;
  }

  // What is passed is an object of the lambda's class: neither the manifest nor NVRTC has a name for that.
  void refuse_lambdas(const HostLaunch& launch) const {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (!draft_.host.is_lambda(launch.arguments[i])) continue;
      throw Error(Diagnostic{
          .file = options_.source.string(),
          .cause = fmt::format("argument {} of {} in line {} is a lambda, which no system can pass", i + 1,
                               launch.kernel, line_at(draft_.code, launch.at)),
          .hint = "write what the lambda does as a kernel, with what it captures as arguments"});
    }
  }

  void add(const TakenLaunch& taken) {
    const HostLaunch* host = taken.host;
    if (host != nullptr) refuse_lambdas(*host);
    const bool known =
        std::any_of(draft_.launches.begin(), draft_.launches.end(), [&](const DraftLaunch& each) {
          return host != nullptr && each.host != nullptr && each.host->as_text == host->as_text;
        });
    if (known) return;
    DraftLaunch launch{.kernel = taken.kernel, .host = host, .pointers = pointers_of(draft_, *taken.kernel)};
    launch.body = read_body(*taken.kernel, launch.pointers, draft_.aliases);
    launch.switched = taken.switched;
    draft_.launches.push_back(std::move(launch));
  }

  void remark() {
    remark_on_device_variables(draft_);
    for (const UnreadLaunch& each : draft_.host.unread())
      draft_.guess(fmt::format("{} of line {} cannot be read: its kernel, or the array of its arguments",
                               each.function, line_at(draft_.code, each.at)),
                   "\"launches\"");
    for (const DraftLaunch& launch : draft_.launches) {
      remark_on_offsets(draft_, launch);
      remark_on_loop(launch);
    }
    for (const DraftBuffer& each : draft_.buffers)
      for (const std::string& name : each.results_by)
        draft_.guess(
            fmt::format("'{0}' depends on {1}: the reference computes it for each {1}", each.name, name),
            "/reference/by; '--reference host' makes place for a sum that does not");
    if (draft_.alternatives)
      draft_.guess(fmt::format("{} compute the same: variants of one system, compared with the first",
                               fmt::join(names_of_launches(), ", ")),
                   "/variants; --kernel takes one, or several to be launched one after the other");
  }

  void remark_on_loop(const DraftLaunch& launch) {
    if (launch.host == nullptr || launch.host->loop.empty()) return;
    draft_.guess(fmt::format("the file launches {} in a loop, '{}'{}: here one launch is verified and timed",
                             launch.kernel->name, joined(launch.host->loop),
                             launch.host->loop_swaps ? ", and swaps buffers between" : ""),
                 "\"launches\"");
    remark_on_counters(launch);
  }

  // Variables of the loops around a launch have their first value.
  void remark_on_counters(const DraftLaunch& launch) {
    const auto& arguments = launch.host->arguments;
    const auto& parameters = launch.kernel->parameters;
    for (std::size_t i = 0; i < arguments.size() && i < parameters.size(); ++i) {
      const auto known = launch.known.find(parameters[i].name);
      const DraftQuantity* quantity =
          known == launch.known.end() ? nullptr : draft_.quantity(known->second.text());
      if (quantity == nullptr || quantity->is_guess || !counts(launch.host->loops, joined(arguments[i])))
        continue;
      draft_.guess(fmt::format("{} is {}, as in the first round of the file's loop over it", quantity->name,
                               to_string(quantity->value)),
                   fmt::format("/problem/{}/default", quantity->name));
    }
  }

  static bool counts(const std::vector<LexemeSpan>& loops, const std::string& variable) {
    return std::any_of(loops.begin(), loops.end(), [&](LexemeSpan head) {
      for (std::size_t i = 0; i + 1 < head.size() && head[i].text != ";"; ++i)
        if (head[i].text == variable && head[i + 1].text == "=") return true;
      return false;
    });
  }

  [[nodiscard]] std::vector<std::string> names_of_launches() const {
    std::vector<std::string> names;
    for (const DraftLaunch& each : draft_.launches) names.push_back(each.kernel->name);
    return names;
  }

  const AdoptOptions& options_;
  const std::string& headers_;
  Draft draft_;
};

}  // namespace

Adopted adopt(const AdoptOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.source, error))
    throw Error(
        Diagnostic{.file = options.source.string(),
                   .cause = std::filesystem::exists(options.source, error) ? "not a file" : "no such file",
                   .hint = "--from takes a CUDA source (*.cu)"});
  const std::string source = read_file(options.source);
  if (is_utf16(source))
    throw Error(Diagnostic{.file = options.source.string(), .cause = kUtf16Cause, .hint = kUtf16Hint});
  const std::string headers = texts_of_own_headers(options.source);
  Adopter first(options, source, headers, {});
  first.read();
  std::set<std::string> constants = first.constants();
  if (constants.empty()) return first.adopted();
  Adopter second(options, source, headers, std::move(constants));
  second.read();
  return second.adopted();
}

}  // namespace tailwave
