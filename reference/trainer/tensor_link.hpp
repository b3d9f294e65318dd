// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/tensor_group.hpp"
#include "reference/step/step_spec.hpp"
#include "reference/trainer/clock.hpp"
#include "reference/trainer/exchange.hpp"

namespace shardstone::reference {

/// The tensor group of a rank in a running job (strategies/tensor_parallel.hpp says what is sent
/// when). Waiting moves on everything else of the exchange; its time counts as communication.
template <class Real>
class TensorLink : public TensorGroup<Real> {
  public:
    /// Collective over the job.
    TensorLink(Exchange& exchange, PhaseClock& clock, const StepSpec& spec);

    void collect(Matrix<Real> full) override;
    void reduce(Matrix<Real> partial) override;
    void sum(std::span<Real> values) override;
    void max(std::span<Real> values) override;
    void meanwhile() override;

  private:
    void run(std::size_t prepared, void* data);
    std::size_t prepare_rows(std::string_view operation, std::string_view algorithm,
                             const StepSpec& spec);
    std::size_t prepare_all(const StepSpec& spec, std::int64_t count,
                            collectives::Reduction reduction);

    Exchange& exchange_;
    PhaseClock& clock_;
    std::int64_t rows_;  ///< N
    bool sequence_parallel_;
    std::size_t collect_ = 0, reduce_ = 0, sum_ = 0, max_ = 0;
};

extern template class TensorLink<float>;
extern template class TensorLink<double>;

}  // namespace shardstone::reference
