// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "reference/data/dataset.hpp"
#include "reference/model/experts/expert_part.hpp"
#include "reference/model/gpt_part.hpp"
#include "reference/trainer/options.hpp"
#include "validation/equivalence/model_state.hpp"
#include "validation/equivalence/routes.hpp"
#include "validation/oracle/sample_order.hpp"

namespace shardstone::validation {

/// Loss and gradients of a global batch.
template <class Real>
struct Gradients {
    double loss = 0.0;
    std::vector<double> losses;      ///< each micro-batch's part of it
    std::vector<Real> values;        ///< flat order of the whole model
    std::vector<double> magnitudes;  ///< sums of the magnitudes of what the micro-batches add
};

/// Training on one rank as a plain loop: no plan, no program, no communication. What every layout
/// is held against. With the trainer it shares the model's passes and their kernels, the layout of
/// the flat buffer, the loss scale and the sums of gradients (kernels/base/exact_sum.hpp:
/// reproducible ones only). The order of the data, the initial weights, the schedule, norm,
/// clipping, optimizers and stochastic rounding are the oracle's (validation/oracle), which are
/// written from their rules a second time, and equal to the last bit.
template <class Real>
class SerialTrainer {
  public:
    SerialTrainer(const reference::TrainOptions& options, const reference::Dataset& dataset);

    /// Weights (the master weights, where the precision has them) and moments after the last
    /// update.
    const ModelState<Real>& state() const noexcept { return state_; }
    void set_state(const ModelState<Real>& state);
    /// As the model reads them.
    std::vector<Real> stored_weights() const;

    /// Of step `step` (from 1) with the weights at hand; to be called once a step, in order, where
    /// the precision has FP8 products, whose scales follow from the steps before.
    Gradients<Real> gradients(std::int64_t step);
    /// What this micro-batch of them adds; not with FP8 products.
    Gradients<Real> gradients_of(std::int64_t step, std::int64_t micro_batch);

    /// Where positions went when their micro-batch was computed last; empty without experts.
    const Routes& routes() const noexcept { return routes_; }
    /// From now on positions go where these say, whatever is likelier; empty: where they choose.
    void follow(Routes routes) { followed_ = std::move(routes); }
    /// From now on these turns, and no others, are made, wherever that leads the layers behind.
    void turn(std::vector<Turn> turns) { turns_ = std::move(turns); }

    double norm(const std::vector<Real>& gradients) const;
    /// To be told of every step whether its gradients were finite, says whether its update is left
    /// out.
    bool skips(bool finite) { return loss_scale_.skips(finite); }
    /// Clips by `norm` and updates weights and moments.
    void update(std::int64_t step, const std::vector<Real>& gradients, double norm);

    /// All of it.
    StepState<Real> step(std::int64_t step);

  private:
    bool is_frozen(const reference::ParameterInfo& tensor) const;
    std::vector<reference::GroupMemory<Real>> memory();
    /// Rounds the weights to what the model reads; without master weights that is all there is.
    void store_weights(std::int64_t step);
    template <class S>
    void store_as(std::int64_t step);
    /// Of `count` micro-batches from `first` on.
    Gradients<Real> sum_of(std::int64_t step, std::int64_t first, std::int64_t count);
    /// Forward and backward.
    void pass(std::int64_t step, std::int64_t micro_batch, double scale, Gradients<Real>& to);
    void forward(std::int64_t micro_batch, int unit);
    /// Notes where positions go, after it has sent them where they should.
    void choose(std::int64_t micro_batch, std::int64_t layer);
    void add_unit(const reference::Unit& unit, Gradients<Real>& to);

    reference::TrainOptions options_;
    reference::ParameterLayout layout_;
    ModelState<Real> state_;
    Buffer<std::byte> stored_;          ///< weights in the storage type, where the model reads them
    std::vector<Real> pass_gradients_;  ///< what one pass adds to
    reference::LossScale loss_scale_;
    reference::GptPart<Real> model_;
    std::vector<std::vector<reference::Token>> text_;  ///< by piece
    reference::ExpertPart experts_;
    oracle::SampleOrder order_;
    std::vector<ExactPair> sums_;
    Routes routes_, followed_;
    std::vector<Turn> turns_;
};

extern template class SerialTrainer<float>;
extern template class SerialTrainer<double>;

}  // namespace shardstone::validation
