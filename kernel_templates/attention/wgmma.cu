// Attention by what compute capability 9.0 has. A block has BQ queries of one head. A thread of its first
// warpgroup has TMA bring them, their keys and their values; each other warpgroup multiplies 64 of the queries,
// whose scores, weights and sums are in registers.
// Macros: PINGPONG, OVERLAP, SLACK, and those of wgmma_tiles.cuh.
#include "mma.cuh"
#include "wgmma_tiles.cuh"

constexpr int KEY_BLOCKS = BK / 8, DIM_BLOCKS = HEAD_DIM / 8;
// Of 65536 in all.
constexpr int PRODUCERS_REGISTERS = CONSUMERS == 2 ? 40 : 32,
              CONSUMERS_REGISTERS = CONSUMERS == 2 ? 232 : 160;

using Scores = float[KEY_BLOCKS][4];
using Weights = unsigned[BK / 16][4];
using Sums = float[DIM_BLOCKS][4];

template <class Number, int Blocks>
__device__ inline auto flat(Number (&x)[Blocks][4]) -> Number (&)[Blocks * 4] {
  return reinterpret_cast<Number(&)[Blocks * 4]>(x);
}

// One group of products: begins scores = Q K^T.
__device__ inline void multiply_keys(Scores& scores, const unsigned char* q_tile,
                                     const unsigned char* k_tile) {
  const unsigned long long q = descriptor(q_tile, 16, ATOM_BYTES), k = descriptor(k_tile, 16, ATOM_BYTES);
  begin_products();
#pragma unroll
  for (int step = 0; step < HEAD_DIM / 16; ++step)  // descriptors count in 16 bytes
    multiply<0>(flat(scores), q + (step / 4 * Q_PANEL_BYTES + step % 4 * 32) / 16,
                k + (step / 4 * PANEL_BYTES + step % 4 * 32) / 16, step > 0);
  end_products();
}

// One group of products: begins sums += weights V.
__device__ inline void add_values(Sums& sums, Weights& weights, const unsigned char* v_tile) {
  const unsigned long long v = descriptor(v_tile, PANEL_BYTES, ATOM_BYTES);
  hold(flat(sums));
  hold(flat(weights));
  begin_products();
#pragma unroll
  for (int step = 0; step < BK / 16; ++step)
    multiply<1>(flat(sums), weights[step], v + step * 16 * ROW_BYTES / 16, 1);
  end_products();
}

// The layout of scores is that of a left operand: weights need not be exchanged among lanes.
__device__ inline void pack_weights(Weights& weights, const Scores& scores) {
#pragma unroll
  for (int step = 0; step < BK / 16; ++step)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      weights[step][e] = pack(scores[step * 2 + e / 2][e % 2 * 2], scores[step * 2 + e / 2][e % 2 * 2 + 1]);
}

// Of two rows of a lane.
struct State {
  float top[2] = {-INFINITY, -INFINITY};  // what exponents are relative to
  float sum[2] = {};                      // of the lane's own columns
};

// Makes weights of scores. Each row of what was added up so far has to be multiplied by its `shrink`. SLACK
// above 0: maxima are only raised where one in the warp has risen by more than so many powers of two.
__device__ inline void make_weights(Scores& scores, State& state, float (&shrink)[2]) {
  float top[2];
#pragma unroll
  for (int upper = 0; upper < 2; ++upper) top[upper] = largest_of_row(scores, upper, state.top[upper]);
  const float rise = fmaxf(top[0] - state.top[0], top[1] - state.top[1]) * score_factor();
  const bool raise = SLACK == 0 || __any_sync(ALL, rise > SLACK);
#pragma unroll
  for (int upper = 0; upper < 2; ++upper) {
    if (!raise) top[upper] = state.top[upper];
    shrink[upper] = shrink_factor(state.top[upper], top[upper]);
    state.top[upper] = top[upper];
    state.sum[upper] *= shrink[upper];
    weigh_row(scores, upper, top[upper], state.sum[upper]);
  }
}

