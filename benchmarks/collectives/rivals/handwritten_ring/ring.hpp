// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/operation/layout.hpp"

namespace shardstone::rivals {

/// The ring all-reduce written by hand for FP32 sums only: the reference for the executor, which
/// runs any schedule. The same blocks, messages and order of additions as "ring"
/// (collectives/all_reduce/ring.cpp), and the same way of waiting.
class HandwrittenRing {
  public:
    /// Collective.
    HandwrittenRing(const collectives::Communicator& communicator, std::int64_t count)
        : comm_(communicator.native().comm),
          tag_(communicator.native().take_tags(1)),
          rank_(communicator.rank()),
          size_(communicator.size()),
          scratch_(static_cast<std::size_t>(count)) {
        constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(float));
        const collectives::BlockPartition partition(count, size_,
                                                    collectives::block_grain_bytes / element_bytes);
        for (int distance = 0; distance <= size_; ++distance) {
            const int block = (rank_ - distance + 2 * size_) % size_;
            const std::int64_t begin = partition.begin(block);
            behind_.push_back({begin, partition.begin(block + 1) - begin});
        }
    }

    void run(float* vector) {
        collectives::Waiter waiter;
        for (int step = 0; step < size_ - 1; ++step) {
            const Block& mine = behind(step + 2);
            exchange(vector, behind(step + 1), scratch_.data(), mine, waiter);
            float* const sums = vector + mine.begin;
            for (std::int64_t i = 0; i < mine.count; ++i) sums[i] += scratch_[i];
        }
        for (int step = 0; step < size_ - 1; ++step) {
            const Block& theirs = behind(step + 1);
            exchange(vector, behind(step), vector + theirs.begin, theirs, waiter);
        }
    }

  private:
    struct Block {
        std::int64_t begin = 0;
        std::int64_t count = 0;
    };

    const Block& behind(int distance) const { return behind_[static_cast<std::size_t>(distance)]; }

    void exchange(const float* vector, const Block& out, float* into, const Block& in,
                  collectives::Waiter& waiter) {
        int open = 0;
        if (in.count > 0) {
            SHARDSTONE_MPI(MPI_Irecv(into, static_cast<int>(in.count), MPI_FLOAT,
                                     (rank_ + size_ - 1) % size_, tag_, comm_, &requests_[open++]));
        }
        if (out.count > 0) {
            SHARDSTONE_MPI(MPI_Isend(vector + out.begin, static_cast<int>(out.count), MPI_FLOAT,
                                     (rank_ + 1) % size_, tag_, comm_, &requests_[open++]));
        }
        for (const int requests = open; open > 0;) {
            int finished = 0;
            SHARDSTONE_MPI(MPI_Testsome(requests, requests_.data(), &finished, finished_.data(),
                                        MPI_STATUSES_IGNORE));
            open -= finished;
            finished > 0 ? waiter.busy() : waiter.idle();
        }
    }

    MPI_Comm comm_;
    int tag_;
    int rank_;
    int size_;
    std::vector<Block> behind_;  ///< by distance before this rank's own block
    std::vector<float> scratch_;
    std::array<MPI_Request, 2> requests_{};
    std::array<int, 2> finished_{};
};

}  // namespace shardstone::rivals
