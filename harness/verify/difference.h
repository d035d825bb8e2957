#pragma once

// What "equal" means, one element at a time, for host C++ and for kernels: C++17 without the standard library where
// NVRTC compiles it, or the CPU device. compare.h says what the norms are.
//
// accumulate() takes an element into what is known of a stretch of both arrays, merge() joins two stretches. Neither
// depends on the order, but for the last digits of sums. survey.h is the quick way to the same.

#if defined(__CUDACC_RTC__) || defined(TAILWAVE_CPU)
#include "small_float.h"
#define TAILWAVE_SHARED __device__ inline
#define TAILWAVE_SHARED_RARE __device__ __noinline__
#else
#include <cmath>
#include <cstring>

#include "core/small_float.h"
#define TAILWAVE_SHARED inline
#define TAILWAVE_SHARED_RARE inline
#endif

namespace tailwave {

// In the order of Comparison::Norm.
enum class DifferenceNorm { relative_l2, max_abs, max_rel, exact, range, ulp, close, differing };

// Every byte of a buffer that a kernel has to fill: NaN in a float, a value no kernel is likely to leave behind in an
// integer.
inline constexpr unsigned char kPoisonByte = 0xFF;

inline constexpr unsigned long long kNowhere = ~0ULL;  // the index of no element

struct DifferenceRule {
  DifferenceNorm norm;
  double
      tolerance;  // max_abs, max_rel, ulp: an element that differs by more is wrong; close: relative to the expected
  double low,
      high;  // range: values that the type can have, or beyond all of them; close: `low` is allowed besides
};

struct NotedElement {
  double amount = 0;  // by which it differs, in the norm's own measure
  unsigned long long index = kNowhere;
  unsigned long long expected = 0, actual = 0;  // the elements' bytes, filled up with 0
};

// Squares of tiny, of ordinary and of huge values apart, so that none becomes 0 or infinite (Anderson, "Algorithm 978:
// Safe scaling in the level 1 BLAS", ACM TOMS 44, 2017; bounds as in LAPACK's la_constants). Of the types only
// float64 has tiny or huge values in this sense.
struct SquareSum {
  double tiny = 0, ordinary = 0, huge = 0;

