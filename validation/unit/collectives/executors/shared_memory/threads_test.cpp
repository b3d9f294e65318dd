// SPDX-License-Identifier: BSD-3-Clause
// The protocols of shared memory with threads for ranks, under the thread sanitizer: it sees each
// access to the memory between them, and reports one that nothing orders.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "collectives/cluster/doorbell.hpp"
#include "collectives/cluster/shared_rounds.hpp"
#include "collectives/executors/shared_memory/mailbox.hpp"
#include "collectives/watchdog/board_entry.hpp"

namespace shardstone::collectives {
namespace {

void on_threads(int count, const std::function<void(int)>& body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
    for (auto& thread : threads) thread.join();
}

/// Every rank writes its place of a round, arrives, and reads all places of the round once it is
/// complete: a place is written again most_lag + 1 rounds later, as slots of collectives are.
void exchange_in_rounds(int ranks) {
    constexpr std::int64_t rounds = 2000;
    constexpr auto places = static_cast<std::size_t>(SharedRounds::most_lag + 1);
    const auto shared = std::make_unique<SharedRounds::Shared>();
    std::vector<std::vector<std::int64_t>> written(
        places, std::vector<std::int64_t>(static_cast<std::size_t>(ranks)));
    on_threads(ranks, [&](int rank) {
        SharedRounds mine(*shared, ranks);
        for (std::int64_t n = 0; n < rounds; ++n) {
            const auto complete = [&](std::int64_t round) {
                wait_for_news(
                    mine.bell(), [&] { return mine.complete(round); }, [] {});
            };
            // Who is read in round n - most_lag - 1 has been: all have arrived in the next one.
            complete(n - SharedRounds::most_lag);
            auto& place = written[static_cast<std::size_t>(n) % places];
            place[static_cast<std::size_t>(rank)] = n * ranks + rank;
            mine.arrive();
            complete(n);
            for (int other = 0; other < ranks; ++other) {
                ASSERT_EQ(place[static_cast<std::size_t>(other)], n * ranks + other);
            }
        }
    });
}

TEST(Threads, RoundsOrderWhatRanksWriteAndRead) {
    for (const int ranks : {2, 3, 5}) exchange_in_rounds(ranks);
}

TEST(Threads, MailboxesHandOverTheirPieces) {
    constexpr std::int64_t pieces = 5000, piece_bytes = 64;
    struct Box {
        Doorbell sender, receiver;
        Mailbox::Shared shared;
        std::byte slots[Mailbox::slots * piece_bytes];
    };
    const auto box = std::make_unique<Box>();
    on_threads(2, [&](int rank) {
        const bool sends = rank == 0;
        Mailbox mine(box->shared, piece_bytes, sends ? box->receiver : box->sender);
        for (std::int64_t n = 0; n < pieces; ++n) {
            if (sends) {
                std::byte* room = nullptr;
                wait_for_news(
                    box->sender, [&] { return (room = mine.room()) != nullptr; }, [] {});
                std::memset(room, static_cast<int>(n % 251), piece_bytes);
                mine.put();
            } else {
                const std::byte* piece = nullptr;
                wait_for_news(
                    box->receiver, [&] { return (piece = mine.piece()) != nullptr; }, [] {});
                ASSERT_EQ(piece[0], static_cast<std::byte>(n % 251));
                ASSERT_EQ(piece[piece_bytes - 1], static_cast<std::byte>(n % 251));
                mine.take();
            }
        }
    });
}

TEST(Threads, EntriesAreReadWhileTheyAreWritten) {
    const auto entry = std::make_unique<BoardEntry>();
    on_threads(3, [&](int rank) {
        for (int n = 0; n < 20000; ++n) {
            if (rank == 0) {
                entry->whereabouts.enter("point", n);
                entry->whereabouts.begin(n % 3);
                entry->whereabouts.waits("rank 1");
            } else if (rank == 1) {
                store(entry->heartbeat, load(entry->heartbeat) + 1);
            } else {
                const std::string said = entry->whereabouts.waits_for();
                ASSERT_TRUE(said.empty() || said == "rank 1") << said;
                ASSERT_GE(load(entry->heartbeat), 0);
            }
        }
    });
}

}  // namespace
}  // namespace shardstone::collectives
