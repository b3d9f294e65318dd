// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/base/element_type.hpp"

namespace shardstone::reference {

/// Storage type of a model's weights and of the tensors that products read; `full` is Real, the
/// type of its computations. Gradients of parameters, norms' moments and log-sum-exps are always in
/// Real; the residual stream has a Storage of its own.
enum class Storage : std::uint8_t { full, bf16, fp16 };

/// "full", "bf16", "fp16", and the reverse; throws Error naming any other word.
std::string to_string(Storage storage);
Storage parse_storage(std::string_view name);

/// The element type that corresponds to `storage`.
template <class Real>
ElementType element_type(Storage storage) {
    if (storage == Storage::bf16) return ElementType::bf16;
    if (storage == Storage::fp16) return ElementType::fp16;
    return element_traits<Real>::type;
}

/// Bytes of an element, given those of a Real.
inline std::int64_t storage_bytes(Storage storage, std::int64_t real_bytes) {
    return storage == Storage::full ? real_bytes : 2;
}

/// Calls `f` with a value of the C++ type S that corresponds to `storage`; narrow types are only
/// for computations in float.
template <class Real, class F>
decltype(auto) with_storage(Storage storage, F&& f) {
    if constexpr (std::is_same_v<Real, float>) {
        if (storage == Storage::bf16) return std::forward<F>(f)(bf16{});
        if (storage == Storage::fp16) return std::forward<F>(f)(fp16{});
    }
    SHARDSTONE_EXPECTS(storage == Storage::full);
    return std::forward<F>(f)(Real{});
}

/// The same including a residual stream, calling `f` with an S and the type R of the stream: Real,
/// or bf16 if S is bf16.
template <class Real, class F>
decltype(auto) with_storages(Storage storage, Storage stream, F&& f) {
    if constexpr (std::is_same_v<Real, float>) {
        if (stream == Storage::bf16) {
            SHARDSTONE_EXPECTS(storage == stream);
            return std::forward<F>(f)(bf16{}, bf16{});
        }
    }
    SHARDSTONE_EXPECTS(stream == Storage::full);
    return with_storage<Real>(storage, [&](auto zero) { return f(zero, Real{}); });
}

}  // namespace shardstone::reference
