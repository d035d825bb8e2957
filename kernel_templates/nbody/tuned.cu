// All-pairs softened gravity, each pair of bodies computed once.
//
// A warp holds a tile of 32 * BODIES_PER_THREAD bodies in registers and meets 32 other bodies in 32 rotations: in
// rotation k, lane l has body (l + k) % 32 of the others, adds the pull to its own sums and the opposite pull to the
// sum of the other body, which then travels to lane l - 1. The tiles form a ring; each meets itself and the half of
// the ring that follows it. Without THIRD_LAW it meets the whole ring and the others get nothing.
//
// One launch is one time step. It begins with the move that the step before left undone, so that no block waits for
// another: whoever needs a position completes it, and the blocks of part 0 store it. State, in float4 with w unused:
//   drifted     position + dt * velocity, before the last pull: even and odd steps
//   velocities  before the last pull
//   sums        the last pull, the one being summed, and the one being cleared for the step after
// hence position = drifted + dt^2 * sum and velocity = velocity + dt * sum.

namespace {

constexpr int kLanes = 32;
constexpr int kWarps = BLOCK_SIZE / kLanes;
constexpr int kTile = kLanes * BODIES_PER_THREAD;
constexpr int kUnroll = UNROLL;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr float kSoftening = 1e-9f;
// Where the bodies are that fill the last tile: near enough for a finite square of the distance, too far to pull.
constexpr float kFarAway = 1e18f;

struct State {
  const float4 *drifted, *sums;
  float4 *next_drifted, *next_sums, *cleared_sums;
};

// Steps are counted modulo 6: two buffers of drifted positions, three of sums.
__device__ State state_at(unsigned step, float4* drifted, float4* sums, int padded) {
  return {drifted + step % 2 * padded, sums + step % 3 * padded, drifted + (step + 1) % 2 * padded,
          sums + (step + 1) % 3 * padded, sums + (step + 2) % 3 * padded};
}

// position + scale * direction
__device__ float4 along(const float4& position, float scale, const float4& direction) {
  return make_float4(fmaf(scale, direction.x, position.x), fmaf(scale, direction.y, position.y),
                     fmaf(scale, direction.z, position.z), 0.0f);
}

__device__ float reciprocal_square_root(float x) {
#ifdef __CUDA_ARCH__
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#else
  return rsqrtf(x);
#endif
}

// The pulls between `other` and the bodies of this thread: for each, 14 arithmetic instructions and a root. Beyond a
// distance of 2.6e6 the cube overflows and the weight, below 6e-20, is 0.
__device__ void interact(const float3 (&position)[BODIES_PER_THREAD], const float4& other,
                         float3 (&sum)[BODIES_PER_THREAD], float3& other_sum) {
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
    const float dx = other.x - position[i].x;
    const float dy = other.y - position[i].y;
    const float dz = other.z - position[i].z;
    const float square = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, kSoftening)));
    const float weight = reciprocal_square_root(square * square * square);
    sum[i].x = fmaf(dx, weight, sum[i].x);
    sum[i].y = fmaf(dy, weight, sum[i].y);
    sum[i].z = fmaf(dz, weight, sum[i].z);
    if (THIRD_LAW) {
      other_sum.x = fmaf(-dx, weight, other_sum.x);
      other_sum.y = fmaf(-dy, weight, other_sum.y);
      other_sum.z = fmaf(-dz, weight, other_sum.z);
    }
  }
}

__device__ float from_next_lane(float value) {
  return __shfl_sync(kAllLanes, value, static_cast<int>(threadIdx.x + 1) % kLanes);
}

__device__ void add(float4* sum, const float3& value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(sum), "f"(value.x), "f"(value.y), "f"(value.z), "f"(0.0f)
               : "memory");
#else
  atomicAdd(&sum->x, value.x);
  atomicAdd(&sum->y, value.y);
  atomicAdd(&sum->z, value.z);
#endif
}

// What a block has to do: `stripes` times 32 others, from the ring's body `first_other` on.
struct Share {
  int first_body;  // of its tile
  int first_other;
  int stripes;
  int padded;  // bodies in all tiles

  // The body that this lane has in a stripe.
  __device__ int other(int stripe) const {
    const int index = first_other + stripe * kLanes + static_cast<int>(threadIdx.x) % kLanes;
    return index < padded ? index : index - padded;
  }
};

// gridDim.x tiles, with gridDim.y blocks for each to share the partners: all tiles, or the tile itself and half of the
// others. With an even number of tiles the opposite one is a partner of the first half of the tiles only.
__device__ Share share_of_block() {
  const int tiles = gridDim.x;
  const int tile = blockIdx.x;
  const int parts = gridDim.y;
  const int most = THIRD_LAW ? tiles / 2 + 1 : tiles;
  const int partners = THIRD_LAW && tiles % 2 == 0 && tile >= tiles / 2 ? most - 1 : most;
  const int each = (most + parts - 1) / parts;
  const int first = blockIdx.y * each;
  const int count = min(first + each, partners) - first;
  return {tile * kTile, (tile + first) * kTile, count * BODIES_PER_THREAD, tiles * kTile};
}

