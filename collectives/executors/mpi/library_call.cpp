// SPDX-License-Identifier: BSD-3-Clause
// Our element types, reductions and shares in the terms of the MPI library's own collectives.
#include "collectives/executors/mpi/library_call.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "collectives/reduction/reduction.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

template <ElementType type, Reduction reduction>
void reduce_words(void* theirs, void* mine, int* count, MPI_Datatype*) {
    static const ReduceFunction reduce = reduce_function(type, reduction);
    reduce(mine, theirs, *count);
}

/// Calls `f` with the library's operation and our name for it as a constant. For avg that is the
/// sum; the division is a step of its own, as in all executors.
template <class F>
decltype(auto) with_reduction(Reduction reduction, F&& f) {
    switch (reduction) {
        case Reduction::sum:
        case Reduction::avg:
            return f(MPI_SUM, std::integral_constant<Reduction, Reduction::sum>());
        case Reduction::max:
            return f(MPI_MAX, std::integral_constant<Reduction, Reduction::max>());
        case Reduction::min:
            return f(MPI_MIN, std::integral_constant<Reduction, Reduction::min>());
    }
    fail("unknown reduction");
}

template <class T>
MPI_Datatype library_datatype() {
    if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
    if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
    if constexpr (std::is_same_v<T, std::int32_t>) return MPI_INT32_T;
    if constexpr (std::is_same_v<T, std::int64_t>) return MPI_INT64_T;
    return sizeof(T) == 1 ? MPI_UINT8_T : MPI_UINT16_T;
}

bool shares_are_equal(const CollectiveSpec& spec, int size) {
    return spec.shares.empty() && spec.vector.count % size == 0;
}

}  // namespace

LibraryType::LibraryType(const VectorSpec& vector) {
    dispatch(vector.type, [&](auto zero) {
        using T = decltype(zero);
        datatype = library_datatype<T>();
        with_reduction(vector.reduction, [&](MPI_Op own, auto reduction) {
            if constexpr (std::is_arithmetic_v<T>) {
                op = own;
            } else {
                constexpr auto words = reduce_words<element_traits<T>::type, reduction()>;
                SHARDSTONE_MPI(MPI_Op_create(words, /*commutes=*/1, &op));
                owns_op_ = true;
            }
        });
    });
}

LibraryType::~LibraryType() {
    if (owns_op_) MPI_Op_free(&op);
}

void require_countable(const CollectiveSpec& spec) {
    constexpr int most = std::numeric_limits<int>::max();
    require(spec.vector.count <= most, [&] {
        return fmt::format(
            "the MPI library takes at most {} elements, not {}: use another algorithm", most,
            spec.vector.count);
    });
}

LibraryCall::LibraryCall(Communicator& communicator, const CollectiveSpec& spec, Sharing sharing)
    : spec_(spec),
      type_(spec.vector),
      layout_(spec, sharing, {BlockRange{0, communicator.size()}}, communicator.size()),
      comm_(communicator.native().comm),
      rank_(communicator.rank()),
      size_(communicator.size()),
      equal_share_(shares_are_equal(spec, size_) ? count() / size_ : -1) {
    require_countable(spec);
}

void LibraryCall::start(const void* input, void* output) {
    running_ = true;
    call(input, output, &request_);
}

Executor::Progress LibraryCall::progress() {
    int done = 0;
    SHARDSTONE_MPI(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
    if (done == 0) return Progress::none;
    if (running_) finish();
    running_ = false;
    return Progress::done;
}

void LibraryCall::run(const void* input, void* output) {
    const InLibrary here;
    call(input, output, nullptr);
    finish();
}

const std::byte* LibraryCall::at(const void* buffer, std::int64_t elements) const {
    return static_cast<const std::byte*>(buffer) + elements * spec_.vector.element_bytes();
}

std::byte* LibraryCall::at(void* buffer, std::int64_t elements) const {
    return static_cast<std::byte*>(buffer) + elements * spec_.vector.element_bytes();
}

void LibraryCall::copy(void* to, const void* from, std::int64_t elements) const {
    const auto bytes = static_cast<std::size_t>(elements * spec_.vector.element_bytes());
    if (bytes > 0) std::memcpy(to, from, bytes);
}

std::byte* LibraryCall::own_memory(std::int64_t elements) {
    own_memory_.resize(static_cast<std::size_t>(elements * spec_.vector.element_bytes()));
    return own_memory_.data();
}

LibraryCallOnShares::LibraryCallOnShares(Communicator& communicator, const CollectiveSpec& spec)
    : LibraryCall(communicator, spec, Sharing::by_rank) {
    for (int r = 0; r < size(); ++r) {
        counts_.push_back(static_cast<int>(layout().share(r)));
        begins_.push_back(static_cast<int>(layout().share_begin(r)));
    }
}

}  // namespace shardstone::collectives
