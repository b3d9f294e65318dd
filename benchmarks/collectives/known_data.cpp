// SPDX-License-Identifier: BSD-3-Clause
// Input and expected output of any collective, derived from its contract alone, to check results.
#include "benchmarks/collectives/known_data.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace shardstone::benchmarks {

using namespace collectives;

KnownData::KnownData(const Operation& operation, const CollectiveSpec& spec, int size, int rank)
    : operation_(operation),
      spec_(spec),
      role_{size, spec.root, rank},
      blocks_{{0, natural_blocks(operation.sharing, size)}},
      layout_(spec, operation.sharing, blocks_, size),
      input_(layout_.span_of(operation.before, role_)),
      output_(layout_.span_of(operation.after, role_)),
      in_place_count_(layout_.same_on_all_ranks() ? spec.vector.count
                                                  : std::max(input_.count, output_.count)) {}

const ExactInputs& KnownData::inputs() const {
    if (!inputs_) {
        inputs_.emplace(spec_.vector.type, spec_.vector.reduction,
                        operation_.reduces ? role_.size : 1);
    }
    return *inputs_;
}

template <class Visit>
void KnownData::for_each_block(Visit&& visit) const {
    for (int block = 0; block < blocks_.front().count; ++block) {
        const Extent place = layout_.at(role_.rank, block);
        if (place.count > 0) visit(block, place);
    }
}

std::int64_t KnownData::offset_bytes(const Extent& place, const Extent& span, bool in_place) const {
    const bool at_own_place = in_place && layout_.same_on_all_ranks();
    return (place.begin - (at_own_place ? 0 : span.begin)) * spec_.vector.element_bytes();
}

void KnownData::fill(void* input, bool in_place) const {
    for_each_block([&](int block, const Extent& place) {
        const bool given = operation_.before(role_, block).item != Content::nothing;
        if (!given || place.region != input_.region) return;
        inputs().fill(static_cast<std::byte*>(input) + offset_bytes(place, input_, in_place),
                      place.count, role_.rank, first_ + place.begin);
    });
}

std::int64_t KnownData::wrong_in(const std::byte* data, const Extent& place,
                                 const Content& wanted) const {
    if (wanted.from == Content::everyone) {
        return inputs().wrong_elements(data, place.count, first_ + place.begin);
    }
    // Sent as it was: the same bytes that its owner put in, wherever it had them.
    const std::int64_t element_bytes = spec_.vector.element_bytes();
    const std::int64_t source = operation_.sharing == Sharing::by_pair
                                    ? layout_.at(wanted.from, wanted.item % role_.size).begin
                                    : place.begin;
    std::vector<std::byte> sent(static_cast<std::size_t>(place.count * element_bytes));
    inputs().fill(sent.data(), place.count, wanted.from, first_ + source);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < place.count; ++i) {
        wrong += std::memcmp(sent.data() + i * element_bytes, data + i * element_bytes,
                             static_cast<std::size_t>(element_bytes)) != 0;
    }
    return wrong;
}

std::int64_t KnownData::wrong_elements(const void* output, bool in_place) const {
    std::int64_t wrong = 0;
    for_each_block([&](int block, const Extent& place) {
        const Content wanted = operation_.after(role_, block);
        if (wanted.item == Content::nothing) return;
        wrong +=
            wrong_in(static_cast<const std::byte*>(output) + offset_bytes(place, output_, in_place),
                     place, wanted);
    });
    return wrong;
}

}  // namespace shardstone::benchmarks
