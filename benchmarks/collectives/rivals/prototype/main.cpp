// SPDX-License-Identifier: BSD-3-Clause
// The simplest all-reduce through shared memory that is fast: what ours has to be as fast as, in
// the same run. One kind of vector, one barrier, one chunk length; nothing is measured, no rank is
// ever ahead of another. SETTING:
//   staged   ordinary vectors: copy a chunk in, barrier, sum this rank's slice of it into rank 0's
//            copy, barrier, copy the chunk out; two chunks of memory in turn
//   direct   vectors in shared memory: barrier, sum this rank's slice and write it to all, barrier
#include <fmt/format.h>
#include <linux/futex.h>
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <vector>

#include "benchmarks/collectives/rivals/contender.hpp"
#include "collectives/cluster/time_slice.hpp"
#include "collectives/cluster/waiting.hpp"
#include "kernels/base/error.hpp"

namespace {

using namespace shardstone::rivals;

constexpr std::int64_t chunk = 65536;  // elements
constexpr std::int64_t piece = 2048;   // elements that stay in a first-level cache
constexpr std::int64_t line_elements = 16;

/// MPI's shared memory, a part per rank.
class Segment {
  public:
    Segment(int ranks, std::int64_t part_bytes) {
        void* mine = nullptr;
        MPI_Win_allocate_shared(static_cast<MPI_Aint>(part_bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                &mine, &window_);
        for (int rank = 0; rank < ranks; ++rank) {
            MPI_Aint size = 0;
            int unit = 0;
            void* part = nullptr;
            MPI_Win_shared_query(window_, rank, &size, &unit, &part);
            parts_.push_back(part);
        }
    }
    ~Segment() { MPI_Win_free(&window_); }
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    template <class T>
    T* part(int rank) const {
        return static_cast<T*>(parts_[static_cast<std::size_t>(rank)]);
    }

  private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::vector<void*> parts_;
};

/// All ranks count up; the last one opens the next generation. Looks only, where every rank has a
/// core of its own; else sleeps.
class Barrier {
  public:
    struct Shared {
        alignas(64) std::atomic<std::uint32_t> arrived;
        alignas(64) std::atomic<std::uint32_t> generation;
    };

    Barrier(Shared* shared, int ranks) : shared_(shared), ranks_(static_cast<unsigned>(ranks)) {}

    void wait() const {
        const std::uint32_t now = shared_->generation.load(std::memory_order_acquire);
        if (shared_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_) {
            shared_->arrived.store(0, std::memory_order_relaxed);
            shared_->generation.store(now + 1, std::memory_order_release);
            if (sleeps_) futex(FUTEX_WAKE, INT_MAX);
            return;
        }
        while (shared_->generation.load(std::memory_order_acquire) == now) {
            sleeps_ ? futex(FUTEX_WAIT, now) : shardstone::collectives::relax_core();
        }
    }

  private:
    void futex(int operation, std::uint32_t value) const {
        syscall(SYS_futex, &shared_->generation, operation, value, nullptr, nullptr, 0);
    }

    Shared* shared_;
    unsigned ranks_;
    bool sleeps_ = ranks_ > static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
};

void add(float* __restrict sum, const float* __restrict other, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) sum[i] += other[i];
}

class Prototype : public Contender {
  public:
    Prototype(Extent place, std::string setting)
        : place_(place),
          direct_(setting == "direct"),
          control_(place.size, place.rank == 0 ? sizeof(Barrier::Shared) : 0),
          staging_(place.size, 2 * chunk * static_cast<std::int64_t>(sizeof(float))),
          barrier_(control_.part<Barrier::Shared>(0), place.size) {
        shardstone::require(direct_ || setting == "staged", [&] {
            return fmt::format("the prototype has no '{}': use staged or direct", setting);
        });
    }

    std::string version() const override { return "the simplest through shared memory"; }

    std::shared_ptr<float> prepare(std::int64_t count) override {
        count_ = count;
        if (!direct_) return vector_ = ordinary_vector(count);
        vectors_ = std::make_shared<Segment>(place_.size,
                                             count * static_cast<std::int64_t>(sizeof(float)));
        std::fill_n(vectors_->part<float>(place_.rank), count, 0.0F);
        return vector_ = {vectors_, vectors_->part<float>(place_.rank)};
    }

    void run() override { direct_ ? run_direct() : run_staged(); }

  private:
    /// Where a rank's slice of `count` elements begins; that of rank P is the end.
    std::int64_t slice(int rank, std::int64_t count) const {
        return rank == place_.size ? count
                                   : count * rank / place_.size / line_elements * line_elements;
    }

    void run_staged() {
        std::int64_t half = 0;
        for (std::int64_t first = 0; first < count_; first += chunk, half ^= 1) {
            const std::int64_t elements = std::min(chunk, count_ - first);
            const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
            const auto copy_of = [&](int rank) {
                return staging_.part<float>(rank) + half * chunk;
            };
            std::memcpy(copy_of(place_.rank), vector_.get() + first, bytes);
            barrier_.wait();
            const std::int64_t begin = slice(place_.rank, elements);
            const std::int64_t end = slice(place_.rank + 1, elements);
            for (int rank = 1; rank < place_.size; ++rank) {
                add(copy_of(0) + begin, copy_of(rank) + begin, end - begin);
            }
            barrier_.wait();
            std::memcpy(vector_.get() + first, copy_of(0), bytes);
        }
        barrier_.wait();
    }

    void run_direct() {
        barrier_.wait();
        const std::int64_t end = slice(place_.rank + 1, count_);
        for (std::int64_t at = slice(place_.rank, count_); at < end; at += piece) {
            place_.size == 2 ? add_both(at, std::min(piece, end - at))
                             : add_all(at, std::min(piece, end - at));
        }
        barrier_.wait();
    }

    void add_both(std::int64_t at, std::int64_t elements) {
        float* __restrict const a = vectors_->part<float>(0) + at;
        float* __restrict const b = vectors_->part<float>(1) + at;
        for (std::int64_t i = 0; i < elements; ++i) {
            const float sum = a[i] + b[i];
            a[i] = sum;
            b[i] = sum;
        }
    }

    void add_all(std::int64_t at, std::int64_t elements) {
        alignas(64) std::array<float, piece> sum;
        std::copy_n(vectors_->part<float>(0) + at, elements, sum.data());
        for (int rank = 1; rank < place_.size; ++rank) {
            add(sum.data(), vectors_->part<float>(rank) + at, elements);
        }
        for (int rank = 0; rank < place_.size; ++rank) {
            std::copy_n(sum.data(), elements, vectors_->part<float>(rank) + at);
        }
    }

    Extent place_;
    bool direct_;
    Segment control_;
    Segment staging_;
    Barrier barrier_;
    std::int64_t count_ = 0;
    std::shared_ptr<Segment> vectors_;
    std::shared_ptr<float> vector_;
};

}  // namespace

int main(int argc, char** argv) {
    shardstone::collectives::ask_for_short_time_slices();  // as our own ranks do
    MPI_Init(&argc, &argv);
    const int code = guarded([&] {
        const Request request = Request::parse(argc, argv);
        Extent place;
        MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &place.size);
        Prototype contender(place, request.setting);
        return compete(request, place, contender);
    });
    if (code == 2) MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Finalize();
    return code;
}
