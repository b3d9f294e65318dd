// SPDX-License-Identifier: BSD-3-Clause
// Two trainings are held against each other, bit by bit.
#include "validation/equivalence/comparison.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

namespace shardstone::validation {

namespace {

using namespace reference;

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

}  // namespace

std::string Difference::text() const {
    if (std::isinf(relative)) return fmt::format("step {}: {}", step, where);
    return fmt::format("step {}: {} ({:.3g} times its bound)", step, where, relative);
}

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
            return Difference{step, name + *tensor, no_bound};
        }
    }
    return std::nullopt;
}

template <class Real>
std::optional<Difference> first_difference(const ParameterLayout& layout,
                                           const std::vector<StepState<Real>>& expected,
                                           const std::vector<StepState<Real>>& actual) {
    for (std::size_t s = 0; s < expected.size(); ++s) {
        const auto step = static_cast<std::int64_t>(s) + 1;
        const auto& a = expected[s];
        const auto& b = actual.at(s);
        if (a.loss != b.loss) return Difference{step, "loss", no_bound};
        if (a.skipped != b.skipped) return Difference{step, "skipped update", no_bound};
        if (a.skipped) {
            if (auto found = first_unequal_state(layout, step, a.model, b.model)) return found;
            continue;
        }
        if (const auto t = first_unequal(layout, a.model.gradients, b.model.gradients)) {
            return Difference{step, "gradient of " + *t, no_bound};
        }
        if (a.gradient_norm != b.gradient_norm) return Difference{step, "norm", no_bound};
        if (auto found = first_unequal_state(layout, step, a.model, b.model)) return found;
    }
    return std::nullopt;
}

template std::optional<Difference> first_difference(const ParameterLayout&,
                                                    const std::vector<StepState<float>>&,
                                                    const std::vector<StepState<float>>&);
template std::optional<Difference> first_difference(const ParameterLayout&,
                                                    const std::vector<StepState<double>>&,
                                                    const std::vector<StepState<double>>&);
template std::optional<Difference> first_unequal_state(const ParameterLayout&, std::int64_t,
                                                       const ModelState<float>&,
                                                       const ModelState<float>&);
template std::optional<Difference> first_unequal_state(const ParameterLayout&, std::int64_t,
                                                       const ModelState<double>&,
                                                       const ModelState<double>&);

}  // namespace shardstone::validation
