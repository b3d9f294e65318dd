// SPDX-License-Identifier: BSD-3-Clause
// Every kernel in every storage type against the FP64 oracle: errors in ulps, and the verdict.
#include "validation/numerics/kernels/kernel_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/base/interrupt.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/tensor/runtime.hpp"

namespace shardstone::validation {

namespace {

constexpr KernelCase kernel_cases[] = {linear_outputs,    layernorm_outputs,     gelu_outputs,
                                       attention_outputs, cross_entropy_outputs, residual_outputs,
                                       adamw_outputs,     fp8_product_outputs};

double ulp_at(ElementType type, double value) {
    return dispatch(type, [&](auto zero) {
        using Traits = element_traits<decltype(zero)>;
        if constexpr (Traits::is_integer) {
            return 1.0;
        } else {
            const double magnitude = std::max(std::abs(value), Traits::smallest_normal);
            return std::ldexp(2.0 * Traits::unit_roundoff, std::ilogb(magnitude));
        }
    });
}

}  // namespace

KernelError error_of(const KernelOutput& output) {
    KernelError error{output.kernel, output.output, output.storage, output.type,
                      std::ssize(output.actual)};
    std::vector<double> ulps;
    for (std::size_t i = 0; i < output.actual.size(); ++i) {
        const double off = std::abs(output.actual[i] - output.expected[i]);
        ulps.push_back(off / ulp_at(output.type, output.expected[i]));
        error.max_ulp = std::max(error.max_ulp, ulps.back());
    }
    error.median_ulp = median(ulps);
    error.share_of_bound = output.share_of_bound();
    error.of_narrow_stream = output.of_narrow_stream;
    return error;
}

const std::vector<ElementType>& kernel_storages() {
    static const std::vector<ElementType> all{ElementType::fp64, ElementType::fp32,
                                              ElementType::bf16, ElementType::fp16,
                                              ElementType::fp8_e4m3};
    return all;
}

std::vector<KernelError> kernel_errors(
    const std::function<void(std::size_t done, std::size_t of)>& progress) {
    ensure_runtime();
    return errors_of_cases(kernel_cases, kernel_storages(), progress);
}

std::vector<KernelError> errors_of_cases(
    std::span<const KernelCase> cases, const std::vector<ElementType>& storages,
    const std::function<void(std::size_t done, std::size_t of)>& progress) {
    std::vector<KernelError> errors;
    std::size_t done = 0;
    for (const KernelCase of_kernel : cases) {
        if (progress) progress(done++, cases.size());
        for (const ElementType storage : storages) {
            if (interrupted()) return errors;
            for (const KernelOutput& output : of_kernel(storage, Planted::none)) {
                errors.push_back(error_of(output));
            }
        }
    }
    return errors;
}

results::Check kernel_check(const std::vector<KernelError>& errors, const std::string& name_begins,
                            ElementType storage) {
    int outputs = 0;
    bool within = true;
    double worst = 0.0;
    for (const KernelError& error : errors) {
        if (error.storage != storage || !error.kernel.starts_with(name_begins)) continue;
        ++outputs;
        within = within && error.share_of_bound <= 1.0;  // NaN is not
        worst = std::max(worst, error.share_of_bound);
    }
    return {"within its bound of the FP64 oracle", outputs > 0 && within,
            fmt::format("{} outputs, largest error {:.2g} of its bound", outputs, worst)};
}

PolicyFinding judge_kernels(const std::vector<KernelError>& errors,
                            const std::vector<ElementType>& storages, const std::string& subject) {
    std::vector<PolicyFinding> findings;
    for (const KernelError& error : errors) {
        if (std::ranges::find(storages, error.storage) == storages.end()) continue;
        PolicyFinding finding;
        finding.part = "kernels";
        finding.subject = subject;
        finding.quantity = "error of an element, of its bound";
        finding.worst = fmt::format("{}, {}", error.kernel, error.output);
        findings.push_back(judged_against(error.share_of_bound, 1.0, std::move(finding)));
    }
    for (const ElementType storage : storages) {
        if (std::ranges::find(errors, storage, &KernelError::storage) != errors.end()) continue;
        findings.push_back(
            {.part = "kernels",
             .subject = subject,
             .worst = fmt::format("no kernel over {} is covered", to_string(storage))});
    }
    return worst_of(findings);
}

}  // namespace shardstone::validation
