import numpy as np
from kt_common import main

ROWS = 262144


def arguments(rng):
    i = np.arange(ROWS + 1)
    row_start = (i // 8 * 256 + np.array([0, 4, 16, 36, 64, 100, 152, 160])[i % 8]).astype(np.int32)
    def real(n):
        return rng.random(n, np.float32) * np.float32(2) - np.float32(1)
    return [np.zeros(ROWS, np.float32), row_start, rng.integers(0, ROWS, 32 * ROWS, dtype=np.int32), real(32 * ROWS), real(ROWS),
            np.int32(ROWS)]


main("spmv", arguments, (ROWS,), "block_size_x // THREADS_PER_ROW * ROWS_PER_GROUP")
