// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/step/state_layout.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// A rank's program with the objects it refers to, for lookups and error messages in the parts of a
/// proof. Keeps references to spec and program.
class ProgramView {
  public:
    ProgramView(const StepSpec& spec, const StepProgram& program, int rank);

    /// Throws Error naming rank and action unless `ok`.
    template <class... Values>
    void expect(bool ok, std::size_t action, fmt::format_string<Values...> text,
                Values&&... values) const {
        if (!ok) refuse(action, fmt::format(text, std::forward<Values>(values)...));
    }

    const Unit& unit_of(const Action& action) const {
        return units(action.chunk)[index(action.unit)];
    }
    int units_in(int chunk) const { return static_cast<int>(units(chunk).size()); }
    /// Groups whose weights the unit of a pass reads and to whose gradients it adds.
    const std::vector<std::size_t>& groups_of(const Action& pass) const {
        return groups_[index(pass.chunk)][index(pass.unit)];
    }
    /// The group that contains the whole range; none if the range lies in several, or outside, or
    /// is empty.
    std::optional<std::size_t> group_of(const Range& range) const;
    /// Whether it is one of the buckets of its group.
    bool is_bucket(const Range& range) const;

    int chunks() const { return static_cast<int>(part.chunks.size()); }
    /// Index in model order of a chunk, and the number of chunks of the model.
    int part_number(int chunk) const { return chunk * spec.plan.pipeline + at.pipeline; }
    int parts() const { return chunks() * spec.plan.pipeline; }
    int stage_of_part(int number) const { return number % spec.plan.pipeline; }

    const StepSpec& spec;
    const StepProgram& program;
    const int rank;
    const Coordinates at;
    const ModelPart part;
    const ParameterLayout layout;
    const StateLayout state;

  private:
    template <class Number>
    static std::size_t index(Number number) {
        return static_cast<std::size_t>(number);
    }
    const std::vector<Unit>& units(int chunk) const { return units_[index(chunk)]; }
    [[noreturn]] void refuse(std::size_t action, const std::string& what) const;

    std::vector<std::vector<Unit>> units_;                       ///< by chunk
    std::vector<std::vector<std::vector<std::size_t>>> groups_;  ///< by chunk and unit
};

/// Throws Error unless everything that an action names exists: needs before it, chunk, unit, slots,
/// stage, range.
void check_names(const ProgramView& view);

}  // namespace shardstone::reference
