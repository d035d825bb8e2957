#pragma once

// A grid of square cells, CELL cutoffs or more on a side, with SLOTS places each. A particle meets those of nine cells.
// A step is one launch: forces, move, and the place in the new cell, which an atomic addition to its count gives. A warp
// has 32 cells of a row and deals their particles out to its lanes.
//
// Places are held twice and counts three times: a step reads one set, fills the next, and clears the counts of the one
// after it. progress: the number of steps done before this execution, modulo 6. Empty cells surround the grid.

#include "particles.cuh"

namespace {

constexpr int kLanes = 32;
static_assert(BLOCK_SIZE % kLanes == 0, "a block has to be made of whole warps");
constexpr unsigned kAllLanes = 0xffffffffu;
// Places of each of nine cells that are tested at once: a bit of an int for each.
constexpr int kPlacesAtOnce = 3;

// `across` cells and two empty ones in a row.
struct Cells {
  int across;
  double per_length;

  __device__ int pitch() const { return across + 2; }
  __device__ int size() const { return pitch() * pitch(); }
  __device__ int at(int column, int row) const { return (row + 1) * pitch() + column + 1; }
  __device__ int line_of(double x) const { return min(static_cast<int>(x * per_length), across - 1); }
  __device__ int cell_of(const Vector& position) const {
    return at(line_of(position.x), line_of(position.y));
  }
};

__device__ Cells cells_of(int across, int n) {
  return {across, across / side_of(n)};
}

// One of the two sets of places, with one of the three sets of counts.
struct Places {
  Vector* positions;
  Vector* velocities;
  int* indices;
  int* counts;
};

__device__ Places places_at(const Places& first, const Cells& cells, int step) {
  const long long places = static_cast<long long>(step % 2) * cells.size() * SLOTS;
  return {first.positions + places, first.velocities + places, first.indices + places,
          first.counts + static_cast<long long>(step % 3) * cells.size()};
}

__device__ void insert(const Places& places, const Cells& cells, const Vector& position,
                       const Vector& velocity, int index, int* overflow) {
  const int cell = cells.cell_of(position);
  const int slot = atomicAdd(&places.counts[cell], 1);
  if (slot >= SLOTS) {
    *overflow = 1;
    return;
  }
  const long long place = static_cast<long long>(cell) * SLOTS + slot;
  places.positions[place] = position;
  places.velocities[place] = velocity;
  places.indices[place] = index;
}

// The k-th of nine cells around `cell`.
__device__ int neighbour(const Cells& cells, int cell, int k) {
  return cell + (k / 3 - 1) * cells.pitch() + k % 3 - 1;
}

// First all tests, whose loads do not wait for each other, then the force of those within the cutoff.
__device__ Vector acceleration_of(const Places& places, const Cells& cells, int cell,
                                  const Vector& position) {
  int counts[9];
  int most = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    counts[k] = min(places.counts[neighbour(cells, cell, k)], SLOTS);
    most = max(most, counts[k]);
  }
  Vector sum{0, 0};
  for (int first = 0; first < most; first += kPlacesAtOnce) {
    unsigned near = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k)
#pragma unroll
      for (int s = 0; s < kPlacesAtOnce; ++s) {
        if (first + s >= counts[k]) continue;
        const long long place = static_cast<long long>(neighbour(cells, cell, k)) * SLOTS + first + s;
        if (squared_distance(position, places.positions[place]) <= kCutoff * kCutoff)
          near |= 1u << (k * kPlacesAtOnce + s);
      }
    for (; near != 0; near &= near - 1) {
      const int bit = __ffs(near) - 1;
      const long long other = neighbour(cells, cell, bit / kPlacesAtOnce);
      add_repulsion(position, places.positions[other * SLOTS + first + bit % kPlacesAtOnce], sum);
    }
  }
  return sum;
}

// The sum of this lane's value and those of all lanes before it.
__device__ int inclusive_sum(int value) {
  const int lane = threadIdx.x % kLanes;
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const int before = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

// The first lane whose inclusive sum is above `number`; the last one if none is.
__device__ int lane_with(int inclusive, int number) {
  int lane = 0;
#pragma unroll
  for (int half = kLanes / 2; half > 0; half /= 2)
    if (__shfl_sync(kAllLanes, inclusive, lane + half - 1) <= number) lane += half;
  return lane;
}

// Step number `now`, modulo 6, of the particles in 32 cells of a row: the warp's, as if each warp had its own. `parts`
// warps share them, of which this is number `part`, by the particles that they get as lanes.
__device__ void step_warp(const Places& all, const Cells& cells, int now, int warp, int part, int parts,
                          double side, int* overflow) {
  const int warps_in_row = (cells.across + kLanes - 1) / kLanes;
  const int row = warp / warps_in_row;
  if (row >= cells.across) return;  // all of a warp, or none
  const int lane = threadIdx.x % kLanes;
  const int first_column = warp % warps_in_row * kLanes;

  const Places old_places = places_at(all, cells, now);
  const Places new_places = places_at(all, cells, now + 1);
  const int cell = cells.at(first_column + lane, row);
  int count = 0;
  if (first_column + lane < cells.across) {
    count = min(old_places.counts[cell], SLOTS);
    if (part == 0) places_at(all, cells, now + 2).counts[cell] = 0;
  }
  const int inclusive = inclusive_sum(count);
  const int total = __shfl_sync(kAllLanes, inclusive, kLanes - 1);
  for (int start = part * kLanes; start < total; start += parts * kLanes) {
    const int number = start + lane;
    const int owner = lane_with(inclusive, number);
    const int slot = number - __shfl_sync(kAllLanes, inclusive - count, owner);
    if (number >= total) continue;
    const int own_cell = cells.at(first_column + owner, row);
    const long long place = static_cast<long long>(own_cell) * SLOTS + slot;
    Vector position = old_places.positions[place];
    Vector velocity = old_places.velocities[place];
    const Vector sum = acceleration_of(old_places, cells, own_cell, position);
    move_particle(position, velocity, sum, side);
    insert(new_places, cells, position, velocity, old_places.indices[place], overflow);
  }
}

}  // namespace

// Once after all steps of an execution.
extern "C" __global__ void advance(int* progress, int steps) {
  *progress = (*progress + steps % 6) % 6;
}

extern "C" __global__ void fill_cells(const Vector* start_positions, const Vector* start_velocities,
                                      Vector* positions, Vector* velocities, int* indices, int* counts,
                                      int* overflow, int across, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  insert({positions, velocities, indices, counts}, cells_of(across, n), start_positions[i],
         start_velocities[i], i, overflow);
}

// Back to the order of the start.
extern "C" __global__ void empty_cells(const Vector* positions, const Vector* velocities, const int* indices,
                                       const int* counts, const int* progress, Vector* end_positions,
                                       Vector* end_velocities, int step, int across, int n) {
  const Cells cells = cells_of(across, n);
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells.size()) return;
  const int now = (*progress + step) % 6;
  const int count = min(counts[static_cast<long long>(now % 3) * cells.size() + cell], SLOTS);
  for (int slot = 0; slot < count; ++slot) {
    const long long place = (static_cast<long long>(now % 2) * cells.size() + cell) * SLOTS + slot;
    end_positions[indices[place]] = positions[place];
    end_velocities[indices[place]] = velocities[place];
  }
}
