// SPDX-License-Identifier: BSD-3-Clause
// A step of a layout is held against one rank's within bounds that are measured on the way.
#include "validation/equivalence/step_judge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/base/element_type.hpp"
#include "kernels/base/interrupt.hpp"

namespace shardstone::validation {

namespace {

using namespace reference;

using Numbers = std::span<const double>;

double product(Numbers a, Numbers b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double length(Numbers all) {
    return std::sqrt(product(all, all));
}

Numbers part_of_gradient(const ParameterInfo& tensor, Numbers all) {
    return all.subspan(static_cast<std::size_t>(tensor.offset),
                       static_cast<std::size_t>(tensor.count));
}

template <class A, class B>
std::vector<double> difference_of(const std::vector<A>& a, const std::vector<B>& b) {
    std::vector<double> difference(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference[i] = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    }
    return difference;
}

TrainOptions in_full(TrainOptions options) {
    options.precision = {};
    return options;
}

/// n u / (1 - n u).
double gamma_of(double n, double u) {
    return n * u / (1.0 - n * u);
}

/// A turn that leads back is a sign that none explains the step.
bool turns_position(const std::vector<Turn>& made, const Turn& turn) {
    return std::ranges::any_of(made, [&](const Turn& one) {
        return one.micro_batch == turn.micro_batch && one.layer == turn.layer &&
               one.position == turn.position;
    });
}

/// The factor on a measured error.
template <class Real>
double worst_case(const TrainOptions& options) {
    constexpr double u = element_traits<Real>::unit_roundoff;
    constexpr double u32 = element_traits<float>::unit_roundoff;
    const double n = static_cast<double>(std::max(
        {options.model.vocabulary, 4 * options.model.channels, options.batch.micro_tokens()}));
    return 2.0 * std::sqrt(n) * u / u32;
}

/// The projection of a deviation on a turn's change that it has in it, as a share of that: 1, and 0
/// of one that it has not, but for what others' changes overlap. The least is halfway between
/// these; the most is chosen, as its reciprocal. They decide what is tried, not what is excused
/// (reference/decisions/2026-11-28-choices-between-tied-experts.md).
constexpr double least_of_change = 0.5, most_of_change = 2.0;

/// Of one's errors, as they are measured in FP32: four standard deviations of a difference of two
/// leads, if roundings are nearly normal, which is assumed (see the same decision).
template <class Real>
constexpr double widest_tie =
    8.0 * element_traits<Real>::unit_roundoff / element_traits<float>::unit_roundoff;

}  // namespace

template <class Real>
StepJudge<Real>::StepJudge(const TrainOptions& options, const Dataset& dataset)
    : options_(options),
      layout_(options.model),
      serial_(options, dataset),
      narrow_(options, dataset),
      wide_(in_full(options), dataset) {}

template <class Real>
void StepJudge<Real>::set_state(const ModelState<Real>& before) {
    serial_.set_state(before);
    ModelState<float> narrow;
    narrow.weights.assign(before.weights.begin(), before.weights.end());
    narrow_.set_state(narrow);
    ModelState<double> wide;
    const auto stored = narrow_.stored_weights();
    wide.weights.assign(stored.begin(), stored.end());
    wide_.set_state(wide);
}

template <class Real>
typename StepJudge<Real>::Expected StepJudge<Real>::expect(std::int64_t step) {
    Expected expected;
    expected.gradients = serial_.gradients(step);
    narrow_.follow(serial_.routes());
    wide_.follow(serial_.routes());
    const auto narrow = narrow_.gradients(step);
    const auto wide = wide_.gradients(step);
    set_bounds(narrow, wide, expected);
    if (!options_.model.experts.any()) return expected;
    expected.tie_width = rms_of_differences(narrow_.routes(), wide_.routes());
    for (double& width : expected.tie_width) {
        // A probability that is 0 in one type only tells nothing of the others.
        width = std::isfinite(width) ? width * widest_tie<Real> : 0.0;
    }
    return expected;
}

template <class Real>
void StepJudge<Real>::set_bounds(const Gradients<float>& narrow, const Gradients<double>& wide,
                                 Expected& to) {
    constexpr double u = element_traits<Real>::unit_roundoff;
    const double below_grid = static_cast<double>(terms_of(options_)) * 0x1p-66;
    const double sums = options_.reproducible
                            ? 0.0
                            : gamma_of(static_cast<double>(options_.batch.global_micro_batches() +
                                                           options_.plan.ranks()),
                                       u);
    const auto losses = difference_of(narrow.losses, wide.losses);
    // Always in FP64: the positions of a micro-batch one after the other, times the scale, and the
    // rounding of the whole.
    const double loss_roundings = 2.0 *
                                  gamma_of(static_cast<double>(options_.batch.micro_tokens() + 2),
                                           element_traits<double>::unit_roundoff) *
                                  std::abs(to.gradients.loss);
    to.loss_bound = worst_case<Real>(options_) * length(losses) + loss_roundings + below_grid;
    const auto roundings = difference_of(narrow.values, wide.values);
    for (const ParameterInfo& tensor : layout_.parameters()) {
        to.bounds.push_back(worst_case<Real>(options_) *
                                length(part_of_gradient(tensor, roundings)) +
                            sums * length(part_of_gradient(tensor, to.gradients.magnitudes)) +
                            below_grid * std::sqrt(static_cast<double>(tensor.count)));
    }
}

template <class Real>
typename StepJudge<Real>::Comparison StepJudge<Real>::compare(std::int64_t step,
                                                              const Expected& expected,
                                                              const StepState<Real>& after) const {
    const double loss_share = std::abs(expected.gradients.loss - after.loss) / expected.loss_bound;
    if (!(loss_share <= 1.0)) return {Difference{step, "loss", loss_share}};
    const auto deviations = difference_of(expected.gradients.values, after.model.gradients);
    Comparison comparison;
    for (std::size_t t = 0; t < expected.bounds.size(); ++t) {
        const ParameterInfo& tensor = layout_.parameters()[t];
        const double share = length(part_of_gradient(tensor, deviations)) / expected.bounds[t];
        comparison.worst = std::max(comparison.worst, share);
        if (share <= 1.0) continue;
        comparison.found = Difference{step, "gradient of " + tensor.name, share};
        break;
    }
    return comparison;
}

template <class Real>
double StepJudge<Real>::in_bounds(const Expected& expected, const std::vector<double>& a,
                                  const std::vector<double>& b) const {
    double sum = 0.0;
    for (std::size_t t = 0; t < expected.bounds.size(); ++t) {
        const ParameterInfo& tensor = layout_.parameters()[t];
        sum += product(part_of_gradient(tensor, a), part_of_gradient(tensor, b)) /
               (expected.bounds[t] * expected.bounds[t]);
    }
    return sum;
}

template <class Real>
std::optional<Turn> StepJudge<Real>::best_turn(std::int64_t step, const Expected& expected,
                                               const StepState<Real>& after,
                                               const std::vector<Turn>& made) {
    const auto deviation = difference_of(after.model.gradients, expected.gradients.values);
    const Routes routes = serial_.routes();
    std::optional<Turn> best;
    double most = 0.0;
    std::vector<Real> without;
    std::int64_t of_micro_batch = -1;
    for (const Turn& turn : turns_within(routes, expected.tie_width)) {
        if (std::exchange(of_micro_batch, turn.micro_batch) != turn.micro_batch) {
            without = serial_.gradients_of(step, turn.micro_batch).values;
        }
        auto also = made;
        also.push_back(turn);
        serial_.turn(also);
        const auto with = serial_.gradients_of(step, turn.micro_batch).values;
        serial_.turn(made);
        const auto change = difference_of(with, without);
        const double projection = in_bounds(expected, deviation, change);
        const double whole = in_bounds(expected, change, change);
        if (!(projection >= least_of_change * whole && projection <= most_of_change * whole))
            continue;
        if (projection > most) {
            most = projection;
            best = turn;
        }
    }
    return best;
}

template <class Real>
std::optional<Difference> StepJudge<Real>::judge_gradients(std::int64_t step,
                                                           const StepState<Real>& after) {
    Expected expected = expect(step);
    const Comparison first = compare(step, expected, after);
    Comparison last = first;
    std::vector<Turn> made;
    const bool may_turn = options_.model.experts.any();
    while (may_turn && last.found && std::isfinite(last.found->relative) && !interrupted()) {
        const auto turn = best_turn(step, expected, after, made);
        if (!turn || turns_position(made, *turn)) break;
        made.push_back(*turn);
        serial_.turn(made);
        expected = expect(step);
        last = compare(step, expected, after);
    }
    serial_.turn({});
    const bool explained = !last.found && are_within(serial_.routes(), made, expected.tie_width);
    worst_ = std::max(worst_, explained ? last.worst : first.worst);
    if (!explained) return first.found;
    turned_ += std::ssize(made);
    return std::nullopt;
}

template <class Real>
std::optional<Difference> StepJudge<Real>::judge_update(std::int64_t step,
                                                        const ModelState<Real>& before,
                                                        const StepState<Real>& after) {
    if (serial_.norm(after.model.gradients) != after.gradient_norm) {
        return Difference{step, "norm", no_bound};
    }
    serial_.set_state(before);
    serial_.update(step, after.model.gradients, after.gradient_norm);
    return first_unequal_state(layout_, step, serial_.state(), after.model);
}

template <class Real>
std::optional<Difference> StepJudge<Real>::judge(std::int64_t step, const ModelState<Real>& before,
                                                 const StepState<Real>& after) {
    set_state(before);
    const bool overflows = options_.overflow.step == step;
    std::optional<Difference> found;
    if (!overflows) found = judge_gradients(step, after);
    const bool skips = serial_.skips(!overflows);
    narrow_.skips(!overflows);
    if (skips != after.skipped) return Difference{step, "skipped update", no_bound};
    if (skips) return first_unequal_state(layout_, step, serial_.state(), after.model);
    return found ? found : judge_update(step, before, after);
}

template class StepJudge<float>;
template class StepJudge<double>;

}  // namespace shardstone::validation
