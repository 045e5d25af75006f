"""Run a deployment of docker-compose.yml by podman: images, networks, volumes, containers in their order, from the file itself.

    .venv/bin/python -m tests.containers.podman FOLDER up|stop|down|ps|left-out

FOLDER has docker-compose.yml and .env, and gives the deployment its name. For where there is no Docker; `left_out` says what of the
file is not done here. Containers run below a root of their own, so that nothing else on the host is touched.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.containers import compose
from tests.support.waiting import until

ROOT = Path(os.environ.get("GISC_PODMAN_ROOT", "/tmp/gisc-podman"))
_PODMAN = (
    *("podman", "--root", str(ROOT / "root"), "--runroot", str(ROOT / "run"), "--runtime", "runc"),
    *("--cgroup-manager", "cgroupfs", "--events-backend", "file"),
)
# Hosts in a sandbox cannot raise them.
_ULIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000")
# The network and the settings of this host's pip and apt are needed to build images.
_HOST_FILES = ("/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt", "/etc/apt/apt.conf.d")
_FLAGS = {
    "mem_limit": "--memory",
    "cpus": "--cpus",
    "pids_limit": "--pids-limit",
    "shm_size": "--shm-size",
    "user": "--user",
    "stop_signal": "--stop-signal",
    "restart": "--restart",
}
_LISTS = {
    "tmpfs": "--tmpfs",
    "cap_drop": "--cap-drop",
    "cap_add": "--cap-add",
    "security_opt": "--security-opt",
    "ports": "--publish",
}
_ELSEWHERE = {
    *("image", "build", "command", "environment", "volumes", "networks", "secrets", "depends_on", "healthcheck"),
    *("stop_grace_period", "profiles", "read_only", "init", "logging"),
}
LEFT_OUT = {
    "healthcheck": "the same commands are run by this program when it waits, and not every so many seconds; nothing shows `unhealthy`",
    "depends_on": "kept at `up`; a container that starts again by itself waits for nobody, which is so with Docker too",
    "logging": "the log of a container has one size (10 MB), not five files",
    "docker compose": "`config`, `exec --user`, overrides in a second file, `--scale` and orphans",
}


def podman(*arguments: str, check: bool = True, timeout_s: float = 600, stdin: str | None = None) -> str:
    """Run podman, and return what it prints. Raises AssertionError with what it says, unless `check` is false."""
    done = subprocess.run(
        [*_PODMAN, *arguments], input=stdin, capture_output=True, text=True, timeout=timeout_s, check=False
    )
    if check:
        assert done.returncode == 0, f"podman {' '.join(arguments)[:300]}: {done.stdout[-2000:]}{done.stderr[-3000:]}"
    return done.stdout


def build(folder: Path, tag: str, *options: str) -> None:
    """Build the Dockerfile (or Containerfile) of a folder with the network and package settings of this host."""
    files = [f"--volume={file}:{file}:ro" for file in _HOST_FILES if Path(file).exists()]
    podman(
        "build", "--format=docker", "--network=host", "--pull=never", *_ULIMITS, *files, f"--tag={tag}", *options, str(folder),
        timeout_s=3600,
    )  # fmt: skip


@dataclass
class Deployment:
    """A folder with a compose file and its .env, run under the folder's name. `more`: beside .env."""

    folder: Path
    more: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def environment(self) -> dict[str, str]:
        return compose.read_environment(self.folder / ".env") | self.more

    @property
    def file(self) -> compose.ComposeFile:
        return compose.read(self.folder / "docker-compose.yml", self.environment)

    def container(self, service: str) -> str:
        return f"{self.name}-{service}-1"

    # --- up, stop, down -----------------------------------------------------------------------------

    def build(self, source: Path) -> None:
        """Build the images that the file builds, from this source."""
        done = set()
        for service in self.file.services.values():
            if "build" in service and service["image"] not in done:
                arguments = [f"--build-arg={k}={v}" for k, v in (service["build"].get("args") or {}).items() if v]
                build(source, service["image"], f"--target={service['build']['target']}", *arguments)
                done.add(service["image"])

    def up(self, services: Iterable[str] = (), without: Iterable[str] = (), timeout_s: float = 300) -> None:
        """Make and start what is not there or has changed, each after what it depends on is so far."""
        file = self.file
        chosen = [name for name in file.in_order() if (not services or name in services) and name not in without]
        for name, network in file.networks.items():
            self._make_network(name, network)
        for name in chosen:
            for other, how in file.services[name].get("depends_on", {}).items():
                self._wait_for(other, how["condition"], timeout_s)
            self._start(name, file)

    def stop(self, *services: str) -> dict[str, float]:
        """Stop services in the order against that of their start; return how many seconds each took."""
        file, took = self.file, {}
        for name in reversed(file.in_order()):
            if (not services or name in services) and self.state(name).get("Running"):
                began = time.monotonic()
                podman("stop", self.container(name))
                took[name] = time.monotonic() - began
        return took

    def down(self, volumes: bool = False) -> None:
        for name in podman("ps", "--all", "--quiet", f"--filter=label=deployment={self.name}").split():
            podman("rm", "--force", "--time=20", name, check=False)
        for network in podman("network", "ls", "--format={{.Name}}").split():
            if network.startswith(f"{self.name}_"):
                podman("network", "rm", "--force", network, check=False)
        if volumes:
            for volume in podman("volume", "ls", "--quiet").split():
                if volume.startswith(f"{self.name}_"):
                    podman("volume", "rm", volume, check=False)

    # --- Looking and commands -----------------------------------------------------------------------

    def state(self, service: str) -> dict[str, Any]:
        """What podman says of a container; nothing if there is none."""
        told = podman("inspect", "--type=container", self.container(service), check=False)
        return dict(json.loads(told)[0]["State"]) if told.strip() not in ("", "[]") else {}

    def pid(self, service: str) -> int:
        return int(self.state(service).get("Pid") or 0)

    def is_healthy(self, service: str) -> bool:
        """Whether the container runs, and its check, in the compose file or the image, says that it is well."""
        state = self.state(service)
        if not state.get("Running"):
            return False
        test = self._check(service)
        return not test or self._exec(service, *test).returncode == 0

    def wait_until_healthy(self, *services: str, timeout_s: float = 300) -> float:
        """Wait, and return for how many seconds."""
        began = time.monotonic()
        for name in services:
            until(
                lambda name=name: self.is_healthy(name),
                timeout_s,
                lambda name=name: f"{name} is well: {self.logs(name)}",
            )
        return time.monotonic() - began

    def exec(self, service: str, *command: str, timeout_s: float = 600) -> str:
        """Run a command in a container that runs, and return what it prints. Raises AssertionError with what it says."""
        done = self._exec(service, *command, timeout_s=timeout_s)
        assert done.returncode == 0, f"{service}: {' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-3000:]}"
        return done.stdout

    def run(self, service: str, *command: str, volumes: Iterable[str] = (), timeout_s: float = 1800) -> str:
        """Run a command in a new container of a service, without what it depends on, as `run --rm --no-deps`."""
        file = self.file
        arguments = self._arguments(service, file, ports=False)
        mounted = [f"--volume={volume}" for volume in volumes]
        name = f"--name={self.container(service)}-run"
        return podman(
            "run", "--rm", name, *arguments, *mounted, file.services[service]["image"], *command, timeout_s=timeout_s
        )

    def logs(self, service: str) -> str:
        done = subprocess.run(
            [*_PODMAN, "logs", "--tail=20", self.container(service)], capture_output=True, text=True, check=False
        )
        return (done.stdout + done.stderr)[-3000:]

    # --- How a container is made --------------------------------------------------------------------

    def _exec(self, service: str, *command: str, timeout_s: float = 60) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*_PODMAN, "exec", self.container(service), *command],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def _check(self, service: str) -> list[str]:
        written = self.file.services[service]
        check = written.get("healthcheck", {})
        if check.get("disable"):
            return []
        if "test" not in check:
            image = json.loads(podman("image", "inspect", written["image"]))[0]
            test = (image.get("HealthCheck") or image["Config"].get("Healthcheck") or {}).get("Test", [])
        else:
            test = check["test"]
        return list(test[1:])

    def _wait_for(self, service: str, condition: str, timeout_s: float) -> None:
        if condition == "service_completed_successfully":
            code = int(podman("wait", self.container(service), timeout_s=timeout_s))
            assert code == 0, f"{service} ended with {code}: {self.logs(service)}"
        elif condition == "service_healthy":
            self.wait_until_healthy(service, timeout_s=timeout_s)
        else:
            raise compose.ComposeError(f"{condition} is not known here")

    def _make_network(self, name: str, network: dict[str, Any]) -> None:
        full = f"{self.name}_{name}"
        if full in podman("network", "ls", "--format={{.Name}}").split():
            return
        subnets = [f"--subnet={entry['subnet']}" for entry in network.get("ipam", {}).get("config", [])]
        podman("network", "create", *(["--internal"] if network.get("internal") else []), *subnets, full)

    def _start(self, name: str, file: compose.ComposeFile) -> None:
        arguments = self._arguments(name, file)
        image = file.services[name]["image"]
        command = [str(word) for word in file.services[name].get("command", [])]
        image_id = json.loads(podman("image", "inspect", image))[0]["Id"]
        digest = hashlib.sha256(json.dumps([arguments, command, image_id]).encode()).hexdigest()
        told = podman("inspect", "--type=container", self.container(name), check=False)
        if told.strip() not in ("", "[]"):
            there = json.loads(told)[0]
            if there["Config"]["Labels"].get("digest") == digest and file.services[name].get("restart") != "no":
                if not there["State"]["Running"]:
                    podman("start", self.container(name))
                return
            grace_s = compose.seconds(file.services[name].get("stop_grace_period", "10s"))
            podman("rm", "--force", f"--time={grace_s}", self.container(name))
        podman(
            "run",
            "--detach",
            f"--name={self.container(name)}",
            f"--label=digest={digest}",
            *arguments,
            image,
            *command,
        )

    def _arguments(self, name: str, file: compose.ComposeFile, *, ports: bool = True) -> list[str]:
        service = file.services[name]
        if unknown := set(service) - {*_FLAGS, *_LISTS, *_ELSEWHERE}:
            raise compose.ComposeError(f"{name} has {', '.join(sorted(unknown))}, which is not known here")
        found = [f"--label=deployment={self.name}", f"--hostname={name}", "--no-healthcheck", *_ULIMITS]
        found += [
            f"{flag}={service[key]}" for key, flag in _FLAGS.items() if key in service and (ports or key != "restart")
        ]
        for key, flag in _LISTS.items():
            # `tmpfs` of Docker may be written to by everybody.
            ending = ":mode=1777" if key == "tmpfs" else ""
            found += [f"{flag}={value}{ending}" for value in service.get(key, []) if ports or key != "ports"]
        found += [f"--{key.replace('_', '-')}" for key in ("read_only", "init") if service.get(key)]
        found += [f"--env={key}={value}" for key, value in service["environment"].items()]
        for network, more in _networks(service).items():
            aliases = ",".join(f"alias={alias}" for alias in [name, *more.get("aliases", [])]) if ports else ""
            found.append(f"--network={self.name}_{network}{f':{aliases}' if aliases else ''}")
        found += [
            "--log-opt=max-size=10mb",
            f"--stop-timeout={compose.seconds(service.get('stop_grace_period', '10s'))}",
        ]
        for volume in service.get("volumes", []):
            source, _, rest = volume.partition(":")
            there = file.path(source) if source[0] in "./" else f"{self.name}_{source}"
            found.append(f"--volume={there}:{rest}")
        found += [f"--volume={file.secrets[secret]}:/run/secrets/{secret}:ro" for secret in service.get("secrets", [])]
        return found


def _networks(service: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The networks of a service, and what it is in each: a list or a mapping in the file."""
    written = service["networks"]
    return (
        {name: {} for name in written}
        if isinstance(written, list)
        else {name: more or {} for name, more in written.items()}
    )


def main(arguments: list[str]) -> int:
    """Do one act with the deployment of a folder."""
    deployment, act = Deployment(Path(arguments[0]).resolve()), arguments[1]
    if act == "up":
        deployment.up()
    elif act == "stop":
        print(deployment.stop())
    elif act == "down":
        deployment.down()
    elif act == "ps":
        for name in deployment.file.services:
            print(f"{name}: {deployment.state(name).get('Status', 'not there')}")
    else:
        for what, why in LEFT_OUT.items():
            print(f"{what}: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
