// SPDX-License-Identifier: BSD-3-Clause
// The memory of this rank's GPU as a memory space, and the queue of its kernels. Without CUDA only
// declared: nothing is linked that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

struct CUstream_st;  // of CUDA: what a cudaStream_t points to

namespace shardstone {

/// A stream of the rank's GPU. Kernels are enqueued and run one after the other, later: a call that
/// enqueues returns at once, and what it was given must stay as it is until the kernel has run.
/// A handle: copies refer to one stream.
class CudaQueue {
  public:
    /// The rank's queue of computations, created with its first use: on the GPU that the process
    /// has chosen (gpu_of_rank.hpp), or the first one that it sees.
    CudaQueue();
    /// Another stream, which must outlive all copies.
    explicit CudaQueue(CUstream_st* stream) : stream_(stream) {}

    CUstream_st* stream() const noexcept { return stream_; }
    /// Returns when everything enqueued so far has run; throws Error if a kernel failed.
    void wait() const;

  private:
    CUstream_st* stream_;
};

/// The memory space of a GPU: kernels of a CudaQueue alone can touch it.
struct Cuda {
    using Queue = CudaQueue;

    /// Contiguous elements that the host does not read.
    template <class T>
    class Span {
      public:
        Span() = default;
        Span(T* data, std::size_t size) : data_(data), size_(size) {}
        template <class U>
        requires(std::is_same_v<T, const U>) Span(const Span<U>& other)
            : data_(other.data()), size_(other.size()) {}
        T* data() const noexcept { return data_; }
        std::size_t size() const noexcept { return size_; }
        bool empty() const noexcept { return size_ == 0; }
        Span subspan(std::size_t first, std::size_t count) const { return {data_ + first, count}; }

      private:
        T* data_ = nullptr;
        std::size_t size_ = 0;
    };

    /// Zeroed memory, aligned to 256 B. Throws Error naming the size, and how much is in use and
    /// free, if there is not enough.
    static void* allocate_zeroed(std::int64_t size_bytes);
    /// Waits until no kernel uses it.
    static void release(void* memory, std::int64_t size_bytes) noexcept;
    /// Total bytes of all Buffers of this space in this process, as requested. Thread-safe.
    static std::int64_t in_use_bytes() noexcept;

    struct Room {
        std::int64_t free_bytes = 0, total_bytes = 0;
        std::int64_t taken_bytes() const { return total_bytes - free_bytes; }
    };
    /// Of the GPU, by whomever the rest is taken: this program, its libraries, or others.
    static Room room();

    /// The GPU's on PCIe: "0000:3b:00.0".
    static std::string address();
};

}  // namespace shardstone
