"""The package `tailwave` with the program that $TAILWAVE names. Started by run.sh in an empty folder."""

import os
import subprocess
import unittest
from pathlib import Path

from tailwave.judge import Judge, RequestError, ServiceError

MANIFEST = """{
  "schema_version": 1, "name": "double", "title": "Twice as much",
  "problem": { "N": {"type": "int", "default": 100} },
  "buffers": {
    "x": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 1}},
    "y": {"type": "float32", "count": "N", "output_only": true} },
  "reference": { "variant": "cpu", "compare": {"y": {"norm": "exact"}} },
  "variants": {
    "cpu": { "target": "host", "source": "cpu.cpp",
             "launches": [ {"function": "twice", "args": ["y", "x", "N"]} ] },
    "gpu": { "target": "cuda", "source": "gpu.cu", "parameters": {"BLOCK": 32},
             "launches": [ {"kernel": "twice", "grid": "ceil_div(N, BLOCK)", "block": "BLOCK",
                            "args": ["y", "x", "N"]} ] } }
}"""
REFERENCE = """extern "C" void twice(float* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
}
"""


def kernel(factor: str) -> str:
    return f"""__global__ void twice(float* y, const float* x, int n) {{
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = {factor} * x[i];
}}
"""


def write_system() -> None:
    folder = Path("kernel_templates/double")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "system.json").write_text(MANIFEST)
    (folder / "cpu.cpp").write_text(REFERENCE)
    (folder / "gpu.cu").write_text(kernel("2"))


def judge(**options: object) -> Judge:
    return Judge("double", device="cpu", samples=3, **options)  # type: ignore[arg-type]


def listens(socket: str) -> bool:
    try:
        with Judge(socket=socket):
            return True
    except ServiceError:
        return False


class JudgeTest(unittest.TestCase):
    def test_verdicts(self) -> None:
        with judge() as service:
            good = service.judge(kernel("2"), BLOCK=16, problem={"N": 33})
            self.assertTrue(good.correct, good.detail)
            assert good.time_ns and good.speedup and good.build
            self.assertEqual(good.time_ns.samples, 3)
            self.assertLessEqual(good.time_ns.low, good.time_ns.median)
            self.assertGreater(good.speedup.ratio, 0)
            self.assertEqual(good.parameters, {"BLOCK": 16})
            self.assertEqual(good.problem, {"N": 33})
            self.assertEqual(good.kernels[0].grid, (3, 1, 1))
            # Of the GPU that it is compiled for, too, where there is NVRTC.
            self.assertNotEqual(good.kernels[0].registers, 0)
            self.assertEqual((good.checked[0].buffer, good.checked[0].phases), ("y", ("before", "while", "again")))
            self.assertEqual(good.draws, 2)
            bad = service.judge(kernel("3"))
            self.assertEqual((bad.outcome, bad.time_ns, bad.speedup), ("wrong_result", None, None))
            self.assertIn("before timing, buffer 'y'", bad.detail)
            self.assertEqual(service.judge("nonsense").outcome, "compile_error")

    def test_several_at_once(self) -> None:
        with judge() as service:
            wanted = {service.submit(kernel(factor)): factor for factor in ("2", "2.0f", "4")}
            found = {wanted[verdict.id]: verdict.outcome for verdict in service}
        self.assertEqual(found, {"2": "correct", "2.0f": "correct", "4": "wrong_result"})

    def test_a_refused_request_is_an_exception_and_the_service_goes_on(self) -> None:
        with judge() as service:
            with self.assertRaisesRegex(RequestError, "unknown parameter 'BLOK'\n  did you mean 'BLOCK'?"):
                service.judge(kernel("2"), BLOK=16)
            self.assertTrue(service.judge(kernel("2")).correct)
            with self.assertRaises(KeyError):
                service.wait(1)

    def test_what_cannot_be_started_says_why(self) -> None:
        with self.assertRaisesRegex(ServiceError, "the program 'no-such-program' is not there"):
            judge(program="no-such-program").start()
        with self.assertRaisesRegex(ServiceError, "unknown system 'duble'\n  did you mean 'double'?"):
            with Judge("duble", device="cpu") as service:
                service.judge(kernel("2"))
        with self.assertRaisesRegex(ServiceError, "nowhere: No such file or directory"):
            Judge(socket="nowhere").start()

    def test_what_no_request_can_have_is_not_waited_for(self) -> None:
        with judge() as service:
            for wrong, error in (
                ({"source": "x" * (5 << 20)}, ValueError),
                ({"source": "\ud800"}, ValueError),
                ({"source": b"x"}, TypeError),
                ({"source": "", "problem": {"N": float("nan")}}, ValueError),
                ({"source": "", "problem": {"N": 10**30}}, ValueError),
            ):
                with self.assertRaises(error):
                    service.submit(**wrong)
            service.submit(kernel("2") + "// \u00e4\n")
            self.assertEqual([verdict.outcome for verdict in service], ["correct"])

    def test_long_answers_hold_up_nobody(self) -> None:
        said = "".join(f'#warning "{"x" * 150}"\n' for _ in range(3000))
        with judge() as service:
            for _ in range(101):
                service.submit(said + kernel("2"), reuse=True)
            self.assertEqual({verdict.correct for verdict in service}, {True})

    def test_who_ends_in_between_or_is_another_program_is_named(self) -> None:
        with judge() as service:
            assert service._process
            service._process.kill()
            with self.assertRaisesRegex(ServiceError, "it ended with status -9"):
                service.judge(kernel("2"))
        other = "#!/bin/sh\nread request\necho hello\n"
        for text, error in (("", "cannot be started"), (other, "no answer of tailwave judge: .*hello")):
            Path("other").write_text(text)
            Path("other").chmod(0o755)
            with self.assertRaisesRegex(ServiceError, error):
                with judge(program="./other") as service:
                    service.wait(service.submit(""))
        with self.assertRaisesRegex(ServiceError, "cannot be started: .*nowhere"):
            judge(folder="nowhere").start()
        with self.assertRaisesRegex(ServiceError, "xx: AF_UNIX path too long"):
            Judge(socket="x" * 200).start()

    def test_a_socket(self) -> None:
        command = [os.environ["TAILWAVE"], "judge", "--serve", "--system", "double", "--device", "cpu"]
        # What it says at its end is of no interest here.
        with subprocess.Popen([*command, "--samples", "3", "--socket", "socket", "--quiet"]) as service:
            while not listens("socket"):
                self.assertIsNone(service.poll())
            with Judge(socket="socket") as one, Judge(socket="socket") as two:
                one.submit(kernel("2"))
                self.assertEqual(two.judge(kernel("3")).outcome, "wrong_result")
                self.assertEqual([verdict.outcome for verdict in one], ["correct"])
            service.terminate()
        self.assertEqual(service.returncode, 0)

    def test_the_example_finds_a_better_kernel(self) -> None:
        example = Path(os.environ["TAILWAVE_SOURCE_DIR"]) / "experiments/nbody/improve.py"
        result = subprocess.run(
            ["python3", example, "--device", "cpu", "--bodies", "64", "--samples", "3", "--rounds", "1"],
            cwd=os.environ["TAILWAVE_SOURCE_DIR"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^best: ")


if __name__ == "__main__":
    write_system()
    unittest.main(verbosity=2)