// Positions of the block's tile into shared memory. The blocks of part 0 also store what the next step needs.
__device__ void move_tile(const State& state, float4* velocities, float dt, int first_body,
                          float4* positions) {
  for (int body = threadIdx.x; body < kTile; body += BLOCK_SIZE) {
    const int index = first_body + body;
    const float4 pull = state.sums[index];
    const float4 position = along(state.drifted[index], dt * dt, pull);
    positions[body] = position;
    if (blockIdx.y == 0) {
      const float4 velocity = along(velocities[index], dt, pull);
      velocities[index] = velocity;
      state.next_drifted[index] = along(position, dt, velocity);
      state.cleared_sums[index] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
  }
}

// All pairs of the warp's bodies with 32 others, one in each lane. `staged` is the warp's own. Returns the pull on
// the lane's other body.
__device__ float3 meet(const float3 (&position)[BODIES_PER_THREAD], const float4& other,
                       float3 (&sum)[BODIES_PER_THREAD], float4* staged) {
  const int lane = threadIdx.x % kLanes;
  __syncwarp();
  staged[lane] = other;
  staged[lane + kLanes] = other;
  __syncwarp();
  float3 other_sum = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll kUnroll
  for (int rotation = 0; rotation < kLanes; ++rotation) {
    interact(position, staged[lane + rotation], sum, other_sum);
    if (THIRD_LAW) {
      other_sum.x = from_next_lane(other_sum.x);
      other_sum.y = from_next_lane(other_sum.y);
      other_sum.z = from_next_lane(other_sum.z);
    }
  }
  return other_sum;
}

// Adds the sums of all warps, each over the whole tile, to `sums`.
__device__ void add_tile(const float3 (&sum)[BODIES_PER_THREAD], float (*partial)[3][kTile], float4* sums) {
  const int lane = threadIdx.x % kLanes;
  const int warp = threadIdx.x / kLanes;
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
    partial[warp][0][i * kLanes + lane] = sum[i].x;
    partial[warp][1][i * kLanes + lane] = sum[i].y;
    partial[warp][2][i * kLanes + lane] = sum[i].z;
  }
  __syncthreads();
  for (int body = threadIdx.x; body < kTile; body += BLOCK_SIZE) {
    float3 total = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      total.x += partial[w][0][body];
      total.y += partial[w][1][body];
      total.z += partial[w][2][body];
    }
    add(&sums[body], total);
  }
}

}  // namespace

// progress: the step's number modulo 6, and how many blocks of this launch have read it.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, 1)
    step(float4* drifted, float4* velocities, float4* sums, unsigned* progress, float dt) {
  __shared__ float4 own[kTile];
  __shared__ float4 staged[kWarps][2 * kLanes];
  __shared__ float partial[kWarps][3][kTile];

  const int warp = threadIdx.x / kLanes;
  const unsigned number = *static_cast<volatile unsigned*>(progress);
  const Share share = share_of_block();
  const State state = state_at(number, drifted, sums, share.padded);

  float4 other_drifted, other_pull;
  const auto load_other = [&](int stripe) {
    // Beyond the last stripe: a body that pulls nobody.
    other_drifted = make_float4(kFarAway, kFarAway, kFarAway, 0.0f);
    other_pull = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (stripe >= share.stripes) return;
    other_drifted = state.drifted[share.other(stripe)];
    other_pull = state.sums[share.other(stripe)];
  };
  load_other(warp);
  move_tile(state, velocities, dt, share.first_body, own);
  __syncthreads();
  unsigned arrived = 0;
  if (threadIdx.x == 0) arrived = atomicAdd(&progress[1], 1u);

  float3 position[BODIES_PER_THREAD];
  float3 sum[BODIES_PER_THREAD];
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
    const float4 body = own[i * kLanes + threadIdx.x % kLanes];
    position[i] = make_float3(body.x, body.y, body.z);
    sum[i] = make_float3(0.0f, 0.0f, 0.0f);
  }
  // The same count for all warps, or the compiler guards every shuffle against divergence.
  for (int round = 0; round < share.stripes; round += kWarps) {
    const int stripe = round + warp;
    const float3 other_sum = meet(position, along(other_drifted, dt * dt, other_pull), sum, staged[warp]);
    const bool is_own_tile = blockIdx.y == 0 && stripe < BODIES_PER_THREAD;
    if (THIRD_LAW && stripe < share.stripes && !is_own_tile)
      add(&state.next_sums[share.other(stripe)], other_sum);
    load_other(stripe + kWarps);
  }
  add_tile(sum, partial, state.next_sums + share.first_body);

  if (threadIdx.x == 0 && arrived == gridDim.x * gridDim.y - 1) {
    progress[1] = 0;
    progress[0] = (number + 1) % 6;
  }
}

// bodies -> state before the first step: nothing drifted, no pull; the last tile filled up.
extern "C" __global__ void pack(const float* bodies, float4* drifted, float4* velocities, float4* sums,
                                unsigned* progress, int n) {
  const int padded = (n + kTile - 1) / kTile * kTile;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) progress[0] = progress[1] = 0;
  if (i >= padded) return;
  const float* body = bodies + 6 * i;
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  drifted[i] =
      i < n ? make_float4(body[0], body[1], body[2], 0.0f) : make_float4(kFarAway, kFarAway, kFarAway, 0.0f);
  velocities[i] = i < n ? make_float4(body[3], body[4], body[5], 0.0f) : zero;
  sums[i] = sums[i + padded] = sums[i + 2 * padded] = zero;
}

// state -> bodies, with the move that the last step left undone.
extern "C" __global__ void unpack(float* bodies, float4* drifted, const float4* velocities, float4* sums,
                                  const unsigned* progress, float dt, int n) {
  const int padded = (n + kTile - 1) / kTile * kTile;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const State state = state_at(progress[0], drifted, sums, padded);
  const float4 position = along(state.drifted[i], dt * dt, state.sums[i]);
  const float4 velocity = along(velocities[i], dt, state.sums[i]);
  bodies[6 * i] = position.x;
  bodies[6 * i + 1] = position.y;
  bodies[6 * i + 2] = position.z;
  bodies[6 * i + 3] = velocity.x;
  bodies[6 * i + 4] = velocity.y;
  bodies[6 * i + 5] = velocity.z;
}
