// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

namespace shardstone::reference {

/// How far the gradients are final during one backward pass, and who is told.
class ReadyPrefix {
  public:
    explicit ReadyPrefix(const std::function<void(std::int64_t)>& listener) : listener_(listener) {}

    /// The gradients [0, end) are final.
    void advance(std::int64_t end) {
        end_ = end;
        tick();
    }
    /// Nothing new; lets the listener move its communication along.
    void tick() const {
        if (listener_) listener_(end_);
    }

  private:
    const std::function<void(std::int64_t)>& listener_;
    std::int64_t end_ = 0;
};

}  // namespace shardstone::reference
