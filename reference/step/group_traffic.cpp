// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/group_traffic.hpp"

#include "kernels/optimizer/optimizer.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;
using Operation = GroupTransfer::Operation;
using What = GroupTransfer::What;

constexpr std::int64_t loss_bytes = 16;  // an exact sum
constexpr std::int64_t norm_bytes = sizeof(SquareSum::Limbs);

std::int64_t row_bytes(const GroupTransfer& transfer, const WireSizes& sizes) {
    switch (transfer.what) {
        case What::loss:
            return loss_bytes;
        case What::norm:
            return norm_bytes;
        case What::tensor_norms:
            return sizeof(TensorSquares);
        case What::amaxes:
            return sizeof(float);
        case What::weights:
            return sizes.stored;
        case What::activations:
        case What::maxima:
            return transfer.columns * sizes.element;
        case What::stored_activations:
            return transfer.columns * sizes.stored;
        default:
            return transfer.group == GroupKind::data ? sizes.replicas_gradient : sizes.gradient;
    }
}

}  // namespace

GroupTraffic traffic_of(const GroupTransfer& transfer, const WireSizes& sizes) {
    return {transfer.operation, transfer.range.count, row_bytes(transfer, sizes)};
}

std::int64_t stream_bytes(const StepSpec& spec, const ModelPart& part, const WireSizes& sizes) {
    return part.stream_rows(spec.batch.micro_tokens()).count * spec.model.channels * sizes.element;
}

coll::Algorithm algorithm_of(const StepSpec& spec, const GroupTraffic& traffic) {
    constexpr const char* names[]{"all_reduce", "reduce_scatter", "all_gather"};
    const bool whole = traffic.operation == Operation::all_reduce;
    return coll::find_algorithm(names[static_cast<std::size_t>(traffic.operation)],
                                whole ? spec.communication.all_reduce : "ring");
}

coll::CollectiveSpec collective_spec(const GroupTraffic& traffic, int ranks) {
    ElementType type = ElementType::fp64;
    if (traffic.row_bytes % 8 != 0) type = ElementType::fp32;
    if (traffic.row_bytes % 4 != 0) type = ElementType::bf16;
    const std::int64_t per_row = traffic.row_bytes / static_cast<std::int64_t>(element_size(type));
    coll::CollectiveSpec spec{{traffic.rows * per_row, type, {}}, 0, {}};
    const bool has_shares = traffic.operation != Operation::all_reduce;
    for (int rank = 0; has_shares && rank < ranks; ++rank) {
        spec.shares.push_back(even_share(traffic.rows, ranks, rank).count * per_row);
    }
    return spec;
}

}  // namespace shardstone::reference
