// SPDX-License-Identifier: BSD-3-Clause
// The functions of cuBLASLt that we call, each found in the real library when it is called first:
// at 500 MB it must not be loaded by what multiplies nothing on a GPU, nor be needed where there is
// none. Not part of the emulated device, which has doubles of the same functions.
#include <cublasLt.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"

namespace {

/// Those whose functions and structures are the ones declared in the header that we compile with.
constexpr std::array versions{"libcublasLt.so.13", "libcublasLt.so.12"};
constexpr const char* own_variable = "SHARDSTONE_CUBLASLT";

/// Where to look, first to last; "" is where the system looks.
std::vector<std::string> folders() {
    std::vector<std::string> all;
    if (const char* own = std::getenv(own_variable)) all.push_back(std::string(own) + "/");
    all.push_back("");
    if (const char* home = std::getenv("CUDA_HOME")) all.push_back(std::string(home) + "/lib64/");
    all.push_back("/usr/local/cuda/lib64/");
    return all;
}

void* loaded_library() {
    std::vector<std::string> reasons;
    for (const std::string& folder : folders()) {
        for (const char* version : versions) {
            if (void* const library = dlopen((folder + version).c_str(), RTLD_NOW | RTLD_LOCAL)) {
                return library;
            }
            reasons.emplace_back(dlerror());
        }
    }
    shardstone::fail(
        fmt::format("cannot load cuBLASLt, which multiplies matrices on a GPU: set {} to the "
                    "folder of {}, in a "
                    "CUDA toolkit (lib64) or beside PyTorch (nvidia/cublas/lib); tried: {}",
                    own_variable, versions.front(), fmt::join(reasons, "; ")));
}

/// The real function of this name.
template <class Function>
Function* real(const char* name) {
    static void* const library = loaded_library();
    void* const function = dlsym(library, name);
    shardstone::require(function != nullptr, [&] {
        return fmt::format("cuBLASLt, as it was loaded, has no {}: set {} to the folder of {}",
                           name, own_variable, versions.front());
    });
    return reinterpret_cast<Function*>(function);
}

}  // namespace

#define SHARDSTONE_FORWARD(function, ...)                             \
    static auto* const forward = real<decltype(function)>(#function); \
    return forward(__VA_ARGS__)

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    SHARDSTONE_FORWARD(cublasLtCreate, handle);
}

size_t cublasLtGetVersion() {
    SHARDSTONE_FORWARD(cublasLtGetVersion);
}

const char* cublasLtGetStatusName(cublasStatus_t status) {
    SHARDSTONE_FORWARD(cublasLtGetStatusName, status);
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
    SHARDSTONE_FORWARD(cublasLtGetStatusString, status);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
    SHARDSTONE_FORWARD(cublasLtMatrixLayoutCreate, layout, type, rows, columns, leading);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    SHARDSTONE_FORWARD(cublasLtMatrixLayoutDestroy, layout);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
    SHARDSTONE_FORWARD(cublasLtMatmulDescCreate, description, compute, scale);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    SHARDSTONE_FORWARD(cublasLtMatmulDescDestroy, description);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
    SHARDSTONE_FORWARD(cublasLtMatmulDescSetAttribute, description, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    SHARDSTONE_FORWARD(cublasLtMatmulPreferenceCreate, preference);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    SHARDSTONE_FORWARD(cublasLtMatmulPreferenceDestroy, preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
    SHARDSTONE_FORWARD(cublasLtMatmulPreferenceSetAttribute, preference, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
    SHARDSTONE_FORWARD(cublasLtMatmulAlgoGetHeuristic, handle, description, a, b, c, d, preference,
                       requested, results, found);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
    SHARDSTONE_FORWARD(cublasLtMatmul, handle, description, alpha, a, a_layout, b, b_layout, beta,
                       c, c_layout, d, d_layout, algorithm, workspace, workspace_bytes, stream);
}
