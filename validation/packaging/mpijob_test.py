# SPDX-License-Identifier: BSD-3-Clause
"""The MPIJob of jobs/kubernetes against the schema of kubeflow.org/v2beta1, as far as it uses it:
mpijob_test.py BEHAVIOUR SHARDSTONE BUILD SOURCE. The rules are from kubeflow/mpi-operator's
pkg/apis/kubeflow/v2beta1/types.go and Kubernetes' core/v1."""
import copy
import pathlib
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("no PyYAML")
    sys.exit(77)

QUANTITY = re.compile(r"^\d+(\.\d+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$")
NAME = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")


def text(value):
    return isinstance(value, str) and value != ""


def count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def name(value):
    return text(value) and NAME.match(value) and len(value) <= 63


def quantity(value):
    return count(value) or (text(value) and QUANTITY.match(value))


def one_of(*words):
    return lambda value: value in words


def words(value):
    return isinstance(value, list) and value and all(text(word) for word in value)


def quantities(value):
    return isinstance(value, dict) and value and all(text(k) and quantity(v) for k, v in value.items())


# A rule is a function, a list with the rule of every element, or a table of keys; those that end in !
# are required.
VARIABLE = {"name!": text, "value": text}
MOUNT = {"name!": name, "mountPath!": lambda v: text(v) and v.startswith("/"), "readOnly": one_of(True, False)}
CONTAINER = {"name!": name, "image!": text, "command": words, "args": words, "env": [VARIABLE],
             "resources": {"limits": quantities, "requests": quantities}, "volumeMounts": [MOUNT]}
VOLUME = {"name!": name, "persistentVolumeClaim": {"claimName!": name},
          "emptyDir": {"medium": one_of("", "Memory"), "sizeLimit": quantity}, "hostPath": {"path!": text}}
POD = {"metadata": {"labels": lambda v: isinstance(v, dict)},
       "spec!": {"containers!": [CONTAINER], "volumes": [VOLUME], "hostNetwork": one_of(True, False),
                 "nodeSelector": lambda v: isinstance(v, dict)}}
REPLICAS = {"replicas!": count, "restartPolicy": one_of("Never", "OnFailure"), "template!": POD}
RUN_POLICY = {"cleanPodPolicy": one_of("None", "Running", "All"), "ttlSecondsAfterFinished": count,
              "activeDeadlineSeconds": count, "backoffLimit": count, "suspend": one_of(True, False)}
MPI_JOB = {"apiVersion!": one_of("kubeflow.org/v2beta1"), "kind!": one_of("MPIJob"),
           "metadata!": {"name!": name, "namespace": name, "labels": lambda v: isinstance(v, dict)},
           "spec!": {"slotsPerWorker": count, "runLauncherAsWorker": one_of(True, False), "runPolicy": RUN_POLICY,
                     "mpiReplicaSpecs!": {"Launcher!": REPLICAS, "Worker": REPLICAS}, "sshAuthMountPath": text,
                     "launcherCreationPolicy": one_of("AtStartup", "WaitForWorkersReady"),
                     "mpiImplementation": one_of("OpenMPI", "Intel", "MPICH")}}


def faults(value, rule, place="job"):
    if callable(rule):
        return [] if rule(value) else [f"{place}: {value!r}"]
    if isinstance(rule, list):
        if not isinstance(value, list) or not value:
            return [f"{place}: no list"]
        return [fault for i, each in enumerate(value) for fault in faults(each, rule[0], f"{place}[{i}]")]
    if not isinstance(value, dict):
        return [f"{place}: no table"]
    known = {key.rstrip("!"): inner for key, inner in rule.items()}
    found = [f"{place}.{key}: unknown" for key in value if key not in known]
    found += [f"{place}.{key[:-1]}: missing" for key in rule if key.endswith("!") and key[:-1] not in value]
    for key in value:
        if key in known:
            found += faults(value[key], known[key], f"{place}.{key}")
    return found


def pods(job):
    return [each["template"]["spec"] for each in job["spec"]["mpiReplicaSpecs"].values()]


def variables(pod):
    return {(each["name"], each.get("value")) for each in pod["containers"][0].get("env", [])}


def contradictions(job):
    """What the schema cannot say: mounts name volumes, ranks fill the nodes, the plan has as many, and the
    variables are where mpiexec passes them on, not sshd's."""
    found = []
    for pod in pods(job):
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        mounts = {mount["name"] for each in pod["containers"] for mount in each.get("volumeMounts", [])}
        found += [f"mount without volume: {each}" for each in mounts - volumes]
    workers, slots = job["spec"]["mpiReplicaSpecs"]["Worker"], job["spec"]["slotsPerWorker"]
    command = pods(job)[0]["containers"][0]["command"]
    ranks = int(command[command.index("-n") + 1])
    if ranks != workers["replicas"] * slots or int(command[command.index("-ppn") + 1]) != slots:
        found.append(f"{ranks} ranks on {workers['replicas']} nodes of {slots}")
    gpus = workers["template"]["spec"]["containers"][0]["resources"]["limits"].get("nvidia.com/gpu", 0)
    if gpus and pods(job)[0]["containers"][0]["args"][1] == "train":
        found.append(f"{gpus} GPUs, which train leaves idle")
    launcher, worker = (variables(pod) for pod in pods(job))
    found += [f"{name}={value} of the workers, which no rank sees" for name, value in worker - launcher]
    found += [f"{word} keeps the launcher's variables from the ranks"
              for word in ("-genvnone", "-genvlist", "-envnone", "-envlist") if word in command]
    return found


