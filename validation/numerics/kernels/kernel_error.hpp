// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/host.hpp"
#include "results/record/record.hpp"
#include "validation/numerics/kernels/compare.hpp"
#include "validation/numerics/verdict.hpp"

namespace shardstone::validation {

/// What one kernel gave in one of its outputs, what the FP64 oracle gives for the same inputs (as
/// the storage type holds them), and how far apart they may be, element by element: bounds are
/// derived in the kernel's own file here.
struct KernelOutput {
    std::string kernel;                       ///< "layernorm forward"
    std::string output;                       ///< "d_weight"
    ElementType storage = ElementType::fp32;  ///< S: what products read
    ElementType type = ElementType::fp32;     ///< of this output: S or what sums are in
    Values actual, expected, bound;
    bool of_narrow_stream = false;  ///< the residual stream was in the storage type, too

    /// Largest |actual - expected| / bound; at most 1 when the kernel is right.
    double share_of_bound() const { return worst_ratio(actual, expected, bound); }
};

/// The numbers of an output.
struct KernelError {
    std::string kernel, output;
    ElementType storage = ElementType::fp32, type = ElementType::fp32;
    std::int64_t elements = 0;
    /// |actual - expected| in units in the last place that `type` has at the expected value. The
    /// largest is at sums that nearly cancel; half the elements are within the median.
    double median_ulp = 0.0, max_ulp = 0.0;
    double share_of_bound = 0.0;
    bool of_narrow_stream = false;
};
KernelError error_of(const KernelOutput& output);

// The outputs of a kernel in a storage type: fp32, fp64, bf16, fp16 or fp8_e4m3; nothing where the
// kernel has no such storage. Space: where it runs. `bug` is in the oracle, for tests: what knows
// it must then leave the bound.
using KernelCase = std::vector<KernelOutput> (*)(ElementType storage, Planted bug);
template <class Space = Host>
std::vector<KernelOutput> linear_outputs(ElementType storage, Planted bug = Planted::none);
template <class Space = Host>
std::vector<KernelOutput> layernorm_outputs(ElementType storage, Planted bug = Planted::none);
template <class Space = Host>
std::vector<KernelOutput> gelu_outputs(ElementType storage, Planted bug = Planted::none);
template <class Space = Host>
std::vector<KernelOutput> attention_outputs(ElementType storage, Planted bug = Planted::none);
/// Of the forward pass alone.
template <class Space>
std::vector<KernelOutput> attention_forward_outputs(ElementType storage,
                                                    Planted bug = Planted::none);
template <class Space = Host>
std::vector<KernelOutput> cross_entropy_outputs(ElementType storage, Planted bug = Planted::none);
template <class Space = Host>
std::vector<KernelOutput> residual_outputs(ElementType storage, Planted bug = Planted::none);
template <class Space = Host>
std::vector<KernelOutput> adamw_outputs(ElementType storage, Planted bug = Planted::none);
/// Of factors rounded to FP8, under fp8_e4m3 alone.
std::vector<KernelOutput> fp8_product_outputs(ElementType storage, Planted bug = Planted::none);

/// The storage types that kernels have.
const std::vector<ElementType>& kernel_storages();
/// Of all kernels in all storage types; says after each how many are done. Once interrupted()
/// (interrupt.hpp), what there is by then. Local.
std::vector<KernelError> kernel_errors(
    const std::function<void(std::size_t done, std::size_t of)>& progress = {});

/// The same on the GPU, in the types that it has kernels for. Only in programs built with CUDA.
std::vector<KernelError> device_kernel_errors(
    const std::function<void(std::size_t done, std::size_t of)>& progress = {});
/// Of these kernels in these types.
std::vector<KernelError> errors_of_cases(
    std::span<const KernelCase> cases, const std::vector<ElementType>& storages,
    const std::function<void(std::size_t done, std::size_t of)>& progress);

/// The largest error of a kernel over these storage types as a share of its bound: pass up to 1.
/// `subject`: the policy that stores so. Undecided where no kernel over a type is covered.
PolicyFinding judge_kernels(const std::vector<KernelError>& errors,
                            const std::vector<ElementType>& storages, const std::string& subject);

/// Whether the kernels whose names begin so stay within their bounds in a storage type; fails where
/// there is none.
results::Check kernel_check(const std::vector<KernelError>& errors, const std::string& name_begins,
                            ElementType storage);

/// Calls `f` with a value of the C++ type S; nothing of it for a type that kernels do not have.
template <class F>
std::vector<KernelOutput> in_storage(ElementType storage, F&& f) {
    switch (storage) {
        case ElementType::fp32:
            return f(float{});
        case ElementType::fp64:
            return f(double{});
        case ElementType::bf16:
            return f(bf16{});
        case ElementType::fp16:
            return f(fp16{});
        default:
            return {};
    }
}

/// As in_storage(), of a kernel that reads or writes the residual stream: `f` is given the stream's
/// type besides, what sums are in, and again the storage type where a policy has such a stream.
template <class F>
std::vector<KernelOutput> in_each_stream(ElementType storage, F&& f) {
    auto outputs =
        in_storage(storage, [&](auto zero) { return f(zero, compute_t<decltype(zero)>{}); });
    if (storage != ElementType::bf16) return outputs;
    for (KernelOutput& narrow : f(bf16{}, bf16{})) {
        narrow.kernel += " of a BF16 stream";
        narrow.of_narrow_stream = true;
        outputs.push_back(std::move(narrow));
    }
    return outputs;
}

/// Fills in what follows from the C++ types.
template <class S, class Out>
KernelOutput output_of(std::string kernel, std::string output, const std::vector<Out>& actual,
                       Values expected, Values bound) {
    Values values;
    for (const Out value : actual) values.push_back(wide(value));
    return {std::move(kernel),         std::move(output), element_traits<S>::type,
            element_traits<Out>::type, std::move(values), std::move(expected),
            std::move(bound)};
}

}  // namespace shardstone::validation
