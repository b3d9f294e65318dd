// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate`: proofs that a machine is sound, and that its build trains what it should.
#include <functional>

#include "jobs/command/command.hpp"
#include "jobs/command/self_test_command.hpp"
#include "jobs/command/validate_equivalence.hpp"
#include "jobs/command/validate_interconnect.hpp"
#include "jobs/command/validate_numerics.hpp"

namespace shardstone::command::validate_command {

namespace {

/// With a text of its own, instead of that of all.
CLI::App& add(CLI::App& app, const char* name, const char* summary, const char* details) {
    CLI::App& child = *app.add_subcommand(name, summary);
    child.footer(details);
    return child;
}

std::function<int()> declare(CLI::App& app) {
    app.require_subcommand(1);
    CLI::App& equivalence = add(app, "equivalence", "Check that every layout trains the same model",
                                equivalence_details);
    CLI::App& numerics =
        add(app, "numerics", "Check precision policies against FP32 and FP64", numerics_details);
    CLI::App& interconnect =
        add(app, "interconnect", "Check every link and rank of a cluster", interconnect_details);
    CLI::App& self_test =
        add(app, "self-test", "Simulate what the tests of interconnect would have seen",
            self_test_details);
    return [run_equivalence = declare_equivalence(equivalence), &numerics,
            run_numerics = declare_numerics(numerics), &interconnect,
            run_interconnect = declare_interconnect(interconnect), &self_test,
            run_self_test = declare_self_test(self_test)] {
        if (numerics.parsed()) return run_numerics();
        if (interconnect.parsed()) return run_interconnect();
        if (self_test.parsed()) return run_self_test();
        return run_equivalence();
    };
}

const Registration registration{
    {"validate", "Check links and ranks of a cluster, and that training is correct",
     "Each has a --help of its own, with its exit codes: shardstone validate interconnect --help",
     declare}};

}  // namespace

}  // namespace shardstone::command::validate_command
