"""tailwave.from_triton with the program that $TAILWAVE names. Started by run.sh in an empty folder."""

import io
import json
import os
import shutil
import subprocess
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from tailwave import from_triton

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

MANIFEST = Path("kernel_templates/add/system.json")
SYSTEM = {
    "schema_version": 1,
    "name": "add",
    "problem": {"N": {"type": "int", "default": 100}},
    "buffers": {name: {"type": "float32", "count": "N", "fill": {"kind": "uniform", "seed": seed}}
                for seed, name in enumerate(["x", "y"])},
    "reference": {"variant": "cpu", "compare": {"out": {"norm": "exact"}}},
    "variants": {"cpu": {"target": "host", "source": "cpu.cpp",
                         "launches": [{"function": "add", "args": ["x", "y", "out", "N"]}]}},
}
SYSTEM["buffers"]["out"] = {"type": "float32", "count": "N", "output_only": True}
PTX = """.version 8.7
.target sm_90a
.visible .entry add(
	.param .u64 .ptr .global .align 1 add_param_0,
	.param .u64 .ptr .global .align 1 add_param_1,
	.param .u64 .ptr .global .align 1 add_param_2,
	.param .u32 add_param_3,
	.param .u64 .ptr .global .align 1 add_param_4,
	.param .u64 .ptr .global .align 1 add_param_5
)
.reqntid 128
"""
# What ptxas makes of such a kernel; tests/data/triton/add.ptx says how.
CUBIN = (Path(__file__).resolve().parents[1] / "data/triton/add.cubin").read_bytes()
METADATA = {"name": "add", "num_warps": 4, "num_stages": 3, "num_ctas": 1, "shared": 512, "triton_version": "3.9.0"}
ARGS = ["x", "y", "out", "N"]


def cache_folder(name: str, ptx: str = PTX, **metadata) -> Path:
    """As Triton leaves one."""
    folder = Path("cache") / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__grp__add.json").write_text("{}")
    (folder / "add.json").write_text(json.dumps({**METADATA, **metadata}))
    (folder / "add.ptx").write_text(ptx)
    (folder / "add.cubin").write_bytes(CUBIN + b"code of " + name.encode())
    return folder


