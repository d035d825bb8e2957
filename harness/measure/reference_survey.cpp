#include "measure/reference_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/outcome.h"
#include "core/parallel.h"
#include "core/random.h"
#include "measure/inputs.h"

namespace tailwave {
namespace {

// Of the elements of one buffer in both draws.
struct Tally {
  std::size_t left = 0;  // as an output-only buffer begins, in both draws
  std::size_t first_left = 0;
  std::size_t nans = 0;  // others than those, in the first draw
  bool one_value = true, same_in_both = true;

  void merge(const Tally& other) {
    if (other.left > 0) first_left = left == 0 ? other.first_left : std::min(first_left, other.first_left);
    left += other.left;
    nans += other.nans;
    one_value = one_value && other.one_value;
    same_in_both = same_in_both && other.same_in_both;
  }
};

// What every byte of the buffer is before an execution on each of the draws; empty where that does not say whether an
// element was written.
struct Untouched {
  std::optional<std::byte> first, second;
};

// Whether a stretch of elements is that element again and again.
bool repeats(std::span<const std::byte> bytes, std::span<const std::byte> element) {
  return std::memcmp(bytes.data(), element.data(), element.size()) == 0 &&
         std::memcmp(bytes.data(), bytes.data() + element.size(), bytes.size() - element.size()) == 0;
}

// An element's bits, to be compared as a whole.
template <class Number>
using Bits = std::conditional_t<
    sizeof(Number) == 8, std::uint64_t,
    std::conditional_t<sizeof(Number) == 4, std::uint32_t,
                       std::conditional_t<sizeof(Number) == 2, std::uint16_t, std::uint8_t>>>;

template <class Number>
Bits<Number> bits_at(const std::byte* bytes, std::size_t index) {
  Bits<Number> bits{};
  std::memcpy(&bits, bytes + index * sizeof bits, sizeof bits);
  return bits;
}

template <class Number>
Bits<Number> bits_of(std::byte byte) {
  Bits<Number> bits{};
  std::memset(&bits, std::to_integer<int>(byte), sizeof bits);
  return bits;
}

// Of elements begin to end; `Looks` for untouched ones, too. Branches would keep it from several elements at once.
template <class Number, bool Looks>
void count_elements(const std::byte* first, const std::byte* second, const Untouched& untouched,
                    std::size_t begin, std::size_t end, Tally& tally) {
  const Bits<Number> first_bits = bits_of<Number>(untouched.first.value_or(std::byte{})),
                     second_bits = bits_of<Number>(untouched.second.value_or(std::byte{}));
  std::size_t left = 0, nans = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Bits<Number> bits = bits_at<Number>(first, i);
    const bool is_left = Looks && bits == first_bits && bits_at<Number>(second, i) == second_bits;
    left += is_left ? 1 : 0;
    if constexpr (!std::is_integral_v<Number>) {
      const auto number = std::bit_cast<Number>(bits);
      nans += !is_left && number != number ? 1 : 0;
    }
  }
  tally.nans += nans;
  if (left == 0) return;
  tally.left += left;
  tally.first_left = begin;
  while (bits_at<Number>(first, tally.first_left) != first_bits ||
         bits_at<Number>(second, tally.first_left) != second_bits)
    ++tally.first_left;
}

template <class Number>
Tally tally_part(std::span<const std::byte> first, std::span<const std::byte> second,
                 const Untouched& untouched, std::size_t begin, std::size_t end) {
  const std::size_t at = begin * sizeof(Number), size = (end - begin) * sizeof(Number);
  Tally tally;
  tally.same_in_both = std::memcmp(first.data() + at, second.data() + at, size) == 0;
  tally.one_value = repeats(first.subspan(at, size), first.first(sizeof(Number)));
  if (untouched.first && untouched.second)
    count_elements<Number, true>(first.data(), second.data(), untouched, begin, end, tally);
  else
    count_elements<Number, false>(first.data(), second.data(), untouched, begin, end, tally);
  return tally;
}

Tally tally(ScalarType type, std::span<const std::byte> first, std::span<const std::byte> second,
            const Untouched& untouched) {
  Tally all;
  std::mutex mutex;
  for_parts_of(first.size() / size_bytes(type), [&](std::size_t begin, std::size_t end) {
    const Tally part = visit_scalar(type, [&](auto number) {
      return tally_part<decltype(number)>(first, second, untouched, begin, end);
    });
    const std::lock_guard lock(mutex);
    all.merge(part);
  });
  return all;
}

class Survey {
 public:
  Survey(const System& system, const Values& scope, std::uint64_t draw)
      : system_(system), scope_(scope), draw_(draw) {}

