// SPDX-License-Identifier: BSD-3-Clause
// Set-up helpers of a communicator, built on point-to-point messages whose waits yield the core.
#include "collectives/cluster/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "collectives/cluster/description.hpp"
#include "collectives/cluster/long_waits.hpp"
#include "collectives/cluster/native.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

/// What a message is sent for, with a tag of its own; collectives take theirs from first_free_tag
/// on.
struct Purpose {
    int tag = 0;
    const char* name = "";
};
constexpr Purpose barrier_of_all{0, "a barrier"}, gathering{1, "a gathering"},
    broadcasting{2, "a broadcast"};
constexpr int first_free_tag = 16;

/// One message, under way until wait() returns.
class Message final : public AwaitedRank {
  public:
    static Message to(int rank, const Communicator& comm, std::span<const std::byte> data,
                      const Purpose& purpose) {
        Message one(purpose, Way::to, rank);
        SHARDSTONE_MPI(MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, rank,
                                 purpose.tag, comm.native().comm, &one.request_));
        return one;
    }
    static Message from(int rank, const Communicator& comm, std::span<std::byte> data,
                        const Purpose& purpose) {
        Message one(purpose, Way::from, rank);
        SHARDSTONE_MPI(MPI_Irecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, rank,
                                 purpose.tag, comm.native().comm, &one.request_));
        return one;
    }

    void wait() {
        Waiter waiter(this);
        int done = 0;
        while (true) {
            SHARDSTONE_MPI(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
            if (done != 0) return;
            waiter.idle();
        }
    }
    std::string waits_for() const override {
        return fmt::format("{}: {} rank {}", purpose_->name, way_ == Way::to ? "to" : "from",
                           rank_);
    }
    int rank_awaited() const override { return way_ == Way::from ? rank_ : -1; }

  private:
    enum class Way : std::uint8_t { to, from };
    Message(const Purpose& purpose, Way way, int rank)
        : purpose_(&purpose), way_(way), rank_(rank) {}

    const Purpose* purpose_;
    Way way_;
    int rank_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

std::string receive_text(const Communicator& comm, int from, const Purpose& purpose) {
    const auto receive = [&](std::span<std::byte> data) {
        Message::from(from, comm, data, purpose).wait();
    };
    std::int64_t size = 0;
    receive(std::as_writable_bytes(std::span(&size, 1)));
    std::string text(static_cast<std::size_t>(size), '\0');
    if (size > 0) receive(std::as_writable_bytes(std::span(text)));
    return text;
}

void send_text(const Communicator& comm, const std::string& text, int to, const Purpose& purpose) {
    const auto size = static_cast<std::int64_t>(text.size());
    Message::to(to, comm, std::as_bytes(std::span(&size, 1)), purpose).wait();
    if (size > 0) Message::to(to, comm, std::as_bytes(std::span(text)), purpose).wait();
}

}  // namespace

void mpi_failed(int code, const char* call) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    const std::string message = std::string(call) + ": " + text.data();
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    // MPICH has no class of its own for a connection that broke; wrong arguments have theirs.
    if (kind == MPI_ERR_OTHER || kind == MPI_ERR_UNKNOWN) {
        fail("MPI failed, probably because a rank was lost: " + message, ExitCode::lost_rank);
    }
    throw std::runtime_error(message);
}

NativeCommunicator::NativeCommunicator(MPI_Comm source) : next_tag(first_free_tag) {
    SHARDSTONE_MPI(MPI_Comm_dup(source, &comm));
    SHARDSTONE_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
}

NativeCommunicator::~NativeCommunicator() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

int NativeCommunicator::take_tags(int count) {
    // MPI guarantees 32767; tags may be used again long before the range is through, because
    // messages between two ranks on one tag stay in order.
    constexpr int last_tag = 32767;
    if (next_tag + count > last_tag) next_tag = first_free_tag;
    const int first = next_tag;
    next_tag += count;
    return first;
}

void NativeCommunicator::drive_messages() const {
    int waiting = 0;
    SHARDSTONE_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &waiting, MPI_STATUS_IGNORE));
}

Communicator::Communicator(std::unique_ptr<NativeCommunicator> native)
    : native_(std::move(native)),
      found_topology_(discover_topology(native_->comm)),
      topology_(found_topology_),
      cluster_(typical_cluster()) {
    SHARDSTONE_MPI(MPI_Comm_rank(native_->comm, &rank_));
    SHARDSTONE_MPI(MPI_Comm_size(native_->comm, &size_));
}

Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

