// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/base/element_type.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone::reference {

/// A matrix without gaps between its rows, of any element type.
struct Rows {
    void* data = nullptr;
    ElementType type = ElementType::fp32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    Rows() = default;
    template <class T>
    explicit Rows(Matrix<T> m)
        : data(m.data), type(element_traits<T>::type), rows(m.rows), columns(m.columns) {
        SHARDSTONE_EXPECTS(m.leading == m.columns);
    }

    /// T must be their type.
    template <class T>
    Matrix<T> as() const {
        SHARDSTONE_EXPECTS(type == element_traits<T>::type);
        return matrix(static_cast<T*>(data), rows, columns);
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

/// What a computation (unit_phases.hpp) gives back.
struct Computed {
    double loss = 0.0;  ///< sum over the rows of all ranks, from the last of a head's forward pass
    Rows rows;          ///< what it leaves for other ranks
    void* arrival = nullptr;  ///< where what the transfer makes of it goes; nullptr: there as well
};

}  // namespace shardstone::reference
