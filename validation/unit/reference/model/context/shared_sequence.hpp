// SPDX-License-Identifier: BSD-3-Clause
// The ranks of one context group in one process, step by step, with transfers as early or as late
// as a step's needs allow.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "reference/model/attention.hpp"
#include "validation/numerics/kernels/compare.hpp"

namespace shardstone::validation {

enum class Delivery { at_once, as_late_as_can_be };

/// Attention over whole sequences, computed by ranks that each have a share of them.
template <class S>
class ContextGroup {
    using Real = compute_t<S>;
    using Transfer = reference::PhaseTransfer;

  public:
    /// `part` is about any of the ranks.
    ContextGroup(const reference::AttentionKind& kind, reference::AttentionPart part,
                 Delivery delivery)
        : part_(part), delivery_(delivery) {
        for (int rank = 0; rank < part.split.ranks; ++rank) {
            part.split.rank = rank;
            ranks_.push_back(std::make_unique<Rank>(kind, part));
        }
    }

    /// (B, T, HD) from (B, T, 3HD).
    Values forward(const Values& qkv) {
        for (auto& rank : ranks_) rank->take(qkv, rank->wide);
        run(&Rank::forward, &reference::AttentionSteps::forward);
        return joined(&Rank::activated, part_.channels());
    }
    /// d_qkv of the last forward(), from d_out.
    Values backward(const Values& d_out) {
        for (auto& rank : ranks_) rank->take(d_out, rank->d_activated);
        run(&Rank::backward, &reference::AttentionSteps::backward);
        return joined(&Rank::d_wide, 3 * part_.channels());
    }

  private:
    struct Rank {
        Rank(const reference::AttentionKind& kind, const reference::AttentionPart& about)
            : part(about),
              steps(kind.steps(about)),
              attention(kind.template make<S, Host>(HostQueue(), about)),
              rows(about.batch * about.own_positions()),
              wide(size(3 * about.channels()), S(nan)),
              activated(size(about.channels()), S(nan)),
              d_activated(activated),
              d_wide(wide),
              log_sum_exp(size(about.heads), nan),
              scratch(static_cast<std::size_t>(attention->scratch_elements()), nan) {}

        std::size_t size(Size columns) const { return static_cast<std::size_t>(rows * columns); }
        Matrix<S> as_matrix(std::vector<S>& values) const {
            return matrix(values.data(), rows, std::ssize(values) / rows);
        }
        reference::BranchActivations<S> kept() {
            return {{}, as_matrix(wide), as_matrix(activated), log_sum_exp.data(), {}};
        }
        reference::Computed forward(int step) {
            return attention->forward(step, kept(), scratch.data());
        }
        reference::Computed backward(int step) {
            return attention->backward(step, kept(), as_matrix(d_activated), as_matrix(d_wide),
                                       scratch.data());
        }
        /// f(own row, row of all), in order.
        template <class F>
        void for_each_row(const F& f) const {
            Size own = 0;
            for (Size b = 0; b < part.batch; ++b) {
                for (const Size t : listed(part.split.positions(part.sequence))) {
                    f(own++, b * part.sequence + t);
                }
            }
        }
        void take(const Values& all, std::vector<S>& to) const {
            const Size columns = std::ssize(to) / rows;
            for_each_row([&](Size own, Size row) {
                for (Size c = 0; c < columns; ++c) {
                    to[static_cast<std::size_t>(own * columns + c)] =
                        S(static_cast<Real>(all[static_cast<std::size_t>(row * columns + c)]));
                }
            });
        }

        static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
        reference::AttentionPart part;
        reference::AttentionSteps steps;
        std::unique_ptr<reference::Attention<S>> attention;
        Size rows;
        std::vector<S> wide, activated, d_activated, d_wide;
        std::vector<Real> log_sum_exp, scratch;
    };
    /// What the ranks have left, by rank, and what is to be made of it.
    struct Sent {
        Transfer transfer;
        std::vector<reference::Computed> left;
    };

    void run(reference::Computed (Rank::*step)(int),
             std::vector<reference::AttentionStep> reference::AttentionSteps::*steps) {
        std::vector<Sent> sent;
        std::size_t delivered = 0;
        const auto deliver = [&](std::size_t end) {
            for (; delivered < end; ++delivered) act(sent.at(delivered));
        };
        const auto& list = ranks_.front()->steps.*steps;
        for (std::size_t i = 0; i < list.size(); ++i) {
            deliver(static_cast<std::size_t>(list[i].needs));
            std::vector<reference::Computed> left;
            for (auto& rank : ranks_) {
                left.push_back(((*rank).*step)(static_cast<int>(i)));
                EXPECT_EQ((rank->steps.*steps).at(i).transfer, list[i].transfer);
            }
            if (list[i].transfer) sent.push_back({*list[i].transfer, left});
            if (delivery_ == Delivery::at_once) deliver(sent.size());
        }
        EXPECT_EQ(delivered, sent.size()) << "nobody waits for the last transfers";
    }

    void act(const Sent& sent) {
        const bool stored = sent.transfer.of == Transfer::Of::stored;
        stored ? act_on<S>(sent) : act_on<Real>(sent);
    }
    template <class T>
    void act_on(const Sent& sent) {
        using Operation = Transfer::CollectiveKind;
        const auto& [transfer, left] = sent;
        const auto ranks = static_cast<int>(left.size());
        std::vector<std::vector<T>> given;
        for (const auto& one : left) {
            const Matrix<T> rows = one.rows.template as<T>();
            EXPECT_EQ(rows.rows * rows.columns, transfer.count());
            given.emplace_back(rows.data, rows.data + transfer.count());
        }
        for (int r = 0; r < ranks; ++r) {
            const auto& one = left[static_cast<std::size_t>(r)];
            T* const to = static_cast<T*>(one.arrival != nullptr ? one.arrival : one.rows.data);
            if (transfer.operation == Operation::shift) {
                std::ranges::copy(given[static_cast<std::size_t>((r + ranks - 1) % ranks)], to);
                continue;
            }
            for (int from = 0; from < ranks; ++from) {
                const bool gathers = transfer.operation == Operation::all_gather;
                const auto share = reference::even_share(transfer.rows, ranks, gathers ? from : r);
                const Size first = share.first * transfer.columns;
                for (Size i = first; i < first + share.count * transfer.columns; ++i) {
                    const T value =
                        given[static_cast<std::size_t>(from)][static_cast<std::size_t>(i)];
                    to[i] = gathers || from == 0 ? value : T(Real(to[i]) + Real(value));
                }
            }
        }
    }

    Values joined(std::vector<S> Rank::*values, Size columns) const {
        Values all(static_cast<std::size_t>(part_.batch * part_.sequence * columns));
        for (const auto& rank : ranks_) {
            rank->for_each_row([&](Size own, Size row) {
                for (Size c = 0; c < columns; ++c) {
                    all[static_cast<std::size_t>(row * columns + c)] =
                        wide(((*rank).*values)[static_cast<std::size_t>(own * columns + c)]);
                }
            });
        }
        return all;
    }

    reference::AttentionPart part_;
    Delivery delivery_;
    std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace shardstone::validation
