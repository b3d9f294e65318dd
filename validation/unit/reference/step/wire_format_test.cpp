// SPDX-License-Identifier: BSD-3-Clause
// What transfers become on the wire: types, numbers, shares and algorithms, by hand.
#include "reference/step/wire_format.hpp"

#include <gtest/gtest.h>

#include "kernels/base/exact_sum.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using CollectiveKind = GroupTransfer::CollectiveKind;
using What = GroupTransfer::What;

constexpr std::int64_t fp32 = 4;
constexpr std::int64_t fp64 = 8;

GroupTransfer transfer(What what, GroupKind group, std::int64_t columns = 1) {
    return {CollectiveKind::all_reduce, what, group, {3, 7}, columns};
}

/// Of one that the range counts.
std::int64_t bytes(const StepSpec& spec, std::int64_t real_bytes, const GroupTransfer& transfer) {
    const auto [type, numbers] = WireFormat(spec, real_bytes).element(transfer);
    return numbers * static_cast<std::int64_t>(element_size(type));
}

TEST(WireFormat, SendsWhatIsComputedIn) {
    const StepSpec spec = small_spec(parse_plan("dp=2,tp=2,pp=2"), 5, 3);
    for (const std::int64_t real : {fp32, fp64}) {
        for (const GroupKind group : {GroupKind::data, GroupKind::tensor, GroupKind::tied}) {
            EXPECT_EQ(bytes(spec, real, transfer(What::gradients, group)), real);
        }
        EXPECT_EQ(bytes(spec, real, transfer(What::weights, GroupKind::data)), real);
        EXPECT_EQ(bytes(spec, real, transfer(What::stream_rows, GroupKind::tensor, 12)), 12 * real);
        EXPECT_EQ(bytes(spec, real, transfer(What::row_maxima, GroupKind::tensor)), real);
    }
}

TEST(WireFormat, NarrowTypesAreForWeightsAndProductsAndForReplicasIfAskedFor) {
    StepSpec spec = small_spec(parse_plan("dp=2,tp=2,pp=2"), 5, 3);
    spec.precision.storage = Storage::bf16;
    EXPECT_EQ(bytes(spec, fp32, transfer(What::weights, GroupKind::data)), 2);
    EXPECT_EQ(bytes(spec, fp32, transfer(What::stored_rows, GroupKind::tensor, 12)), 24);
    EXPECT_EQ(bytes(spec, fp32, transfer(What::stream_rows, GroupKind::tensor, 12)), 48);
    EXPECT_EQ(bytes(spec, fp32, transfer(What::gradients, GroupKind::data)), 4);
    spec.communication.gradient_wire = Storage::fp16;
    EXPECT_EQ(bytes(spec, fp32, transfer(What::gradients, GroupKind::data)), 2);
    EXPECT_EQ(bytes(spec, fp32, transfer(What::gradients, GroupKind::tensor)), 4);
    EXPECT_EQ(bytes(spec, fp32, transfer(What::gradients, GroupKind::tied)), 4);
    EXPECT_EQ(WireFormat(spec, fp32).element(transfer(What::gradients, GroupKind::data)).type,
              ElementType::fp16);
}

// Keys and values of context ranks in what products read, their gradients in Real.
TEST(WireFormat, AShiftSendsOneVectorOfTheRowsType) {
    StepSpec spec = small_spec(parse_plan("cp=3"), 5, 3);
    spec.precision.storage = Storage::bf16;
    const WireFormat format(spec, fp32);
    GroupTransfer rows = transfer(What::stored_rows, GroupKind{{"context"}}, 12);
    rows.operation = CollectiveKind::shift;
    EXPECT_EQ(format.algorithm(rows).operation->name, "ring_shift");
    EXPECT_TRUE(format.collective(rows, 3).shares.empty());
    EXPECT_EQ(format.collective(rows, 3).vector.count, 84);
    EXPECT_EQ(format.collective(rows, 3).vector.type, ElementType::bf16);
    rows.what = What::real_rows;
    EXPECT_EQ(format.collective(rows, 3).vector.type, ElementType::fp32);
}

// Rows of experts in what products read; of one that varies the ranks say how many go to whom.
TEST(WireFormat, AnAllToAllSendsWholeRows) {
    StepSpec spec = small_spec(parse_plan("dp=2,ep=2"), 5, 3);
    spec.precision.storage = Storage::bf16;
    const WireFormat format(spec, fp32);
    GroupTransfer rows = transfer(What::stored_rows, GroupKind{{"expert"}}, 12);
    for (const CollectiveKind kind : {CollectiveKind::all_to_all, CollectiveKind::all_to_all_v}) {
        rows.operation = kind;
        EXPECT_EQ(format.algorithm(rows).operation->name, "all_to_all");
        EXPECT_EQ(format.algorithm(rows).name, "pairwise");
        EXPECT_EQ(format.collective(rows, 2).vector.count, 84);
        EXPECT_EQ(format.collective(rows, 2).vector.type, ElementType::bf16);
        EXPECT_TRUE(format.collective(rows, 2).shares.empty());
    }
    // Rank 0 keeps 1 and sends 2, rank 1 sends 5 and keeps 4: rank 1 has most, as sender.
    const auto varying = format.varying(rows, 2, {1, 2, 5, 4});
    EXPECT_EQ(varying.shares, (std::vector<std::int64_t>{12, 24, 60, 48}));
    EXPECT_EQ(varying.vector.count, 9 * 12);
    EXPECT_EQ(varying.vector.type, ElementType::bf16);
    EXPECT_EQ(format.varying(rows, 2, {1, 6, 0, 4}).vector.count, 10 * 12);  // as receiver
}

