// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validation/equivalence/serial_trainer.hpp"

namespace shardstone::validation {

/// The first place where a layout's training parts from what it should be: searched step by step,
/// the loss, the gradients, the norm, the weights, the moments, tensors in the order of the model.
struct Difference {
    std::int64_t step = 0;
    std::string where;      ///< "loss", "gradient of blocks.1.norm1.bias", "weight of ..."
    double relative = 0.0;  ///< deviation over what is allowed; infinite where nothing is

    std::string text() const;
};

/// Losses, norms and states of all steps, bit by bit; of a step whose update both leave out all but
/// gradients and norm, which have overflowed.
template <class Real>
std::optional<Difference> first_difference(const reference::ParameterLayout& layout,
                                           const std::vector<StepState<Real>>& expected,
                                           const std::vector<StepState<Real>>& actual);

/// For layouts whose sums are formed in another order than on one rank. Each step is judged from
/// the state that the layout itself had before it, so that no difference of one step, however
/// right, is blown up by the next (an optimizer like AdamW turns a rounding error in a
/// gradient near zero into a full step):
///   - the loss and each tensor's gradient lie within `Bound` of those of one rank;
///   - the norm is that of the layout's own gradient, bit by bit, since it is an exact sum;
///   - weights and moments are, bit by bit, what the optimizer makes of the state before, the
///     layout's own gradient and norm, since it works element by element.
///
///   - an update is left out where one rank leaves it out, and then changes nothing.
///
/// The bound. A sum of n terms in any order errs by at most g(n) sum|terms|, g(n) = n u / (1 - n u)
/// (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2), and by about sqrt(n) u
/// sum|terms| in practice (Higham and Mary 2019). How such errors, made in every product of the
/// model, add up in a tensor's gradient depends on the model and the data, so it is measured: e,
/// the error of one rank's FP32 gradient against FP64, at the same weights. It stands for sqrt(n)
/// u32 M, with M the magnitudes that errors are relative to; the worst case at unit roundoff u is
///   n u M = sqrt(n) (u / u32) e,
/// and likewise where tensors are stored in a narrow type and e is measured with them so, against
/// FP64 at the stored weights,
/// with n the longest sum that a layout splits: max(V, 4 C, B T). Two computations may differ by
/// both of their errors, hence twice that, and 2^-66 for each term of an exact sum, whose grid ends
/// there. The loss is summed in FP64 whatever the arithmetic, over the positions of a micro-batch
/// and scaled: g(B T + 2) at FP64's roundoff for each of the two. Without --reproducible the sums
/// over micro-batches and ranks add g(micro-batches + ranks) times the magnitudes of what the
/// micro-batches add.
template <class Real>
class StepJudge {
  public:
    StepJudge(const reference::TrainOptions& options, const reference::Dataset& dataset);

    /// Judges one step from `before`, of which the gradients do not matter.
    std::optional<Difference> judge(std::int64_t step, const ModelState<Real>& before,
                                    const StepState<Real>& after);
    /// The largest deviation of a gradient so far, as a share of its bound.
    double worst() const noexcept { return worst_; }

  private:
    std::optional<Difference> judge_gradients(std::int64_t step, const StepState<Real>& after);
    std::optional<Difference> judge_update(std::int64_t step, const ModelState<Real>& before,
                                           const StepState<Real>& after);
    /// Squared rounding error of one rank in FP32, or as the precision stores: of each tensor's
    /// gradient, and of the loss.
    struct Rounding {
        std::vector<double> squares;
        double loss_square = 0.0;
    };
    Rounding rounding_at(std::int64_t step, const ModelState<Real>& state);

    reference::TrainOptions options_;
    reference::ParameterLayout layout_;
    SerialTrainer<Real> serial_;
    SerialTrainer<float> narrow_;
    SerialTrainer<double> wide_;
    double worst_ = 0.0;
};

extern template std::optional<Difference> first_difference(const reference::ParameterLayout&,
                                                           const std::vector<StepState<float>>&,
                                                           const std::vector<StepState<float>>&);
extern template std::optional<Difference> first_difference(const reference::ParameterLayout&,
                                                           const std::vector<StepState<double>>&,
                                                           const std::vector<StepState<double>>&);
extern template class StepJudge<float>;
extern template class StepJudge<double>;

}  // namespace shardstone::validation
