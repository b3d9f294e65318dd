// SPDX-License-Identifier: BSD-3-Clause
// Two trainings are held against each other, bit by bit or with derived bounds on the gradients.
#include "validation/equivalence/comparison.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/base/element_type.hpp"

namespace shardstone::validation {

namespace {

using namespace reference;

constexpr double nothing_allowed = std::numeric_limits<double>::infinity();

/// The first tensor in which two flat vectors have different bits.
template <class Real>
std::optional<std::string> first_unequal(const ParameterLayout& layout,
                                         const std::vector<Real>& expected,
                                         const std::vector<Real>& actual) {
    if (expected.size() != actual.size()) return layout.parameters().front().name;
    if (expected.empty()) return std::nullopt;
    for (const ParameterInfo& tensor : layout.parameters()) {
        const auto bytes = static_cast<std::size_t>(tensor.count) * sizeof(Real);
        if (std::memcmp(expected.data() + tensor.offset, actual.data() + tensor.offset, bytes) !=
            0) {
            return tensor.name;
        }
    }
    return std::nullopt;
}

/// What the optimizer has changed.
template <class Real>
std::optional<Difference> first_unequal_state(const ParameterLayout& layout, std::int64_t step,
                                              const ModelState<Real>& expected,
                                              const ModelState<Real>& actual) {
    using Field = std::vector<Real> ModelState<Real>::*;
    const std::array<std::pair<Field, const char*>, 3> fields{
        {{&ModelState<Real>::weights, "weight of "},
         {&ModelState<Real>::first_moments, "first moment of "},
         {&ModelState<Real>::second_moments, "second moment of "}}};
    for (const auto& [field, name] : fields) {
        if (const auto tensor = first_unequal(layout, expected.*field, actual.*field)) {
            return Difference{step, name + *tensor, nothing_allowed};
        }
    }
    return std::nullopt;
}

double distance_squared(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

template <class T>
std::vector<double> widened(const std::vector<T>& all, const ParameterInfo& tensor) {
    const auto first = all.begin() + tensor.offset;
    return {first, first + tensor.count};
}

TrainOptions in_full(TrainOptions options) {
    options.precision = {};
    return options;
}

/// n u / (1 - n u).
double gamma_of(double n, double u) {
    return n * u / (1.0 - n * u);
}

}  // namespace

std::string Difference::text() const {
    if (std::isinf(relative)) return fmt::format("step {}: {}", step, where);
    return fmt::format("step {}: {} ({:.3g} times its bound)", step, where, relative);
}

template <class Real>
std::optional<Difference> first_difference(const ParameterLayout& layout,
                                           const std::vector<StepState<Real>>& expected,
                                           const std::vector<StepState<Real>>& actual) {
    for (std::size_t s = 0; s < expected.size(); ++s) {
        const auto step = static_cast<std::int64_t>(s) + 1;
        const auto& a = expected[s];
        const auto& b = actual.at(s);
        if (a.loss != b.loss) return Difference{step, "loss", nothing_allowed};
        if (a.skipped != b.skipped) return Difference{step, "skipped update", nothing_allowed};
        if (a.skipped) {
            if (auto found = first_unequal_state(layout, step, a.model, b.model)) return found;
            continue;
        }
        if (const auto t = first_unequal(layout, a.model.gradients, b.model.gradients)) {
            return Difference{step, "gradient of " + *t, nothing_allowed};
        }
        if (a.gradient_norm != b.gradient_norm) return Difference{step, "norm", nothing_allowed};
        if (auto found = first_unequal_state(layout, step, a.model, b.model)) return found;
    }
    return std::nullopt;
}

template <class Real>
StepJudge<Real>::StepJudge(const TrainOptions& options, const Dataset& dataset)
    : options_(options),
      layout_(options.model),
      serial_(options, dataset),
      narrow_(options, dataset),
      wide_(in_full(options), dataset) {}

template <class Real>
typename StepJudge<Real>::Rounding StepJudge<Real>::rounding_at(std::int64_t step,
                                                                const ModelState<Real>& state) {
    ModelState<float> narrow;
    narrow.weights.assign(state.weights.begin(), state.weights.end());
    narrow_.set_state(narrow);
    ModelState<double> wide;
    const auto stored = narrow_.stored_weights();
    wide.weights.assign(stored.begin(), stored.end());
    wide_.set_state(wide);
    const auto rough = narrow_.gradients(step);
    const auto fine = wide_.gradients(step);
    Rounding rounding;
    rounding.loss_square = distance_squared(rough.losses, fine.losses);
    for (const ParameterInfo& tensor : layout_.parameters()) {
        rounding.squares.push_back(
            distance_squared(widened(rough.values, tensor), widened(fine.values, tensor)));
    }
    return rounding;
}

template <class Real>
std::optional<Difference> StepJudge<Real>::judge_gradients(std::int64_t step,
                                                           const StepState<Real>& after) {
    constexpr double u = element_traits<Real>::unit_roundoff;
    constexpr double u32 = element_traits<float>::unit_roundoff;
    const Rounding rounding = rounding_at(step, serial_.state());
    const auto expected = serial_.gradients(step);
    const double n = static_cast<double>(std::max(
        {options_.model.vocabulary, 4 * options_.model.channels, options_.batch.micro_tokens()}));
    const double worst_case = 2.0 * std::sqrt(n) * u / u32;
    const auto terms = static_cast<double>(terms_of(options_));
    const double below_grid = terms * 0x1p-66;
    const double sums = options_.reproducible
                            ? 0.0
                            : gamma_of(static_cast<double>(options_.batch.global_micro_batches() +
                                                           options_.plan.ranks()),
                                       u);
    // Always in FP64: the positions of a micro-batch one after the other, times the scale, and the
    // rounding of the whole.
    const double loss_roundings = 2.0 *
                                  gamma_of(static_cast<double>(options_.batch.micro_tokens() + 2),
                                           element_traits<double>::unit_roundoff) *
                                  std::abs(expected.loss);
    const double loss_share =
        std::abs(expected.loss - after.loss) /
        (worst_case * std::sqrt(rounding.loss_square) + loss_roundings + below_grid);
    if (!(loss_share <= 1.0)) return Difference{step, "loss", loss_share};
    for (std::size_t t = 0; t < layout_.parameters().size(); ++t) {
        const ParameterInfo& tensor = layout_.parameters()[t];
        const double deviation = std::sqrt(distance_squared(
            widened(expected.values, tensor), widened(after.model.gradients, tensor)));
        const auto magnitudes = widened(expected.magnitudes, tensor);
        const std::vector<double> zero(magnitudes.size(), 0.0);
        const double bound = worst_case * std::sqrt(rounding.squares[t]) +
                             sums * std::sqrt(distance_squared(magnitudes, zero)) +
                             below_grid * std::sqrt(static_cast<double>(tensor.count));
        const double share = deviation / bound;
        worst_ = std::max(worst_, share);
        if (!(share <= 1.0)) return Difference{step, "gradient of " + tensor.name, share};
    }
    return std::nullopt;
}

template <class Real>
std::optional<Difference> StepJudge<Real>::judge_update(std::int64_t step,
                                                        const ModelState<Real>& before,
                                                        const StepState<Real>& after) {
    if (serial_.norm(after.model.gradients) != after.gradient_norm) {
        return Difference{step, "norm", nothing_allowed};
    }
    serial_.set_state(before);
    serial_.update(step, after.model.gradients, after.gradient_norm);
    return first_unequal_state(layout_, step, serial_.state(), after.model);
}

template <class Real>
std::optional<Difference> StepJudge<Real>::judge(std::int64_t step, const ModelState<Real>& before,
                                                 const StepState<Real>& after) {
    serial_.set_state(before);
    const bool overflows = options_.overflow.step == step;
    std::optional<Difference> found;
    if (!overflows) found = judge_gradients(step, after);
    const bool skips = serial_.skips(!overflows);
    narrow_.skips(!overflows);
    if (skips != after.skipped) return Difference{step, "skipped update", nothing_allowed};
    if (skips) return first_unequal_state(layout_, step, serial_.state(), after.model);
    return found ? found : judge_update(step, before, after);
}

template std::optional<Difference> first_difference(const ParameterLayout&,
                                                    const std::vector<StepState<float>>&,
                                                    const std::vector<StepState<float>>&);
template std::optional<Difference> first_difference(const ParameterLayout&,
                                                    const std::vector<StepState<double>>&,
                                                    const std::vector<StepState<double>>&);
template class StepJudge<float>;
template class StepJudge<double>;

}  // namespace shardstone::validation
