// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own all-reduce, the rival: a direct call that shows no schedule. A user of the
// blocking call gets MPI_Allreduce, a non-blocking start MPI_Iallreduce.
//
// Steps and volume: the library's secret.
#include <fmt/format.h>

#include <limits>

#include "collectives/cluster/native.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

/// MPI does not know the narrow floats: for them, our own reduction over words of their size.
template <ElementType type, Reduction reduction>
void reduce_words(void* theirs, void* mine, int* count, MPI_Datatype*) {
    static const ReduceFunction reduce = reduce_function(type, reduction);
    reduce(mine, theirs, *count);
}

template <ElementType type>
MPI_User_function* word_function(Reduction reduction) {
    switch (reduction) {
        case Reduction::sum:
        case Reduction::avg:
            return reduce_words<type, Reduction::sum>;
        case Reduction::max:
            return reduce_words<type, Reduction::max>;
        case Reduction::min:
            return reduce_words<type, Reduction::min>;
    }
    fail("unknown reduction");
}

MPI_Op library_op(Reduction reduction) {
    switch (reduction) {
        case Reduction::sum:
        case Reduction::avg:
            return MPI_SUM;
        case Reduction::max:
            return MPI_MAX;
        case Reduction::min:
            return MPI_MIN;
    }
    fail("unknown reduction");
}

template <class T>
MPI_Datatype library_type() {
    if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
    if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
    if constexpr (std::is_same_v<T, std::int32_t>) return MPI_INT32_T;
    if constexpr (std::is_same_v<T, std::int64_t>) return MPI_INT64_T;
    return sizeof(T) == 1 ? MPI_UINT8_T : MPI_UINT16_T;
}

class LibraryCall : public Executor {
  public:
    LibraryCall(Communicator& communicator, const VectorSpec& vector)
        : comm_(communicator.native().comm), count_(static_cast<int>(vector.count)) {
        dispatch(vector.type, [&](auto zero) {
            using T = decltype(zero);
            datatype_ = library_type<T>();
            if constexpr (std::is_arithmetic_v<T>) {
                op_ = library_op(vector.reduction);
            } else {
                make_op(word_function<element_traits<T>::type>(vector.reduction));
            }
        });
    }

    ~LibraryCall() override {
        if (owns_op_) MPI_Op_free(&op_);
    }

    void start(const void* input, void* output) override {
        SHARDSTONE_MPI(MPI_Iallreduce(input == output ? MPI_IN_PLACE : input, output, count_,
                                      datatype_, op_, comm_, &request_));
    }

    Progress progress() override {
        int done = 0;
        SHARDSTONE_MPI(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
        return done != 0 ? Progress::done : Progress::none;
    }

    void run(const void* input, void* output) override {
        SHARDSTONE_MPI(MPI_Allreduce(input == output ? MPI_IN_PLACE : input, output, count_,
                                     datatype_, op_, comm_));
    }

    std::int64_t bytes_sent() const noexcept override { return 0; }

  private:
    void make_op(MPI_User_function* function) {
        SHARDSTONE_MPI(MPI_Op_create(function, /*commutes=*/1, &op_));
        owns_op_ = true;
    }

    MPI_Comm comm_;
    int count_;
    MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
    MPI_Op op_ = MPI_OP_NULL;
    bool owns_op_ = false;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

std::unique_ptr<Executor> make(Communicator& communicator, const CollectiveSpec& spec) {
    const VectorSpec& vector = spec.vector;
    require(vector.count <= std::numeric_limits<int>::max(), [&] {
        return fmt::format("MPI_Allreduce takes at most {} elements, not {}: use another algorithm",
                           std::numeric_limits<int>::max(), vector.count);
    });
    return std::make_unique<LibraryCall>(communicator, vector);
}

Algorithm mpi() {
    Algorithm algorithm;
    algorithm.operation = "all_reduce";
    algorithm.name = "mpi";
    algorithm.summary = "the MPI library's own MPI_Allreduce, the rival";
    algorithm.direct = make;
    return algorithm;
}

const AlgorithmRegistration registration(mpi());

}  // namespace

}  // namespace shardstone::collectives
