// SPDX-License-Identifier: BSD-3-Clause
// Begins every record of a run, adds the machines and health of its ranks, writes JSON and HDF5.
#include "jobs/command/run_record.hpp"

#include <set>

#include "benchmarks/harness/ranks_by_machine.hpp"
#include "benchmarks/kernels/kernel_record.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/session/session.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/go_on.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/preflight.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/gemm/gemm.hpp"
#include "results/format/json_format.hpp"
#include "results/record/binding.hpp"
#include "results/record/environment.hpp"
#include "results/record/host_state.hpp"
#include "results/record/texts.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::command {

namespace {

using nlohmann::json;

json& surroundings() {
    static json of_the_ranks = json::object();
    return of_the_ranks;
}

/// One machine for each node, as its first rank sees it.
json machines_of(const collectives::Communicator& world) {
    const auto& topology = world.found_topology();
    const bool speaks = topology.ranks_on(topology.node_of(world.rank())).front() == world.rank();
    json machines = json::array();
    auto own = speaks ? results::machine_description() : json();
    results::escape_texts(own);
    for (const auto& text : world.gather(speaks ? own.dump() : "")) {
        if (!text.empty()) machines.push_back(json::parse(text));
    }
    return machines;
}

/// What each rank is bound to, as it sees it itself.
json bindings_of(const collectives::Communicator& world) {
    json bindings = json::array();
    auto own = results::binding_of_process();
    results::escape_texts(own);
    for (const auto& text : world.gather(own.dump())) bindings.push_back(json::parse(text));
    return bindings;
}

json nodes_of_ranks(const collectives::Communicator& world) {
    json nodes = json::array();
    for (int rank = 0; rank < world.size(); ++rank) {
        nodes.push_back(world.found_topology().node_of(rank));
    }
    return nodes;
}

json describe_ranks(const collectives::Communicator& world) {
    return {{"mpi", collectives::mpi_library()},
            {"mpi_device", collectives::mpi_device()},
            {"ranks", world.size()},
            {"nodes", world.found_topology().nodes()},
            {"node_of_ranks", nodes_of_ranks(world)},
            {"systems", benchmarks::ranks_by_machine(world).size()},
            {"kernels", benchmarks::kernel_environment()},
            {"machines", machines_of(world)},
            {"cpus_of_ranks", world.gather(results::usable_cpus())},
            {"binding_of_ranks", bindings_of(world)}};
}

/// Of what ends it in order, nobody but this tells the journal.
int or_flush_journal(const std::function<int()>& body) {
    try {
        return body();
    } catch (...) {
        flush_journal();
        throw;
    }
}

/// Some are known when a record is begun, of which a journal makes one if the run is killed; some
/// only when ranks have chosen them.
void add_gpus(results::Record& record) {
    const collectives::UsedGpus& used = collectives::used_gpus();
    if (used.names.empty()) return;
    record.environment["machine"]["accelerators"] =
        std::set<std::string>(used.names.begin(), used.names.end());
    record.environment["gpus"] = {{"of_ranks", used.names},
                                  {"addresses", used.addresses},
                                  {"different", used.different},
                                  {"software", used.software}};
#ifdef SHARDSTONE_HAS_CUDA
    record.environment["gpus"]["software"]["matrix products"] = gpu_gemm_library();
#endif
}

}  // namespace

int run_recorded(const std::function<int(collectives::Communicator&)>& body) {
    return collectives::run_session([&](collectives::Communicator& world) {
        const json preflight = run_preflight(world);
        surroundings() = describe_ranks(world);
        surroundings().update(preflight);
        warn_of_different_cpus(surroundings().at("machines"));
        begin_health(world);
        const int code = or_flush_journal([&] { return body(world); });
        say_how_to_go_on();
        return code == 0 && health_failed() ? number_of(ExitCode::check_failed) : code;
    });
}

results::Record new_run_record(const std::string& kind, const std::string& title,
                               const collectives::Communicator& world) {
    results::Record record = results::new_record(kind, title, command_line());
    add_surroundings(record, world);
    return record;
}

void add_surroundings(results::Record& record, const collectives::Communicator& world) {
    record.environment.update(surroundings());
    add_gpus(record);
    const int nodes = world.topology().nodes();
    if (nodes != world.found_topology().nodes()) record.environment["declared_nodes"] = nodes;
}

void write_formats(const results::Record& record, const std::filesystem::path& json,
                   const std::filesystem::path& hdf5, const std::function<void()>& written) {
    write_each({[&] {
                    if (json == stdout_name) {
                        write_to_stdout(results::to_json_text(record));
                    } else if (!json.empty()) {
                        results::write_json(record, json);
                        written();
                    }
                },
                [&] {
                    if (hdf5.empty()) return;
                    results::write_hdf5(record, hdf5);
                    written();
                }});
}

void write_record(results::Record record, const std::filesystem::path& json,
                  const std::filesystem::path& hdf5) {
    enter_phase("writing");
    const auto held = hold_journal();
    add_health(record);
    add_gpus(record);
    results::require_described(record);
    results::end_run(record);
    results::escape_texts(record);
    note_how_to_go_on(record, json, hdf5);
    or_keep_journal([&] { write_formats(record, json, hdf5, end_journal); });
    forget_failures_of_replaced();
}

}  // namespace shardstone::command
