// SPDX-License-Identifier: BSD-3-Clause
// Sends products to cuBLASLt: descriptors and algorithm of each distinct product are made once.
//
// The library counts in columns. A row-major matrix is the transpose of the column-major one in the
// same memory, so that C = A B is asked for as C^T = B^T A^T: its first factor is our second.
#include "kernels/gemm/cublaslt_cuda.hpp"

#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <memory>

#include "kernels/base/check_cuda.hpp"
#include "kernels/base/error.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/tensor/scratch.hpp"

namespace shardstone {

namespace {

using detail::DeviceProduct;
using detail::Operand;

/// What an algorithm may ask for: NVIDIA's own recommendation for Hopper.
constexpr std::int64_t most_workspace_bytes = 32 << 20;
/// Products whose rows change from step to step (experts without a capacity) must not fill memory.
constexpr std::size_t most_plans = 4096;

bool tf32_allowed = false;

void check_cublaslt(cublasStatus_t status, const char* call,
                    std::source_location where = std::source_location::current()) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    fail(fmt::format("cuBLASLt: {} ({}), from {} at {}: look at the GPU with nvidia-smi",
                     cublasLtGetStatusString(status), cublasLtGetStatusName(status), call,
                     place_of(where)));
}
#define SHARDSTONE_CUBLASLT(call) check_cublaslt((call), #call)

cudaDataType library_type(ElementType type) {
    switch (type) {
        case ElementType::fp32:
            return CUDA_R_32F;
        case ElementType::bf16:
            return CUDA_R_16BF;
        case ElementType::fp16:
            return CUDA_R_16F;
        case ElementType::fp8_e4m3:
            return CUDA_R_8F_E4M3;
        case ElementType::fp8_e5m2:
            return CUDA_R_8F_E5M2;
        default:
            fail(fmt::format("products of {} are not computed on a GPU", to_string(type)));
    }
}

template <auto destroy>
struct Destroy {
    template <class T>
    void operator()(T* object) const noexcept {
        destroy(object);
    }
};
using Description = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy<cublasLtMatmulDescDestroy>>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy<cublasLtMatrixLayoutDestroy>>;
using Preference =
    std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroy<cublasLtMatmulPreferenceDestroy>>;

template <class T>
void set(const Description& to, cublasLtMatmulDescAttributes_t attribute, T value) {
    SHARDSTONE_CUBLASLT(cublasLtMatmulDescSetAttribute(to.get(), attribute, &value, sizeof value));
}
template <class T>
void set(const Preference& to, cublasLtMatmulPreferenceAttributes_t attribute, T value) {
    SHARDSTONE_CUBLASLT(
        cublasLtMatmulPreferenceSetAttribute(to.get(), attribute, &value, sizeof value));
}

/// Of an address, as far as it matters: nothing loads more than 16 B at a time.
std::uint32_t alignment_of(const void* address) {
    constexpr std::uintptr_t most = 16;
    const auto number = reinterpret_cast<std::uintptr_t>(address) | most;
    return static_cast<std::uint32_t>(number & (~number + 1));
}

/// What the algorithm for an operand depends on.
struct OperandKey {
    ElementType type;
    std::uint32_t alignment;
    std::int64_t rows, columns, leading;
    bool transposed, has_unit;

    template <class Address>
    explicit OperandKey(const Operand<Address>& of)
        : type(of.type),
          alignment(alignment_of(of.data)),
          rows(of.rows),
          columns(of.columns),
          leading(of.leading),
          transposed(of.transposed),
          has_unit(of.unit != nullptr) {}
    auto operator<=>(const OperandKey&) const = default;

    std::string text() const {
        return fmt::format("{} x {} {}{}, rows {} apart, at a multiple of {} B", rows, columns,
                           to_string(type), transposed ? " transposed" : "", leading, alignment);
    }
};

struct ProductKey {
    OperandKey a, b, c;
    std::uint32_t bias_alignment;  ///< 0: none
    bool rounds_to_tf32;

