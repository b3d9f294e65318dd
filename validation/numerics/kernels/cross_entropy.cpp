// SPDX-License-Identifier: BSD-3-Clause
// The loss and its gradient as the kernel has them, beside the FP64 oracle's and a derived bound.
#include "validation/numerics/kernels/cross_entropy_bounds.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/kernels/located.hpp"

namespace shardstone::validation {

namespace {

template <class S, class Space>
std::vector<KernelOutput> outputs_in() {
    using Case = CrossEntropyCase<S>;
    using Real = typename Case::Real;
    const Case of;
    const typename Space::Queue queue;
    const Located<std::int32_t, Space> targets(of.targets);
    Located<S, Space> logits(as<S>(of.logits));
    Located<Real, Space> log_sum(Case::n);
    Located<double, Space> loss(1);
    cross_entropy_forward<S>(queue, logits.view(Case::n), targets.span(), log_sum.data(),
                             loss.data());
    cross_entropy_backward<S>(queue, logits.view(Case::n), targets.span(), log_sum.data(),
                              static_cast<Real>(Case::scale));
    // The loss is a double, but as good as the type of the log-sum-exps that it is made of.
    auto of_loss = output_of<S>("cross-entropy", "loss", loss.read(),
                                {oracle::cross_entropy(of.logits, of.targets)}, {of.loss_bound()});
    of_loss.type = element_traits<Real>::type;
    return {of_loss,
            output_of<S>("cross-entropy", "d_logits", logits.read(),
                         oracle::cross_entropy_gradient(of.logits, of.targets, Case::scale),
                         of.gradient_bound())};
}

}  // namespace

template <class Space>
std::vector<KernelOutput> cross_entropy_outputs(ElementType storage, Planted) {
    return in_storage(storage, [](auto zero) -> std::vector<KernelOutput> {
        // No kernel of a GPU is in FP64.
        if constexpr (std::is_same_v<decltype(zero), double> && std::is_same_v<Space, Cuda>) {
            return {};
        } else {
            return outputs_in<decltype(zero), Space>();
        }
    });
}

template std::vector<KernelOutput> cross_entropy_outputs<Host>(ElementType, Planted);

}  // namespace shardstone::validation
