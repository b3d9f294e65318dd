# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Nodes and cables of the virtual cluster, sourced by `cluster`: what makes them, what tells whether they
# are whole, and what takes them away.

node_names() { cat "$state/nodes" 2>/dev/null || true; }
first_process() { cat "$state/$1.pid"; }
port_of() { echo "port${1#node}"; }
# The network namespace of a node; the head's is the switch.
space_of() { if [ "$1" = head ]; then echo "$switch"; else echo "shs-$name-$1"; fi; }

# One direction of a cable. The burst must hold the largest packet that the kernel hands over in one
# piece, or tbf cuts it up at half the rate; and small packets allow a small burst, so that short
# messages are shaped, too. The queue holds more than one connection sends ahead, so that nothing is
# dropped.
shape_direction() {  # NAMESPACE DEVICE RATE
    if [ "$3" = none ]; then
        ip netns exec "$1" tc qdisc del dev "$2" root 2>/dev/null || true
        ip netns exec "$1" ip link set "$2" gso_max_size 65536
    else
        ip netns exec "$1" ip link set "$2" gso_max_size 16000
        ip netns exec "$1" tc qdisc replace dev "$2" root tbf rate "$3" burst 24kb limit 8mb
    fi
}

shape() {  # NODE RATE
    shape_direction "$(space_of "$1")" eth0 "$2"
    shape_direction "$switch" "$(port_of "$1")" "$2"
    echo "$2" >"$state/$1.rate"
}

noted_namespaces() { cat "$state/namespaces" 2>/dev/null || true; }

# `down` deletes what is noted, so nobody else's may be; and it is noted before it is made, so that
# none is left by one who is killed in between.
add_namespace() {  # NAMESPACE
    ! ip netns list | grep -qE "^$1( |$)" ||
        fail "the namespace $1 is another's: choose another --name, or remove it (ip netns del $1)"
    echo "$1" >>"$state/namespaces"
    ip netns add "$1"
}

add_switch() {
    add_namespace "$switch"
    ip netns exec "$switch" ip link set lo up
    ip netns exec "$switch" ip link add bridge type bridge
    ip netns exec "$switch" ip addr add $network.100/24 dev bridge
    ip netns exec "$switch" ip link set bridge up
}

# With its cable in the switch.
add_node() {  # NODE
    local node=$1 port space
    port=$(port_of "$node") space=$(space_of "$node")
    add_namespace "$space"
    ip netns exec "$space" ip link set lo up
    # Between two steps a connection is idle; it need not feel its way to full speed again.
    ip netns exec "$space" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0
    ip link add "$port" netns "$switch" type veth peer name eth0 netns "$space"
    ip netns exec "$switch" ip link set "$port" master bridge up
    ip netns exec "$space" ip addr add "$network.${node#node}/24" dev eth0
    ip netns exec "$space" ip link set eth0 up
    shape "$node" "$rate"
}

# What stays must not keep open what only its starter uses, such as the file of a lock.
close_inherited() {
    local file
    for file in /proc/self/fd/*; do
        file=${file##*/}
        [ "$file" -le 2 ] || [ "$file" = 255 ] || eval "exec $file>&-"
    done
}

# Starts the first process of a node whose network is there.
boot() {  # NODE
    local node=$1 looks=0
    rm -f "$state/$node.pid"
    cat /proc/sys/kernel/random/uuid >"$state/$node.boot_id"
    (
        close_inherited
        exec setsid ip netns exec "$(space_of "$node")" unshare --uts --ipc --pid --mount --fork \
            --kill-child "$here/node" "$node" "$state"
    ) </dev/null >"$state/$node.log" 2>&1 &
    disown  # it ends with its node, and nobody need be told
    until [ -s "$state/$node.pid" ]; do
        [ $((++looks)) -lt 250 ] || fail "$node did not start: $(tail -n 1 "$state/$node.log")" 1
        sleep 0.02
    done
}

