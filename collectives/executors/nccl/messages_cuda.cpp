// SPDX-License-Identifier: BSD-3-Clause
// A schedule run over NCCL's sends and receives in groups, with reductions in kernels of our own.
#include "collectives/executors/nccl/messages_cuda.hpp"

#include <fmt/format.h>

#include <limits>

#include "collectives/device/reduce_cuda.hpp"
#include "collectives/executors/nccl/executor_cuda.hpp"
#include "collectives/executors/nccl/rounds.hpp"
#include "collectives/executors/workspace.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

class NcclMessages : public NcclExecutor {
  public:
    NcclMessages(Communicator& communicator, const RankProgram& program, const Operation& operation,
                 const CollectiveSpec& spec, int segments)
        : NcclExecutor(communicator, operation, spec),
          workspace_(operation, spec, program, communicator.size(), communicator.rank(), memory()),
          element_bytes_(spec.vector.element_bytes()),
          plan_(make_plan(program, workspace_.layout(), communicator.rank(), element_bytes_,
                          std::numeric_limits<std::int64_t>::max())),
          rounds_(rounds_of(plan_, segments)),
          reduce_(device_reduce_function(spec.vector.type, spec.vector.reduction)),
          staging_(memory().allocate(plan_.staging_bytes)) {}

    std::int64_t bytes_sent() const noexcept override { return bytes_sent_; }

  private:
    void enqueue(const std::byte* input, std::byte* output) override {
        workspace_.begin(input, output);
        for (const Round& round : rounds_) {
            exchange(round);
            reduce(round);
        }
        workspace_.finish();
    }

    const Transfer& transfer(int t) const { return plan_.transfers[static_cast<std::size_t>(t)]; }

    std::byte* place_of(const Transfer& piece) const {
        return workspace_.at(piece.region, piece.offset_bytes);
    }

    std::byte* staged(const Transfer& piece) const { return staging_.get() + piece.staging_bytes; }

    /// Pieces of one message go each by itself: a group joins what goes to one rank, and nothing
    /// has to be copied together.
    void exchange(const Round& round) {
        SHARDSTONE_NCCL(ncclGroupStart());
        for (const int t : round) post(transfer(t));
        check_nccl(ncclGroupEnd(), "ncclGroupEnd()", context().comm());
    }

    void post(const Transfer& piece) {
        const auto size = static_cast<std::size_t>(piece.size_bytes);
        const ncclComm_t comm = context().comm();
        const cudaStream_t stream = context().stream().get();
        if (piece.kind == TransferKind::send) {
            SHARDSTONE_NCCL(ncclSend(place_of(piece), size, ncclUint8, piece.peer, comm, stream));
            bytes_sent_ += piece.size_bytes;
            return;
        }
        std::byte* const to =
            piece.kind == TransferKind::receive_reduce ? staged(piece) : place_of(piece);
        SHARDSTONE_NCCL(ncclRecv(to, size, ncclUint8, piece.peer, comm, stream));
    }

    /// In the order of the plan, as every executor does it: the same bits.
    void reduce(const Round& round) const {
        for (const int t : round) {
            const Transfer& piece = transfer(t);
            if (piece.kind != TransferKind::receive_reduce) continue;
            reduce_(place_of(piece), staged(piece), piece.size_bytes / element_bytes_,
                    context().stream().get());
        }
    }

    Workspace workspace_;
    std::int64_t element_bytes_;
    TransferPlan plan_;
    std::vector<Round> rounds_;
    DeviceReduceFunction reduce_;
    std::shared_ptr<std::byte> staging_;
    std::int64_t bytes_sent_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_nccl_messages(Communicator& communicator, const Algorithm& algorithm,
                                             const CollectiveSpec& spec) {
    const int segments = segments_for(algorithm, spec.vector.size_bytes());
    return std::make_unique<NcclMessages>(communicator, program_for(algorithm, communicator, spec),
                                          *algorithm.operation, spec, segments);
}

}  // namespace shardstone::collectives
