// One step as five kernels, with one thread an ion where ions are met and one a mode where only modes are.

#include "model.cuh"
#include "sums.cuh"
#include "trig.cuh"

enum Memory { memory_global, memory_shared, memory_constant };
constexpr Memory kMemory = NAME_OF(memory_, MEMORY);

constexpr int kRun = MODE_RUN;
constexpr int kParts = REUSE ? 1 : 2;  // numbers that a mode's field is stored as
constexpr int kTile = 256;             // modes in shared memory

// Constant memory has 64 KiB: the fields of 2048 modes.
constexpr int kConstantNumbers = kMemory == memory_constant ? 4096 : 1;
extern "C" {
__constant__ double2 field_constant[kConstantNumbers];
}

static_assert(BLOCK_SIZE % kLanes == 0, "a block has to be made of whole warps");
static_assert(kRun <= 16 && (kRun & (kRun - 1)) == 0, "MODE_RUN has to be a power of 2 up to 16");

#include "begin.cuh"

// Adds exp(-i n x) of a thread's ions for kRun modes from `first` on. Where they are to be kept, exp(i n x) goes to
// kept[n - 1][ion].
template <bool keep>
__device__ inline void add_ions(double (&sums)[2 * kRun], const double* __restrict__ positions,
                                const double2* __restrict__ turns, const double2* __restrict__ lookup_table,
                                double2* kept, int first, int ions) {
  for (int i = 0; i < IONS_PER_THREAD; ++i) {
    const int ion = (blockIdx.y * IONS_PER_THREAD + i) * BLOCK_SIZE + threadIdx.x;
    if (ion >= ions) break;
    Run run(first, in_units(positions[ion]), kTrig == trig_rotation ? turns[ion] : double2{}, lookup_table);
#pragma unroll
    for (int k = 0; k < kRun; ++k) {
      const double2 value = run.at(k);
      sums[2 * k] += value.x;
      sums[2 * k + 1] -= value.y;
      if (keep) kept[static_cast<long long>(first - 1 + k) * ions + ion] = value;
    }
  }
}

// Adds up exp(-i n x) for kRun modes and IONS_PER_THREAD ions a thread: a sum a block and mode. trig_repeated keeps
// exp(i n x) of the first kept_modes modes, [mode][ion], for the forces.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    density(const double* __restrict__ positions, const double2* __restrict__ turns,
            const double2* __restrict__ lookup_table, double2* kept, double* partials, int kept_modes,
            int ions, int modes) {
  __shared__ double warp_sums[BLOCK_SIZE / kLanes][2 * kRun];
  const int first = blockIdx.x * kRun + 1;
  double sums[2 * kRun] = {};
  if (kTrig == trig_repeated && first <= kept_modes) {
    add_ions<true>(sums, positions, turns, lookup_table, kept, first, ions);
  } else {
    add_ions<false>(sums, positions, turns, lookup_table, kept, first, ions);
  }
  add_up_lanes(sums);
  const int lane = threadIdx.x % kLanes;
  warp_sums[threadIdx.x / kLanes][first_of<2 * kRun>(lane)] = sums[0];
  __syncthreads();
  const int own = threadIdx.x;
  if (own >= 2 * kRun || first + own / 2 > modes) return;
  double sum = 0;
  for (int warp = 0; warp < BLOCK_SIZE / kLanes; ++warp) sum += warp_sums[warp][own];
  partials[2 * ((first - 1 + own / 2) * gridDim.y + blockIdx.y) + own % 2] = sum;
}

// nu_n of a mode, and what it gives to the pump's sums.
extern "C" __global__ void collect(const double2* partials, int partials_per_mode, const double* amplitudes,
                                   const double* phases, double2* nu, double2* exchange, double* strength,
                                   int ions, int modes) {
  const int mode = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (mode >= modes) return;
  double2 sum = {};
  for (int i = 0; i < partials_per_mode; ++i) sum = plus(sum, partials[mode * partials_per_mode + i]);
  const double2 mean = complex(sum.x / ions, sum.y / ions);
  nu[mode] = mean;
  exchange[mode] = conjugate_times(mean, wave_of(amplitudes[mode], phases[mode]));
  strength[mode] = square(mean);
}

