// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::command {

/// Adds what a validation of the interconnect measures to the journal of the run, pass by pass.
class InterconnectJournal {
  public:
    /// Elsewhere than on rank 0 it does nothing.
    explicit InterconnectJournal(bool is_root) : is_root_(is_root) {}

    void add(const validation::InterconnectSamples& part);
    /// What is in it: "48 samples were taken; 3 windows of the soak are complete".
    std::string done() const;

  private:
    bool is_root_;
    std::size_t samples_ = 0;
    double windows_ = 0.0;
};

}  // namespace shardstone::command
