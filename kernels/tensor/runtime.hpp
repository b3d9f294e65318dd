// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone {

/// Starts the libraries under the kernels (Kokkos, OpenMP) once per process; later calls cost one
/// load. Every wrapper below kernels/tensor and kernels/gemm calls it, so that no other code has
/// to. If the program has already started Kokkos, it is used as it is. Finalized at exit.
///
/// One rank drives one core: OpenMP, which oneDNN uses, is set to one thread regardless of
/// OMP_NUM_THREADS, because ranks may already outnumber the cores.
void ensure_runtime();

/// "Kokkos 3.4.1 (Serial)", for the record.
std::string runtime_name();

}  // namespace shardstone
