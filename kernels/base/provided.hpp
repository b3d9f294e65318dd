// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <utility>

namespace shardstone {

/// A function that is there if the file that provides it was built, as only with its library: that
/// file has a namespace-scope constant of this class. One signature, one function of a program.
template <class Signature>
class Provided {
  public:
    explicit Provided(std::function<Signature> function) { the_function() = std::move(function); }

    /// Empty if nothing provides it.
    static const std::function<Signature>& function() { return the_function(); }

  private:
    static std::function<Signature>& the_function() {
        static std::function<Signature> function;
        return function;
    }
};

}  // namespace shardstone
