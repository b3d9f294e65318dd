// SPDX-License-Identifier: BSD-3-Clause
// Our own all-reduce under the rivals' rule. SETTING: the name of an algorithm. The environment
// variable SHARDSTONE_CLUSTER names the description that "auto" goes by.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "benchmarks/collectives/rivals/contender.hpp"
#include "collectives/cluster/description.hpp"
#include "collectives/cluster/native.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/session/session.hpp"

namespace {

using namespace shardstone;
using namespace shardstone::rivals;

class OurAllReduce : public Contender {
  public:
    OurAllReduce(collectives::Communicator& world, const std::string& algorithm)
        : world_(world), algorithm_(algorithm) {}

    std::string version() const override {
        return fmt::format("Shardstone {} over {}", SHARDSTONE_VERSION, collectives::mpi_library());
    }

    std::shared_ptr<float> prepare(std::int64_t count) override {
        all_reduce_.emplace(world_, algorithm_, count, ElementType::fp32,
                            collectives::Reduction::sum);
        const auto buffer =
            collectives::make_buffer(world_, collectives::find_algorithm("all_reduce", algorithm_),
                                     count * static_cast<std::int64_t>(sizeof(float)));
        vector_ = {buffer, reinterpret_cast<float*>(buffer.get())};
        std::fill_n(vector_.get(), count, 0.0F);
        return vector_;
    }

    void run() override { all_reduce_->run(vector_.get()); }
    void while_asleep() override { world_.native().drive_messages(); }

  private:
    collectives::Communicator& world_;
    std::string algorithm_;
    std::optional<collectives::AllReduce> all_reduce_;
    std::shared_ptr<float> vector_;
};

}  // namespace

int main(int argc, char** argv) {
    return guarded([&] {
        const Request request = Request::parse(argc, argv);
        return collectives::run_session([&](collectives::Communicator& world) {
            if (const char* cluster = std::getenv("SHARDSTONE_CLUSTER")) {
                world.declare_cluster(collectives::read_cluster(cluster));
            }
            OurAllReduce contender(world, request.setting);
            return compete(request, {world.rank(), world.size()}, contender);
        });
    });
}