build_cluster() {
    local node
    echo "$BASHPID" >"$state/builders"
    printf '127.0.0.1 localhost\n%s.100 head\n' $network >"$state/hosts"
    for node in $(seq "$nodes"); do
        echo "$network.$node node$node" >>"$state/hosts"
        echo "node$node" >>"$state/nodes"
    done
    gcc -O1 -shared -fPIC -o "$state/finalize.so" "$here/finalize.c"
    add_switch
    [ -z "$wants_slurm" ] || { write_slurm_settings; boot head; }
    for node in $(node_names); do
        add_node "$node"
        boot "$node"
    done
    [ -z "$wants_slurm" ] || start_slurm
    rm "$state/builders"
    echo "$nodes $rate" >"$state/up"
}

is_up() { [ -s "$state/up" ]; }

is_alive() {  # NODE; by its number alone it may be another process by now
    local process
    process=/proc/$(first_process "$1" 2>/dev/null || echo gone)
    grep -qzxF "$state" "$process/cmdline" 2>/dev/null && grep -qzxF "$1" "$process/cmdline"
}
has_link() {  # NODE; both ends of its cable are up
    [[ $(ip -n "$(space_of "$1")" -o link show dev eth0 2>/dev/null) == *,UP,LOWER_UP* ]]
}

# A node that was killed, or cut off, is not up, whatever was noted when it came up.
require_alive() {
    local node again="or take the cluster down, and up again"
    for node in $(node_names); do
        is_alive "$node" ||
            fail "$node of the cluster '$name' is dead: revive it ($(this_cluster revive "$node")), $again" 1
        has_link "$node" || fail "$node of the cluster '$name' is cut off, its link is down: restore it \
($(this_cluster restore "$node")), $again" 1
    done
    has_slurm || return 0
    for node in head $(node_names); do
        { is_alive "$node" && runs_slurm "$node"; } || fail "Slurm does not run on $node of the cluster \
'$name': revive it ($(this_cluster revive "$node")), $again" 1
        [ "$node" != head ] || answers || fail "Slurm of the cluster '$name' runs, but does not answer: \
revive its controller ($(this_cluster revive head)), $again" 1
        [ "$node" = head ] || ! is_given_up "$node" || fail "Slurm has taken $node of the cluster '$name' \
out of service: revive it ($(this_cluster revive "$node")), $again" 1
    done
}

# Told, as it falsifies what is measured, but not refused: it may be what is to be measured.
tell_of_slow_links() {
    local node
    for node in $(node_names); do
        [ "$(cat "$state/$node.rate")" = "$rate" ] || echo "cluster: the link of $node is at \
$(cat "$state/$node.rate"), the others' at $rate ($(this_cluster restore "$node"))" >&2
    done
}

# Processes on the nodes and at the switch, and those outside that build the cluster, start a node, or
# wait for what is on it, which while they are stopped do not see that their node is gone.
processes_of_cluster() {
    local space
    pgrep --pgroup "$(cat "$state/builders" 2>/dev/null || echo none)" 2>/dev/null || true
    for space in $(noted_namespaces); do
        ip netns pids "$space" 2>/dev/null || true
    done
    grep -lzxF "$state" /proc/[0-9]*/cmdline 2>/dev/null | xargs -r grep -lzE '/node$' 2>/dev/null |
        cut -d/ -f3
}

# Until none is left, as what is killed may just have started another.
kill_processes() {
    local processes tries
    for tries in {1..250}; do
        processes=$(processes_of_cluster) || true
        [ -n "$processes" ] || return 0
        [ "$tries" = 1 ] || sleep 0.02
        xargs -r kill -9 <<<"$processes" 2>/dev/null || true
    done
    fail "these processes of the cluster '$name' cannot be killed: $(paste -sd' ' <<<"$processes")" 1
}

down() {
    local space
    kill_processes
    rm -f "$state/up"
    for space in $(noted_namespaces); do
        ip netns del "$space" 2>/dev/null || true
    done
    rm -rf "$state"
}
