// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allreduce as users call it. Built once per MPI library; nothing here knows which one it is.
#include <mpi.h>

#include <array>

#include "benchmarks/collectives/rivals/contender.hpp"
#include "collectives/cluster/time_slice.hpp"

namespace {

using namespace shardstone::rivals;

class LibraryAllReduce : public Contender {
  public:
    std::string version() const override {
        std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
        int length = 0;
        MPI_Get_library_version(text.data(), &length);
        const std::string all(text.data());
        return all.substr(0, all.find('\n'));
    }

    std::shared_ptr<float> prepare(std::int64_t count) override {
        count_ = static_cast<int>(count);
        vector_ = ordinary_vector(count);
        return vector_;
    }

    void run() override {
        MPI_Allreduce(MPI_IN_PLACE, vector_.get(), count_, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }

    void while_asleep() override {
        int waiting = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
    }

  private:
    int count_ = 0;
    std::shared_ptr<float> vector_;
};

}  // namespace

int main(int argc, char** argv) {
    shardstone::collectives::ask_for_short_time_slices();  // as our own ranks do
    MPI_Init(&argc, &argv);
    const int code = guarded([&] {
        Extent place;
        MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &place.size);
        LibraryAllReduce contender;
        return compete(Request::parse(argc, argv), place, contender);
    });
    if (code == 2) MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Finalize();
    return code;
}
