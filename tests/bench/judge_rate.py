"""What judge.sh measures."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

TAILWAVE, ROOT, DEVICE = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
SOURCES, REQUESTS, BODIES = (int(word) for word in sys.argv[4:7])
NBODY = ROOT / "kernel_templates/nbody"
TRANSPOSE = ROOT / "tests/bench/systems/kernel_templates/transpose"
MIB = 1 << 20


def source(number):
    """The variant `shared` with a softening of its own, which changes the code and no result beyond its tolerance."""
    header = (NBODY / "shared.cuh").read_text().replace("#pragma once", "")
    text = (NBODY / "shared.cu").read_text().replace('#include "shared.cuh"', header)
    assert text.count("1e-9f") == 1
    return text.replace("1e-9f", f"{1e-9 * (1 + 1e-6 * (number + 1)):.9e}f")


def transpose(number):
    """With other code each time, for a matrix of 4096 rows."""
    text = (TRANSPOSE / "tiled.cu").read_text()
    assert text.count("__syncthreads();") == 1
    return text.replace("__syncthreads();", f"if (n == {5000 + number}) return;\n  __syncthreads();")


def parents():
    """By process, its parent."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                found[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                pass  # it has ended meanwhile
    return found


def held(service):
    """Processes, MiB and descriptors of the service and all its children; those that end meanwhile do not count. Beside
    them MiB and descriptors of the service itself, whose children come and go."""
    tree = parents()
    alive = {service}
    while True:
        more = {pid for pid, parent in tree.items() if parent in alive} - alive
        if not more:
            break
        alive |= more
    processes = memory = descriptors = 0
    own = (0, 0)
    for pid in alive:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            count = len(os.listdir(f"/proc/{pid}/fd"))
        except (OSError, IndexError):
            continue
        size = pages * os.sysconf("SC_PAGE_SIZE") / MIB
        processes, memory, descriptors = processes + 1, memory + size, descriptors + count
        if pid == service:
            own = (size, count)
    return processes, memory, descriptors, own


class Service:
    def __init__(self, folder=NBODY, variant="shared", problem=f"N={BODIES}"):
        command = [TAILWAVE, "judge", "--serve", "--system", str(folder), "--variant", variant, "--device", DEVICE]
        command += ["--problem", problem, "--quiet"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)

    def judge(self, lines, watch=lambda count: None):
        """The answers to all lines, which another thread writes meanwhile."""
        stdin = self.process.stdin

        def write():
            for line in lines:
                stdin.write(line)
            stdin.flush()

        writer = threading.Thread(target=write)
        writer.start()
        answers = []
        for count in range(1, len(lines) + 1):
            answers.append(json.loads(self.process.stdout.readline()))
            watch(count)
        writer.join()
        return answers

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            sys.exit(f"the service ended with status {self.process.returncode}")


def request(number, text, **more):
    return (json.dumps({"id": number, "source": text, **more}) + "\n").encode()


def rate(service, what, lines):
    start = time.monotonic()
    answers = service.judge(lines)
    seconds = time.monotonic() - start
    wrong = [answer for answer in answers if answer.get("outcome") != "correct"]
    if wrong:
        sys.exit(f"{len(wrong)} of {len(answers)} are not correct, for example {json.dumps(wrong[0])[:2000]}")
    print(f"{what}: {len(lines)} in {seconds:.2f} s, {len(lines) / seconds:.1f} a second", flush=True)


def rates(service, count, text_of):
    service.judge([request(0, text_of(-1))])  # starts processes, computes the reference, times the baseline
    rate(service, "never seen", [request(number, text_of(1000 + number)) for number in range(count)])
    rate(service, "cached", [request(number, text_of(1000 + number)) for number in range(count)])
    service.end()


def random_request(number, random_numbers):
    """A line, and what its answer has to be: an outcome, or None for an error."""
    kind = random_numbers.random()
    text = source(random_numbers.randrange(50))
    if kind < 0.5:
        return request(number, text, reuse=random_numbers.random() < 0.3), {"correct"}
    if kind < 0.7:
        return request(number, text.replace("dt, n", "0.5f * dt, n")), {"wrong_result"}
    if kind < 0.8:
        return request(number, f"nonsense {random_numbers.randrange(100)}"), {"compile_error"}
    if kind < 0.83:
        body = "if (threadIdx.x == 0) *(volatile float*)(8ull << 40) = 1;"
        crash = f'extern "C" __global__ void body_force(float*, float, int) {{ {body} }}\n'
        move = 'extern "C" __global__ void move(float*, float, int) {}\n'
        return request(number, crash + move), {"crashed", "illegal_access"}
    if kind < 0.9:
        too_large = {"launch_failed", "exceeds_device_limit", "compile_error"}
        return request(number, text, params={"BLOCK_SIZE": 1 << 20}), too_large
    if kind < 0.95:
        return b'{"id": %d, "sorce": ""}\n' % number, None
    return os.urandom(20).hex().encode() + b"\n", None


def endure(service):
    random_numbers = random.Random(1)
    asked = [random_request(number, random_numbers) for number in range(REQUESTS)]
    samples = {}

    def watch(count):
        if count in (REQUESTS // 10, REQUESTS):
            samples[count] = held(service.process.pid)

    start = time.monotonic()
    answers = service.judge([line for line, _ in asked], watch)
    seconds = time.monotonic() - start
    for answer in answers:
        wanted = None if answer["id"] is None else asked[answer["id"]][1]
        if (wanted is None) != ("error" in answer) or (wanted is not None and answer["outcome"] not in wanted):
            sys.exit(f"expected {wanted}: {json.dumps(answer)[:2000]}")
    print(f"random requests: {REQUESTS} in {seconds:.1f} s, {REQUESTS / seconds:.1f} a second; all answers as they should be")
    for count, (processes, memory, descriptors, (own_memory, own_descriptors)) in samples.items():
        print(
            f"after {count}: {processes} processes, {memory:.0f} MiB, {descriptors} descriptors; "
            f"the service itself {own_memory:.1f} MiB, {own_descriptors} descriptors"
        )
    (_, before, _, (own_before, files_before)), (_, after, _, (own_after, files_after)) = samples.values()
    # A worker or compile process may just be there or not, with its socket.
    if files_after > files_before + 4 or own_after > 1.1 * own_before + 16 or after > 1.2 * before + 64:
        sys.exit("something was left behind")


print(f"{SOURCES} sources of {len(source(0))} bytes, {BODIES} bodies ({24 * BODIES >> 10} KiB)", flush=True)
rates(Service(), SOURCES, source)
print(f"{SOURCES // 4} sources of {len(transpose(0))} bytes, transpose of 64 MiB", flush=True)
rates(Service(TRANSPOSE, "tiled", "N=4096"), SOURCES // 4, transpose)
if REQUESTS > 0:
    service = Service()
    endure(service)
    service.end()
