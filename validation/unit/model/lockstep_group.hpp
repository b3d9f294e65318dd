// SPDX-License-Identifier: BSD-3-Clause
// The tensor ranks of one group in one process: a thread each, of which one runs at a time, so that
// every run takes the same course.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/model/partition.hpp"
#include "reference/model/tensor_group.hpp"

namespace shardstone::validation {

/// What a group may get wrong, to see that tests notice.
enum class GroupFault { none, no_collect, no_reduce, no_sum, no_max };

/// Runs what each rank does up to its next call, in rank order; the last one to call does the work
/// for all. Rows that sequence parallelism leaves undefined become NaN.
template <class Real>
class LockstepGroup {
  public:
    LockstepGroup(int ranks, bool sequence_parallel, GroupFault fault = GroupFault::none)
        : sequence_parallel_(sequence_parallel), fault_(fault) {
        for (int rank = 0; rank < ranks; ++rank) members_.emplace_back(*this, rank);
    }

    reference::TensorGroup& member(int rank) { return members_[static_cast<std::size_t>(rank)]; }
    int ranks() const { return static_cast<int>(members_.size()); }

    /// Calls action(rank) for every rank and returns when all have.
    void run(const std::function<void(int)>& action) {
        turn_ = 0;
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks(); ++rank) {
            threads.emplace_back([&, rank] {
                wait_for_turn(rank);
                action(rank);
                meet(rank, Call::end, {});
            });
        }
        for (std::thread& thread : threads) thread.join();
    }

  private:
    enum class Call { collect, reduce, sum, max, end };

    class Member : public reference::TensorGroup {
      public:
        Member(LockstepGroup& group, int rank) : group_(&group), rank_(rank) {}
        Member(Member&& other) noexcept : group_(other.group_), rank_(other.rank_) {}
        void collect(const reference::Rows& rows) override { meet(Call::collect, rows); }
        void reduce(const reference::Rows& rows) override { meet(Call::reduce, rows); }
        void sum(const reference::Rows& rows) override { meet(Call::sum, rows); }
        void max(const reference::Rows& rows) override { meet(Call::max, rows); }

      private:
        void meet(Call call, const reference::Rows& rows) {
            ASSERT_EQ(rows.type, element_traits<Real>::type);
            group_->meet(rank_, call,
                         matrix(static_cast<Real*>(rows.data), rows.rows, rows.columns));
        }
        LockstepGroup* group_;
        int rank_;
    };

    void wait_for_turn(int rank) {
        std::unique_lock lock(mutex_);
        turned_.wait(lock, [&] { return turn_ == rank; });
    }

    void meet(int rank, Call call, Matrix<Real> given) {
        {
            const std::scoped_lock lock(mutex_);
            if (rank == 0) {
                call_ = call;
                given_.clear();
            }
            EXPECT_EQ(call, call_) << "rank " << rank << " calls another member than rank 0";
            given_.push_back(given);
            if (rank == ranks() - 1) act();
            turn_ = (rank + 1) % ranks();
        }
        turned_.notify_all();
        if (call != Call::end) wait_for_turn(rank);
    }

    bool is_faulty() const {
        return (call_ == Call::collect && fault_ == GroupFault::no_collect) ||
               (call_ == Call::reduce && fault_ == GroupFault::no_reduce) ||
               (call_ == Call::sum && fault_ == GroupFault::no_sum) ||
               (call_ == Call::max && fault_ == GroupFault::no_max);
    }

    void act() {
        if (call_ == Call::end || is_faulty()) return;
        const bool by_rows =
            sequence_parallel_ && (call_ == Call::collect || call_ == Call::reduce);
        if (call_ == Call::collect && !by_rows) return;
        const Matrix<Real> first = given_.front();
        for (int owner = 0; owner < ranks(); ++owner) {
            const auto rows = by_rows ? reference::even_share(first.rows, ranks(), owner)
                                      : reference::EvenShare{0, owner == 0 ? first.rows : 0};
            for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                for (std::int64_t c = 0; c < first.columns; ++c) combine(owner, by_rows, r, c);
            }
        }
    }

    void combine(int owner, bool by_rows, std::int64_t r, std::int64_t c) {
        Real result = given_.front().row(r)[c];
        if (call_ == Call::collect) result = given_[static_cast<std::size_t>(owner)].row(r)[c];
        for (std::size_t i = 1; i < given_.size() && call_ != Call::collect; ++i) {
            const Real other = given_[i].row(r)[c];
            result = call_ == Call::max ? std::max(result, other) : result + other;
        }
        for (std::size_t i = 0; i < given_.size(); ++i) {
            const bool defined =
                call_ != Call::reduce || !by_rows || i == static_cast<std::size_t>(owner);
            given_[i].row(r)[c] = defined ? result : std::numeric_limits<Real>::quiet_NaN();
        }
    }

    bool sequence_parallel_;
    GroupFault fault_;
    std::vector<Member> members_;
    std::mutex mutex_;
    std::condition_variable turned_;
    int turn_ = 0;
    Call call_ = Call::end;
    std::vector<Matrix<Real>> given_;
};

}  // namespace shardstone::validation