    explicit ProductKey(const DeviceProduct& of)
        : a(of.a),
          b(of.b),
          c(of.c),
          bias_alignment(of.bias == nullptr ? 0 : alignment_of(of.bias)),
          rounds_to_tf32(of.a.type == ElementType::fp32 && tf32_allowed) {}
    auto operator<=>(const ProductKey&) const = default;
};

Layout layout_of(const OperandKey& operand) {
    cublasLtMatrixLayout_t layout = nullptr;
    SHARDSTONE_CUBLASLT(cublasLtMatrixLayoutCreate(
        &layout, library_type(operand.type), static_cast<std::uint64_t>(operand.columns),
        static_cast<std::uint64_t>(operand.rows), operand.leading));
    return Layout(layout);
}

Description description_of(const DeviceProduct& product, const ProductKey& key) {
    cublasLtMatmulDesc_t created = nullptr;
    SHARDSTONE_CUBLASLT(cublasLtMatmulDescCreate(
        &created, key.rounds_to_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
        CUDA_R_32F));
    Description description(created);
    const auto operation = [](const OperandKey& of) {
        return static_cast<std::int32_t>(of.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    };
    set(description, CUBLASLT_MATMUL_DESC_TRANSA, operation(key.b));
    set(description, CUBLASLT_MATMUL_DESC_TRANSB, operation(key.a));
    if (product.bias != nullptr) {
        set(description, CUBLASLT_MATMUL_DESC_EPILOGUE,
            static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_BIAS));
        set(description, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
            static_cast<std::int32_t>(library_type(product.bias_type)));
    }
    return description;
}

/// Addresses that are no arguments of the multiplication.
void set_addresses(const Description& description, const DeviceProduct& product) {
    if (product.bias != nullptr) {
        set(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias);
    }
    if (product.b.unit != nullptr) {
        set(description, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, product.b.unit);
    }
    if (product.a.unit != nullptr) {
        set(description, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, product.a.unit);
    }
}

Preference preference_of(const ProductKey& key) {
    cublasLtMatmulPreference_t created = nullptr;
    SHARDSTONE_CUBLASLT(cublasLtMatmulPreferenceCreate(&created));
    Preference preference(created);
    set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
        static_cast<std::size_t>(most_workspace_bytes));
    // Parts of a sum are never added in a narrow type: the result is rounded once.
    std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    if (key.c.type == ElementType::fp32) reductions |= CUBLASLT_REDUCTION_SCHEME_INPLACE;
    set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.b.alignment);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.a.alignment);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.c.alignment);
    // The bias is loaded as the result is stored.
    const std::uint32_t stored =
        key.bias_alignment == 0 ? key.c.alignment : std::min(key.c.alignment, key.bias_alignment);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, stored);
    return preference;
}

/// How one product is computed.
struct Plan {
    Description description;
    Layout a, b, c;
    cublasLtMatmulAlgo_t algorithm;
    std::int64_t workspace_floats = 0;
};

/// The library, with what is kept in it until the process ends.
class Library {
  public:
    static Library& of_process() {
        // Never destroyed, as the driver itself is gone before this could be.
        static Library& library = *new Library;
        return library;
    }

    void multiply(CudaQueue queue, const DeviceProduct& product) {
        const Plan& plan = plan_of(product);
        set_addresses(plan.description, product);
        float* const workspace = scratch(queue, plan.workspace_floats);
        SHARDSTONE_CUBLASLT(cublasLtMatmul(
            handle_, plan.description.get(), &product.alpha, product.b.data, plan.b.get(),
            product.a.data, plan.a.get(), &product.beta, product.c.data, plan.c.get(),
            product.c.data, plan.c.get(), &plan.algorithm, workspace,
            static_cast<std::size_t>(plan.workspace_floats) * sizeof(float), queue.stream()));
    }

    std::int64_t plans() const { return std::ssize(plans_); }

  private:
    Library() { SHARDSTONE_CUBLASLT(cublasLtCreate(&handle_)); }

    const Plan& plan_of(const DeviceProduct& product) {
        const ProductKey key(product);
        if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
        if (plans_.size() == most_plans) plans_.clear();
        return plans_.emplace(key, new_plan(product, key)).first->second;
    }

    Plan new_plan(const DeviceProduct& product, const ProductKey& key) const {
        Plan plan{
            description_of(product, key), layout_of(key.a), layout_of(key.b), layout_of(key.c), {}};
        // Whether there is a bias and a scale the library sees by their addresses.
        set_addresses(plan.description, product);
        cublasLtMatmulHeuristicResult_t best{};
        int found = 0;
        const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
            handle_, plan.description.get(), plan.b.get(), plan.a.get(), plan.c.get(), plan.c.get(),
            preference_of(key).get(), 1, &best, &found);
        require(status == CUBLAS_STATUS_SUCCESS && found > 0, [&] {
            return fmt::format(
                "cuBLASLt {} has no algorithm on this GPU for C = A B{} ({}) with A {}; B {}; C "
                "{}: "
                "make addresses and distances between rows multiples of 16 B",
                cublasLtGetVersion(), key.bias_alignment == 0 ? "" : " + bias",
                cublasLtGetStatusName(status), key.a.text(), key.b.text(), key.c.text());
        });
        plan.algorithm = best.algo;
        plan.workspace_floats =
            static_cast<std::int64_t>((best.workspaceSize + sizeof(float) - 1) / sizeof(float));
        return plan;
    }

    cublasLtHandle_t handle_ = nullptr;
    std::map<ProductKey, Plan> plans_;
};

}  // namespace

void detail::cublaslt_multiply(CudaQueue queue, const DeviceProduct& product) {
    if (product.c.rows == 0 || product.c.columns == 0) return;
    const std::int64_t terms = product.a.transposed ? product.a.rows : product.a.columns;
    if (terms == 0 && product.beta == 1) return;
    Library::of_process().multiply(queue, product);
}

std::int64_t gpu_gemm_plans() {
    return Library::of_process().plans();
}

void set_tf32(bool allowed) {
    tf32_allowed = allowed;
}

bool tf32() {
    return tf32_allowed;
}

std::string gpu_gemm_library() {
    const std::size_t version = cublasLtGetVersion();
    return fmt::format("cuBLASLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace shardstone
