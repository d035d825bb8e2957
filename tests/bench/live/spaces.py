"""Parameters, values and restrictions of the three systems: for kt_NAME.py as they stand, for tailwave by gen_experiments.py.

Static shared memory is kept within 48 KiB by a restriction (more does not compile), a block within 1024 threads; too many registers
at the launch are left in, both tools meet those."""

SPACES = {
    "conv7": {
        "parameters": {
            "block_size_x": [16, 32, 64, 128],
            "block_size_y": [1, 2, 4, 8, 16],
            "TILE_X": [1, 2, 4, 8],
            "TILE_Y": [1, 2, 4, 8],
            "USE_SMEM": [0, 1],
            "PAD": [0, 1],
            "INTERLEAVE": [0, 1],
            "UNROLL": [0, 1, 2],
            "READ_ONLY": [0, 1],
        },
        "restrictions": [
            "64 <= block_size_x * block_size_y",
            "block_size_x * block_size_y <= 512",
            "TILE_X * TILE_Y <= 16",
            "PAD == 0 or USE_SMEM == 1",
            "INTERLEAVE == 0 or TILE_X > 1",
            "USE_SMEM == 0 or (block_size_x * TILE_X + 6 + PAD) * (block_size_y * TILE_Y + 6) <= 12288",
        ],
        "cpu": {"W": [67], "H": [45]},
    },
    "sgemm": {
        "parameters": {
            "block_size_x": [8, 16, 32],
            "block_size_y": [4, 8, 16, 32],
            "TM": [2, 4, 8],
            "TN": [2, 4, 8],
            "BK": [8, 16, 32],
            "VEC": [1, 4],
            "PAD": [0, 4],
            "STRIDED": [0, 1],
            "UNROLL_K": [1, 8],
        },
        "restrictions": [
            "64 <= block_size_x * block_size_y",
            "block_size_x * block_size_y <= 1024",
            "BK * (block_size_y * TM + PAD + block_size_x * TN) <= 12288",
        ],
        "cpu": {"M": [256], "N": [256], "K": [64]},
    },
    "spmv": {
        "parameters": {
            "block_size_x": [64, 128, 256, 512, 1024],
            "THREADS_PER_ROW": [1, 2, 4, 8, 16, 32],
            "ROWS_PER_GROUP": [1, 2, 4, 8],
            "ROW_STEP": [0, 1],
            "UNROLL": [1, 2, 4, 8],
            "VALUES_BY": [0, 1, 2],
            "X_BY": [0, 1],
            "REDUCE": [0, 1],
        },
        "restrictions": [
            "UNROLL * THREADS_PER_ROW <= 32",
            "REDUCE == 0 or THREADS_PER_ROW > 1",
            "ROW_STEP == 0 or ROWS_PER_GROUP > 1",
            "block_size_x * ROWS_PER_GROUP <= 2048",
        ],
        "cpu": {"ROWS": [1000]},
    },
}
