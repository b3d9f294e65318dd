// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/record/record.hpp"
#include "validation/equivalence/comparison.hpp"
#include "validation/equivalence/layouts.hpp"

namespace shardstone::validation {

/// The program that a rank runs, given what the checker has passed. Planted bugs of the tests are
/// such functions; the product has none but the identity.
using ProgramSource = std::function<reference::StepProgram(const reference::StepSpec&, int rank)>;

/// In which numbers, with which optimizer.
struct Arithmetic {
    bool fp64 = false;
    reference::OptimizerKind optimizer = reference::OptimizerKind::adamw;
    /// A policy's name, of precisions(). Where it scales the loss, the last rank has an infinite
    /// gradient in the second step, which all are to skip.
    std::string precision = "fp32";

    std::string name() const;
};
/// FP32 and FP64, or the policy that is not "fp32", each with all these optimizers.
std::vector<Arithmetic> all_arithmetics(
    const std::vector<reference::OptimizerKind>& optimizers = {reference::OptimizerKind::adamw,
                                                               reference::OptimizerKind::sgd},
    const std::string& precision = "fp32");

/// What came of one layout in one arithmetic, on rank 0 of the job.
struct LayoutVerdict {
    Layout layout;
    Arithmetic arithmetic;
    /// To one rank, or between replicas, or between bytes sent and scheduled.
    std::optional<Difference> difference = {};
    /// Of a layout that claims no bits, and of any on GPUs: the largest deviation of a gradient as
    /// a share of its bound; of the former, whether a second run gave the same bits.
    double worst_share = 0.0;
    bool repeats = true;
    std::int64_t turned = 0;  ///< choices between nearly tied experts, see StepJudge
    double final_loss = 0.0;

    bool equal() const { return !difference && repeats; }
};

/// Trains layouts on the first ranks of a job and holds each against one rank.
class EquivalenceMatrix {
  public:
    /// Collective over `world`, which must outlive this. On GPUs (`device`), each rank's is chosen
    /// here, layouts train by graphs where they may, those that claim bits are held against one
    /// rank on a GPU, and all against one rank on the host within bounds. Throws Error where a rank
    /// sees no GPU.
    EquivalenceMatrix(collectives::Communicator& world, std::int64_t steps,
                      reference::DeviceKind device = reference::DeviceKind::cpu);

    /// Collective; the verdict on rank 0, elsewhere empty. The job has the ranks that it takes.
    /// Where interrupts are caught (interrupt.hpp) and one came to rank 0, it is not to be relied
    /// on.
    LayoutVerdict judge(const Layout& layout, const Arithmetic& arithmetic,
                        const ProgramSource& source = reference::checked_step_program);

  private:
    template <class Real, class Space = Host>
    LayoutVerdict judge_in(const Layout& layout, const Arithmetic& arithmetic,
                           const ProgramSource& source);
    template <class Real>
    struct Run;
    template <class Real, class Space>
    Run<Real> run(collectives::Communicator& group, const reference::TrainOptions& options,
                  const ProgramSource& source);

    /// What one rank, which is the first of a group, makes of the training.
    template <class Real, class Space>
    std::vector<StepState<Real>> one_rank(reference::TrainOptions options);

    collectives::Communicator& group_of(int ranks);

    collectives::Communicator& world_;
    std::map<int, collectives::Communicator> groups_;  ///< of the first so many ranks
    /// By mesh: layouts that split alike use the same ranks.
    std::map<std::string, std::shared_ptr<reference::PlanGroups>> plan_groups_;
    std::int64_t steps_;
    reference::DeviceKind device_;
    std::optional<collectives::Communicator> alone_;
    reference::Dataset text_;
};

/// "2 choices between nearly tied experts differ".
std::string turned_in_words(std::int64_t turned);

/// One check per layout and arithmetic; the table "layouts" for the record.
std::vector<results::Check> checks_of(const std::vector<LayoutVerdict>& verdicts);
results::Table table_of(const std::vector<LayoutVerdict>& verdicts);

}  // namespace shardstone::validation
