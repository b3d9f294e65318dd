// SPDX-License-Identifier: BSD-3-Clause
// The computation between the two products of an attention branch, and its kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/kept_tensor.hpp"
#include "reference/model/linear_layer.hpp"
#include "reference/model/rows.hpp"
#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// Sizes of a rank's attention: B sequences of T positions, of which the rank has its share of
/// queries, H own heads of D channels.
struct AttentionPart {
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t head_size = 0;
    SequenceSplit split = {};

    std::int64_t channels() const { return heads * head_size; }
    std::int64_t own_positions() const { return split.count(sequence); }
};

AttentionPart attention_part(const GptConfig& config, const ModelPart& part,
                             std::int64_t micro_batch, std::int64_t sequence);

/// For micro-batches of `micro_batch` sequences of `sequence` positions in total.
PhaseShape phase_shape(const GptConfig& config, const ModelPart& part, std::int64_t micro_batch,
                       std::int64_t sequence, Recompute recompute);

/// Causal attention of the queries at the own positions against the keys at all positions, in
/// steps, between which the ranks that share the sequences communicate. wide = (Q, K, V) of the own
/// heads and positions, activated = the heads' outputs. One object serves all blocks, one pass at a
/// time.
template <class S, class Space = Host>
class Attention {
    using Real = compute_t<S>;

  public:
    virtual ~Attention() = default;

    /// Size of the memory through which its steps pass on intermediate results.
    virtual std::int64_t scratch_elements() const = 0;
    /// A step of AttentionSteps::forward; after the last, `activated` and `log_sum_exp` are filled.
    virtual Computed forward(int step, const BranchActivations<S, Space>& to,
                             Real* scratch) const = 0;
    /// A step of AttentionSteps::backward; after the last, `d_wide`, of wide's shape, is filled.
    virtual Computed backward(int step, const BranchActivations<S, Space>& kept,
                              Matrix<S, Space> d_activated, Matrix<S, Space> d_wide,
                              Real* scratch) const = 0;
};

/// A way to distribute attention among ranks. Each is created in a file of its own by
/// attention_kind().
struct AttentionKind {
    template <class S, class Space>
    using Maker = std::unique_ptr<Attention<S, Space>> (*)(typename Space::Queue queue,
                                                           const AttentionPart& part);
    template <class Space>
    using Makers = std::tuple<Maker<float, Space>, Maker<double, Space>, Maker<bf16, Space>,
                              Maker<fp16, Space>>;
#ifdef SHARDSTONE_HAS_CUDA
    using CudaMakers = std::tuple<Maker<float, Cuda>, Maker<bf16, Cuda>, Maker<fp16, Cuda>>;
#else
    using CudaMakers = std::tuple<>;
#endif
    /// Bytes of a Real, and of an element that products read.
    struct ElementBytes {
        std::int64_t real;
        std::int64_t stored;
        bool on_gpu = false;  ///< whose kernels keep other things
    };

    /// Its steps, the same for all types.
    AttentionSteps (*steps)(const AttentionPart& part);
    /// Attention::scratch_elements() in closed form, every tensor in whole cache lines of 16 Reals:
    /// memory allocated once for all blocks.
    std::vector<KeptTensor> (*workspace)(const AttentionPart& part, const ElementBytes& bytes);
    decltype(std::tuple_cat(Makers<Host>(), Makers<Paced>(), CudaMakers())) makers;

    /// Its kernels are enqueued in `queue`.
    template <class S, class Space>
    std::unique_ptr<Attention<S, Space>> make(typename Space::Queue queue,
                                              const AttentionPart& part) const {
        return std::get<Maker<S, Space>>(makers)(queue, part);
    }
};

template <template <class, class> class Implementation, class S, class Space>
std::unique_ptr<Attention<S, Space>> make_attention(typename Space::Queue queue,
                                                    const AttentionPart& part) {
    return std::make_unique<Implementation<S, Space>>(queue, part);
}
template <template <class, class> class Implementation, class Space>
constexpr AttentionKind::Makers<Space> attention_makers{
    make_attention<Implementation, float, Space>, make_attention<Implementation, double, Space>,
    make_attention<Implementation, bf16, Space>, make_attention<Implementation, fp16, Space>};
template <template <class, class> class Implementation>
constexpr AttentionKind::CudaMakers cuda_attention_makers{
#ifdef SHARDSTONE_HAS_CUDA
    make_attention<Implementation, float, Cuda>, make_attention<Implementation, bf16, Cuda>,
    make_attention<Implementation, fp16, Cuda>
#endif
};

template <template <class, class> class Implementation>
AttentionKind attention_kind(AttentionSteps (*steps)(const AttentionPart&),
                             std::vector<KeptTensor> (*workspace)(
                                 const AttentionPart&, const AttentionKind::ElementBytes&)) {
    return {steps, workspace,
            std::tuple_cat(attention_makers<Implementation, Host>,
                           attention_makers<Implementation, Paced>,
                           cuda_attention_makers<Implementation>)};
}

/// Attention as the middle of a branch.
template <class S, class Space = Host>
class AttentionMiddle {
  public:
    /// `attention` must outlive this.
    explicit AttentionMiddle(const Attention<S, Space>& attention) : attention_(&attention) {}

    /// The bias added by the first product.
    static const S* bias(const LinearLayer<S, Space>& qkv) { return qkv.bias(); }
    template <class R>
    Computed forward(int step, const LinearLayer<S, Space>&, const BranchActivations<S, Space>& to,
                     const PassWorkspace<S, R, Space>& workspace) const {
        return attention_->forward(step, to, workspace.attention);
    }
    /// Location of the gradient of `activated` for backward(): separate from that of `wide`.
    template <class R>
    Matrix<S, Space> d_activated(const BranchActivations<S, Space>& kept,
                                 const PassWorkspace<S, R, Space>& workspace,
                                 Matrix<S, Space>) const {
        return matrix<Space>(workspace.d_branch.stored.data, kept.activated.rows,
                             kept.activated.columns);
    }
    template <class R>
    Computed backward(int step, const BranchActivations<S, Space>& kept,
                      Matrix<S, Space> d_activated, Matrix<S, Space> d_wide,
                      const PassWorkspace<S, R, Space>& workspace) const {
        return attention_->backward(step, kept, d_activated, d_wide, workspace.attention);
    }

  private:
    const Attention<S, Space>* attention_;
};

}  // namespace shardstone::reference
