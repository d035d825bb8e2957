#include "device/random_fill.h"

#include <cstring>

#include "core/parallel.h"

namespace tailwave {
namespace {

// number(bits, i) for each element i from `first` on.
template <class Number, class Make>
void fill_numbers(std::uint64_t base, std::size_t first, std::span<std::byte> bytes, Make number) {
  for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Number made = number(random_bits(base, first + i), first + i);
      std::memcpy(bytes.data() + i * sizeof made, &made, sizeof made);
    }
  });
}

template <class Number>
void fill_with(const RandomFill& fill, std::size_t first, std::span<std::byte> bytes) {
  const std::uint64_t base = counter_base(fill);
  const ValueBounds bounds = value_bounds(fill);
  const auto as_number = [](std::uint64_t place) {
    return tailwave::number_of<Number>(static_cast<std::int64_t>(place));
  };
  switch (fill.distribution) {
    case Distribution::uniform:
      return fill_numbers<Number>(base, first, bytes, [&](std::uint64_t bits, std::size_t) {
        return uniform_number<Number>(bits, fill.low, fill.high, bounds);
      });
    case Distribution::normal:
      return fill_numbers<Number>(base, first, bytes, [&](std::uint64_t bits, std::size_t) {
        return normal_number<Number>(bits, fill.mean, fill.deviation, bounds);
      });
    case Distribution::integers:
      return fill_numbers<Number>(base, first, bytes,
                                  [&, range = range_of(fill)](std::uint64_t bits, std::size_t) {
                                    return integer_number<Number>(bits, fill.least, range);
                                  });
    case Distribution::permutation:
      return fill_numbers<Number>(base, first, bytes,
                                  [&, network = feistel_of(fill.count)](std::uint64_t, std::size_t i) {
                                    return as_number(place_in_permutation(network, fill.count, base, i));
                                  });
  }
}

}  // namespace

ValueBounds value_bounds(const RandomFill& fill) {
  return visit_scalar(fill.type, [&]<class Number>(Number) {
    return fill.distribution == Distribution::uniform ? uniform_bounds<Number>(fill.low, fill.high)
                                                      : bounds_of_type<Number>();
  });
}

std::uint64_t range_of(const RandomFill& fill) {
  return range_of(fill.least, fill.greatest);
}

std::uint64_t counter_base(const RandomFill& fill) {
  return counter_base(fill.seed, fill.draw);
}

void fill_randomly(const RandomFill& fill, std::size_t first, std::span<std::byte> bytes) {
  visit_scalar(fill.type, [&](auto number) { fill_with<decltype(number)>(fill, first, bytes); });
}

}  // namespace tailwave