def template(source):
    return yaml.safe_load((pathlib.Path(source) / "jobs/kubernetes/mpijob.yaml").read_text(encoding="utf-8"))


def mpijob_keeps_to_the_schema(_program, source):
    job = template(source)
    found = faults(job, MPI_JOB) + contradictions(job)
    assert not found, found


def mpijob_faults_are_seen(_program, source):
    """The check can fail: on a wrong version, word, type, name, a missing key, a stray mount."""
    def changed(change):
        job = copy.deepcopy(template(source))
        change(job)
        return faults(job, MPI_JOB) + ([] if faults(job, MPI_JOB) else contradictions(job))

    def launcher(job):
        return job["spec"]["mpiReplicaSpecs"]["Launcher"]

    def worker(job):
        return pods(job)[1]["containers"][0]

    for change in (lambda j: j.update(apiVersion="kubeflow.org/v1"), lambda j: j["spec"].update(slotsPerWorker="8"),
                   lambda j: j["spec"].update(cleanPodPolicy="Running"),
                   lambda j: j["spec"]["runPolicy"].update(cleanPodPolicy="Always"),
                   lambda j: j["spec"].pop("mpiReplicaSpecs"), lambda j: j["spec"].update(slotsPerWorker=4),
                   lambda j: launcher(j).update(restartPolicy="Always"),
                   lambda j: pods(j)[0]["containers"][0].pop("image"),
                   lambda j: pods(j)[0].pop("volumes"), lambda j: j["metadata"].update(name="Shard_stone"),
                   lambda j: pods(j)[1]["containers"][0]["resources"]["limits"].update({"nvidia.com/gpu": 8}),
                   lambda j: pods(j)[1]["containers"][0]["resources"]["limits"].update(memory="much"),
                   lambda j: worker(j).update(env=[{"name": "UCX_NET_DEVICES", "value": "mlx5_0:1"}]),
                   lambda j: worker(j).update(env=[{"name": "OMP_NUM_THREADS", "value": "2"}]),
                   lambda j: pods(j)[0]["containers"][0]["command"].insert(1, "-genvnone")):
        assert changed(change), "a fault is not seen"


# What the image adds, by what sshd or ssh says without it (the last does not end the run).
IMAGE_HAS = {"the base image": r"^FROM shardstone$", "both programs": r"install .*\bopenssh-client openssh-server\b",
             "Missing privilege separation directory": r"^RUN mkdir -p /run/sshd$",
             "bad ownership or modes": r"\bStrictModes no\b.*>/etc/ssh/sshd_config\.d/\w+\.conf$",
             "Host key verification failed": r"\bStrictHostKeyChecking no\b.*>/etc/ssh/ssh_config\.d/\w+\.conf$",
             "Failed to add the host": r"\bUserKnownHostsFile /dev/null\b.*>/etc/ssh/ssh_config\.d/\w+\.conf$"}


def lacking(containerfile):
    whole_lines = containerfile.replace("\\\n", " ")
    return [what for what, words in IMAGE_HAS.items() if not re.search(words, whole_lines, re.M)]


def mpijob_image_has_what_ssh_needs(_program, source):
    """The image is the one whose recipe has sshd, and each of its settings is missed."""
    text = (pathlib.Path(source) / "jobs/packaging/Containerfile.mpijob").read_text(encoding="utf-8")
    name = re.search(r" -t (\S+) ", text).group(1)
    for pod in pods(template(source)):
        assert pod["containers"][0]["image"].partition(":")[0] == name, pod["containers"][0]["image"]
    assert not lacking(text), lacking(text)
    for what, words in (("the base image", "FROM shardstone"), ("both programs", "openssh-server"),
                        ("Missing privilege separation directory", "/run/sshd"),
                        ("bad ownership or modes", "StrictModes"),
                        ("Host key verification failed", "StrictHostKeyChecking"),
                        ("Failed to add the host", "UserKnownHostsFile")):
        assert lacking(text.replace(words, "")) == [what], f"{words} is not missed"


def mpijob_runs_what_the_program_knows(program, source):
    container = pods(template(source))[0]["containers"][0]
    words_given = [word for word in container["args"][1:] if not word.startswith("--json")]
    subprocess.run([program, *words_given, "--dry-run", "--gflop-rate", "100", "--memory-rate", "10"], check=True,
                   stdout=subprocess.DEVNULL)
    ranks = container["command"][container["command"].index("-n") + 1]
    assert f"--plan=dp={ranks}" in words_given, words_given


if __name__ == "__main__":
    {each.__name__: each for each in (
        mpijob_keeps_to_the_schema, mpijob_faults_are_seen, mpijob_image_has_what_ssh_needs,
        mpijob_runs_what_the_program_knows)}[sys.argv[1]](sys.argv[2], sys.argv[4])