  static constexpr double kTiny = 0x1p-511, kHuge = 0x1p486;  // from where to where values are ordinary
  static constexpr double kTinyScale = 0x1p537,
                          kHugeScale = 0x1p-538;  // of the values before they are squared
};

struct ArrayDifference {
  SquareSum squares, expected_squares;  // of the differences, and of the expected values
  unsigned long long unequal = 0;       // elements whose bytes differ
  // Elements that are not finite although they should be, or the other way round. unwritten: NaNs of poison.
  unsigned long long nan = 0, unwritten = 0, infinite = 0, should_not_be_finite = 0;
  unsigned long long least = kNowhere, greatest = 0;  // range: by order_key(); least > greatest: no element
  NotedElement worst;                                 // the lowest index of those
  NotedElement first;  // of those that are wrong; none for relative_l2, where no element is wrong by itself
  NotedElement first_not_finite;  // of those that are counted above
};

template <class T>
inline constexpr bool kIsFloating = static_cast<T>(0.5) != static_cast<T>(0);
template <int exponent_bits, int mantissa_bits, bool infinities>
inline constexpr bool kIsFloating<SmallFloat<exponent_bits, mantissa_bits, infinities>> = true;
template <class T>
inline constexpr bool kIsSigned = static_cast<T>(-1) < static_cast<T>(0);

template <class T>
TAILWAVE_SHARED unsigned long long bits_of(T value) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
TAILWAVE_SHARED T element_of(unsigned long long bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
TAILWAVE_SHARED bool is_finite(T value) {
  if constexpr (kIsFloating<T>) return value - value == 0;
  return true;
}

// |actual - expected|. 64-bit integers are subtracted as such and rounded once.
template <class T>
TAILWAVE_SHARED double distance_between(T expected, T actual) {
  if constexpr (kIsFloating<T> || sizeof(T) < 8) {
    return fabs(static_cast<double>(actual) - static_cast<double>(expected));
  } else {
    const auto e = static_cast<unsigned long long>(expected);
    const auto a = static_cast<unsigned long long>(actual);
    return static_cast<double>(actual > expected ? a - e : e - a);
  }
}

// How many values of the type lie between the two, one of them counted: units in the last place. The two zeros are one
// value. Of integers their difference.
template <class T>
TAILWAVE_SHARED double units_between(T expected, T actual) {
  if constexpr (kIsFloating<T>) {
    constexpr unsigned long long kTop = 1ULL << (8 * sizeof(T) - 1);
    const unsigned long long e = bits_of(expected), a = bits_of(actual);
    const unsigned long long place = (e & kTop) != 0 ? kTop - (e & ~kTop) : kTop + e;
    const unsigned long long other = (a & kTop) != 0 ? kTop - (a & ~kTop) : kTop + a;
    return static_cast<double>(place > other ? place - other : other - place);
  } else {
    return distance_between(expected, actual);
  }
}

template <class T>
TAILWAVE_SHARED double magnitude_of(T value) {
  if constexpr (kIsFloating<T>) return fabs(static_cast<double>(value));
  return distance_between(T(0), value);
}

// bound - value where the value is less, else 0; never 0 where it is. `bound` is no NaN.
template <class T>
TAILWAVE_SHARED double below(T value, double bound) {
  if constexpr (kIsFloating<T>) {
    return static_cast<double>(value) < bound ? bound - static_cast<double>(value) : 0;
  } else {
    constexpr double kEnd = kIsSigned<T> ? 0x1p63 : 0x1p64;  // above all values of the widest type
    if (bound <= (kIsSigned<T> ? -kEnd : 0)) return 0;
    if (bound >= kEnd) return fmax(bound - static_cast<double>(value), 1.0);
    const double whole = ceil(bound);
    unsigned long long missing = 0;
    if constexpr (kIsSigned<T>) {
      const auto least = static_cast<long long>(whole);
      if (value < least)
        missing = static_cast<unsigned long long>(least) - static_cast<unsigned long long>(value);
    } else {
      const auto least = static_cast<unsigned long long>(whole);
      if (value < least) missing = least - value;
    }
    return missing == 0 ? 0 : static_cast<double>(missing) - (whole - bound);
  }
}

// value - bound where the value is greater, else 0; as below().
template <class T>
TAILWAVE_SHARED double above(T value, double bound) {
  if constexpr (kIsFloating<T>) {
    return static_cast<double>(value) > bound ? static_cast<double>(value) - bound : 0;
  } else {
    constexpr double kEnd = kIsSigned<T> ? 0x1p63 : 0x1p64;
    if (bound >= kEnd) return 0;
    if (bound < (kIsSigned<T> ? -kEnd : 0)) return fmax(static_cast<double>(value) - bound, 1.0);
    const double whole = floor(bound);
    unsigned long long excess = 0;
    if constexpr (kIsSigned<T>) {
      const auto most = static_cast<long long>(whole);
      if (value > most)
        excess = static_cast<unsigned long long>(value) - static_cast<unsigned long long>(most);
    } else {
      const auto most = static_cast<unsigned long long>(whole);
      if (value > most) excess = value - most;
    }
    return excess == 0 ? 0 : static_cast<double>(excess) - (bound - whole);
  }
}

template <class T>
TAILWAVE_SHARED double outside(T value, const DifferenceRule& rule) {
  return fmax(below(value, rule.low), above(value, rule.high));
}

// Keys are ordered as the values of one type are; the two zeros have the same.
template <class T>
TAILWAVE_SHARED unsigned long long order_key(T value) {
  constexpr unsigned long long kTop = 1ULL << 63;
  if constexpr (kIsFloating<T>) {
    const unsigned long long bits = bits_of(static_cast<double>(value) + 0.0);
    return (bits & kTop) != 0 ? ~bits : bits | kTop;
  } else if constexpr (kIsSigned<T>) {
    return static_cast<unsigned long long>(static_cast<long long>(value)) ^ kTop;
  } else {
    return value;
  }
}

// The value of a key of this type; a float64 for the floating types.
template <class T>
TAILWAVE_SHARED auto value_of_key(unsigned long long key) {
  constexpr unsigned long long kTop = 1ULL << 63;
  if constexpr (kIsFloating<T>) {
    return element_of<double>((key & kTop) != 0 ? key ^ kTop : ~key);
  } else if constexpr (kIsSigned<T>) {
    return static_cast<long long>(key ^ kTop);
  } else {
    return key;
  }
}

// A distance over what is allowed of it; never infinite.
TAILWAVE_SHARED double share_of_allowed(double distance, double allowed) {
  constexpr double kMost = 0x1.fffffffffffffp1023;
  if (distance == 0) return 0;
  return allowed > 0 ? fmin(distance / allowed, kMost) : kMost;
}

// Whether it counts elements instead of measuring them.
template <DifferenceNorm norm>
inline constexpr bool kCounts = norm == DifferenceNorm::exact || norm == DifferenceNorm::differing;

// The most that an element may differ by, where one can be wrong by itself.
template <DifferenceNorm norm>
TAILWAVE_SHARED double most_allowed(const DifferenceRule& rule) {
  if constexpr (norm == DifferenceNorm::close) return 1;
  if constexpr (norm == DifferenceNorm::range || kCounts<norm>) return 0;
  return rule.tolerance;
}

// In the norm's own measure.
template <DifferenceNorm norm, class T>
TAILWAVE_SHARED double amount_of(const DifferenceRule& rule, T expected, T actual) {
  if constexpr (norm == DifferenceNorm::range) return outside(actual, rule);
  if constexpr (norm == DifferenceNorm::ulp) return units_between(expected, actual);
  const double distance = distance_between(expected, actual);
  if constexpr (norm == DifferenceNorm::max_rel) {
    const double reference = magnitude_of(expected);
    return reference == 0 ? distance : distance / reference;
  }
  if constexpr (norm == DifferenceNorm::close)
    return share_of_allowed(distance, rule.low + rule.tolerance * magnitude_of(expected));
  return distance;
}

TAILWAVE_SHARED void note_worst(NotedElement& worst, const NotedElement& other) {
  if (other.index == kNowhere) return;
  const bool less =
      other.amount < worst.amount || (other.amount == worst.amount && other.index > worst.index);
  if (worst.index == kNowhere || !less) worst = other;
}

TAILWAVE_SHARED void note_first(NotedElement& first, const NotedElement& other) {
  if (other.index < first.index) first = other;
}

// Only which elements are the worst and the first: both have to be finite, and accumulated elsewhere.
template <DifferenceNorm norm, class T>
TAILWAVE_SHARED void note(ArrayDifference& found, const DifferenceRule& rule, unsigned long long index,
                          T expected, T actual) {
  const NotedElement element{amount_of<norm>(rule, expected, actual), index, bits_of(expected),
                             bits_of(actual)};
  const bool differs = kCounts<norm> ? element.expected != element.actual : element.amount > 0;
  if (differs) note_worst(found.worst, element);
  bool wrong = differs;
  if constexpr (norm == DifferenceNorm::relative_l2)
    wrong = false;
  else if constexpr (!kCounts<norm>)
    wrong = differs && !(element.amount <= most_allowed<norm>(rule));
  if (wrong) note_first(found.first, element);
}

template <class T>
TAILWAVE_SHARED void add_square(SquareSum& sum, double value) {
  if constexpr (kIsFloating<T> && sizeof(T) == 8) {
    if (value > SquareSum::kHuge) {
      value *= SquareSum::kHugeScale;
      sum.huge += value * value;
      return;
    }
    if (value < SquareSum::kTiny) {
      value *= SquareSum::kTinyScale;
      sum.tiny += value * value;
      return;
    }
  }
  sum.ordinary += value * value;
}

template <class T>
TAILWAVE_SHARED void count_not_finite(ArrayDifference& found, unsigned long long index, T expected,
                                      T actual) {
  if (actual != actual) {
    ++found.nan;
    T poison;
    memset(&poison, kPoisonByte, sizeof poison);
    if (bits_of(actual) == bits_of(poison)) ++found.unwritten;
  } else if (is_finite(actual)) {
    ++found.should_not_be_finite;
  } else {
    ++found.infinite;
  }
  note_first(found.first_not_finite, {0, index, bits_of(expected), bits_of(actual)});
}

// The definition. For range, `expected` does not count. Infinities agree with themselves; a NaN agrees with nothing,
// not even where the reference has one.
template <DifferenceNorm norm, class T>
TAILWAVE_SHARED void accumulate(ArrayDifference& found, const DifferenceRule& rule, unsigned long long index,
                                T expected, T actual) {
  if constexpr (norm == DifferenceNorm::range) {
    if (!is_finite(actual) &&
        !(static_cast<double>(actual) >= rule.low && static_cast<double>(actual) <= rule.high)) {
      count_not_finite(found, index, expected, actual);
      return;
    }
    const unsigned long long key = order_key(actual);
    if (key < found.least) found.least = key;
    if (key > found.greatest) found.greatest = key;
    if (is_finite(actual)) note<norm>(found, rule, index, expected, actual);
  } else {
    if (bits_of(expected) != bits_of(actual)) ++found.unequal;
    if (!is_finite(expected) || !is_finite(actual)) {
      if (expected != actual) count_not_finite(found, index, expected, actual);
      return;
    }
    add_square<T>(found.squares, distance_between(expected, actual));
    add_square<T>(found.expected_squares, magnitude_of(expected));
    note<norm>(found, rule, index, expected, actual);
  }
}

TAILWAVE_SHARED void merge(SquareSum& sum, const SquareSum& other) {
  sum.tiny += other.tiny;
  sum.ordinary += other.ordinary;
  sum.huge += other.huge;
}

// `other` is of other elements of the same arrays, by the same rule.
TAILWAVE_SHARED void merge(ArrayDifference& found, const ArrayDifference& other) {
  merge(found.squares, other.squares);
  merge(found.expected_squares, other.expected_squares);
  found.unequal += other.unequal;
  found.nan += other.nan;
  found.unwritten += other.unwritten;
  found.infinite += other.infinite;
  found.should_not_be_finite += other.should_not_be_finite;
  if (other.least < found.least) found.least = other.least;
  if (other.greatest > found.greatest) found.greatest = other.greatest;
  note_worst(found.worst, other.worst);
  note_first(found.first, other.first);
  note_first(found.first_not_finite, other.first_not_finite);
}

}  // namespace tailwave
