// SPDX-License-Identifier: BSD-3-Clause
// Element type, count and algorithm with which each message and transfer of a step travels.
#include "reference/step/wire_format.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "reference/step/state_layout.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;
using CollectiveKind = GroupTransfer::CollectiveKind;
using What = GroupTransfer::What;

/// Exact sums are pairs of FP64 (kernels/base/exact_sum.hpp).
constexpr WireElement exact_pair{ElementType::fp64, 2};

/// Limbs of exact sums of squares.
template <class T>
constexpr WireElement limbs{ElementType::int64, sizeof(T) / sizeof(std::int64_t)};

}  // namespace

WireFormat::WireFormat(const StepSpec& spec, std::int64_t real_bytes)
    : spec_(spec),
      real_(real_bytes == 8 ? ElementType::fp64 : ElementType::fp32),
      algorithms_{coll::find_algorithm("all_reduce", spec.communication.all_reduce),
                  coll::find_algorithm("reduce_scatter", "ring"),
                  coll::find_algorithm("all_gather", "ring"),
                  coll::find_algorithm("ring_shift", "direct"),
                  coll::find_algorithm("all_to_all", "pairwise"),
                  coll::find_algorithm("all_to_all", "pairwise")} {
    SHARDSTONE_EXPECTS(real_bytes == 4 || real_bytes == 8);
}

ElementType WireFormat::stored(Storage storage) const {
    return real_ == ElementType::fp64 ? element_type<double>(storage)
                                      : element_type<float>(storage);
}

WireElement WireFormat::gradient(const GroupTransfer& transfer) const {
    if (spec_.reproducible) return exact_pair;
    return {is_of_replicas(transfer.group) ? stored(wire_of_gradients(spec_)) : real_};
}

WireElement WireFormat::element(const GroupTransfer& transfer) const {
    switch (transfer.what) {
        case What::gradients:
            return gradient(transfer);
        case What::weights:
            return {stored(spec_.precision.storage)};
        case What::loss:
            return exact_pair;
        case What::norm:
            return limbs<SquareSum::Limbs>;
        case What::tensor_norms:
            return limbs<TensorSquares>;
        case What::amaxes:
            return {ElementType::fp32};
        case What::stage_rows:
        case What::stream_rows:
            return {stored(spec_.precision.stream), transfer.columns};
        case What::real_rows:
        case What::row_maxima:
            return {real_, transfer.columns};
        case What::stored_rows:
            return {stored(spec_.precision.storage), transfer.columns};
    }
    fail("a transfer of nothing");
}

coll::CollectiveSpec WireFormat::collective(const GroupTransfer& transfer, int ranks) const {
    const auto [type, numbers] = element(transfer);
    const std::int64_t count = transfer.range.count;
    const bool takes_largest = transfer.what == What::amaxes || transfer.what == What::row_maxima;
    const auto reduction = takes_largest ? coll::Reduction::max : coll::Reduction::sum;
    coll::CollectiveSpec spec{{count * numbers, type, reduction}, 0, {}};
    const bool has_shares = transfer.operation == CollectiveKind::reduce_scatter ||
                            transfer.operation == CollectiveKind::all_gather;
    for (int rank = 0; has_shares && rank < ranks; ++rank) {
        spec.shares.push_back(even_share(count, ranks, rank).count * numbers);
    }
    return spec;
}

coll::CollectiveSpec WireFormat::varying(const GroupTransfer& transfer, int ranks,
                                         const std::vector<std::int64_t>& shares) const {
    const auto [type, numbers] = element(transfer);
    coll::CollectiveSpec spec{{0, type, coll::Reduction::sum}, 0, shares};
    for (std::int64_t& share : spec.shares) share *= numbers;
    const auto p = static_cast<std::size_t>(ranks);
    for (std::size_t rank = 0; rank < p; ++rank) {
        std::int64_t sends = 0, gets = 0;
        for (std::size_t other = 0; other < p; ++other) {
            sends += spec.shares[rank * p + other];
            gets += spec.shares[other * p + rank];
        }
        spec.vector.count = std::max({spec.vector.count, sends, gets});
    }
    return spec;
}

EvenShare WireFormat::message_rows(const ModelPart& part) const {
    const std::int64_t positions = part.positions(spec_.batch.micro_batch, spec_.batch.sequence);
    const std::int64_t rows = part.stream_rows(positions).count;
    if (!spec_.pipeline.scatter_gather) return {0, rows};
    return even_share(rows, part.tensor_ranks, part.tensor_rank);
}

std::int64_t WireFormat::message_bytes(const ModelPart& part) const {
    return message_rows(part).count * spec_.model.channels *
           static_cast<std::int64_t>(element_size(stored(spec_.precision.stream)));
}

}  // namespace shardstone::reference