// A warpgroup that multiplies 64 of the block's queries, and how far it is.
class Consumer {
 public:
  __device__ Consumer(const Shared& shared, int number, Lengths lengths)
      : shared_(shared), number_(number), lengths_(lengths), q_tile_(shared.q + number * Q_BYTES) {
#if PINGPONG
    if (number == CONSUMERS - 1) pass_turn();
#endif
  }

  // All tiles of keys. What is added up in `sums` has still to be divided by the rows' sums of weights.
  __device__ __forceinline__ void attend(Sums& sums, State& state, const Tile& tile) {
    first_query_ = tile.first_query + number_ * 64;
    // Up to there all of the warpgroup's queries see all keys of a tile, the first of them the fewest.
    const int first_masked = lengths_.seen_by(first_query_) / BK;
    Weights weights;
#pragma unroll
    for (int j = 0; j < DIM_BLOCKS; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[j][e] = 0;
    wait(shared_.barriers->q_full + number_, q_parity_);
    q_parity_ ^= 1;
    begin_tiles(weights, state, first_masked == 0);
    int i = 1;
    for (; i < min(first_masked, tile.key_tiles); ++i) next_tile<false>(sums, weights, state, i);
    for (; i < tile.key_tiles; ++i) next_tile<true>(sums, weights, state, i);
    wait_for_values();
    add_values(sums, weights, v_tile());
    wait_for_products<0>();
    hold(flat(sums));
    release(shared_.barriers->values, values_);
  }

  // Rounded to half, by way of the place of the queries.
  __device__ __forceinline__ void store(const Sums& sums, const State& state, const Tile& tile,
                                        const Maps& maps) {
    const int thread = threadIdx.x % 128, lane = thread % 32, row = thread / 32 * 16 + lane % 16;
    const float upper = 1 / sum_of_quad(state.sum[0]), lower = 1 / sum_of_quad(state.sum[1]);
    sync_warpgroup(1 + number_);  // all are done with products that read it
#pragma unroll
    for (int j = 0; j < DIM_BLOCKS; j += 2) {
      const int vector = (j + lane / 16) % 8;
      const float(&x)[4] = sums[j];
      const float(&y)[4] = sums[j + 1];
      store_matrices(q_tile_ + j / 8 * Q_PANEL_BYTES + row * ROW_BYTES + (vector ^ row % 8) * 16,
                     pack(x[0] * upper, x[1] * upper), pack(x[2] * lower, x[3] * lower),
                     pack(y[0] * upper, y[1] * upper), pack(y[2] * lower, y[3] * lower));
    }
    show_writes();
    sync_warpgroup(1 + number_);
    if (thread == 0) {
      for (int panel = 0; panel < PANELS; ++panel)
        store_box(maps.out, q_tile_ + panel * Q_PANEL_BYTES, panel * 64, first_query_, tile.head);
      end_stores();
      wait_for_reads_of_stores<0>();
      arrive(shared_.barriers->q_empty + number_);
    }
    __syncwarp();
  }

 private:
  __device__ const unsigned char* k_tile() const {
    return shared_.keys + keys_.number * TILE_BYTES;
  }
  __device__ const unsigned char* v_tile() const {
    return shared_.values + values_.number * TILE_BYTES;
  }
  __device__ void wait_for_keys() {
    wait(shared_.barriers->keys.full + keys_.number, keys_.parity);
  }
  __device__ void wait_for_values() {
    wait(shared_.barriers->values.full + values_.number, values_.parity);
  }

  // A warp needs the stage no more.
  __device__ void release(Ring& ring, Stage& stage) {
    if (threadIdx.x % 32 == 0) arrive(ring.empty + stage.number);
    stage.advance();
  }

  // Warpgroups take turns in giving the tensor cores work: each has a barrier, at which it waits and the one
  // before it arrives, 256 threads in all.
  __device__ void wait_for_turn() {
    asm volatile("bar.sync %0, 256;" ::"r"(4 + number_) : "memory");
  }
  __device__ void pass_turn() {
    asm volatile("bar.arrive %0, 256;" ::"r"(4 + (number_ + 1) % CONSUMERS) : "memory");
  }

  // The warpgroup's rows, each up to the last key that it sees.
  __device__ void mask(Scores& scores, int first_key) const {
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const int query = first_query_ + warp * 16 + upper * 8 + lane / 4;
      mask_row(scores, upper, lengths_.seen_by(query) - first_key - lane % 4 * 2);
    }
  }

