#pragma once

// The quick way to what difference.h defines, for host C++ and for kernels as that is.
//
// A Glance at a run of elements tells all that counts while every element is finite and no square is too small or too
// large. A Survey collects glances, remembers the runs that hold the worst and the first element, whose elements are
// looked at in the end, and says when a run has to be accumulated element by element.

#include "difference.h"

namespace tailwave {

// Both arrays, elements of type T in memory; for range both are `actual`.
struct ArrayPair {
  const void* expected;
  const void* actual;
};

template <class T>
TAILWAVE_SHARED T element_at(const void* array, unsigned long long index) {
#if defined(__CUDACC_RTC__) || defined(TAILWAVE_CPU)
  return static_cast<const T*>(array)[index];
#else
  T value;  // which need not be aligned
  memcpy(&value, static_cast<const unsigned char*>(array) + index * sizeof value, sizeof value);
  return value;
#endif
}

// Elements from..to-1, one after the other.
template <DifferenceNorm norm, class T>
TAILWAVE_SHARED_RARE void accumulate_elements(ArrayDifference& found, DifferenceRule rule, ArrayPair arrays,
                                              unsigned long long from, unsigned long long to) {
  for (unsigned long long i = from; i < to; ++i)
    accumulate<norm>(found, rule, i, element_at<T>(arrays.expected, i), element_at<T>(arrays.actual, i));
}
template <DifferenceNorm norm, class T>
TAILWAVE_SHARED_RARE void note_elements(ArrayDifference& found, DifferenceRule rule, ArrayPair arrays,
                                        unsigned long long from, unsigned long long to) {
  for (unsigned long long i = from; i < to; ++i)
    note<norm>(found, rule, i, element_at<T>(arrays.expected, i), element_at<T>(arrays.actual, i));
}

// Whether there is nothing to tell of a run whose bytes are the same in both arrays.
template <DifferenceNorm norm, class T>
inline constexpr bool kSameBytesAreEqual =
    !kIsFloating<T> && norm != DifferenceNorm::relative_l2 && norm != DifferenceNorm::range;

// A quick look at a run of elements, `lanes` of them at a time, side by side.
template <DifferenceNorm norm, class T, int lanes>
struct Glance {
  double sum[lanes] = {};  // relative_l2: of squared differences; else anything that shows what is not finite
  double expected_sum[lanes] = {};  // relative_l2: of squared expected values
  double expected_most[lanes] = {};
  double worst[lanes];  // the greatest amount; kCounts: of the elements that are unequal, -1 without any
  unsigned unequal[lanes] = {};
  T least[lanes], greatest[lanes];  // range

  // Of a run whose first elements these are.
  TAILWAVE_SHARED void begin(const T* actual) {
    for (int lane = 0; lane < lanes; ++lane) {
      worst[lane] = kCounts<norm> ? -1 : 0;
      least[lane] = greatest[lane] = actual[lane];
    }
  }

  TAILWAVE_SHARED void add(const DifferenceRule& rule, const T* expected, const T* actual) {
    for (int lane = 0; lane < lanes; ++lane) {
      const T e = expected[lane];
      const T a = actual[lane];
      if constexpr (norm == DifferenceNorm::range) {
        least[lane] = a < least[lane] ? a : least[lane];
        greatest[lane] = a > greatest[lane] ? a : greatest[lane];
        if constexpr (kIsFloating<T>) sum[lane] += static_cast<double>(a);
      } else {
        const double distance = distance_between(e, a);
        double amount = distance;
        if constexpr (norm == DifferenceNorm::relative_l2) {
          const double reference = magnitude_of(e);
          sum[lane] += distance * distance;
          expected_sum[lane] += reference * reference;
          if constexpr (sizeof(T) == 8)
            expected_most[lane] = reference > expected_most[lane] ? reference : expected_most[lane];
        } else if constexpr (kIsFloating<T>) {
          sum[lane] += distance;
        }
        if constexpr (norm == DifferenceNorm::max_rel || norm == DifferenceNorm::ulp ||
                      norm == DifferenceNorm::close)
          amount = amount_of<norm>(rule, e, a);
        if constexpr (kCounts<norm>) {
          const bool differs = bits_of(e) != bits_of(a);
          unequal[lane] += differs ? 1U : 0U;
          amount = differs ? distance : -1;
        }
        worst[lane] = amount > worst[lane] ? amount : worst[lane];
      }
    }
  }

