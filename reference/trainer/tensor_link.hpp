// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/tensor_group.hpp"
#include "reference/step/step_spec.hpp"
#include "reference/trainer/clock.hpp"
#include "reference/trainer/exchange.hpp"

namespace shardstone::reference {

/// The tensor group of a rank in a running job (strategies/tensor_parallel.hpp says what is sent
/// when). Waiting moves on everything else of the exchange; its time counts as communication.
class TensorLink : public TensorGroup {
  public:
    /// `real`: what is computed in. Collective over the job.
    TensorLink(Exchange& exchange, PhaseClock& clock, const StepSpec& spec, ElementType real,
               ElementType stored);

    void collect(const Rows& full) override;
    void reduce(const Rows& partial) override;
    void sum(const Rows& values) override;
    void max(const Rows& values) override;
    void meanwhile() override;

  private:
    void run(std::size_t prepared, void* data);
    std::size_t prepare_rows(std::string_view operation, const StepSpec& spec, ElementType type);
    std::size_t prepare_all(const StepSpec& spec, std::int64_t count,
                            collectives::Reduction reduction);

    Exchange& exchange_;
    PhaseClock& clock_;
    ElementType real_, stored_;
    std::int64_t rows_;  ///< N
    bool sequence_parallel_;
    std::size_t collect_ = 0, collect_stored_ = 0, reduce_ = 0, sum_ = 0, max_ = 0;
};

}  // namespace shardstone::reference
