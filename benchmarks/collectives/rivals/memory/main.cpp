// SPDX-License-Identifier: BSD-3-Clause
// The limit that memory sets to an all-reduce whose vectors all ranks can reach: of the P vectors
// of S bytes each rank reads its share of S / P bytes, and writes the sum there. So 2 P S bytes
// move in all, at the rate B of all cores together, and
//     busbw = 2 (P - 1) / P  S / time <= (P - 1) / P^2  B.
// Measured are those very reads, additions and writes, on all cores at once, of memory that no
// other core touches and with nobody to wait for.
#include <algorithm>

#include "benchmarks/collectives/rivals/contender.hpp"
#include "collectives/cluster/time_slice.hpp"

namespace {

using namespace shardstone::rivals;

// Stays in the first-level cache for as many vectors as are likely.
constexpr std::int64_t piece = 512;

class MemoryBound : public Contender {
  public:
    explicit MemoryBound(Extent place) : vectors_(place.size) {}

    std::string version() const override { return "the same loads, additions and stores alone"; }
    bool sums() const override { return false; }

    std::shared_ptr<float> prepare(std::int64_t count) override {
        share_ = std::max<std::int64_t>(1, count / vectors_);
        memory_ = ordinary_vector(share_ * vectors_);
        return memory_;
    }

    void run() override {
        for (std::int64_t begin = 0; begin < share_; begin += piece) {
            add_up(memory_.get() + begin, std::min(piece, share_ - begin));
        }
    }

  private:
    void add_up(float* first, std::int64_t count) const {
        for (int vector = 1; vector < vectors_; ++vector) {
            const float* const other = first + vector * share_;
            for (std::int64_t i = 0; i < count; ++i) first[i] += other[i];
        }
        for (int vector = 1; vector < vectors_; ++vector) {
            std::copy_n(first, count, first + vector * share_);
        }
    }

    int vectors_;
    std::int64_t share_ = 0;
    std::shared_ptr<float> memory_;
};

}  // namespace

int main(int argc, char** argv) {
    shardstone::collectives::ask_for_short_time_slices();
    return guarded([&] {
        const Extent place = place_from_launcher();
        MemoryBound contender(place);
        return compete(Request::parse(argc, argv), place, contender);
    });
}
