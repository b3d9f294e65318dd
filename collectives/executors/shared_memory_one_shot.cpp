// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <vector>

#include "collectives/executors/shared_memory_all_reduce.hpp"
#include "collectives/executors/shared_memory_turns.hpp"

namespace shardstone::collectives {

namespace {

// Two slots are enough: a rank that fills a slot again has seen all ranks arrive in the run
// between, and they had read the slot before they began it.
constexpr std::int64_t slots = 2;

/// Small vectors: every rank copies its own into the window and reduces all of them for itself.
class OneShot : public SharedMemoryTurns {
  public:
    OneShot(const Communicator& communicator, const VectorSpec& vector)
        : SharedMemoryTurns(communicator, vector, slots, vector.size_bytes()),
          vector_(vector),
          sources_(static_cast<std::size_t>(ranks())) {}

  protected:
    Course plan() override { return {.turns = 2, .lag = 1}; }

    void take(std::int64_t turn) override {
        if (turn == 0) {
            std::memcpy(slot(rank(), 0), buffer(), static_cast<std::size_t>(vector_.size_bytes()));
            end_turn();
            return;
        }
        for (int r = 0; r < ranks(); ++r) sources_[static_cast<std::size_t>(r)] = slot(r, 0);
        std::byte* const result = buffer();
        reduce(sources_, std::span(&result, 1), vector_.count);
    }

  private:
    VectorSpec vector_;
    std::vector<const std::byte*> sources_;
};

}  // namespace

std::unique_ptr<Executor> make_one_shot(const Communicator& communicator,
                                        const VectorSpec& vector) {
    return std::make_unique<OneShot>(communicator, vector);
}

}  // namespace shardstone::collectives
