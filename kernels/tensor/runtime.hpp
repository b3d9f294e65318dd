// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone {

/// Starts the libraries under the kernels (Kokkos, OpenMP) once per process; later calls cost one
/// load. Every wrapper below kernels/tensor and kernels/gemm calls it, so that nobody else has to.
/// A Kokkos that the program has already started is used as it is. Ended at exit.
///
/// One rank drives one core: OpenMP, which oneDNN uses, is set to one thread whatever
/// OMP_NUM_THREADS says, because ranks may already outnumber the cores.
void ensure_runtime();

/// "Kokkos 3.4.1 (Serial)", for the record.
std::string runtime_name();

}  // namespace shardstone
