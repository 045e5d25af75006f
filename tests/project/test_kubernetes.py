"""The base for Kubernetes: whole, as the containers of docker-compose.yml are, and valid where the tools for that are there.

`kubectl kustomize` renders it; the schemas are in the package kubernetes-validate, which gets a venv of its own.
"""

import json
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from tests.support.installing import python_with
from tests.support.paths import ROOT

FOLDER = ROOT / "docker" / "kubernetes"
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
OBJECTS: list[dict[str, Any]] = [
    one
    for name in KUSTOMIZATION["resources"]
    for one in yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8"))
]
PODS = {one["metadata"]["name"]: one["spec"]["template"] for one in OBJECTS if "template" in one.get("spec", {})}
OF_THE_NODE = ("web", "worker", "beat", "backup", "migrate")


def named(kind: str) -> set[str]:
    return {one["metadata"]["name"] for one in OBJECTS if one["kind"] == kind}


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]


def test_every_file_is_part_of_the_base_but_the_secret() -> None:
    files = {file.name for file in FOLDER.iterdir()}
    assert files == {"kustomization.yaml", "secret.example.yaml", *KUSTOMIZATION["resources"]}
    assert named("Secret") == set()
    example = yaml.safe_load((FOLDER / "secret.example.yaml").read_text(encoding="utf-8"))
    assert not any(example["stringData"].values())


def test_it_has_what_compose_has() -> None:
    assert named("Deployment") == {"web", "worker", "beat", "backup"} and named("Job") == {"migrate"}
    assert named("StatefulSet") == {"postgres", "redis"} and named("Service") == {"web", "postgres", "redis"}
    for name in (*OF_THE_NODE, "postgres", "redis"):
        service, container = COMPOSE["services"][name], PODS[name]["spec"]["containers"][0]
        assert container["image"] == service["image"]
        assert PODS[name]["spec"]["terminationGracePeriodSeconds"] >= _seconds(service["stop_grace_period"])
        said = container.get("command", container.get("args"))
        assert name == "web" or said == service["command"]
    rendered = next(one for one in KUSTOMIZATION["images"] if one["name"] == "gisc-node")
    assert rendered["newName"].startswith("registry.example.org/")


def _seconds(written: str) -> int:
    return int(written[:-1]) * {"s": 1, "m": 60}[written[-1]]


def test_redis_has_the_files_of_compose() -> None:
    (redis,) = (one for one in OBJECTS if one["kind"] == "ConfigMap" and one["metadata"]["name"] == "redis")
    files = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "docker" / "redis").iterdir()}
    assert redis["data"] == files


def test_settings_are_those_that_the_node_reads_and_secrets_are_files() -> None:
    (settings,) = (one["data"] for one in OBJECTS if one["metadata"]["name"] == "gisc-settings")
    in_compose = COMPOSE["services"]["web"]["environment"]
    assert set(settings) <= set(in_compose)
    fixed = {
        name: value
        for name, value in in_compose.items()
        if name.endswith(("_FILE", "_URL")) and "$" not in str(value or "$")
    }
    assert fixed.items() <= settings.items()


@pytest.mark.parametrize("name", sorted(PODS))
def test_what_a_pod_refers_to_is_there_and_it_has_no_right_that_it_does_not_need(name: str) -> None:
    spec = PODS[name]["spec"]
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    claims = {
        volume["persistentVolumeClaim"]["claimName"] for volume in volumes.values() if "persistentVolumeClaim" in volume
    }
    assert claims <= named("PersistentVolumeClaim")
    own = {claim["metadata"]["name"] for one in OBJECTS if one["metadata"]["name"] == name and one["kind"] == "StatefulSet"
           for claim in one["spec"]["volumeClaimTemplates"]}  # fmt: skip
    maps = {volume["configMap"]["name"] for volume in volumes.values() if "configMap" in volume}
    assert maps <= named("ConfigMap")
    example = yaml.safe_load((FOLDER / "secret.example.yaml").read_text(encoding="utf-8"))
    assert {item["key"] for item in volumes["secrets"]["secret"]["items"]} <= set(example["stringData"])
    assert volumes["secrets"]["secret"]["secretName"] == example["metadata"]["name"]
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["seccompProfile"] == {
        "type": "RuntimeDefault"
    }
    for container in containers(PODS[name]):
        rights = container["securityContext"]
        assert not rights["allowPrivilegeEscalation"] and rights["readOnlyRootFilesystem"]
        assert rights["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} == set(container["resources"]["limits"]) == set(container["resources"]["requests"])
        assert {mount["name"] for mount in container["volumeMounts"]} <= set(volumes) | own
        assert {source["configMapRef"]["name"] for source in container.get("envFrom", [])} <= named("ConfigMap")


def test_the_secrets_of_a_pod_are_those_of_its_service() -> None:
    for name in (*OF_THE_NODE, "postgres", "redis"):
        (volume,) = (volume for volume in PODS[name]["spec"]["volumes"] if volume["name"] == "secrets")
        assert [item["key"] for item in volume["secret"]["items"]] == COMPOSE["services"][name]["secrets"]


def test_there_is_one_of_each_and_old_code_ends_before_new_code_begins() -> None:
    for one in OBJECTS:
        if one["kind"] == "Deployment":
            assert one["spec"]["replicas"] == 1 and one["spec"]["strategy"] == {"type": "Recreate"}
    for name in OF_THE_NODE:
        assert PODS[name]["metadata"]["labels"]["gisc.node/host"] == "one"
        waits = [container["command"] for container in PODS[name]["spec"].get("initContainers", [])]
        assert waits == ([] if name == "migrate" else [["python", "manage.py", "migrate", "--check"]])


def test_probes_ask_by_a_name_that_the_node_answers_to() -> None:
    (settings,) = (one["data"] for one in OBJECTS if one["metadata"]["name"] == "gisc-settings")
    web = PODS["web"]["spec"]["containers"][0]
    probes = {kind: web[kind]["httpGet"] for kind in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {probe["httpHeaders"][0]["value"] for probe in probes.values()} <= set(settings["ALLOWED_HOSTS"].split(","))
    assert (probes["livenessProbe"]["path"], probes["readinessProbe"]["path"]) == ("/health/live", "/health/ready")
    check = COMPOSE["services"]["worker"]["healthcheck"]["test"][1:]
    for name in ("worker", "beat"):
        assert PODS[name]["spec"]["containers"][0]["livenessProbe"]["exec"]["command"] == check


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kustomize_renders_it() -> None:
    done = subprocess.run(["kubectl", "kustomize", FOLDER], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    rendered = list(yaml.safe_load_all(done.stdout))
    assert len(rendered) == len(OBJECTS)
    assert all(one["metadata"]["labels"]["app.kubernetes.io/part-of"] == "gisc" for one in rendered)


_VALIDATE = """
import json, sys
import kubernetes_validate
for one in json.load(sys.stdin):
    kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
"""


def test_the_schemas_of_kubernetes_accept_it() -> None:
    """And refuse a field that there is not."""
    wrong = {**OBJECTS[0], "speck": {}}
    for objects, is_valid in ((OBJECTS, True), ([wrong], False)):
        python = str(python_with("kubernetes-validate==1.37.0"))
        done = subprocess.run(
            [python, "-c", _VALIDATE],
            input=json.dumps(objects, default=str),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode == 0) == is_valid, done.stderr
