// SPDX-License-Identifier: BSD-3-Clause
// Comparison of kernels of the device with the host's, where both add the same terms in one order.
#pragma once

#include "validation/unit/kernels/plain_sums.hpp"

namespace shardstone::validation {

// The types of a model on a device.
using DeviceStorageTypes = testing::Types<float, bf16, fp16>;
using DeviceStreamTypes =
    testing::Types<StoredBesideStream<float, float>, StoredBesideStream<bf16, float>,
                   StoredBesideStream<fp16, float>, StoredBesideStream<bf16, bf16>>;

/// Whether the host multiplies and adds in one rounding, as the device does: where it is compiled
/// for a processor that has an instruction for it (elementary.hpp).
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool host_fuses = true;
#else
inline constexpr bool host_fuses = false;
#endif

/// Bit by bit, but that any NaN equals any other.
template <class T>
void expect_same_as_host(const std::vector<T>& device, const std::vector<T>& host) {
    ASSERT_EQ(device.size(), host.size());
    std::size_t others = 0, first = 0;
    for (std::size_t i = device.size(); i-- > 0;) {
        const double a = wide(device[i]), b = wide(host[i]);
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        ++others;
        first = i;
    }
    if (others == 0) return;
    ADD_FAILURE() << others << " numbers differ, the first at " << first << ": "
                  << wide(device[first]) << ", not " << wide(host[first]);
}

}  // namespace shardstone::validation
