#pragma once

// exp(i n x) for consecutive n, by the means that TRIG names. README.md says what each of them is.

#include "complex.cuh"

enum Trig {
  trig_double_sin_cos,
  trig_sinpi_cospi,
  trig_sinpi_in_4,
  trig_sincos,
  trig_sincospi,
  trig_repeated,
  trig_lookup_table,
  trig_float,
  trig_fast,
  trig_rotation
};

#define PASTE(first, second) first##second
#define NAME_OF(prefix, word) PASTE(prefix, word)
constexpr Trig kTrig = NAME_OF(trig_, TRIG);

constexpr double kPi = 3.14159265358979323846;
constexpr int kLookupTableSize = 1024;
constexpr double kStandInScale = 1.0 / 4096;  // of the angles that stand in for cosines without SINES

// What is to be multiplied by n: x in radians, in half turns, or in steps of the look-up table.
__device__ inline double in_units(double x) {
  if (!SINES) return x * kStandInScale;
  if (kTrig == trig_sinpi_cospi || kTrig == trig_sincospi) return x * (1 / kPi);
  if (kTrig == trig_lookup_table) return x * (kLookupTableSize / (2 * kPi));
  return x;
}

// The nearest entry, turned by the rest of at most pi / kLookupTableSize; the series end with the 4th power.
__device__ inline double2 from_lookup_table(double steps, const double2* __restrict__ lookup_table) {
  const double nearest = rint(steps);
  const double rest = (steps - nearest) * (2 * kPi / kLookupTableSize);
  const double2 entry = lookup_table[static_cast<int>(nearest) & (kLookupTableSize - 1)];
  const double rest2 = rest * rest;
  const double cosine = 1 - rest2 * (0.5 - rest2 * (1.0 / 24));
  const double sine = rest - rest2 * rest * (1.0 / 6);
  return times(entry, complex(cosine, sine));
}

// exp(i angle), the angle in the units above.
__device__ inline double2 exp_of(double angle, const double2* __restrict__ lookup_table) {
  if (!SINES) return complex(angle, 1 - angle);
  if (kTrig == trig_double_sin_cos || kTrig == trig_sinpi_in_4 || kTrig == trig_repeated)
    return complex(cos(angle), sin(angle));
  if (kTrig == trig_sinpi_cospi) return complex(cospi(angle), sinpi(angle));
  if (kTrig == trig_lookup_table) return from_lookup_table(angle, lookup_table);
  if (kTrig == trig_float || kTrig == trig_fast) {
    float sine, cosine;
    if (kTrig == trig_float) sincosf(static_cast<float>(angle), &sine, &cosine);
    if (kTrig == trig_fast) __sincosf(static_cast<float>(angle), &sine, &cosine);
    return complex(cosine, sine);
  }
  double sine, cosine;
  if (kTrig == trig_sincospi) {
    sincospi(angle, &sine, &cosine);
  } else {
    sincos(angle, &sine, &cosine);
  }
  return complex(cosine, sine);
}

// exp(i n x) for n = first, first + 1, ...: k has to count up from 0. `turn` is exp(i x), for trig_rotation only.
class Run {
 public:
  __device__ Run(int first, double units, double2 turn, const double2* lookup_table)
      : first_(first), units_(units), turn_(turn), lookup_table_(lookup_table) {
    start_ = first * units;
    if (kTrig == trig_rotation) value_ = exp_of(start_, lookup_table_);
  }

  __device__ double2 at(int k) {
    if (kTrig == trig_rotation) {
      if (k > 0) value_ = times(value_, turn_);
      return value_;
    }
    // Mode 1 has the functions that trig_sinpi_in_4 replaces, two in each of the sums.
    if (kTrig == trig_sinpi_in_4 && k == 0 && first_ == 1) {
      const double half_turns = units_ * (1 / kPi);
      return complex(cospi(half_turns), sinpi(half_turns));
    }
    // Without REUSE each angle is a product of its own, of a mode number that is an integer.
    const double angle = REUSE ? fma(static_cast<double>(k), units_, start_) : (first_ + k) * units_;
    return exp_of(angle, lookup_table_);
  }

 private:
  int first_;
  double units_, start_;
  double2 turn_, value_;
  const double2* lookup_table_;
};

// The same for an ion and modes whose values trig_repeated has kept: `values` is that of the first of them, the next mode's
// is `ions` further on.
class KeptRun {
 public:
  __device__ KeptRun(const double2* values, int ions) : values_(values), ions_(ions) {}
  __device__ double2 at(int k) const { return values_[static_cast<long long>(k) * ions_]; }

 private:
  const double2* values_;
  int ions_;
};
