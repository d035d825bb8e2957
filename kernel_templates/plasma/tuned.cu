// Two angles: n = kStride j + k with |k| < kBabies, so that exp(i n x) = exp(i kStride j x) exp(i k x). Sums of products
// of the four sines and cosines give the modes kStride j + k and kStride j - k at once: two multiply-adds a mode and
// ion. Two kernels: the last block of the first advances the waves.

#include "model.cuh"
#include "sums.cuh"

namespace {

constexpr int kBabies = 12;  // k = 0 ... 11
constexpr int kStride = 2 * kBabies - 1;
constexpr int kSide = 4;  // a warp's tile: so many j, and so many k
constexpr int kBabyTiles = kBabies / kSide;
constexpr int kTileSums = 4 * kSide * kSide;

constexpr int kDensityThreads = 256;
constexpr int kDensityWarps = kDensityThreads / kLanes;

static_assert(IONS_PER_BLOCK % kLanes == 0, "IONS_PER_BLOCK has to be a multiple of 32");

__device__ double2 exp_of(double angle) {
  double sine, cosine;
  sincos(angle, &sine, &cosine);
  return complex(cosine, sine);
}

// exp(i k x) of the block's ions, then exp(i kStride j x): [k or kBabies + j][ion]. Zeros for ions beyond the last.
// Three threads an ion: one for all k, two for half of all j each.
__device__ void fill_powers(const double* positions, double2* powers, int ions, int giants) {
  for (int i = threadIdx.x; i < 3 * IONS_PER_BLOCK; i += kDensityThreads) {
    const int part = i / IONS_PER_BLOCK;
    const int slot = i % IONS_PER_BLOCK;
    const int ion = blockIdx.x * IONS_PER_BLOCK + slot;
    const double x = ion < ions ? positions[ion] : 0;
    const int first = part < 2 ? 0 : giants / 2;
    const int count = part == 0 ? kBabies : giants / 2;
    const double angle = part == 0 ? x : kStride * x;
    double2* own = powers + ((part == 0 ? 0 : kBabies) + first) * IONS_PER_BLOCK + slot;
    const double2 turn = exp_of(angle);
    double2 value = first == 0 ? complex(1, 0) : exp_of(first * angle);
    if (ion >= ions) value = {};
    for (int step = 0; step < count; ++step) {
      own[step * IONS_PER_BLOCK] = value;
      value = times(value, turn);
    }
  }
}

// Adds the products of a tile of j and k to sums[j][k]: cos cos, cos sin, sin cos, sin sin, with the sine or cosine of
// kStride j x first.
__device__ void add_products(const double2* powers, int first_giant, int first_baby,
                             double (&sums)[kTileSums]) {
#pragma unroll
  for (int step = 0; step < IONS_PER_BLOCK / kLanes; ++step) {
    const int slot = step * kLanes + threadIdx.x % kLanes;
    double2 giant[kSide], baby[kSide];
#pragma unroll
    for (int i = 0; i < kSide; ++i) {
      giant[i] = powers[(kBabies + first_giant + i) * IONS_PER_BLOCK + slot];
      baby[i] = powers[(first_baby + i) * IONS_PER_BLOCK + slot];
    }
#pragma unroll
    for (int i = 0; i < kSide * kSide; ++i) {
      sums[4 * i] += giant[i / kSide].x * baby[i % kSide].x;
      sums[4 * i + 1] += giant[i / kSide].x * baby[i % kSide].y;
      sums[4 * i + 2] += giant[i / kSide].y * baby[i % kSide].x;
      sums[4 * i + 3] += giant[i / kSide].y * baby[i % kSide].y;
    }
  }
}

// Sum over all ions of exp(-i n x), from the products of all blocks.
__device__ double2 density_sum(const double* products, int n) {
  const int j = (n + kBabies - 1) / kStride;
  const int k = n - j * kStride;
  const int distance = k < 0 ? -k : k;
  const double sign = k < 0 ? -1 : 1;
  const int tile = j / kSide * kBabyTiles + distance / kSide;
  const double* own = products + tile * kTileSums + 4 * (j % kSide * kSide + distance % kSide);
  return complex(__ldcg(own) - sign * __ldcg(own + 3), -__ldcg(own + 2) - sign * __ldcg(own + 1));
}

}  // namespace

// Adds up the densities; the last block then makes the field of them and advances pump and modes. `products` and
// `finished` are 0 before and after.
extern "C" __global__ void __launch_bounds__(kDensityThreads)
    density(const double* __restrict__ positions, double* products, unsigned* finished, double2* nu,
            double2* field, double* amplitudes, double* phases, double* pump, double dt, double pressure,
            double screening, double coupling, double dispersion, double detuning, int ions, int modes,
            int giants) {
  extern __shared__ double2 powers[];
  fill_powers(positions, powers, ions, giants);
  __syncthreads();
  const int lane = threadIdx.x % kLanes;
  const int tiles = giants / kSide * kBabyTiles;
  for (int tile = threadIdx.x / kLanes; tile < tiles; tile += kDensityWarps) {
    double sums[kTileSums] = {};
    add_products(powers, tile / kBabyTiles * kSide, tile % kBabyTiles * kSide, sums);
    add_up_lanes(sums);
    double* own = products + tile * kTileSums + first_of<kTileSums>(lane);
    atomicAdd(own, sums[0]);
    atomicAdd(own + 1, sums[1]);
  }
  __threadfence();
  __syncthreads();
  if (!__syncthreads_or(threadIdx.x == 0 && atomicInc(finished, gridDim.x - 1) == gridDim.x - 1)) return;
  __threadfence();

  double pump_sums[4] = {};  // of conj(nu_n) a_n and of |nu_n|^2
  for (int mode = threadIdx.x; mode < modes; mode += kDensityThreads) {
    const double2 mean = scaled(1.0 / ions, density_sum(products, mode + 1));
    const double2 exchange = conjugate_times(mean, wave_of(amplitudes[mode], phases[mode]));
    nu[mode] = mean;
    pump_sums[0] += exchange.x;
    pump_sums[1] += exchange.y;
    pump_sums[2] += square(mean);
  }
  add_up_block<kDensityThreads>(pump_sums);
  __shared__ double2 pump_middle;
  if (threadIdx.x == 0)
    pump_middle = step_pump(pump, complex(pump_sums[0], pump_sums[1]), pump_sums[2], coupling, dt);
  for (int i = threadIdx.x; i < tiles * kTileSums; i += kDensityThreads) products[i] = 0;
  __syncthreads();
  for (int mode = threadIdx.x; mode < modes; mode += kDensityThreads) {
    double2 parts[2];
    step_mode(mode + 1, nu[mode], pump_middle, amplitudes[mode], phases[mode], dt, pressure, screening,
              coupling, dispersion, detuning, parts);
    field[mode] = plus(parts[0], parts[1]);
  }
}

