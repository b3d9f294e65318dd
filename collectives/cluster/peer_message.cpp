// SPDX-License-Identifier: BSD-3-Clause
// One message between pipeline stages, as a non-blocking MPI send or receive tagged by its id.
#include "collectives/cluster/peer_message.hpp"

#include <fmt/format.h>

#include <exception>
#include <limits>
#include <utility>

#include "collectives/cluster/native.hpp"

namespace shardstone::collectives {

namespace {

/// MPI guarantees tags up to 32767; ids that far apart are never under way at a time.
int tag_of(std::int64_t id) {
    return static_cast<int>(id % 32767);
}

int length_of(std::size_t size_bytes) {
    require(size_bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()), [&] {
        return fmt::format(
            "a message of {} bytes is more than MPI takes in one: use a smaller "
            "--micro-batch or --sequence",
            size_bytes);
    });
    return static_cast<int>(size_bytes);
}

}  // namespace

struct PeerMessage::Request {
    MPI_Request request = MPI_REQUEST_NULL;
    bool receives = false, is_given_up = false;
    int exceptions = std::uncaught_exceptions();

    void give_up() {
        if (request != MPI_REQUEST_NULL && !std::exchange(is_given_up, true)) MPI_Cancel(&request);
    }

    /// What an exception ends does not wait for a message that may never be sent.
    ~Request() {
        if (request == MPI_REQUEST_NULL) return;
        if (receives && std::uncaught_exceptions() > exceptions) give_up();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
};

PeerMessage::PeerMessage(std::unique_ptr<Request> request) : request_(std::move(request)) {}
PeerMessage::PeerMessage(PeerMessage&&) noexcept = default;
PeerMessage& PeerMessage::operator=(PeerMessage&&) noexcept = default;
PeerMessage::~PeerMessage() = default;

PeerMessage PeerMessage::send(const Communicator& communicator, int to, std::int64_t id,
                              std::span<const std::byte> data) {
    auto made = std::make_unique<Request>();
    SHARDSTONE_MPI(MPI_Isend(data.data(), length_of(data.size()), MPI_BYTE, to, tag_of(id),
                             communicator.native().comm, &made->request));
    return PeerMessage(std::move(made));
}

PeerMessage PeerMessage::receive(const Communicator& communicator, int from, std::int64_t id,
                                 std::span<std::byte> data) {
    auto made = std::make_unique<Request>();
    made->receives = true;
    SHARDSTONE_MPI(MPI_Irecv(data.data(), length_of(data.size()), MPI_BYTE, from, tag_of(id),
                             communicator.native().comm, &made->request));
    return PeerMessage(std::move(made));
}

bool PeerMessage::progress() {
    int done = 0;
    SHARDSTONE_MPI(MPI_Test(&request_->request, &done, MPI_STATUS_IGNORE));
    return done != 0;
}

void PeerMessage::give_up() {
    request_->give_up();
}

}  // namespace shardstone::collectives
