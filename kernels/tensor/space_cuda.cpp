// SPDX-License-Identifier: BSD-3-Clause
// The GPU as a memory space: allocation, the queue of computations, copies from and to the program.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/base/check_cuda.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/queue_graph.hpp"

namespace shardstone {

namespace {

std::atomic<std::int64_t> total_bytes{0};

/// The stream of computations; lives until the process ends, as the driver itself does.
cudaStream_t computations() {
    static const cudaStream_t stream = [] {
        cudaStream_t created = nullptr;
        SHARDSTONE_CUDA(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking));
        return created;
    }();
    return stream;
}

/// Pinned memory through which small arrays of the program go to the GPU: pieces in turn, each free
/// again when its copy has run. There are as many as the first steps need at a time, up to 64 MiB:
/// the program only waits where that is not enough. The copies of a graph that is being noted have
/// all their pieces at once.
class Staging {
  public:
    static constexpr std::int64_t piece_bytes = 256 * 1024;
    static constexpr std::size_t most_pieces = 256;

    void write(CudaQueue queue, const void* from, void* to, std::int64_t count) {
        const auto* source = static_cast<const std::byte*>(from);
        auto* target = static_cast<std::byte*>(to);
        while (count > 0) {
            const std::int64_t now = std::min(count, piece_bytes);
            write_piece(queue, source, target, static_cast<std::size_t>(now));
            source += now, target += now, count -= now;
        }
    }

  private:
    struct Piece {
        void* memory = nullptr;
        cudaEvent_t copied = nullptr;
        std::uint64_t noted_by = 0;  ///< noting_of_graph() of its copy

        static Piece made() {
            Piece piece;
            SHARDSTONE_CUDA(cudaMallocHost(&piece.memory, piece_bytes));
            SHARDSTONE_CUDA(cudaEventCreateWithFlags(&piece.copied, cudaEventDisableTiming));
            return piece;
        }
        bool is_free() const {
            if (noted_by != 0 && noted_by == noting_of_graph()) return false;
            const cudaError_t state = cudaEventQuery(copied);
            if (state != cudaErrorNotReady) check_cuda(state, "cudaEventQuery");
            return state == cudaSuccess;
        }
    };

    /// The one that was used longest ago, if it is free, or need not be.
    Piece& next_piece() {
        if (next_ == pieces_.size()) next_ = 0;
        const bool has_free = next_ < pieces_.size() && pieces_[next_].is_free();
        const bool may_grow = pieces_.size() < most_pieces || noting_of_graph() != 0;
        if (!has_free && may_grow) {
            pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(next_), Piece::made());
        } else if (!has_free) {
            SHARDSTONE_CUDA(cudaEventSynchronize(pieces_[next_].copied));
        }
        return pieces_[next_++];
    }

    void write_piece(CudaQueue queue, const void* from, void* to, std::size_t count) {
        Piece& piece = next_piece();
        std::memcpy(piece.memory, from, count);
        SHARDSTONE_CUDA(
            cudaMemcpyAsync(to, piece.memory, count, cudaMemcpyHostToDevice, queue.stream()));
        piece.noted_by = noting_of_graph();
        // Of a graph it is recorded by each launch.
        const unsigned when =
            piece.noted_by != 0 ? cudaEventRecordExternal : cudaEventRecordDefault;
        SHARDSTONE_CUDA(cudaEventRecordWithFlags(piece.copied, queue.stream(), when));
    }

    std::vector<Piece> pieces_;
    std::size_t next_ = 0;
};

/// Lives until the process ends, too, and its memory and events with it.
Staging& staging() {
    static Staging& one = *new Staging;
    return one;
}

}  // namespace

CudaQueue::CudaQueue() : stream_(computations()) {}

void CudaQueue::wait() const {
    SHARDSTONE_CUDA(cudaStreamSynchronize(stream_));
}

void* Cuda::allocate_zeroed(std::int64_t size_bytes) {
    const CudaQueue queue;
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, size);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // or the next call that looks would report it once more
        const Room now = room();
        fail(
            fmt::format("cannot allocate {} on the GPU: {} of its {} are free, {} are in use here; "
                        "end what else uses it, or in a training take a smaller model or batch, or "
                        "a plan that keeps less on each rank",
                        format_size(size_bytes), format_size(now.free_bytes),
                        format_size(now.total_bytes), format_size(in_use_bytes())));
    }
    check_cuda(code, "cudaMalloc");
    // Complete before any stream can use it.
    SHARDSTONE_CUDA(cudaMemsetAsync(memory, 0, size, queue.stream()));
    queue.wait();
    total_bytes += size_bytes;
    return memory;
}

void Cuda::release(void* memory, std::int64_t size_bytes) noexcept {
    cudaFree(memory);  // waits for the device
    total_bytes -= size_bytes;
}

std::int64_t Cuda::in_use_bytes() noexcept {
    return total_bytes;
}

std::string Cuda::address() {
    int device = 0;
    SHARDSTONE_CUDA(cudaGetDevice(&device));
    std::array<char, 16> text{};
    SHARDSTONE_CUDA(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device));
    std::string address = text.data();
    for (char& letter : address) letter = static_cast<char>(std::tolower(letter));
    return address;
}

Cuda::Room Cuda::room() {
    std::size_t free = 0, total = 0;
    SHARDSTONE_CUDA(cudaMemGetInfo(&free, &total));
    return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

void detail::clear_bytes(CudaQueue queue, void* to, std::int64_t count) {
    if (count == 0) return;
    SHARDSTONE_CUDA(cudaMemsetAsync(to, 0, static_cast<std::size_t>(count), queue.stream()));
}

void detail::copy_bytes(CudaQueue queue, const ByteRows& shape, const void* from, void* to) {
    if (shape.rows == 0 || shape.bytes == 0) return;
    const auto bytes = static_cast<std::size_t>(shape.bytes);
    if (shape.rows == 1) {
        SHARDSTONE_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue.stream()));
        return;
    }
    SHARDSTONE_CUDA(cudaMemcpy2DAsync(to, static_cast<std::size_t>(shape.to_leading), from,
                                      static_cast<std::size_t>(shape.from_leading), bytes,
                                      static_cast<std::size_t>(shape.rows),
                                      cudaMemcpyDeviceToDevice, queue.stream()));
}

void detail::write_bytes(CudaQueue queue, const void* from, void* to, std::int64_t count) {
    staging().write(queue, from, to, count);
}

void detail::read_bytes(CudaQueue queue, const void* from, void* to, std::int64_t count) {
    if (count == 0) return;
    queue.wait();
    SHARDSTONE_CUDA(cudaMemcpy(to, from, static_cast<std::size_t>(count), cudaMemcpyDeviceToHost));
}

}  // namespace shardstone
