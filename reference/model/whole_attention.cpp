// SPDX-License-Identifier: BSD-3-Clause
// Attention of a rank that has all positions of its sequences: one step, no other ranks needed.
#include <algorithm>

#include "kernels/transformer/attention.hpp"
#include "reference/model/attention.hpp"

namespace shardstone::reference {

namespace {

template <class S, class Space>
class WholeAttention : public Attention<S, Space> {
    using Real = compute_t<S>;

  public:
    WholeAttention(typename Space::Queue queue, const AttentionPart& part)
        : queue_(queue), shape_{part.batch, part.sequence, part.heads, part.head_size} {}

    std::int64_t scratch_elements() const override {
        return shape_.template scratch_elements<S, Space>();
    }
    Computed forward(int, const BranchActivations<S, Space>& to, Real* scratch) const override {
        attention_forward<S>(queue_, shape_, to.wide.data, to.activated.data, to.log_sum_exp,
                             scratch);
        return {};
    }
    Computed backward(int, const BranchActivations<S, Space>& kept, Matrix<S, Space> d_activated,
                      Matrix<S, Space> d_wide, Real* scratch) const override {
        attention_backward<S>(
            queue_, shape_,
            AttentionSaved<S>{kept.wide.data, kept.activated.data, kept.log_sum_exp},
            d_activated.data, d_wide.data, scratch);
        return {};
    }

  private:
    typename Space::Queue queue_;
    AttentionShape shape_;
};

/// The causal half of T^2 pairs.
AttentionSteps whole_attention_steps(const AttentionPart& part) {
    const auto length = static_cast<double>(part.sequence);
    AttentionSteps steps;
    steps.forward.front().pairs = length * length / 2.0;
    steps.backward = steps.forward;
    return steps;
}

/// For one head at a time: the scores of a block of 48 queries with their gradient, and queries,
/// keys twice, values and the output's gradient as second factors of products, in columns of 64. If
/// products read narrow numbers, also the head's tensors (queries, keys, values, output, the
/// gradients of all four) in the type of the arithmetic. A GPU's kernels keep all that in shared
/// memory but for the product of each output and its gradient.
std::vector<KeptTensor> whole_attention_workspace(const AttentionPart& part,
                                                  const AttentionKind::ElementBytes& bytes) {
    const std::int64_t t = part.sequence, d = part.head_size;
    const bool narrow = bytes.stored < bytes.real;
    if (bytes.on_gpu) {
        return {{"products of outputs and gradients", part.batch * part.heads, t}};
    }
    return {
        {"scores and their gradient, a head", 2 * std::min<std::int64_t>(48, t), columns_of_64(t)},
        {"queries, keys, output's gradient as factors", 3 * t, columns_of_64(d)},
        {"keys and values as factors", 2 * d, columns_of_64(t)},
        {"tensors of a head", narrow ? 8 * t : 0, d}};
}

}  // namespace

const AttentionKind& whole_attention() {
    static const AttentionKind kind =
        attention_kind<WholeAttention>(whole_attention_steps, whole_attention_workspace);
    return kind;
}

}  // namespace shardstone::reference
