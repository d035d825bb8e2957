#include "adopt/adopted_macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "adopt/lexemes.h"
#include "spec/names.h"

namespace tailwave {
namespace {

bool is_used(const Draft& draft, const std::string& name) {
  return std::any_of(draft.launches.begin(), draft.launches.end(), [&](const DraftLaunch& launch) {
    const auto in = [&](const Lexemes& lexemes) {
      return std::any_of(lexemes.begin(), lexemes.end(),
                         [&](const Lexeme& word) { return word.text == name; });
    };
    return in(launch.kernel->body) || in(launch.kernel->launch_bounds);
  });
}

// What is there to be tuned.
void adopt_undefined(Draft& draft, const std::string& name) {
  if (draft.parameter(name) != nullptr || !why_not_a_parameter_name(name).empty()) return;
  const std::string upper = in_capitals(name);
  const auto has = [&](const char* word) { return upper.find(word) != std::string::npos; };
  // Beside a block of that many threads a tile is what each of them does.
  const bool has_block =
      std::any_of(draft.launches.begin(), draft.launches.end(), [&](const DraftLaunch& each) {
        return std::any_of(each.body.words.begin(), each.body.words.end(), [](const std::string& word) {
          const std::string other = in_capitals(word);
          return other.find("BLOCK") != std::string::npos && other.find('_') != std::string::npos;
        });
      });
  const bool items = counts_items(upper) || (has("TILE") && has_block), tiles = !items && has("TILE");
  const bool threads = !items && (has("BLOCK") || has("THREAD") || has("TPB") || has("SIZE") || has("DIM"));
  const bool two = std::any_of(draft.launches.begin(), draft.launches.end(), [](const DraftLaunch& each) {
    return each.body.words.contains("threadIdx.y");
  });
  constexpr std::int64_t kThreads = 256, kSide = 16;
  const std::int64_t value = (threads && two) || tiles ? kSide : threads ? kThreads : 1;
  DraftParameter& parameter = draft.add_parameter(name, value);
  if (items) parameter.tried = items_to_try(value);
  draft.guess(fmt::format("{} is {}: nothing in the file defines it", name, value), "\"parameters\"");
}

// Names in small letters that are called like sizes of a block or the work of a thread, such as block_size_x. Others may be
// anything.
void adopt_small_names(Draft& draft, const KernelText& kernel, const SourceOutline& outline) {
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    const std::string name(kernel.body[i].text);
    const std::string_view before = i > 0 ? kernel.body[i - 1].text : std::string_view();
    if (before == "." || before == "->" || before == "::" || !is_identifier(name) ||
        in_capitals(name) == name || name.find('_') == std::string::npos || name[0] == '_')
      continue;
    const bool named = is_named_like_a_block(name) || counts_items(in_capitals(name));
    const bool is_function =
        std::any_of(outline.functions.begin(), outline.functions.end(),
                    [&](const OutlineFunction& function) { return function.name == name; });
    const bool of_groups =
        name.starts_with("this_") || name.starts_with("thread_block") || name.starts_with("tiled_");
    if (named && !is_function && !of_groups && !outline.declared.contains(name)) adopt_undefined(draft, name);
  }
}

}  // namespace

void adopt_macros(Draft& draft) {
  for (const MacroText& macro : draft.macros) {
    if (macro.where == MacroText::Where::nowhere) {
      adopt_undefined(draft, macro.name);
      continue;
    }
    if (!is_used(draft, macro.name)) continue;
    // Masks and the size of a warp are no choice.
    const bool is_fixed = !macro.value || *macro.value > INT_MAX || is_of_warps(macro.name);
    if (!is_fixed) draft.adopt_macro(macro.name);
  }
  const SourceOutline outline = outline_of({draft.source});
  for (const DraftLaunch& launch : draft.launches) adopt_small_names(draft, *launch.kernel, outline);
}

}  // namespace tailwave
