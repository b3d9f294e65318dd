# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe (Spack 1.0 and later), built from a checkout:
    spack repo create REPO shardstone && spack repo add REPO/spack_repo/shardstone
    mkdir -p REPO/spack_repo/shardstone/packages/shardstone
    cp jobs/packaging/spack/package.py REPO/spack_repo/shardstone/packages/shardstone
    spack dev-build shardstone@main
"""
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Shardstone(CMakePackage):
    """Benchmark and reference suite for training large language models on clusters: collectives
    of its own beside MPI's, and a trainer whose every layout is proved against one rank."""

    license("BSD-3-Clause")

    version("main")

    variant("march", default="native", values=str,
            description="Value of -march=: what the processors of all nodes have")
    variant("cuda", default=False, description="Build what runs on NVIDIA GPUs")
    variant("nccl", default=False, when="+cuda", description="NCCL among the executors")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi")
    depends_on("hdf5~mpi")
    depends_on("kokkos@3.4:5")
    depends_on("onednn")
    depends_on("openblas")
    depends_on("benchmark")
    depends_on("googletest")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("tomlplusplus")
    depends_on("hwloc")
    depends_on("xxhash")
    depends_on("libzip@1.7:")
    depends_on("openssl")
    depends_on("boost+context+math")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl", when="+nccl")

    # C++20 with <span> and ranges.
    conflicts("%gcc@:11")
    conflicts("%clang@:15")

    generator("ninja")
    build_targets = ["shardstone"]

    def cmake_args(self):
        return [
            self.define_from_variant("SHARDSTONE_ARCH", "march"),
            self.define("SHARDSTONE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("SHARDSTONE_UNITY", True),
            # Otherwise installing would build the tests first.
            self.define("CMAKE_SKIP_INSTALL_ALL_DEPENDENCY", True),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.shardstone)("--version")