Communicator Communicator::split(int color) const {
    MPI_Comm part = MPI_COMM_NULL;
    {
        const InLibrary here;
        SHARDSTONE_MPI(MPI_Comm_split(native_->comm, color, rank_, &part));
    }
    auto native = std::make_unique<NativeCommunicator>(part);
    SHARDSTONE_MPI(MPI_Comm_free(&part));
    Communicator parted(std::move(native));
    parted.cluster_ = cluster_;
    return parted;
}

void Communicator::declare_cluster(ClusterDescription cluster) {
    cluster_ = std::make_shared<const ClusterDescription>(std::move(cluster));
}

void Communicator::barrier() const {
    // Hensgen, Finkel, Manber 1988: after step k a rank has heard, directly or not, of 2^(k+1).
    for (int distance = 1; distance < size_; distance *= 2) {
        LongWaits::next_step();
        std::byte out{};
        std::byte in{};
        Message received = Message::from((rank_ - distance + size_) % size_, *this,
                                         std::span(&in, 1), barrier_of_all);
        Message sent =
            Message::to((rank_ + distance) % size_, *this, std::span(&out, 1), barrier_of_all);
        received.wait();
        sent.wait();
    }
}

void Communicator::broadcast(std::span<std::byte> data) const {
    // Binomial tree: in round k the ranks below 2^k send to their partner 2^k further on.
    int distance = 1;
    for (; distance < size_; distance *= 2) {
        LongWaits::next_step();
        if (rank_ >= distance && rank_ < 2 * distance) {
            Message::from(rank_ - distance, *this, data, broadcasting).wait();
        } else if (rank_ < distance && rank_ + distance < size_) {
            Message::to(rank_ + distance, *this, data, broadcasting).wait();
        }
    }
}

std::string Communicator::broadcast(const std::string& text) const {
    auto size = static_cast<std::int64_t>(text.size());
    broadcast(std::as_writable_bytes(std::span(&size, 1)));
    std::string copy = is_root() ? text : std::string(static_cast<std::size_t>(size), '\0');
    if (size > 0) broadcast(std::as_writable_bytes(std::span(copy)));
    return copy;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
    LongWaits::next_step();
    if (!is_root()) {
        send_text(*this, text, 0, gathering);
        return {};
    }
    std::vector<std::string> texts{text};
    for (int from = 1; from < size_; ++from) {
        texts.push_back(receive_text(*this, from, gathering));
    }
    return texts;
}

std::vector<std::string> Communicator::all_gather(const std::string& text) const {
    std::vector<std::string> texts = gather(text);
    texts.resize(static_cast<std::size_t>(size_));
    for (auto& one : texts) one = broadcast(one);
    return texts;
}

std::vector<double> Communicator::all_gather(std::span<const double> values) const {
    const std::size_t length = values.size();
    std::vector<double> all(length * static_cast<std::size_t>(size_));
    const auto part = [&](int rank) {
        return std::as_writable_bytes(
            std::span(all).subspan(static_cast<std::size_t>(rank) * length, length));
    };
    std::ranges::copy(values, all.begin() + static_cast<std::ptrdiff_t>(length) * rank_);
    LongWaits::next_step();
    std::vector<Message> messages;
    for (int other = 0; is_root() && other < size_; ++other) {
        if (other != rank_) messages.push_back(Message::from(other, *this, part(other), gathering));
    }
    if (!is_root()) messages.push_back(Message::to(0, *this, part(rank_), gathering));
    for (Message& one : messages) one.wait();
    broadcast(std::as_writable_bytes(std::span(all)));
    return all;
}

double Communicator::max(double value) const {
    return std::ranges::max(all_gather(std::span(&value, 1)));
}

double Communicator::min(double value) const {
    return std::ranges::min(all_gather(std::span(&value, 1)));
}

double Communicator::sum(double value) const {
    double total = 0.0;
    for (const double term : all_gather(std::span(&value, 1))) total += term;
    return total;
}

void Communicator::raise_if_any(const Failure& own) const {
    const double none = size_;
    const double first = min(own.code == ExitCode::well ? none : rank_);
    if (first == none) return;
    const bool reports = rank_ == static_cast<int>(first);
    const double code = max(reports ? number_of(own.code) : 0.0);
    throw AgreedError(own.message, reports, static_cast<ExitCode>(code));
}

}  // namespace shardstone::collectives