  void look_at(const std::string& name, std::span<const std::byte> first, std::span<const std::byte> second) {
    const BufferSpec& buffer = system_.buffers.at(name);
    const std::size_t element_bytes = size_bytes(buffer.type), count = first.size() / element_bytes;
    if (count == 0 || second.size() != first.size()) return;
    Untouched untouched;
    if (buffer.output_only) untouched = {uniform_byte(buffer, draw_), uniform_byte(buffer, draw_ + 1)};
    const Tally found = tally(buffer.type, first, second, untouched);
    found_.is_constant = found_.is_constant && found.same_in_both;
    if (buffer.output_only)
      found_.written_bytes += static_cast<std::int64_t>((count - found.left) * element_bytes);
    if (found.left > 0)
      remark(fmt::format(
          "the reference leaves {} of {} elements of '{}' unwritten, from element {} on, and so has to "
          "every variant",
          found.left, count, name, found.first_left));
    if (found.nans > 0) remark(fmt::format("{} of {} elements of '{}' are NaN", found.nans, count, name));
    if (found.left == count) return;
    if (const std::string input = input_alike(buffer, first); !input.empty())
      remark(fmt::format("'{}' is what the input '{}' begins with", name, input));
    else if (found.one_value && count > 1)
      remark(fmt::format("all {} elements of '{}' are the same", count, name));
    else if (found.same_in_both && has_random_inputs())
      remark(fmt::format("'{}' is the same whatever the random inputs are", name));
  }

  ReferenceSurvey take(bool any) {
    found_.is_constant = found_.is_constant && any && has_random_inputs();
    return std::move(found_);
  }

 private:
  void remark(std::string text) { found_.remarks.push_back(std::move(text)); }

  [[nodiscard]] bool has_random_inputs() const {
    return std::any_of(system_.buffers.begin(), system_.buffers.end(), [](const auto& each) {
      return !each.second.output_only && is_random(each.second.fill);
    });
  }

  // The name of an input whose elements these are; empty: there is none.
  [[nodiscard]] std::string input_alike(const BufferSpec& result, std::span<const std::byte> bytes) const {
    for (const auto& [name, input] : system_.buffers) {
      if (input.output_only || input.fill.kind == Fill::Kind::function || input.type != result.type ||
          !has_length(input, bytes.size()))
        continue;
      try {
        if (is_alike(input_of(name, input, bytes.size() / size_bytes(input.type), scope_), bytes))
          return name;
      } catch (const Failure&) {
        continue;  // it is said where the buffer is used
      }
    }
    return "";
  }

  [[nodiscard]] bool has_length(const BufferSpec& input, std::size_t bytes) const {
    try {
      return static_cast<std::size_t>(input.count.evaluate_int(scope_)) * size_bytes(input.type) == bytes;
    } catch (const ExpressionError&) {
      return false;  // its length depends on a parameter
    }
  }

  // Whether every element equals the input's. Inputs take time to make, so a stretch at a time is made and compared;
  // first some elements anywhere, since a stencil's results are as its inputs at all edges.
  [[nodiscard]] bool is_alike(const Input& input, std::span<const std::byte> bytes) const {
    constexpr std::size_t kPlaces = 64, kStretchBytes = std::size_t{1} << 20;
    const std::size_t element_bytes = size_bytes(input.type), count = bytes.size() / element_bytes;
    for (std::size_t place = 0; place < kPlaces; ++place)
      if (!is_alike(input, bytes, split_mix(place) % count, element_bytes)) return false;
    std::atomic<bool> alike{true};
    for_parts_of(count, [&](std::size_t begin, std::size_t end) {
      for (std::size_t first = begin; first < end && alike; first += kStretchBytes / element_bytes) {
        const std::size_t rest_bytes = (end - first) * element_bytes;
        if (!is_alike(input, bytes, first, std::min(kStretchBytes, rest_bytes))) alike = false;
      }
    });
    return alike;
  }

  // Whether `length` bytes from element `first` on equal the input's.
  [[nodiscard]] bool is_alike(const Input& input, std::span<const std::byte> bytes, std::size_t first,
                              std::size_t length) const {
    std::vector<std::byte> made(length);
    make_input(input, draw_, first, made);
    return std::ranges::equal(made, bytes.subspan(first * size_bytes(input.type), length));
  }

  const System& system_;
  const Values& scope_;
  std::uint64_t draw_;
  ReferenceSurvey found_{.remarks = {}, .is_constant = true, .written_bytes = 0};
};

}  // namespace

ReferenceSurvey survey_reference(const System& system, const Values& scope,
                                 const std::vector<std::string>& buffers, std::uint64_t draw,
                                 const BufferContents& first, const BufferContents& second) {
  Survey survey(system, scope, draw);
  bool any = false;
  for (const std::string& name : buffers) {
    const auto one = first.find(name), other = second.find(name);
    if (one == first.end() || other == second.end()) continue;
    survey.look_at(name, one->second.bytes(), other->second.bytes());
    any = true;
  }
  return survey.take(any);
}

}  // namespace tailwave
