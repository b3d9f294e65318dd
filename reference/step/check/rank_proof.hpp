// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// What the parts of the proof know about one rank's program, and how they complain.
class ProgramView {
  public:
    ProgramView(const StepSpec& spec, const StepProgram& program, int rank)
        : spec(spec),
          program(program),
          rank(rank),
          at(coordinates_of(spec.plan, rank)),
          part(part_of(spec, rank)),
          layout(spec.model, part) {}

    template <class... Values>
    void expect(bool ok, std::size_t action, fmt::format_string<Values...> text,
                Values&&... values) const {
        require(ok, [&] {
            return fmt::format("step program of rank {}, action {}: {}", rank, action,
                               fmt::format(text, std::forward<Values>(values)...));
        });
    }
    Unit unit_of(const Action& action) const {
        const auto units = part.chunks[static_cast<std::size_t>(action.chunk)].units();
        return units[static_cast<std::size_t>(action.unit)];
    }
    int units_in(int chunk) const {
        return static_cast<int>(part.chunks[static_cast<std::size_t>(chunk)].units().size());
    }

    const StepSpec& spec;
    const StepProgram& program;
    int rank;
    Coordinates at;
    ModelPart part;
    ParameterLayout layout;
};

/// One part of the proof: sees all actions of a rank in order.
class RankProof {
  public:
    explicit RankProof(const ProgramView& view) : view_(view) {}
    virtual ~RankProof() = default;
    /// `waited`: the actions that this or an earlier one has waited for.
    virtual void see(std::size_t position, const Action& action,
                     const std::set<std::size_t>& waited) = 0;
    virtual void finish() = 0;

  protected:
    const ProgramView& view_;
};

/// Passes: every micro-batch once each way, in slots of its own, with its own messages.
class PassProof : public RankProof {
  public:
    using RankProof::RankProof;
    void see(std::size_t position, const Action& action,
             const std::set<std::size_t>& waited) override;
    void finish() override;

  private:
    /// A micro-batch in a chunk.
    struct Crossing {
        int slot = 0;
        int forward = 0;    ///< units that have run
        int recomputed = 0;  ///< of the last recompute, the unit's number + 1
        int inputs = 0;     ///< units backward, whole or first halves
        int weights = 0;    ///< units backward, whole or second halves
        std::size_t received = none, gradient_received = none, sent = none;
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void forward(std::size_t position, const Action& action, const std::set<std::size_t>& waited);
    void backward(std::size_t position, const Action& action, const std::set<std::size_t>& waited);
    void message(std::size_t position, const Action& action, const std::set<std::size_t>& waited);
    void begin_slot(std::size_t position, const Action& action);
    void begin_gradient_slot(std::size_t position, const Action& action,
                             const std::set<std::size_t>& waited);
    Crossing& crossing(const Action& action);
    int part_number(const Action& action) const {
        return action.chunk * view_.spec.plan.pipeline + view_.at.pipeline;
    }
    int parts() const { return view_.spec.pipeline.chunks * view_.spec.plan.pipeline; }

    std::map<std::pair<int, std::int64_t>, Crossing> crossings_;
    std::map<std::pair<int, int>, std::int64_t> slots_;  ///< chunk and slot: micro-batch
    std::map<int, std::size_t> gradient_sends_;          ///< by gradient slot
};

/// Gradients and weights: reduced once, over the right group, before they are used; gathered before
/// they are read.
class ParameterProof : public RankProof {
  public:
    explicit ParameterProof(const ProgramView& view);
    void see(std::size_t position, const Action& action,
             const std::set<std::size_t>& waited) override;
    void finish() override;

  private:
    /// The sums of a group's gradients since they were last cleared.
    struct Sums {
        std::int64_t micro_batch = -1;  ///< of the last contribution
        bool has_any = false;
        std::vector<Range> by_data, by_tensor, by_tied;
        std::vector<std::size_t> transfers;
    };
    struct Content {
        std::size_t group = 0;
        std::vector<Range> gathered;
        std::vector<std::size_t> transfers;
    };

    void pass(std::size_t position, const Action& action, const std::set<std::size_t>& waited);
    void contribute(std::size_t position, std::size_t group, const Action& action,
                    const std::set<std::size_t>& waited);
    void read(std::size_t position, std::size_t group, const std::set<std::size_t>& waited);
    void reduce(std::size_t position, const Action& action);
    void gather(std::size_t position, const Action& action);
    void require_reduced(std::size_t position, std::size_t group,
                         const std::set<std::size_t>& waited);
    std::size_t group_of_range(std::size_t position, const Range& range) const;

    std::vector<Sums> sums_;         ///< by group
    std::vector<Content> contents_;  ///< by place
    std::vector<Range> gathered_after_update_;
    std::set<std::size_t> once_;  ///< What of transfers that happen once
    bool updated_ = false;
    bool normed_ = false;
};

}  // namespace shardstone::reference
