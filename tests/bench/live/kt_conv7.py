import numpy as np
from kt_common import main

W = H = 4096


def arguments(rng):
    return [np.zeros(W * H, np.float32), rng.random((W + 6) * (H + 6), np.float32),
            (rng.random(49, np.float32) * np.float32(0.04)), np.int32(W), np.int32(H)]


main("conv7", arguments, (W, H), ["block_size_x", "TILE_X"], ["block_size_y", "TILE_Y"])
