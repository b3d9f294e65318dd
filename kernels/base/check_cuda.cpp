// SPDX-License-Identifier: BSD-3-Clause
// Turns a failed call of the CUDA runtime into an Error that says what failed and where.
#include "kernels/base/check_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/base/error.hpp"

namespace shardstone {

std::string place_of(const std::source_location& where) {
    std::string_view file = where.file_name();
    for (const std::string_view folder :
         {"kernels/", "collectives/", "benchmarks/", "validation/"}) {
        const std::size_t at = file.rfind(folder);
        if (at == std::string_view::npos) continue;
        file.remove_prefix(at);
        break;
    }
    return fmt::format("{}:{}", file, where.line());
}

namespace {

/// What only a kernel of ours, or of a library that we call, can do.
constexpr std::array faults_of_kernels{cudaErrorIllegalAddress, cudaErrorMisalignedAddress,
                                       cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,
                                       cudaErrorAssert};

}  // namespace

void check_cuda(cudaError_t code, const char* call, std::source_location where) {
    if (code == cudaSuccess) return;
    cudaGetLastError();  // or the next call that looks would report it once more
    const bool is_ours = std::ranges::find(faults_of_kernels, code) != faults_of_kernels.end();
    fail(fmt::format(
             "CUDA: {} ({}), from {} at {}: {}", cudaGetErrorString(code), cudaGetErrorName(code),
             call, place_of(where),
             is_ours ? "a bug in Shardstone, please report it" : "look at the GPU with nvidia-smi"),
         is_ours ? ExitCode::our_bug : ExitCode::bad_input);
}

}  // namespace shardstone