  // Every query sees the first key, so that maxima are finite from here on.
  __device__ __forceinline__ void begin_tiles(Weights& weights, State& state, bool masked) {
    Scores scores;
    float shrink[2];
    wait_for_keys();
    multiply_keys(scores, q_tile_, k_tile());
    wait_for_products<0>();
    hold(flat(scores));
    release(shared_.barriers->keys, keys_);
    if (masked) mask(scores, 0);
    make_weights(scores, state, shrink);
    pack_weights(weights, scores);
  }

  // Scores of this tile, and what the weights of the one before make of its values.
  template <bool Masked>
  __device__ __forceinline__ void next_tile(Sums& sums, Weights& weights, State& state, int tile) {
    Scores scores;
    float shrink[2];
    wait_for_keys();
#if PINGPONG
    wait_for_turn();
#endif
#if OVERLAP
    multiply_keys(scores, q_tile_, k_tile());
    wait_for_values();
    add_values(sums, weights, v_tile());
#else
    wait_for_values();
    add_values(sums, weights, v_tile());
    wait_for_products<0>();
    hold(flat(sums));
    release(shared_.barriers->values, values_);
    multiply_keys(scores, q_tile_, k_tile());
#endif
#if PINGPONG
    pass_turn();
#endif
    wait_for_products<OVERLAP>();  // the scores are there
    hold(flat(scores));
    release(shared_.barriers->keys, keys_);
    if constexpr (Masked) mask(scores, tile * BK);
    make_weights(scores, state, shrink);
#if OVERLAP
    wait_for_products<0>();
    hold(flat(sums));
    release(shared_.barriers->values, values_);
#endif
#pragma unroll
    for (int j = 0; j < DIM_BLOCKS; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[j][e] *= shrink[e / 2];
    pack_weights(weights, scores);
  }

  Shared shared_;
  int number_;
  Lengths lengths_;
  unsigned char* q_tile_;
  Stage keys_, values_;  // the next of each to be used
  int q_parity_ = 0, first_query_ = 0;
};

__global__ void __launch_bounds__(THREADS, 1)
    attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
              const __grid_constant__ CUtensorMap v, const __grid_constant__ CUtensorMap out, int heads,
              int queries, int keys) {
  extern __shared__ unsigned char dynamic[];
  __shared__ Barriers barriers;
  unsigned char* q_tiles = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
  unsigned char* k_tiles = q_tiles + CONSUMERS * Q_BYTES;
  const Shared shared{q_tiles, k_tiles, k_tiles + STAGES * TILE_BYTES, &barriers};
  const Maps maps{q, k, v, out};
  const Lengths lengths{queries, keys};
  Schedule schedule(heads, lengths);
  if (threadIdx.x == 0) {
    prefetch(q);
    prefetch(k);
    prefetch(v);
    start_barriers(barriers);
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    give_registers<PRODUCERS_REGISTERS>();
    if (threadIdx.x == 0) produce(shared, maps, schedule);
    __syncwarp();
  } else {
    take_registers<CONSUMERS_REGISTERS>();
    Consumer consumer(shared, threadIdx.x / 128 - 1, lengths);
    Tile tile;
    while (schedule.next(tile)) {
      Sums sums;
      State state;
      consumer.attend(sums, state, tile);
      consumer.store(sums, state, tile, maps);
    }
    if (threadIdx.x % 128 == 0) wait_for_stores();
  }
}
