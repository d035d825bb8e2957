#include "adopt/reached_code.h"

#include <map>

#include "adopt/lexemes.h"
#include "spec/source_outline.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

using WordsOfNames = std::multimap<std::string, std::set<std::string>>;

std::set<std::string> words_in(LexemeSpan lexemes) {
  std::set<std::string> words;
  for (const Lexeme& each : lexemes)
    if (is_identifier(each.text)) words.emplace(each.text);
  return words;
}

// By the name of a function or macro.
WordsOfNames words_of_names(const std::string& source) {
  WordsOfNames all;
  const Lexemes lexemes = lexemes_of(source);
  const LexemeSpan span(lexemes);
  const SourceOutline outline = outline_of({source});
  std::size_t i = 0;
  for (const OutlineFunction& function : outline.functions) {
    while (i < lexemes.size() && lexemes[i].begin < function.at) ++i;
    const std::size_t close = i + 1 < lexemes.size() ? closing(span, i + 1) : lexemes.size();
    if (close + 1 >= lexemes.size()) continue;
    const std::size_t end = closing(span, close + 1);
    if (end < lexemes.size()) all.emplace(function.name, words_in(span.subspan(i, end - i)));
  }
  for (const SourceToken& line : tokens_of(source).directives) {
    const Lexemes words = lexemes_of(line.text.substr(1));
    if (words.size() > 2 && words[0].text == "define")
      all.emplace(words[1].text, words_in(LexemeSpan(words).subspan(2)));
  }
  return all;
}

}  // namespace

std::set<std::string> reached_words(const std::string& source, const KernelText& kernel) {
  const WordsOfNames names = words_of_names(source);
  std::set<std::string> reached = words_in(kernel.body);
  for (const std::string& word : words_in(kernel.launch_bounds)) reached.insert(word);
  std::set<std::string> open = reached;
  while (!open.empty()) {
    std::set<std::string> next;
    for (const std::string& word : open) {
      const auto [begin, end] = names.equal_range(word);
      for (auto each = begin; each != end; ++each)
        for (const std::string& other : each->second)
          if (reached.insert(other).second) next.insert(other);
    }
    open = std::move(next);
  }
  return reached;
}

}  // namespace tailwave
