// SPDX-License-Identifier: BSD-3-Clause
// The loss and its gradient as the kernel has them, beside the FP64 oracle's and a derived bound.
#include "validation/numerics/kernels/cross_entropy_bounds.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {

namespace {

template <class S>
std::vector<KernelOutput> outputs_in() {
    using Case = CrossEntropyCase<S>;
    const Case of;
    auto logits = as<S>(of.logits);
    std::vector<typename Case::Real> log_sum(Case::n);
    double loss = 0.0;
    cross_entropy_forward<S>(HostQueue(), view(logits, Case::n), of.targets, log_sum.data(), &loss);
    cross_entropy_backward<S>(HostQueue(), view(logits, Case::n), of.targets, log_sum.data(),
                              static_cast<typename Case::Real>(Case::scale));
    // The loss is a double, but as good as the type of the log-sum-exps that it is made of.
    auto of_loss = output_of<S>("cross-entropy", "loss", std::vector<double>{loss},
                                {oracle::cross_entropy(of.logits, of.targets)}, {of.loss_bound()});
    of_loss.type = element_traits<typename Case::Real>::type;
    return {of_loss,
            output_of<S>("cross-entropy", "d_logits", logits,
                         oracle::cross_entropy_gradient(of.logits, of.targets, Case::scale),
                         of.gradient_bound())};
}

}  // namespace

std::vector<KernelOutput> cross_entropy_outputs(ElementType storage, Planted) {
    return in_storage(storage, [](auto zero) { return outputs_in<decltype(zero)>(); });
}

}  // namespace shardstone::validation
