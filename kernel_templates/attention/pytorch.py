"""Attention by torch.nn.functional.scaled_dot_product_attention, which is timed here, an event before and one behind each call."""

import json
import sys
from pathlib import Path

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
WARMUP, CALLS = 3, 20


def main(backend, batch, heads, queries, keys, head_dim, causal, *files):
    batch, heads, queries, keys, head_dim = map(int, (batch, heads, queries, keys, head_dim))

    def read(file, length):
        numbers = torch.frombuffer(bytearray(Path(file).read_bytes()), dtype=torch.half)
        return numbers.view(batch, heads, length, head_dim).cuda()

    q, k, v = read(files[0], queries), read(files[1], keys), read(files[2], keys)
    # Of a mask alone PyTorch knows that the last query sees all keys; for as many queries as keys it is the usual one.
    how = {}
    if int(causal):
        how = {"is_causal": True} if queries == keys else {"attn_mask": causal_lower_right(queries, keys)}

    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with sdpa_kernel(BACKENDS[backend]), torch.no_grad():
        for call in range(WARMUP + CALLS):
            begun.record()
            out = scaled_dot_product_attention(q, k, v, **how)
            ended.record()
            ended.synchronize()
            if call >= WARMUP:
                print(json.dumps({"time_s": begun.elapsed_time(ended) / 1e3}))
    Path(files[3]).write_bytes(out.contiguous().cpu().numpy().tobytes())


main(*sys.argv[1:])
