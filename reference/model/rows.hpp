// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensor/matrix.hpp"
#include "reference/model/gpt_config.hpp"

namespace shardstone::reference {

/// A matrix without gaps between its rows, of any element type, in any memory space.
struct Rows {
    void* data = nullptr;
    ElementType type = ElementType::fp32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    Rows() = default;
    template <class T, class Space>
    explicit Rows(Matrix<T, Space> m)
        : data(m.data), type(element_traits<T>::type), rows(m.rows), columns(m.columns) {
        SHARDSTONE_EXPECTS(m.leading == m.columns);
    }

    /// T must be the type of the elements.
    template <class T, class Space = Host>
    Matrix<T, Space> as() const {
        SHARDSTONE_EXPECTS(type == element_traits<T>::type);
        return matrix<Space>(static_cast<T*>(data), rows, columns);
    }
    std::span<std::byte> bytes() const {
        return {static_cast<std::byte*>(data),
                static_cast<std::size_t>(rows * columns) * element_size(type)};
    }
    Rows rows_from(std::int64_t first, std::int64_t count) const {
        Rows some = *this;
        some.data = bytes().data() + static_cast<std::size_t>(first * columns) * element_size(type);
        some.rows = count;
        return some;
    }
};

/// Quantities accumulated over a step for reports, as sums over the rank's positions: the
/// cross-entropy, and for the experts of each block the terms with the factors
/// ExpertOptions::balance and z (the first times the sequence's length), and the choices for which
/// an expert had no row.
struct LossSums {
    double loss = 0.0, balance = 0.0, router_z = 0.0, dropped = 0.0;
};

inline constexpr std::array each_loss_sum{&LossSums::loss, &LossSums::balance, &LossSums::router_z,
                                          &LossSums::dropped};
/// Number of them, from the first, that a model has.
constexpr std::int64_t loss_sums_of(const GptConfig& config) {
    return config.experts.any() ? std::ssize(each_loss_sum) : 1;
}

/// Result of a computation (unit_phases.hpp).
struct Computed {
    Rows rows;                ///< its result for other ranks
    void* arrival = nullptr;  ///< destination of the transfer's result; nullptr: in place
    /// For an all-to-all of varying sizes: number of rows that each rank sends to each, as
    /// CollectiveSpec::shares.
    std::vector<std::int64_t> shares = {};
};

}  // namespace shardstone::reference
