// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "kernels/tensor/cuda.hpp"

namespace shardstone {

/// Marks in a GPU's queue, and the times between them on the GPU's clock (to about 0.5 us). Setting
/// one makes nobody wait.
class QueueMarks {
  public:
    explicit QueueMarks(CudaQueue queue);
    ~QueueMarks();

    /// Behind all that was enqueued so far.
    void set();
    /// Forgets the marks that were set.
    void clear() noexcept;
    /// Seconds from each mark to the next one, in the order in which they were set; waits until the
    /// queue has reached the last.
    std::vector<double> intervals_s() const;

  private:
    struct Events;
    std::unique_ptr<Events> events_;
};

}  // namespace shardstone
