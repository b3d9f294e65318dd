// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "validation/equivalence/comparison.hpp"
#include "validation/equivalence/serial_trainer.hpp"

namespace shardstone::validation {

/// For layouts whose sums are formed in another order than on one rank. Each step is judged from
/// the state that the layout itself had before it, so that no difference of one step, however
/// right, is blown up by the next (an optimizer like AdamW turns a rounding error in a
/// gradient near zero into a full step):
///   - the loss and each tensor's gradient lie within a bound of those of one rank;
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
///
/// A position whose experts are nearly tied may go elsewhere where sums round otherwise, and then
/// trains other weights, which is no error of rounding. So a step that is beyond its bound is
/// searched for such turns (routes.hpp): those that are behind on one rank, in log-probability, by
/// at most 8 times the root mean square of the errors of a layer's log-probabilities, which are
/// measured as e is, with positions going the same ways. (Two computations, each with errors in two
/// log-probabilities, differ by 2 of that; four standard deviations of it are met once in 16,000 if
/// roundings are nearly normal, as is assumed.) What each would change in the gradient is computed
/// on one rank; of those that the deviation has in it (its projection on the change is half of that
/// to twice as much) the one that explains most is made there; then one rank is computed anew,
/// until the step is within its bound and all turns are as close as that, or no more are found. Not
/// searched for are turns of another choice than a position's last, or to another than the
/// likeliest expert left out; and not found those that cancel each other more than by half.
template <class Real>
class StepJudge {
  public:
    StepJudge(const reference::TrainOptions& options, const reference::Dataset& dataset);

    /// Judges one step from `before`, of which the gradients do not matter.
    std::optional<Difference> judge(std::int64_t step, const ModelState<Real>& before,
                                    const StepState<Real>& after);
    /// The largest deviation of a gradient so far, as a share of its bound.
    double worst() const noexcept { return worst_; }
    /// Turns that were made on one rank.
    std::int64_t turned() const noexcept { return turned_; }

  private:
    /// Of one rank, at the state before a step.
    struct Expected {
        Gradients<Real> gradients;
        double loss_bound = 0.0;
        std::vector<double> bounds;     ///< of the gradient, by tensor
        std::vector<double> tie_width;  ///< of log-probabilities, by layer
    };
    void set_state(const ModelState<Real>& before);
    Expected expect(std::int64_t step);
    void set_bounds(const Gradients<float>& narrow, const Gradients<double>& wide, Expected& to);

    std::optional<Difference> judge_gradients(std::int64_t step, const StepState<Real>& after);
    struct Comparison {
        std::optional<Difference> found;
        double worst = 0.0;  ///< largest share of a bound, up to the first that is broken
    };
    Comparison compare(std::int64_t step, const Expected& expected,
                       const StepState<Real>& after) const;
    /// The sum of the products of two gradients' elements, in units of the tensors' bounds.
    double in_bounds(const Expected& expected, const std::vector<double>& a,
                     const std::vector<double>& b) const;
    /// The turn that explains most of what `after` deviates, beside those that are made.
    std::optional<Turn> best_turn(std::int64_t step, const Expected& expected,
                                  const StepState<Real>& after, const std::vector<Turn>& made);
    std::optional<Difference> judge_update(std::int64_t step, const ModelState<Real>& before,
                                           const StepState<Real>& after);

    reference::TrainOptions options_;
    reference::ParameterLayout layout_;
    SerialTrainer<Real> serial_;
    SerialTrainer<float> narrow_;
    SerialTrainer<double> wide_;
    double worst_ = 0.0;
    std::int64_t turned_ = 0;
};

extern template class StepJudge<float>;
extern template class StepJudge<double>;

}  // namespace shardstone::validation
