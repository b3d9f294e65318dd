# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Slurm on the virtual cluster, sourced by `cluster`: slurmctld on the head, slurmd on the nodes, munged
# on all of them. The head is one more node of namespaces, whose network is that of the switch.

has_slurm() { [ -d "$state/slurm" ]; }

no_slurm_because() {
    local tool
    for tool in slurmctld slurmd srun munged; do
        command -v "$tool" >/dev/null ||
            { echo "there is no '$tool' (packages slurm-wlm and munge)"; return; }
    done
    [ -d /etc/slurm ] || echo "there is no folder /etc/slurm to put the nodes' settings on"
}

# Before the nodes are started, which mount it.
write_slurm_settings() {
    local folder=$state/slurm
    mkdir -p "$folder/etc" "$folder/controller"
    {
        cat "$here/slurm.conf"
        echo "NodeName=node[1-$nodes] CPUs=8 Boards=1 SocketsPerBoard=1 CoresPerSocket=8" \
            "ThreadsPerCore=1 RealMemory=16000 Gres=gpu:8 State=UNKNOWN"
    } >"$folder/etc/slurm.conf"
    echo "NodeName=node[1-$nodes] Name=gpu File=/run/pretended_gpu[0-7] Flags=nvidia_gpu_env" \
        >"$folder/etc/gres.conf"
    # slurmd loads such a plugin even where nothing uses it; this one asks for nothing.
    echo "CgroupPlugin=cgroup/v1" >"$folder/etc/cgroup.conf"
    cp "$here/task_prolog" "$folder/"
    launch_environment /run/cluster >"$folder/environment"
    (umask 077 && head -c 128 /dev/urandom >"$folder/munge.key")
}

slurm_daemon() { if [ "$1" = head ]; then echo slurmctld; else echo slurmd; fi; }

runs_slurm() {  # NODE
    in_node "$1" bash -c 'pgrep -x munged && pgrep -x "$0"' "$(slurm_daemon "$1")" >/dev/null
}

start_services() (  # NODE
    close_inherited
    in_node "$1" env -i PATH="$PATH" "$here/services" "$1" "$(slurm_daemon "$1")" \
        </dev/null >>"$state/slurm/start.log" 2>&1 ||
        fail "Slurm does not start on $1: $(slurm_says "$1")" 1
)

# The line that is likely to tell why.
slurm_says() {  # NODE
    local logs=("$state/slurm/start.log" "$state/slurm/slurmctld.log" "$state/slurm/slurmd.$1.log")
    grep -hE 'fatal|error|Error' "${logs[@]}" 2>/dev/null | grep -v pmix | tail -n 1 | grep . ||
        echo "its logs are in $state/slurm"
}

# Lines of node and state; none if Slurm does not answer within its MessageTimeout.
states_of_nodes() {
    in_node head timeout 10 sinfo --noheader --Node --partition main --format '%N %T' 2>/dev/null
}
answers() { states_of_nodes | grep -q .; }
is_given_up() { states_of_nodes | grep -qE "^$1 (down|drain)"; }
is_in_service() { states_of_nodes | grep -qxE "$1 (idle|planned|mixed|allocated|completing)"; }

await_service() {  # NODE...
    local node until_s=$((SECONDS + 40))
    runs_slurm head || fail "$* cannot serve: no slurmctld runs on the head ($(this_cluster revive head))" 1
    for node in "$@"; do
        until is_in_service "$node"; do
            [ $SECONDS -lt $until_s ] || fail "Slurm has no service from $node: $(slurm_says "$node")" 1
            sleep 0.1
        done
    done
}

await_controller() {
    local until_s=$((SECONDS + 40))
    until answers; do
        [ $SECONDS -lt $until_s ] || fail "slurmctld does not answer: $(slurm_says head)" 1
        sleep 0.1
    done
}

# What hangs would not be started beside itself.
end_silent_controller() {
    if runs_slurm head && ! answers; then
        in_node head pkill -9 -x 'slurm.*|munged'
        while in_node head pgrep -x 'slurm.*|munged' >/dev/null; do sleep 0.02; done
    fi
}

serve() {  # NODE
    [ "$1" != head ] || end_silent_controller
    start_services "$1" || exit
    if [ "$1" = head ]; then
        await_controller
        return
    fi
    # Slurm drains a node on which it could not end a job, and takes it back on request only.
    ! is_given_up "$1" || in_node head scontrol update nodename="$1" state=resume 2>/dev/null || true
    await_service "$1"
}

start_slurm() {
    local node
    for node in $(node_names) head; do start_services "$node" || exit; done
    # shellcheck disable=SC2046  # names
    await_service $(node_names)
}
