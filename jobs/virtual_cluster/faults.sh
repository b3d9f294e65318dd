# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Faults of the virtual cluster and their repair, sourced by `cluster`.

require_up() { is_up || fail "no cluster '$name' is up ($(this_cluster up))"; }

require_node() {  # NODE
    node_names | grep -qxF -- "$1" || { [ "$1" = head ] && has_slurm; } ||
        fail "the cluster '$name' has no node '$1': it has $(node_names | paste -sd' ')$(
            ! has_slurm || echo " head")"
}

require_cable() {  # NODE
    require_node "$1"
    [ "$1" != head ] || fail "the head has no cable, it stands at the switch: name a node"
}

# On which everything depends that Slurm does on the nodes.
require_living_head() {
    ! has_slurm || is_alive head ||
        fail "the head of the cluster '$name' is dead: revive that first ($(this_cluster revive head))" 1
}

require_slurm() { has_slurm || fail "the cluster '$name' is up without Slurm: take it down, and up again with --slurm"; }

# Whoever looked for a node in vain while its cable was out would go on to the third question, for up to
# 3 s, and fail what connects to it meanwhile: they ask anew.
forget_neighbours() {
    local node
    for node in $(node_names) $(! has_slurm || echo head); do
        ip -n "$(space_of "$node")" neigh flush all
    done
}

plug() {  # NODE up|down
    ip -n "$switch" link set "$(port_of "$1")" "$2"
    [ "$2" = down ] || forget_neighbours
}

cut_cable() {  # NODE
    require_cable "$1"
    plug "$1" down
}

slow() {  # NODE RATE [out|in], as the node sees it
    require_cable "$1"
    require_rate "the rate" "$2"
    case "${3:-both}" in
        both) shape "$1" "$2"; return ;;
        out) shape_direction "$(space_of "$1")" eth0 "$2" ;;
        in) shape_direction "$switch" "$(port_of "$1")" "$2" ;;
        *) fail "the direction $3: give out or in, or none for both" ;;
    esac
    echo "$2 ($3)" >"$state/$1.rate"
}

# Undoes `cut` and `slow`, and whoever set the node's own end down.
restore() {  # NODE
    require_cable "$1"
    local whole
    whole=$(cat "$state/up")
    shape "$1" "${whole#* }"
    ip -n "$(space_of "$1")" link set eth0 up
    plug "$1" up
    ! is_alive "$1" || renew "$1"
}

power_off() {  # NODE
    local process
    process=$(first_process "$1")
    kill -9 "$process"
    # It is through when the kernel has killed everything else on the node.
    while ps -o stat= -p "$process" | grep -qv '^Z'; do sleep 0.01; done
}

# As when the power fails: the cable is dead first, so that no connection says goodbye.
crash() {  # NODE
    require_node "$1"
    is_alive "$1" || fail "$1 of the cluster '$name' is dead already ($(this_cluster revive "$1"))"
    [ "$1" = head ] || plug "$1" down
    power_off "$1"
}

# What is dead of a node comes up again: itself, and what it runs of Slurm. One that Slurm has given up
# is booted anew, as its jobs are run elsewhere, and what is left of them here would drain it. One
# revival at a time: two would boot it twice.
renew() {  # NODE
    [ "$1" = head ] || require_living_head
    exec {revival}>"$state/$1.revival"
    flock "$revival"
    ! { has_slurm && is_alive "$1" && is_given_up "$1"; } || power_off "$1"
    is_alive "$1" || boot "$1"
    [ "$1" = head ] || plug "$1" up
    ! has_slurm || serve "$1"
    exec {revival}>&-
}

revive() {  # NODE
    require_node "$1"
    renew "$1"
}

kill_slurmd() {  # NODE
    require_slurm
    require_node "$1"
    [ "$1" != head ] || fail "slurmd runs on the nodes (the head's: $(this_cluster exec head pkill -9 -x slurmctld))"
    in_node "$1" pkill -9 -x slurmd || fail "no slurmd runs on $1 ($(this_cluster revive "$1"))"
}
