// SPDX-License-Identifier: BSD-3-Clause
// A double of cuBLASLt, of what we call and no more: refuses what the real library refuses. An
// algorithm belongs to the problem that it was asked for: to use it for another one is an error.
#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <vector>

#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/product.hpp"
#include "validation/emulated_device/streams.hpp"

namespace {

using shardstone::emulated::device_allocation;
using shardstone::emulated::is_fp8;
using shardstone::emulated::Problem;
using shardstone::emulated::Product;
using shardstone::emulated::size_of;

struct Layout : cublasLtMatrixLayoutOpaque_t {
    cudaDataType type;
    std::int64_t rows, columns, leading;
};

struct Description : cublasLtMatmulDescOpaque_t {
    cublasComputeType_t compute;
    std::int32_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N, bias_type = -1;
    std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const void* bias = nullptr;
    const float *scale_a = nullptr, *scale_b = nullptr;
};

struct Preference : cublasLtMatmulPreferenceOpaque_t {
    std::size_t workspace_bytes = 0;
    std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
    std::array<std::uint32_t, 4> alignments{256, 256, 256, 256};  ///< of A, B, C, D
};

const Layout& of(cublasLtMatrixLayout_t layout) {
    return *static_cast<const Layout*>(layout);
}
const Description& of(cublasLtMatmulDesc_t description) {
    return *static_cast<const Description*>(description);
}

template <class T>
cublasStatus_t store(T& to, const void* value, std::size_t bytes) {
    if (value == nullptr || bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

Problem problem_of(const Description& op, const Layout& a, const Layout& b, const Layout& d) {
    const bool t = op.transpose_a == CUBLAS_OP_T;
    return {d.rows,         d.columns,  t ? a.rows : a.columns,
            a.leading,      b.leading,  d.leading,
            a.type,         b.type,     d.type,
            op.bias_type,   op.compute, op.transpose_a,
            op.transpose_b, op.epilogue};
}

bool shapes_agree(const Problem& p, const Layout& a, const Layout& b, const Layout& c,
                  const Layout& d) {
    const bool ta = p.transpose_a == CUBLAS_OP_T, tb = p.transpose_b == CUBLAS_OP_T;
    return p.m > 0 && p.n > 0 && p.k > 0 && (ta ? a.columns : a.rows) == p.m &&
           (tb ? b.columns : b.rows) == p.k && (tb ? b.rows : b.columns) == p.n &&
           a.leading >= a.rows && b.leading >= b.rows && d.leading >= d.rows && c.rows == d.rows &&
           c.columns == d.columns && c.leading == d.leading && c.type == d.type;
}

/// The table of types in the library's manual, as far as it concerns us.
bool types_are_supported(const Problem& p) {
    const auto [a, b, d] = std::tuple(p.a, p.b, p.d);
    const bool has_bias = p.epilogue == CUBLASLT_EPILOGUE_BIAS;
    if (!has_bias && p.epilogue != CUBLASLT_EPILOGUE_DEFAULT) return false;
    if (p.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && a != CUDA_R_32F) return false;
    if (is_fp8(a) || is_fp8(b)) {
        return is_fp8(a) && is_fp8(b) && !(a == CUDA_R_8F_E5M2 && b == CUDA_R_8F_E5M2) &&
               (d == CUDA_R_16BF || d == CUDA_R_32F) &&
               (!has_bias || (p.bias == CUDA_R_16BF && d == CUDA_R_16BF));
    }
    return a == b && (d == a || d == CUDA_R_32F) && (!has_bias || p.bias == p.d);
}

/// FP8 on Hopper: the first factor transposed, the second not, everything at multiples of 16 B.
bool fp8_is_supported(const Problem& p, const std::array<std::uint32_t, 4>& alignments) {
    if (!is_fp8(p.a)) return true;
    const std::int64_t row_bytes = p.leading_d * size_of(p.d);
    return p.transpose_a == CUBLAS_OP_T && p.transpose_b == CUBLAS_OP_N && p.m % 16 == 0 &&
           p.k % 16 == 0 && p.leading_a % 16 == 0 && p.leading_b % 16 == 0 && row_bytes % 16 == 0 &&
           *std::ranges::min_element(alignments) >= 16;
}

/// What is in the opaque algorithm: an index into all that were given out.
struct Algorithm {
    Problem problem;
    std::array<std::uint32_t, 4> alignments;
    std::size_t workspace_bytes;
};
std::vector<Algorithm>& algorithms() {
    static std::vector<Algorithm> all;
    return all;
}

bool is_aligned(const void* address, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

/// Whether the addresses are those that the algorithm was asked for.
bool addresses_fit(const Product& product, const Algorithm& algorithm) {
    const auto& [a, b, c, d] = algorithm.alignments;
    for (const void* address :
         {product.a, product.b, product.c, static_cast<const void*>(product.d)}) {
        if (device_allocation(address) == nullptr) return false;
    }
    for (const void* address : {product.bias, static_cast<const void*>(product.scale_a),
                                static_cast<const void*>(product.scale_b)}) {
        if (address != nullptr && device_allocation(address) == nullptr) return false;
    }
    return is_aligned(product.a, a) && is_aligned(product.b, b) && is_aligned(product.c, c) &&
           is_aligned(product.d, d) && (product.bias == nullptr || is_aligned(product.bias, d));
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    static char handles = 0;
    *handle = reinterpret_cast<cublasLtHandle_t>(&handles);
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion() {
    return CUBLAS_VERSION;
}
const char* cublasLtGetStatusName(cublasStatus_t) {
    return "status of the emulated cuBLASLt";
}
const char* cublasLtGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? "the requested functionality is not supported"
                                                 : "an unsupported value or parameter was passed";
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
    auto* created = new Layout{};
    created->type = type;
    created->rows = static_cast<std::int64_t>(rows);
    created->columns = static_cast<std::int64_t>(columns);
    created->leading = leading;
    *layout = created;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete static_cast<Layout*>(layout);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t) {
    auto* created = new Description{};
    created->compute = compute;
    *description = created;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    delete static_cast<Description*>(description);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
    auto& to = *static_cast<Description*>(description);
    switch (attribute) {
        case CUBLASLT_MATMUL_DESC_TRANSA:
            return store(to.transpose_a, value, bytes);
        case CUBLASLT_MATMUL_DESC_TRANSB:
            return store(to.transpose_b, value, bytes);
        case CUBLASLT_MATMUL_DESC_EPILOGUE:
            return store(to.epilogue, value, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
            return store(to.bias_type, value, bytes);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
            return store(to.bias, value, bytes);
        case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
            return store(to.scale_a, value, bytes);
        case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
            return store(to.scale_b, value, bytes);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    *preference = new Preference{};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete static_cast<Preference*>(preference);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
    auto& to = *static_cast<Preference*>(preference);
    switch (attribute) {
        case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
            return store(to.workspace_bytes, value, bytes);
        case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
            return store(to.reductions, value, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
            return store(to.alignments[0], value, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
            return store(to.alignments[1], value, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
            return store(to.alignments[2], value, bytes);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
            return store(to.alignments[3], value, bytes);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
    const auto& preferred = *static_cast<const Preference*>(preference);
    const Description& op = of(description);
    const Problem problem = problem_of(op, of(a), of(b), of(d));
    const bool bias_is_there = (problem.epilogue == CUBLASLT_EPILOGUE_BIAS) == (op.bias != nullptr);
    *found = 0;
    if (shardstone::emulated::ordered_failure("cublasLtMatmulAlgoGetHeuristic") != cudaSuccess) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (requested < 1 || !shapes_agree(problem, of(a), of(b), of(c), of(d)) || !bias_is_there) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (!types_are_supported(problem) || !fp8_is_supported(problem, preferred.alignments)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    *found = 1;
    results[0] = {};
    results[0].algo.data[0] = algorithms().size();
    results[0].workspaceSize = std::min<std::size_t>(preferred.workspace_bytes, 4096);
    algorithms().push_back({problem, preferred.alignments, results[0].workspaceSize});
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
    if (shardstone::emulated::ordered_failure("cublasLtMatmul") != cudaSuccess)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    const Description& op = of(description);
    const Problem problem = problem_of(op, of(a_layout), of(b_layout), of(d_layout));
    const Algorithm& asked_for = algorithms().at(algorithm->data[0]);
    // One that is ordered to go wrong, and says nothing of it, is twice itself.
    const bool is_right = shardstone::emulated::ordered_failure("product") == cudaSuccess;
    const Product product{problem,
                          *static_cast<const float*>(alpha) * (is_right ? 1.0F : 2.0F),
                          *static_cast<const float*>(beta),
                          a,
                          b,
                          c,
                          op.epilogue == CUBLASLT_EPILOGUE_BIAS ? op.bias : nullptr,
                          op.scale_a,
                          op.scale_b,
                          d,
                          workspace,
                          asked_for.workspace_bytes};
    if (!(problem == asked_for.problem) || !addresses_fit(product, asked_for) ||
        !shapes_agree(problem, of(a_layout), of(b_layout), of(c_layout), of(d_layout)) ||
        workspace_bytes < asked_for.workspace_bytes ||
        (workspace_bytes > 0 && device_allocation(workspace) == nullptr)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    shardstone::emulated::enqueue(
        stream, "cublasLtMatmul", [product] { return product.multiply(), true; },
        problem.duration_s());
    return CUBLAS_STATUS_SUCCESS;
}
