import numpy as np
from kt_common import main

M = N = K = 2048


def arguments(rng):
    def matrix(rows, columns):
        return rng.random(rows * columns, np.float32) * np.float32(2) - np.float32(1)
    return [np.zeros(M * N, np.float32), matrix(M, K), matrix(K, N), np.int32(M), np.int32(N), np.int32(K)]


main("sgemm", arguments, (N, M), ["block_size_x", "TN"], ["block_size_y", "TM"])
