// SPDX-License-Identifier: BSD-3-Clause
// The patterns as a user of the MPI library writes them: MPI_Send, MPI_Recv, or MPI_Sendrecv where
// a rank does both at once; MPI_Isend and MPI_Irecv for a non-blocking start. Who talks to whom is
// taken from the schedule "direct".
//
// Steps and volume: those of "direct".
#include "collectives/patterns/library_pattern.hpp"

#include <array>
#include <vector>

#include "collectives/executors/mpi/library_call.hpp"
#include "collectives/executors/workspace.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

/// One end of one message.
struct End {
    int peer = MPI_PROC_NULL;
    Region region = Region::input;
};

/// What a rank does at a time.
struct Exchange {
    End send, receive;
};

std::vector<Exchange> exchanges_of(const RankProgram& program) {
    std::vector<Exchange> exchanges;
    for_each_step(program, [&](std::span<const BlockTransfer> actions) {
        Exchange& now = exchanges.emplace_back();
        for (const BlockTransfer& action : actions) {
            const Region region = action.blocks.first == 0 ? Region::input : Region::output;
            (action.kind == TransferKind::send ? now.send : now.receive) = {action.peer, region};
        }
    });
    return exchanges;
}

class PatternCall : public Executor {
  public:
    PatternCall(Communicator& communicator, const CollectiveSpec& spec, const Operation& operation,
                const RankProgram& program)
        : workspace_(operation, spec, program, communicator.size(), communicator.rank()),
          type_(spec.vector),
          exchanges_(exchanges_of(program)),
          comm_(communicator.native().comm),
          tag_(communicator.native().take_tags(1)),
          count_(static_cast<int>(spec.vector.count)),
          next_(exchanges_.size()) {}

    void run(const void* input, void* output) override {
        workspace_.begin(input, output);
        const InLibrary here;
        for (const auto& [send, receive] : exchanges_) {
            if (receive.peer == MPI_PROC_NULL) {
                SHARDSTONE_MPI(
                    MPI_Send(memory(send), count_, type_.datatype, send.peer, tag_, comm_));
            } else if (send.peer == MPI_PROC_NULL) {
                SHARDSTONE_MPI(MPI_Recv(memory(receive), count_, type_.datatype, receive.peer, tag_,
                                        comm_, MPI_STATUS_IGNORE));
            } else {
                SHARDSTONE_MPI(MPI_Sendrecv(memory(send), count_, type_.datatype, send.peer, tag_,
                                            memory(receive), count_, type_.datatype, receive.peer,
                                            tag_, comm_, MPI_STATUS_IGNORE));
            }
        }
        workspace_.finish();
    }

    void start(const void* input, void* output) override {
        workspace_.begin(input, output);
        next_ = 0;
        post_next();
    }

    Progress progress() override {
        int done = 0;
        SHARDSTONE_MPI(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                                   MPI_STATUSES_IGNORE));
        if (done == 0) return Progress::none;
        if (next_ == exchanges_.size()) return Progress::done;
        post_next();
        return Progress::some;
    }

    /// Not counted, as with all of the library's own.
    std::int64_t bytes_sent() const noexcept override { return 0; }

  private:
    std::byte* memory(const End& end) const { return workspace_.at(end.region, 0); }

    void post_next() {
        if (next_ == exchanges_.size()) return;
        const auto& [send, receive] = exchanges_[next_++];
        SHARDSTONE_MPI(MPI_Irecv(memory(receive), count_, type_.datatype, receive.peer, tag_, comm_,
                                 &requests_[0]));
        SHARDSTONE_MPI(
            MPI_Isend(memory(send), count_, type_.datatype, send.peer, tag_, comm_, &requests_[1]));
    }

    Workspace workspace_;
    LibraryType type_;
    std::vector<Exchange> exchanges_;
    MPI_Comm comm_;
    int tag_;
    int count_;
    std::size_t next_;
    std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

std::unique_ptr<Executor> make_pattern_call(Communicator& communicator, const Algorithm& algorithm,
                                            const CollectiveSpec& spec) {
    require_countable(spec);
    const Operation& operation = *algorithm.operation;
    const RankProgram program =
        find_algorithm(operation, "direct").program(communicator.topology(), communicator.rank());
    return std::make_unique<PatternCall>(communicator, spec, operation, program);
}

}  // namespace

Algorithm library_pattern() {
    Algorithm algorithm;
    algorithm.name = "mpi";
    algorithm.summary = "the MPI library's own MPI_Send, MPI_Recv and MPI_Sendrecv, the reference";
    algorithm.direct = make_pattern_call;
    return algorithm;
}

}  // namespace shardstone::collectives
