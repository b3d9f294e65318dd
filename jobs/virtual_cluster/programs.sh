# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs on the virtual cluster, sourced by `cluster`: commands inside a node, and ranks over all of
# them without Slurm.

# in_node NODE COMMAND...
in_node() { "$here/enter" "$1" "$(quoted "${@:2}")"; }
quoted() { echo "exec $(printf '%q ' "$@")"; }

execute() {
    [ $# -gt 1 ] || fail "exec needs a node and a command"
    require_up
    require_node "$1"
    is_alive "$1" || fail "$1 of the cluster '$name' is dead: revive it ($(this_cluster revive "$1"))" 1
    exec "$here/enter" "$1" "$(quoted "${@:2}")"
}

# What ranks need, and what a user's own setting of the same name goes before. Long messages go without
# asking the peer's program first, in large pieces: while programs compute their kernels carry on,
# as an adapter with direct memory access would.
launch_environment() {  # FOLDER, the state's as the ranks see it
    echo "LD_PRELOAD=$1/finalize.so"
    echo "UCX_RNDV_THRESH=inf"
    echo "UCX_TCP_TX_SEG_SIZE=512k"
    echo "UCX_TCP_RX_SEG_SIZE=512k"
    # Nodes have boot identities of their own, but share the cores: neighbours' ranks are not others.
    echo "SHARDSTONE_MACHINE=$(cat /proc/sys/kernel/random/boot_id)"
}

# mpiexec stands at the switch, with the process numbers of the machine: it starts ranks by way of
# `enter`, which has to see the nodes' first processes.
launch() {
    local per_node=1 hosts variable value environment=()  # one for each node in turn: cyclic
    [ "$placement" = cyclic ] || per_node=$(((ranks + nodes - 1) / nodes))
    hosts=$(node_names | sed "s/$/:$per_node/" | paste -sd,)
    while IFS='=' read -r variable value; do
        [ "$variable" = LD_PRELOAD ] || value=${!variable:-$value}
        environment+=(-genv "$variable" "$value")
    done < <(launch_environment "$state")
    # shellcheck disable=SC2016
    exec timeout --kill-after 5 "$timeout_s" nsenter --net="/run/netns/$switch" unshare --uts --mount \
        bash -c 'hostname head && mount --bind "$0/hosts" /etc/hosts && exec "$@"' "$state" \
        mpiexec -launcher ssh -launcher-exec "$here/enter" -hosts "$hosts" -n "$ranks" \
        "${environment[@]}" "$@"
}

# What a job that was cut off has left: everything on the nodes but their first processes.
clear_nodes() {
    local node
    for node in $(node_names); do
        in_node "$node" bash -c 'kill -9 -1' 2>/dev/null || true
    done
}

run() {
    [ $# -gt 0 ] || fail "run what? Name a program (cluster --help)"
    if is_up; then
        ! has_slurm || fail "the cluster '$name' has Slurm: start programs with it \
($(this_cluster exec head srun ...)), or run them on a cluster of another --name"
        require_same
        require_alive
        tell_of_slow_links
        trap clear_nodes EXIT
    else
        # Two that start at once must not meet, nor one take down what the other uses.
        [ -n "$given_name" ] || { use_name "run-$$"; is_owner=yes; }
        up
        trap down EXIT
    fi
    trap 'exit 130' INT TERM HUP
    : "${ranks:=$nodes}"
    local code=0 stopped=0 job signal
    launch "$@" <&0 &
    job=$!
    # bash itself would wait for its child first. Not to `timeout`, which would kill after 5 s what
    # still saves its results: mpiexec passes the first one on to the ranks and ends them at a second.
    # shellcheck disable=SC2064
    for signal in INT TERM HUP; do
        trap "stopped=130; pkill -$signal -P $job || true" $signal
    done
    while kill -0 "$job" 2>/dev/null; do wait "$job" || true; done
    wait "$job" || code=$?
    [ $code != 0 ] || code=$stopped  # mpiexec forgets the ranks' own after a signal
    [ $code != 124 ] || echo "cluster: stopped after $timeout_s s" >&2
    return $code
}

bytes() {
    local node
    require_up
    for node in $(node_names); do
        in_node "$node" cat /proc/net/dev |
            awk -v node="$node" '/eth0:/ {sub(/.*:/, ""); print node, $9, $1}'
    done
}
