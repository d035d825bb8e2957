#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"

namespace tailwave::fuzz {

// How an input is written, which decides what can be done to it.
enum class Form { text, json, binary };

// What inputs are made of besides the corpus.
struct Material {
  Form form = Form::text;
  std::vector<std::string> words;  // that a parser looks for
};

inline constexpr std::size_t kMostBytes = std::size_t{1} << 16;  // of an input that was made

// 0..count-1
inline std::size_t below(std::size_t count, Generator& random) {
  return random.below(static_cast<std::uint32_t>(count));
}

// One of `corpus`, which is not empty, after a few changes. The same generator, corpus and material give the same.
std::string mutated(const std::vector<std::string>& corpus, const Material& material, Generator& random);

// JSON text with a few changes of its values, or nothing where `text` is no JSON: values swapped, copied, removed,
// put deep into one another, of another type, at the limits of numbers; keys twice, renamed or out of `words`.
std::string mutated_json(std::string_view text, const std::vector<std::string>& words, Generator& random);

}  // namespace tailwave::fuzz
