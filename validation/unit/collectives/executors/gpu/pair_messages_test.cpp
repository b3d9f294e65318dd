// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks carry what was loaded, to whom, and nothing else, on hosts and GPUs.
#include "collectives/executors/pair_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "collectives/cluster/waiting.hpp"
#include "collectives/device/devices.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using collectives::Communicator;
using collectives::DataMemory;
using collectives::PairMessages;

constexpr std::size_t half_bytes = 4096;

std::byte value_of(int rank, int turn) {
    return std::byte(17 * rank + turn + 1);
}

bool all_are(std::span<const std::byte> part, std::byte value) {
    return std::ranges::count(part, value) == std::ssize(part);
}

void wait(PairMessages& messages) {
    collectives::Waiter waiter(nullptr);
    while (!messages.progress()) waiter.idle();
}

class PairMessagesOn : public testing::TestWithParam<DataMemory> {
  protected:
    void SetUp() override {
        if (GetParam() == DataMemory::gpu &&
            std::ssize(collectives::list_devices().devices) < world().size()) {
            GTEST_SKIP() << "needs a GPU for each rank";
        }
        messages_ = collectives::make_pair_messages(world(), GetParam(), 2 * half_bytes);
        out_ = messages_->host_view().first(half_bytes);
        in_ = messages_->host_view().last(half_bytes);
    }

    void load(int turn) {
        std::ranges::fill(out_, value_of(world().rank(), turn));
        messages_->load(out_);
    }

    void connect(int peer) {
        messages_->connect(peer);
        wait(*messages_);
    }

    std::unique_ptr<PairMessages> messages_;
    std::span<std::byte> out_, in_;
};

TEST_P(PairMessagesOn, EveryPairPassesWhatEachOfTheTwoHas) {
    const int rank = world().rank();
    for (int first = 0; first < world().size(); ++first) {
        for (int second = first + 1; second < world().size(); ++second) {
            if (rank != first && rank != second) continue;
            const int peer = rank == first ? second : first;
            for (int turn = 0; turn < 3; ++turn) {
                load(turn);
                connect(peer);
                for (const int sender : {first, second}) {
                    if (rank == sender) {
                        messages_->send({peer, out_});
                    } else {
                        messages_->receive({peer, in_});
                        wait(*messages_);
                        messages_->answer(peer, {});
                    }
                    wait(*messages_);
                }
                messages_->unload(in_);
                EXPECT_TRUE(all_are(in_, value_of(peer, turn)))
                    << "rank " << rank << " of " << peer << " in turn " << turn;
            }
        }
    }
}

/// What is timed is a message and its answer.
TEST_P(PairMessagesOn, AMessageEndsWithItsAnswerAndTheNextOneMayFollow) {
    if (world().size() < 2 || world().rank() > 1) GTEST_SKIP() << "of two ranks";
    using namespace std::chrono_literals;
    const int peer = 1 - world().rank();
    connect(peer);
    constexpr int messages = 3;
    if (world().rank() == 1) messages_->receive({peer, in_});
    for (int message = 0; message < messages; ++message) {
        if (world().rank() == 0) {
            load(message);
            const auto begin = std::chrono::steady_clock::now();
            messages_->send({peer, out_});
            wait(*messages_);
            EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms) << "sent, but not answered";
            continue;
        }
        wait(*messages_);
        messages_->unload(in_);
        EXPECT_TRUE(all_are(in_, value_of(peer, message))) << "message " << message;
        std::this_thread::sleep_for(30ms);
        messages_->answer(peer, message + 1 < messages ? in_ : std::span<std::byte>());
    }
    wait(*messages_);
}

TEST_P(PairMessagesOn, ACircleOfAllRanksExchangesAtOnce) {
    const int size = world().size(), rank = world().rank();
    if (size < 2) GTEST_SKIP() << "needs a rank to exchange with";
    for (int distance = 1; distance < size; ++distance) {
        const int to = (rank + distance) % size, from = (rank + size - distance) % size;
        load(distance);
        messages_->exchange({to, out_}, {from, in_});
        wait(*messages_);
        messages_->unload(in_);
        EXPECT_TRUE(all_are(in_, value_of(from, distance))) << "from rank " << from;
    }
}

/// So that what is compared has been on the wire, and was not left where the host wrote it.
TEST_P(PairMessagesOn, OnGpusTheHostSeesItsViewOnly) {
    if (GetParam() == DataMemory::host) GTEST_SKIP() << "the view is the memory";
    if (world().size() < 2 || world().rank() > 1) GTEST_SKIP() << "of two ranks";
    const int peer = 1 - world().rank();
    load(0);
    std::ranges::fill(messages_->host_view(), std::byte{0xff});  // not loaded
    connect(peer);
    messages_->exchange({peer, out_}, {peer, in_});
    wait(*messages_);
    EXPECT_TRUE(all_are(in_, std::byte{0xff})) << "it arrived in memory of the GPU";
    messages_->unload(in_);
    EXPECT_TRUE(all_are(in_, value_of(peer, 0))) << "as it was loaded";
    EXPECT_TRUE(all_are(out_, std::byte{0xff}));
}

INSTANTIATE_TEST_SUITE_P(Memories, PairMessagesOn,
                         testing::Values(DataMemory::host, DataMemory::gpu),
                         [](const auto& memory) {
                             return memory.param == DataMemory::host ? "host" : "gpu";
                         });

}  // namespace
}  // namespace shardstone::validation
