// SPDX-License-Identifier: BSD-3-Clause
// Matrix products through CBLAS on one thread; warns where OpenBLAS has picked slow kernels.
#include "kernels/gemm/library.hpp"

#ifdef SHARDSTONE_HAVE_CBLAS
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace shardstone::detail {

namespace {

/// One rank drives one core; OpenBLAS would start a thread per core otherwise.
void use_one_thread() {
#ifdef OPENBLAS_VERSION
    static const bool done = [] {
        openblas_set_num_threads(1);
        return true;
    }();
    static_cast<void>(done);
#endif
}

CBLAS_TRANSPOSE transposition(bool transposed) {
    return transposed ? CblasTrans : CblasNoTrans;
}

#ifdef OPENBLAS_VERSION
bool cpu_has_avx512() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") != 0;
#else
    return false;
#endif
}
#endif

int narrow(std::int64_t value) {
    return static_cast<int>(value);
}

}  // namespace

void cblas_gemm(const GemmCall<float>& call) {
    use_one_thread();
    cblas_sgemm(CblasRowMajor, transposition(call.transpose_a), transposition(call.transpose_b),
                narrow(call.m), narrow(call.n), narrow(call.k), call.alpha, call.a,
                narrow(call.leading_a), call.b, narrow(call.leading_b), call.beta, call.c,
                narrow(call.leading_c));
}

void cblas_gemm(const GemmCall<double>& call) {
    use_one_thread();
    cblas_dgemm(CblasRowMajor, transposition(call.transpose_a), transposition(call.transpose_b),
                narrow(call.m), narrow(call.n), narrow(call.k), call.alpha, call.a,
                narrow(call.leading_a), call.b, narrow(call.leading_b), call.beta, call.c,
                narrow(call.leading_c));
}

std::string cblas_name() {
#ifdef OPENBLAS_VERSION
    std::string version = OPENBLAS_VERSION;
    std::erase(version, ' ');
    version.replace(0, version.find_first_of("0123456789"), "OpenBLAS ");
    return version + " " + openblas_get_corename();
#else
    return "CBLAS";
#endif
}

std::optional<std::string> cblas_warning() {
#ifdef OPENBLAS_VERSION
    static constexpr std::array<std::string_view, 4> with_avx512{"SkylakeX", "Cooperlake",
                                                                 "SapphireRapids", "Zen4"};
    const std::string_view core = openblas_get_corename();
    if (cpu_has_avx512() && std::ranges::find(with_avx512, core) == with_avx512.end()) {
        return fmt::format(
            "OpenBLAS uses its {} kernels on a CPU with AVX-512, at about half the "
            "speed: set OPENBLAS_CORETYPE=SkylakeX",
            core);
    }
#endif
    return std::nullopt;
}

}  // namespace shardstone::detail
#endif