class FromTriton(unittest.TestCase):
    def setUp(self) -> None:
        shutil.rmtree("kernel_templates", ignore_errors=True)
        MANIFEST.parent.mkdir(parents=True)
        MANIFEST.write_text(json.dumps(SYSTEM))
        (MANIFEST.parent / "cpu.cpp").write_text(
            'extern "C" void add(const float* x, const float* y, float* out, int n) {\n'
            "  for (int i = 0; i < n; ++i) out[i] = x[i] + y[i];\n}\n")

    def variants(self) -> dict:
        return json.loads(MANIFEST.read_text())["variants"]

    def tailwave(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([os.environ["TAILWAVE"], *words], capture_output=True, text=True, check=False)

    def refusal(self, folder: Path, args=None) -> str:
        before = MANIFEST.read_text()
        with self.assertRaises(from_triton.TritonError) as caught:
            from_triton.add_variants(MANIFEST, "triton", [(folder, {})], args or ARGS, "N")
        self.assertEqual(MANIFEST.read_text(), before)
        return str(caught.exception)

    def test_a_kernel_of_the_cache_becomes_a_variant(self) -> None:
        names = from_triton.add_variants(MANIFEST, "triton", [(cache_folder("a"), {"BLOCK": 1024})], ARGS,
                                         "ceil_div(N, BLOCK)")
        self.assertEqual(names, ["triton_BLOCK1024_NUM_WARPS4_NUM_STAGES3"])
        self.assertEqual(self.variants()[names[0]], {
            "target": "cuda", "source": f"triton/{names[0]}.cubin", "description": "by Triton 3.9.0",
            "parameters": {"BLOCK": 1024, "NUM_WARPS": 4, "NUM_STAGES": 3},
            "launches": [{"kernel": "add", "grid": "ceil_div(N, BLOCK)", "block": 128, "dynamic_shared_bytes": 512,
                          "args": ["x", "y", "out", {"value": "N", "type": "int32"}, {"value": 0, "type": "uint64"},
                                   {"value": 0, "type": "uint64"}]}]})
        self.assertEqual((MANIFEST.parent / "triton" / f"{names[0]}.cubin").read_bytes(), CUBIN + b"code of a")
        checked = self.tailwave("check", str(MANIFEST))
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked)

    def test_another_call_takes_the_place_of_the_first(self) -> None:
        from_triton.add_variants(MANIFEST, "triton", [(cache_folder("a"), {"BLOCK": 64})], ARGS, "N")
        names = from_triton.add_variants(MANIFEST, "triton", [(cache_folder("a"), {"BLOCK": 128}),
                                                              (cache_folder("b", num_warps=8), {"BLOCK": 128})], ARGS, "N")
        self.assertEqual(list(self.variants()), ["cpu", *names])
        self.assertEqual(sorted(file.stem for file in (MANIFEST.parent / "triton").iterdir()), sorted(names))

    def test_what_no_manifest_can_say_is_refused(self) -> None:
        self.assertIn("runs in clusters of 2 blocks", self.refusal(cache_folder("c", num_ctas=2)))
        self.assertIn("needs 64 bytes of scratch memory (global_scratch_size)",
                      self.refusal(cache_folder("d", global_scratch_size=64)))
        descriptor = PTX.replace(".u32 add_param_3", ".align 64 .b8 add_param_3[128]")
        self.assertIn("a tensor descriptor is made by Triton's launcher alone", self.refusal(cache_folder("e", descriptor)))
        self.assertIn("parameter that has no type in a manifest: .param .pred p",
                      self.refusal(cache_folder("i", PTX.replace(".u32 add_param_3", ".pred p"))))
        self.assertIn("'args' names 2", self.refusal(cache_folder("a"), ["x", "y"]))
        self.assertIn("'N' is no buffer of the manifest, and the parameter is a pointer",
                      self.refusal(cache_folder("a"), ["x", "y", "N", "N"]))
        self.assertIn("kernel 'add' is not in its PTX", self.refusal(cache_folder("f", "")))
        (cache_folder("g") / "add.cubin").unlink()
        self.assertIn("add.cubin: not there", self.refusal(Path("cache/g")))
        self.assertIn("has 0 kernels", self.refusal(Path("cache")))
        before = MANIFEST.read_text()
        with self.assertRaisesRegex(from_triton.TritonError, "two kernels would be the variant"):
            from_triton.add_variants(MANIFEST, "triton", [(cache_folder("a"), {})] * 2, ARGS, "N")
        self.assertEqual(MANIFEST.read_text(), before)

    def test_the_command_does_the_same(self) -> None:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = from_triton.main([str(MANIFEST), "--args", "x,y,out,ceil_div(N, 1)", "--grid", "ceil_div(N, BLOCK); 1",
                                       f"{cache_folder('a')}:BLOCK=256,MODE=fast"])
        self.assertEqual((status, err.getvalue()), (0, ""))
        variant = self.variants()[out.getvalue().strip()]
        self.assertEqual(variant["parameters"], {"BLOCK": 256, "MODE": "fast", "NUM_WARPS": 4, "NUM_STAGES": 3})
        self.assertEqual(variant["launches"][0]["grid"], ["ceil_div(N, BLOCK)", 1])
        with redirect_stderr(err):
            self.assertEqual(from_triton.main([str(MANIFEST), "--args", "x", "--grid", "1", "cache/a:BLOCK"]), 1)
        self.assertEqual(err.getvalue(), "from_triton: 'BLOCK' in 'cache/a:BLOCK' is no NAME=VALUE\n")

    @unittest.skipIf(triton is None, "there is no package triton")
    def test_what_triton_compiles_is_planned_with_its_registers(self) -> None:
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        def add(x, y, out, n, BLOCK: tl.constexpr):  # noqa: N803
            index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            mask = index < n
            tl.store(out + index, tl.load(x + index, mask=mask) + tl.load(y + index, mask=mask), mask=mask)

        signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
        source = ASTSource(fn=triton.jit(add), signature=signature, constexprs={"BLOCK": 512})
        kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 8})
        names = from_triton.add_variants(MANIFEST, "triton", [(kernel, None)], ARGS, "ceil_div(N, BLOCK)")
        variant = self.variants()[names[0]]
        self.assertEqual(variant["parameters"]["BLOCK"], 512)
        self.assertEqual(variant["launches"][0]["block"], 256)
        experiment = Path("experiments/add/triton.json")
        experiment.parent.mkdir(parents=True, exist_ok=True)
        experiment.write_text(json.dumps({"schema_version": 1, "name": "triton", "system": "add", "question": "Does it run?",
                                          "cases": [{"variant": names[0]}], "metric": {"name": "time"}}))
        planned = self.tailwave("plan", str(experiment), "--target", "h100", "--format", "csv")
        if "NVRTC" in planned.stderr and planned.returncode != 0:
            self.skipTest(planned.stderr)
        self.assertEqual(planned.returncode, 0, planned)
        self.assertIn("BLOCK", planned.stdout)
        self.assertNotIn("compile_error", planned.stdout)


if __name__ == "__main__":
    unittest.main()
