// SPDX-License-Identifier: BSD-3-Clause
// The tensor ranks of one group in one process: a thread each, of which one runs at a time, so that
// every run takes the same course.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "reference/model/partition.hpp"
#include "reference/model/rows.hpp"
#include "reference/model/unit_phases.hpp"

namespace shardstone::validation {

/// What a group may get wrong, to see that tests notice.
enum class GroupFault { none, no_gather, no_reduce, no_sums, no_maximum };

/// Runs what each rank does up to its next transfer, in rank order; the last one to come does the
/// work for all. Rows that a reduce-scatter leaves undefined become NaN.
template <class Real>
class LockstepGroup {
  public:
    using Transfer = reference::PhaseTransfer;

    explicit LockstepGroup(int ranks, GroupFault fault = GroupFault::none)
        : ranks_(ranks), fault_(fault) {}

    /// What a rank does with what a phase has left.
    auto member(int rank) {
        return [this, rank](const Transfer& transfer, const reference::Rows& rows) {
            ASSERT_EQ(rows.type, element_traits<Real>::type);
            EXPECT_EQ(rows.rows * rows.columns, transfer.count());
            meet(rank, transfer, matrix(static_cast<Real*>(rows.data), rows.rows, rows.columns));
        };
    }
    int ranks() const { return ranks_; }

    /// Calls action(rank) for every rank and returns when all have.
    void run(const std::function<void(int)>& action) {
        turn_ = 0;
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks(); ++rank) {
            threads.emplace_back([&, rank] {
                wait_for_turn(rank);
                action(rank);
                meet(rank, std::nullopt, {});
            });
        }
        for (std::thread& thread : threads) thread.join();
    }

  private:
    using CollectiveKind = reference::PhaseTransfer::CollectiveKind;

    void wait_for_turn(int rank) {
        std::unique_lock lock(mutex_);
        turned_.wait(lock, [&] { return turn_ == rank; });
    }

    /// Without a transfer: at the end.
    void meet(int rank, const std::optional<Transfer>& transfer, Matrix<Real> given) {
        {
            const std::scoped_lock lock(mutex_);
            if (rank == 0) {
                transfer_ = transfer;
                given_.clear();
            }
            EXPECT_EQ(transfer, transfer_)
                << "rank " << rank << " sends something else than rank 0";
            given_.push_back(given);
            if (rank == ranks() - 1 && transfer && !is_faulty(*transfer)) act(transfer->operation);
            turn_ = (rank + 1) % ranks();
        }
        turned_.notify_all();
        if (transfer) wait_for_turn(rank);
    }

    bool is_faulty(const Transfer& transfer) const {
        if (transfer.operation == CollectiveKind::all_gather)
            return fault_ == GroupFault::no_gather;
        if (transfer.operation == CollectiveKind::maximum) return fault_ == GroupFault::no_maximum;
        return fault_ == (transfer.columns == 2 ? GroupFault::no_sums : GroupFault::no_reduce);
    }

    void act(CollectiveKind operation) {
        const Matrix<Real> first = given_.front();
        for (int owner = 0; owner < ranks(); ++owner) {
            const auto rows = reference::even_share(first.rows, ranks(), owner);
            for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                for (std::int64_t c = 0; c < first.columns; ++c) combine(operation, owner, r, c);
            }
        }
    }

    void combine(CollectiveKind operation, int owner, std::int64_t r, std::int64_t c) {
        const auto own = static_cast<std::size_t>(owner);
        Real result = given_.front().row(r)[c];
        for (std::size_t i = 1; i < given_.size(); ++i) {
            const Real other = given_[i].row(r)[c];
            result =
                operation == CollectiveKind::maximum ? std::max(result, other) : result + other;
        }
        if (operation == CollectiveKind::all_gather) result = given_[own].row(r)[c];
        for (std::size_t i = 0; i < given_.size(); ++i) {
            const bool defined = operation != CollectiveKind::reduce_scatter || i == own;
            given_[i].row(r)[c] = defined ? result : std::numeric_limits<Real>::quiet_NaN();
        }
    }

    int ranks_;
    GroupFault fault_;
    std::mutex mutex_;
    std::condition_variable turned_;
    int turn_ = 0;
    std::optional<Transfer> transfer_;
    std::vector<Matrix<Real>> given_;
};

}  // namespace shardstone::validation