  TAILWAVE_SHARED Glance<norm, T, 1> folded() const {
    Glance<norm, T, 1> all;
    all.begin(least);
    for (int lane = 0; lane < lanes; ++lane) {
      all.sum[0] += sum[lane];
      all.expected_sum[0] += expected_sum[lane];
      all.expected_most[0] = fmax(all.expected_most[0], expected_most[lane]);
      all.worst[0] = fmax(all.worst[0], worst[lane]);
      all.unequal[0] += unequal[lane];
      all.least[0] = least[lane] < all.least[0] ? least[lane] : all.least[0];
      all.greatest[0] = greatest[lane] > all.greatest[0] ? greatest[lane] : all.greatest[0];
    }
    return all;
  }
};

// What the glances at the runs of a stretch tell, run after run in ascending order.
template <DifferenceNorm norm, class T>
struct Survey {
  double sum = 0, expected_sum = 0;
  unsigned long long unequal = 0, least = kNowhere, greatest = 0;
  double worst = kCounts<norm> ? -1 : 0;
  unsigned long long worst_run = kNowhere, first_run = kNowhere;

  // False: nothing is taken, the run has to be accumulated.
  TAILWAVE_SHARED bool take(const DifferenceRule& rule, const Glance<norm, T, 1>& glance,
                            unsigned long long run) {
    if (!tells_all(glance)) return false;
    double amount = glance.worst[0];
    if constexpr (norm == DifferenceNorm::relative_l2) {
      sum += glance.sum[0];
      expected_sum += glance.expected_sum[0];
    }
    if constexpr (kCounts<norm>) unequal += glance.unequal[0];
    if constexpr (norm == DifferenceNorm::range) {
      const unsigned long long low = order_key(glance.least[0]);
      const unsigned long long high = order_key(glance.greatest[0]);
      if (low < least) least = low;
      if (high > greatest) greatest = high;
      amount = fmax(outside(glance.least[0], rule), outside(glance.greatest[0], rule));
    }
    if (amount > worst) {
      worst = amount;
      worst_run = run;
    }
    bool wrong = amount > 0 && !(amount <= most_allowed<norm>(rule));
    if constexpr (norm == DifferenceNorm::relative_l2) wrong = false;
    if constexpr (kCounts<norm>) wrong = glance.unequal[0] > 0;
    if (wrong && first_run == kNowhere) first_run = run;
    return true;
  }

  // Adds all to what was accumulated. A run has `length` elements, none from `end` on.
  TAILWAVE_SHARED void finish(ArrayDifference& found, const DifferenceRule& rule, const ArrayPair& arrays,
                              unsigned length, unsigned long long end) const {
    found.squares.ordinary += sum;
    found.expected_squares.ordinary += expected_sum;
    found.unequal += unequal;
    if (least < found.least) found.least = least;
    if (greatest > found.greatest) found.greatest = greatest;
    note_run(found, rule, arrays, worst_run, length, end);
    if (first_run != worst_run) note_run(found, rule, arrays, first_run, length, end);
  }

 private:
  TAILWAVE_SHARED static void note_run(ArrayDifference& found, const DifferenceRule& rule,
                                       const ArrayPair& arrays, unsigned long long run, unsigned length,
                                       unsigned long long end) {
    if (run == kNowhere) return;
    const unsigned long long from = run * length;
    note_elements<norm, T>(found, rule, arrays, from, from + length < end ? from + length : end);
  }

  // Whether a run's sum of squares is as good as one that scales, and 2^50 runs can be added. A square loses at most
  // 2^-1075 to underflow.
  TAILWAVE_SHARED static bool has_its_digits(double squares, double greatest) {
    return (squares >= 0x1p-900 || greatest == 0) && squares <= 0x1p970;
  }

  TAILWAVE_SHARED static bool tells_all(const Glance<norm, T, 1>& glance) {
    if constexpr (!kIsFloating<T>) return true;
    if (!is_finite(glance.sum[0])) return false;
    if constexpr (norm == DifferenceNorm::relative_l2 && sizeof(T) == 8)
      return has_its_digits(glance.sum[0], glance.worst[0]) &&
             has_its_digits(glance.expected_sum[0], glance.expected_most[0]);
    return true;
  }
};

}  // namespace tailwave
