// SPDX-License-Identifier: BSD-3-Clause
// Initialises Kokkos and sets OpenMP to one thread at the first kernel of a process.
#include "kernels/tensor/runtime.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>

#ifdef SHARDSTONE_HAVE_OPENMP
#include <omp.h>
#endif

namespace shardstone {

namespace {

class Runtime {
  public:
    Runtime() : owns_kokkos_(!Kokkos::is_initialized()) {
#ifdef SHARDSTONE_HAVE_OPENMP
        omp_set_num_threads(1);
#endif
        if (owns_kokkos_) Kokkos::initialize();
    }
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime() {
        if (owns_kokkos_ && Kokkos::is_initialized()) Kokkos::finalize();
    }

  private:
    bool owns_kokkos_;
};

}  // namespace

void ensure_runtime() {
    // Constructed after Kokkos' own statics, hence destroyed before them.
    static const Runtime runtime;
}

std::string runtime_name() {
    return fmt::format("Kokkos {}.{}.{} ({})", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                       KOKKOS_VERSION % 100, Kokkos::DefaultHostExecutionSpace::name());
}

}  // namespace shardstone