// The pump's equations: one thread.
extern "C" __global__ void advance_pump(const double2* __restrict__ exchange,
                                        const double* __restrict__ strength, double* pump,
                                        double2* pump_middle, double coupling, double dt, int modes) {
  double2 exchange_sum = {};
  double strength_sum = 0;
#pragma unroll 8
  for (int mode = 0; mode < modes; ++mode) {
    exchange_sum = plus(exchange_sum, exchange[mode]);
    strength_sum += strength[mode];
  }
  *pump_middle = step_pump(pump, exchange_sum, strength_sum, coupling, dt);
}

// The field of a mode, with zeros behind the last, and its amplitude and phase.
extern "C" __global__ void advance_modes(const double2* nu, const double2* pump_middle, double* amplitudes,
                                         double* phases, double2* field, double dt, double pressure,
                                         double screening, double coupling, double dispersion,
                                         double detuning, int modes, int padded_modes) {
  const int mode = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (mode >= padded_modes) return;
  double2 parts[2] = {};
  if (mode < modes) {
    step_mode(mode + 1, nu[mode], *pump_middle, amplitudes[mode], phases[mode], dt, pressure, screening,
              coupling, dispersion, detuning, parts);
  }
  if (REUSE) {
    field[mode] = plus(parts[0], parts[1]);
  } else {
    field[2 * mode] = parts[0];
    field[2 * mode + 1] = parts[1];
  }
}

__device__ inline double2 field_at(const double2* field, int mode) {
  return REUSE ? field[mode] : plus(field[2 * mode], field[2 * mode + 1]);
}

// Adds Re(E_n exp(i n x)) of kRun modes; field[0] belongs to the first of them.
template <class Values>
__device__ inline void add_values(double2& force, const double2* field, Values values) {
#pragma unroll
  for (int k = 0; k < kRun; ++k) {
    const double2 value = values.at(k);
    const double2 strength = field_at(field, k);
    force.x += strength.x * value.x;
    force.y += strength.y * value.y;
  }
}

// What exp(i n x) of an ion is made of, or read from.
struct IonAngles {
  double units;
  double2 turn;
  const double2* lookup_table;
  const double2* kept;
  int kept_modes, ions;
};

// The same of the modes first + 1, ..., first + kRun.
__device__ inline void add_run(double2& force, const double2* field, int first, const IonAngles& ion) {
  if (kTrig == trig_repeated && first < ion.kept_modes) {
    add_values(force, field, KeptRun(ion.kept + static_cast<long long>(first) * ion.ions, ion.ions));
  } else {
    add_values(force, field, Run(first + 1, ion.units, ion.turn, ion.lookup_table));
  }
}

// The force of the field, then velocity and position.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    move_ions(double* positions, double* velocities, double* forces, double2* turns,
              const double2* __restrict__ lookup_table, const double2* __restrict__ kept,
              const double2* __restrict__ field, double dt, int kept_modes, int ions, int padded_modes) {
  const int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const int ion = min(thread, ions - 1);
  const IonAngles angles{in_units(positions[ion]), kTrig == trig_rotation ? turns[ion] : double2{},
                         lookup_table, kept + ion, kept_modes, ions};
  double2 force = {};
  if (kMemory == memory_shared) {
    __shared__ double2 tile[kTile * kParts];
    for (int start = 0; start < padded_modes; start += kTile) {
      const int count = min(kTile, padded_modes - start);
      __syncthreads();
      for (int i = threadIdx.x; i < count * kParts; i += BLOCK_SIZE) tile[i] = field[start * kParts + i];
      __syncthreads();
      for (int i = 0; i < count; i += kRun) add_run(force, tile + i * kParts, start + i, angles);
    }
  } else {
    const double2* const source = kMemory == memory_constant ? field_constant : field;
    for (int i = 0; i < padded_modes; i += kRun) add_run(force, source + i * kParts, i, angles);
  }
  if (thread >= ions) return;
  forces[ion] = force.x - force.y;
  const double moved = move(positions[ion], velocities[ion], force.x - force.y, dt);
  if (kTrig == trig_rotation) turns[ion] = exp_of(moved, lookup_table);
}

#include "invariants.cuh"
