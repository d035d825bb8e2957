#!/usr/bin/env python3
"""Improves a kernel in a loop: rewrites the n-body kernel `basic` by a template, keeps what is verified and faster.

    python3 experiments/nbody/improve.py --device cuda:0

Needs the package (`pip install .`) and the program (on the PATH, or named by $TAILWAVE). docs/judging.md explains it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Iterator

from tailwave.judge import Judge, Verdict

SYSTEM = Path(__file__).resolve().parents[2] / "kernel_templates/nbody"


def pull(x: str, y: str, z: str) -> str:
    """Adds the pull of the body at that place."""
    return f"""const float dx = {x} - x, dy = {y} - y, dz = {z} - z;
      const float root = ROOT(dx * dx + dy * dy + dz * dz + 1e-9f);
      const float weight = root * root * root;
      sum_x += dx * weight, sum_y += dy * weight, sum_z += dz * weight;"""


FROM_MEMORY = f"""#pragma unroll UNROLL
    for (int j = 0; j < n; ++j) {{
      {pull("bodies[6 * j]", "bodies[6 * j + 1]", "bodies[6 * j + 2]")}
    }}"""

FROM_TILES = f"""__shared__ float tile_x[BLOCK_SIZE], tile_y[BLOCK_SIZE], tile_z[BLOCK_SIZE];
    for (int start = 0; start < n; start += BLOCK_SIZE) {{
      const int other = start + threadIdx.x;
      if (other < n) {{
        tile_x[threadIdx.x] = bodies[6 * other];
        tile_y[threadIdx.x] = bodies[6 * other + 1];
        tile_z[threadIdx.x] = bodies[6 * other + 2];
      }}
      __syncthreads();
      const int count = min(BLOCK_SIZE, n - start);
#pragma unroll UNROLL
      for (int j = 0; j < count; ++j) {{
      {pull("tile_x[j]", "tile_y[j]", "tile_z[j]")}
      }}
      __syncthreads();
    }}"""

KERNELS = """extern "C" __global__ void body_force(float* bodies, float dt, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const float* own = bodies + 6 * min(i, n - 1);
  const float x = own[0], y = own[1], z = own[2];
  float sum_x = 0, sum_y = 0, sum_z = 0;
  {
    LOOP
  }
  if (i >= n) return;
  bodies[6 * i + 3] += dt * sum_x;
  bodies[6 * i + 4] += dt * sum_y;
  bodies[6 * i + 5] += dt * sum_z;
}

extern "C" __global__ void move(float* bodies, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) bodies[6 * i + k] += dt * bodies[6 * i + 3 + k];
}
"""


@dataclass(frozen=True)
class Rewrite:
    """A point of what the template can say. The values of a field are those of CHOICES."""

    block_size: int = 128
    unroll: int = 1
    tiles: bool = False
    root: str = "1.0f / sqrtf"

    def source(self) -> str:
        loop = FROM_TILES if self.tiles else FROM_MEMORY
        return KERNELS.replace("LOOP", loop).replace("UNROLL", str(self.unroll)).replace("ROOT", self.root)

    def neighbours(self) -> Iterator["Rewrite"]:
        """All that differ in one field."""
        for field in fields(self):
            for value in CHOICES[field.name]:
                if value != getattr(self, field.name):
                    yield replace(self, **{field.name: value})  # type: ignore[arg-type]


CHOICES = {
    "block_size": (32, 64, 128, 256),
    "unroll": (1, 4, 8, 16),
    "tiles": (False, True),
    "root": ("1.0f / sqrtf", "rsqrtf"),
}


def said_of(rewrite: Rewrite, verdict: Verdict) -> str:
    if not (verdict.correct and verdict.time_ns and verdict.speedup):
        return f"{rewrite}: {verdict.outcome}: {verdict.detail.splitlines()[0]}"
    return (
        f"{rewrite}: {verdict.time_ns.median / 1e3:.1f} us, "
        f"{verdict.speedup.ratio:.2f} times as fast ({verdict.speedup.low:.2f} to {verdict.speedup.high:.2f})"
    )


def improve(judge: Judge, rounds: int) -> None:
    best = Rewrite()
    verdict_of_best = judge.judge(best.source(), BLOCK_SIZE=best.block_size)
    print(said_of(best, verdict_of_best))
    for _ in range(rounds):
        # All at once: they are built while others are measured.
        asked = {
            judge.submit(rewrite.source(), BLOCK_SIZE=rewrite.block_size, reuse=True): rewrite
            for rewrite in best.neighbours()
        }
        found = best
        for verdict in judge:
            rewrite = asked[verdict.id]
            print(said_of(rewrite, verdict))
            # What is shown to be faster, not what came out so.
            reached = verdict_of_best.speedup.high if verdict_of_best.speedup else 0.0
            if verdict.speedup and verdict.speedup.low > reached:
                found, verdict_of_best = rewrite, verdict
        if found == best:
            break
        best = found
    print(f"best: {said_of(best, verdict_of_best)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--bodies", type=int, default=4096)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--rounds", type=int, default=10, help="at most; it ends when nothing is faster")
    options = parser.parse_args()
    with Judge(
        str(SYSTEM), variant="basic", device=options.device, problem={"N": options.bodies}, samples=options.samples
    ) as judge:
        improve(judge, options.rounds)


if __name__ == "__main__":
    main()