TEST(WireFormat, GradientsOfExpertsAreNarrowAsTheOthers) {
    StepSpec spec = small_spec(parse_plan("dp=2,ep=2"), 5, 3);
    spec.communication.gradient_wire = Storage::bf16;
    for (const GroupKind group : {GroupKind::data, GroupKind::expert_data}) {
        EXPECT_EQ(bytes(spec, fp32, transfer(What::gradients, group)), 2);
    }
}

TEST(WireFormat, ANarrowStreamIsNarrowBetweenStagesAndTensorRanks) {
    StepSpec spec = small_spec(parse_plan("tp=3,pp=2,sp=1"), 5, 3);
    spec.precision.storage = spec.precision.stream = Storage::bf16;
    const WireFormat format(spec, fp32);
    EXPECT_EQ(bytes(spec, fp32, transfer(What::stream_rows, GroupKind::tensor, 12)), 24);
    EXPECT_EQ(format.element(transfer(What::stream_rows, GroupKind::tensor)).type,
              ElementType::bf16);
    for (const What what : {What::real_rows, What::row_maxima}) {  // of logits
        EXPECT_EQ(bytes(spec, fp32, transfer(what, GroupKind::tensor)), 4);
    }
    const ModelPart part = part_of(spec, 0);
    const std::int64_t rows = part.stream_rows(spec.batch.micro_tokens()).count;
    EXPECT_EQ(format.message_bytes(part), rows * spec.model.channels * 2);
}

TEST(WireFormat, ExactSumsAreLarger) {
    StepSpec spec = small_spec(parse_plan("dp=2"), 5, 3);
    EXPECT_EQ(bytes(spec, fp32, transfer(What::loss, GroupKind::world)), sizeof(ExactPair));
    EXPECT_EQ(bytes(spec, fp32, transfer(What::norm, GroupKind::world)), sizeof(SquareSum::Limbs));
    EXPECT_EQ(bytes(spec, fp32, transfer(What::tensor_norms, GroupKind::world)),
              sizeof(TensorSquares));
    spec.reproducible = true;
    EXPECT_EQ(bytes(spec, fp32, transfer(What::gradients, GroupKind::data)), sizeof(ExactPair));
}

TEST(WireFormat, SharesAreWholeElements) {
    const StepSpec spec = small_spec(parse_plan("tp=3,sp=1"), 5, 3);
    const WireFormat format(spec, fp32);
    GroupTransfer rows = transfer(What::stream_rows, GroupKind::tensor, 12);
    EXPECT_TRUE(format.collective(rows, 3).shares.empty());
    EXPECT_EQ(format.collective(rows, 3).vector.count, 84);
    rows.operation = CollectiveKind::reduce_scatter;
    EXPECT_EQ(format.collective(rows, 3).shares, (std::vector<std::int64_t>{36, 24, 24}));
}

TEST(WireFormat, TheLargestIsTakenOfMaximaOnly) {
    StepSpec spec = small_spec(parse_plan("tp=2"), 5, 3);
    spec.communication.all_reduce = "recursive_doubling";
    const WireFormat format(spec, fp32);
    for (const What what : {What::row_maxima, What::amaxes}) {
        EXPECT_EQ(format.collective(transfer(what, GroupKind::tensor), 2).vector.reduction,
                  collectives::Reduction::max);
    }
    GroupTransfer sum = transfer(What::stream_rows, GroupKind::tensor, 12);
    EXPECT_EQ(format.collective(sum, 2).vector.reduction, collectives::Reduction::sum);
    EXPECT_EQ(format.algorithm(sum).name, "recursive_doubling");
    sum.operation = CollectiveKind::all_gather;
    EXPECT_EQ(format.algorithm(sum).operation->name, "all_gather");
    EXPECT_EQ(format.algorithm(sum).name, "ring");
}

TEST(WireFormat, MessagesAreTheOwnRowsOfTheStream) {
    const StepSpec spec = small_spec(parse_plan("tp=3,pp=2,sp=1"), 5, 3);
    const ModelPart part = part_of(spec, 0);
    const std::int64_t rows = part.stream_rows(spec.batch.micro_tokens()).count;
    ASSERT_LT(rows, spec.batch.micro_tokens());
    EXPECT_EQ(WireFormat(spec, fp64).message_bytes(part), rows * spec.model.channels * 8);
}

}  // namespace
}  // namespace shardstone::validation
