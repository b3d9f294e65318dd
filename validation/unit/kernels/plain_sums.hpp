// SPDX-License-Identifier: BSD-3-Clause
// Sums of products in plain loops of double, for kernels that have no oracle of their own, and the
// types that those come in which read or write the residual stream.
#pragma once

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {

/// A storage type, and the residual stream's beside it.
template <class Storage, class Stream>
struct StoredBesideStream {
    using S = Storage;
    using R = Stream;
};
using StreamTypes =
    testing::Types<StoredBesideStream<float, float>, StoredBesideStream<double, double>,
                   StoredBesideStream<bf16, float>, StoredBesideStream<fp16, float>,
                   StoredBesideStream<bf16, bf16>>;

/// From -4 to 4: few enough of their products add up exactly in every type.
inline Values whole_numbers(Size count, const std::string& name) {
    const RandomStream stream(2024, name);
    Values values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(stream.below(9, i)) - 4.0;
    }
    return values;
}

/// What a kernel gave, as doubles.
template <class T>
Values wide_values(const std::vector<T>& values) {
    Values result;
    for (const T value : values) result.push_back(wide(value));
    return result;
}

struct PlainSums {
    Values sums;
    Values sizes;  ///< of the absolute values of the same terms

    /// The result in R of a sum in Real whose terms each pass through so many roundings.
    template <class Real, class R>
    Values bounds(double roundings) const {
        Values result;
        for (const double size : sizes) {
            result.push_back(higher_orders * roundings * roundoff<Real> * size);
        }
        add_storage_error<R>(sums, result);
        return result;
    }
};

/// past (N, columns) + the sum of term(n, c, t) over t in [0, terms).
template <class Term>
PlainSums plain_sums(const Values& past, Size columns, Size terms, const Term& term) {
    PlainSums result{past, absolute(past)};
    for (std::size_t i = 0; i < past.size(); ++i) {
        const Size n = static_cast<Size>(i) / columns, c = static_cast<Size>(i) % columns;
        for (Size t = 0; t < terms; ++t) {
            result.sums[i] += term(n, c, t);
            result.sizes[i] += std::abs(term(n, c, t));
        }
    }
    return result;
}

}  // namespace shardstone::validation