namespace {

constexpr int kMoveThreads = 128;
constexpr int kThreadsPerIon = 4;
constexpr int kIons = 2;      // that a thread handles
constexpr int kGiantRun = 5;  // consecutive j that it handles at a time

struct Coefficients {
  double2 cosine, sine;
};

// Of cos kx and sin kx in the sum of the modes kStride j + k and kStride j - k, for all k of a j.
__device__ void fill_coefficients(const double2* field, Coefficients* coefficients, int modes, int giants) {
  for (int i = threadIdx.x; i < giants * kBabies; i += kMoveThreads) {
    const int above = i / kBabies * kStride + i % kBabies;
    const int below = i / kBabies * kStride - i % kBabies;
    const double2 first = 1 <= above && above <= modes ? field[above - 1] : double2{};
    const double2 second = above != below && 1 <= below && below <= modes ? field[below - 1] : double2{};
    coefficients[i] = {plus(first, second), complex(second.y - first.y, first.x - second.x)};
  }
}

// Adds the real part of the field of the modes about kStride j, for kGiantRun j from first on.
__device__ void add_giants(const Coefficients* coefficients, int first, const double (&positions)[kIons],
                           const double2 (&turns)[kIons], double (&forces)[kIons]) {
  double2 sums[kGiantRun][kIons];
  double2 baby[kIons];
#pragma unroll
  for (int i = 0; i < kIons; ++i) {
    baby[i] = turns[i];
#pragma unroll
    for (int j = 0; j < kGiantRun; ++j) sums[j][i] = coefficients[(first + j) * kBabies].cosine;
  }
#pragma unroll
  for (int k = 1; k < kBabies; ++k) {
#pragma unroll
    for (int j = 0; j < kGiantRun; ++j) {
      const Coefficients of = coefficients[(first + j) * kBabies + k];
#pragma unroll
      for (int i = 0; i < kIons; ++i) {
        sums[j][i].x += of.cosine.x * baby[i].x;
        sums[j][i].x += of.sine.x * baby[i].y;
        sums[j][i].y += of.cosine.y * baby[i].x;
        sums[j][i].y += of.sine.y * baby[i].y;
      }
    }
    if (k + 1 == kBabies) break;
#pragma unroll
    for (int i = 0; i < kIons; ++i) baby[i] = times(baby[i], turns[i]);
  }
#pragma unroll
  for (int i = 0; i < kIons; ++i) {
    const double2 stride = times(times(baby[i], baby[i]), turns[i]);
    double2 giant = exp_of(first * kStride * positions[i]);
#pragma unroll
    for (int j = 0; j < kGiantRun; ++j) {
      forces[i] += sums[j][i].x * giant.x;
      forces[i] -= sums[j][i].y * giant.y;
      giant = times(giant, stride);
    }
  }
}

}  // namespace

// Four neighbouring threads share two ions: each has a part of the j.
extern "C" __global__ void __launch_bounds__(kMoveThreads)
    move_ions(double* positions, double* velocities, double* forces, const double2* __restrict__ field,
              double dt, int ions, int modes, int giants) {
  extern __shared__ Coefficients coefficients[];
  fill_coefficients(field, coefficients, modes, giants);
  __syncthreads();
  const int thread = blockIdx.x * kMoveThreads + threadIdx.x;
  const int part = thread % kThreadsPerIon;
  const int first_ion = thread / kThreadsPerIon * kIons;
  double x[kIons], sums[kIons] = {};
  double2 turns[kIons];
  for (int i = 0; i < kIons; ++i) {
    x[i] = positions[min(first_ion + i, ions - 1)];
    turns[i] = exp_of(x[i]);
  }
  for (int j = part * kGiantRun; j < giants; j += kThreadsPerIon * kGiantRun)
    add_giants(coefficients, j, x, turns, sums);
  for (int i = 0; i < kIons; ++i) {
    for (int distance = 1; distance < kThreadsPerIon; distance *= 2)
      sums[i] += __shfl_xor_sync(kAllLanes, sums[i], distance);
  }
  const int ion = first_ion + part;
  if (part >= kIons || ion >= ions) return;
  const double force = part == 0 ? sums[0] : sums[1];
  forces[ion] = force;
  move(positions[ion], velocities[ion], force, dt);
}

#include "invariants.cuh"
