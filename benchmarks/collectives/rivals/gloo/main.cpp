// SPDX-License-Identifier: BSD-3-Clause
// gloo::allreduce over TCP on the loopback device, which is how Gloo reaches a neighbour on the
// same node. SETTING: ring or bcube. The processes find each other through files in FOLDER.
#include <fmt/format.h>
#include <gloo/allreduce.h>
#include <gloo/config.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <optional>

#include "benchmarks/collectives/rivals/contender.hpp"
#include "collectives/cluster/time_slice.hpp"
#include "kernels/base/error.hpp"

namespace {

using namespace shardstone::rivals;
using Algorithm = gloo::AllreduceOptions::Algorithm;

Algorithm parse_algorithm(const std::string& name) {
    if (name == "ring") return Algorithm::RING;
    if (name == "bcube") return Algorithm::BCUBE;
    shardstone::fail(fmt::format("Gloo has no algorithm '{}': use ring or bcube", name));
}

std::shared_ptr<gloo::Context> connect(const Request& request, Extent place) {
    gloo::rendezvous::FileStore store(request.folder);
    auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr("localhost"));
    auto context = std::make_shared<gloo::rendezvous::Context>(place.rank, place.size);
    context->connectFullMesh(store, device);
    return context;
}

class GlooAllReduce : public Contender {
  public:
    GlooAllReduce(const Request& request, Extent place)
        : algorithm_(parse_algorithm(request.setting)), context_(connect(request, place)) {}

    std::string version() const override {
        return fmt::format("Gloo {}.{}.{}, TCP on loopback", GLOO_VERSION_MAJOR, GLOO_VERSION_MINOR,
                           GLOO_VERSION_PATCH);
    }

    std::shared_ptr<float> prepare(std::int64_t count) override {
        vector_ = ordinary_vector(count);
        options_.emplace(context_);
        options_->setAlgorithm(algorithm_);
        options_->setOutput(vector_.get(), static_cast<std::size_t>(count));
        using Reduce = void (*)(void*, const void*, const void*, std::size_t);
        options_->setReduceFunction(static_cast<Reduce>(&gloo::sum<float>));
        return vector_;
    }

    void run() override { gloo::allreduce(*options_); }

  private:
    Algorithm algorithm_;
    std::shared_ptr<gloo::Context> context_;
    std::shared_ptr<float> vector_;
    std::optional<gloo::AllreduceOptions> options_;
};

}  // namespace

int main(int argc, char** argv) {
    shardstone::collectives::ask_for_short_time_slices();  // as our own ranks do
    return guarded([&] {
        const Request request = Request::parse(argc, argv);
        const Extent place = place_from_launcher();
        GlooAllReduce contender(request, place);
        return compete(request, place, contender);
    });
}
