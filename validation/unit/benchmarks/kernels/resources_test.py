# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler makes of the kernels: resources_test.py BEHAVIOUR NVCC FOLDER-OF-THE-PROJECT [ARCHITECTURE]"""
import json
import pathlib
import subprocess
import sys
import tempfile

NVCC, ROOT = sys.argv[2], pathlib.Path(sys.argv[3])
LIMITS = {"warps": 64, "registers": 255}

# Of 64 values of each of 1024 threads, which may have 64 registers: 32 for two blocks at once.
SPILLING = """
__global__ void __launch_bounds__(1024, 2) keeps_too_much(float* x) {
    float kept[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) kept[i] = x[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64; ++i) x[i * 1024 + threadIdx.x] = kept[i] * kept[63 - i] + kept[(i * 7) % 64];
}
__global__ void __launch_bounds__(256) keeps_little(float* x) {
    __shared__ float all[8192];
    all[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = all[255 - threadIdx.x];
}
"""


def expect(condition, what, seen=""):
    if not condition:
        sys.exit(f"NOT TRUE: {what}: {seen}")


def resources(*words):
    """Its exit code, what it prints, and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        command = [ROOT / "benchmarks/kernels/device/resources", "--nvcc", NVCC, "--json", file, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        rows = json.loads(file.read_text())["kernels"] if file.exists() else []
    return done.returncode, done.stdout + done.stderr, rows


def spills_are_found():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "spilling.cu"
        source.write_text(SPILLING)
        code, said, rows = resources(source)
        source.write_text("no C++\n")
        refused, _, _ = resources(source)
    expect(code == 1 and "2 kernels, 1 spill registers" in said, "one of two spills, and that is no success", said)
    of = {row["kernel"]: row for row in rows}
    expect(of["keeps_too_much"]["spilled_bytes"] > 0 and of["keeps_too_much"]["registers"] <= 32, "which is named", of)
    expect(of["keeps_little"]["spilled_bytes"] == 0, "the other does not", of)
    # 228 KiB of a multiprocessor hold six blocks of 32 KiB and the system's 1 KiB: 48 warps.
    expect((of["keeps_little"]["shared_bytes"], of["keeps_little"]["warps"]) == (32768, 48), "its memory limits it", of)
    expect(refused == 2, "what the compiler refuses is no table", refused)
    expect(resources("--nvcc", "/nonexistent/nvcc")[0] == 2 and resources("--only", "no such path")[0] == 2,
           "nor is one without compiler or kernels")


def attention_uses_tensor_cores(only="transformer/attention_forward"):
    code, said, rows = resources("--only", only)
    expect(code == 0, "no kernel spills", said)
    on_units = [row for row in rows if "matrix_unit" in row["kernel"]]
    for kind in ("bf16", "fp16"):
        expect(any(kind in row["kernel"] for row in on_units), f"there are such kernels of {kind}", said)
    for row in on_units:
        expect(row["mma"] > 0 and row["cp_async"] > 0, "tensor cores multiply, copies go on by themselves", row)
    plain = [row for row in rows if row not in on_units]
    expect(plain and not any(row["mma"] for row in plain), "and FP32 is not rounded to what they take", said)


def every_kernel():
    arch = sys.argv[4]
    code, said, rows = resources("--arch", arch)
    print(said)
    # Attention of heads of 128 keeps 257 registers' worth on Ampere, whose compiler puts two away. That of heads of 32
    # in FP32 takes 98 on Hopper; Blackwell's compiler puts four away to have room for a third block.
    most_spilled = {"80": 8, "100": 32}.get(arch, 0)
    spilled = max(row["spilled_bytes"] for row in rows) if rows else 0
    expect(code == (1 if spilled else 0) and spilled <= most_spilled,
           f"every kernel is compiled for sm_{arch}, and none spills more than {most_spilled} B", said)
    files = {str(file.relative_to(ROOT)) for folder in ("kernels", "collectives", "reference", "benchmarks")
             for file in (ROOT / folder).glob("**/*.cu")}
    expect({row["file"] for row in rows} == files, "each file has some", files)
    for row in rows:
        expect(all(0 < row[name] <= most for name, most in LIMITS.items()), "within what a GPU has", row)


{each.__name__: each for each in (spills_are_found, attention_uses_tensor_cores, every_kernel)}[sys.argv[1]]()
