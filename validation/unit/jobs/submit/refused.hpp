// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "kernels/base/error.hpp"

namespace shardstone::submit {

/// The message with which `action` is refused; "accepted" if it is not.
inline std::string refusal_of(const std::function<void()>& action) {
    try {
        action();
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace shardstone::submit
