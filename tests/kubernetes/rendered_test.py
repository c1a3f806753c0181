# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What operators apply: the chart and the kustomization, rendered by the libraries of helm and kustomize."""

import json
import os
import pathlib
import subprocess

from api import path_of
from cluster import DEPLOY, Case, Shared

CHART = DEPLOY / "helm"


def rendered(*words: object) -> list[dict]:
    done = subprocess.run([str(Shared.render), *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def chart(namespace: str = "tenon", release: str = "tenon", **values) -> list[dict]:
    return rendered("helm", CHART, namespace, release, json.dumps(values))


def names(objects: list[dict]) -> dict[tuple[str, str], dict]:
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


class Rendered(Case):
    starts = False

    def apply(self, objects: list[dict], namespace: str) -> None:
        for one in objects:
            where = namespace if one["metadata"].get("namespace") else ""
            self.api.call("POST", path_of(one["kind"], where) + "?fieldValidation=Strict", one)
            if one["kind"].startswith("Cluster") or one["kind"] == "FlowSchema":
                self.addCleanup(self.api.delete, one["kind"], one["metadata"]["name"])

    def overlay(self, text: str) -> pathlib.Path:
        (self.folder / "kustomization.yaml").write_text(text.replace("BASE", os.path.relpath(DEPLOY, self.folder.resolve())))
        return self.folder

    def test_chart_and_kustomization_are_the_same(self):
        ours, theirs = names(chart()), names(rendered("kustomize", DEPLOY))
        theirs.pop(("Namespace", "tenon"))  # helm makes it
        self.assertEqual(sorted(ours), sorted(theirs))
        options = ours["Deployment", "tenon"]["spec"]["template"]
        options["metadata"].pop("annotations")  # a change of the files restarts the pods
        options["spec"]["containers"][1]["command"] = [
            word for word in options["spec"]["containers"][1]["command"]
            if word.split("=")[0] in ("tenon-kubernetes", "--tenon", "--queues", "--admin-token", "--control")]
        for one in (ours, theirs):
            one["ConfigMap", "tenon"].pop("data")
        for name, one in ours.items():
            self.assertEqual(one, theirs[name])

    def test_a_release_under_another_name_schedules_with_the_rights_that_it_brings(self):
        namespace = self.new_namespace()
        self.apply(chart(namespace, "other"), namespace)
        self.kubeconfig = Shared.plane.kubeconfig(self.folder / "kubeconfig", Shared.plane.token(namespace, "other"))
        deployed = self.api.get("Deployment", "other", namespace)["spec"]["template"]["spec"]["containers"][1]["command"]
        options = [word.replace("/run/tenon", str(self.folder)) for word in deployed[1:] if not word.startswith("--tenon=")]
        config = self.api.get("ConfigMap", "other", namespace)["data"]
        (self.folder / "tenon.yaml").write_text(config["tenon.yaml"].replace("/run/tenon", str(self.folder)))
        (self.folder / "queues.yaml").write_text(config["queues.yaml"])
        self.serve()
        self.lease = True
        self.start_bridge(*options)
        self.addCleanup(self.api.delete, "Lease", "other-kubernetes", namespace)
        self.node("one")
        self.pod("first", labels={})
        self.on("one", "first")
        self.assertEqual([one["metadata"]["name"] for one in self.api.list("Lease", namespace)], ["other-kubernetes"])

    def test_a_kustomization_over_ours_changes_images_and_namespace(self):
        folder = self.overlay("""
resources: [BASE]
namespace: elsewhere
images: [{ name: registry.example/tenon, newName: mine/tenon, newTag: "1" }, { name: registry.example/tenon-kubernetes, newTag: "2" }]
""")
        objects = names(rendered("kustomize", folder))
        pod = objects["Deployment", "tenon"]["spec"]["template"]["spec"]
        self.assertEqual([one["image"] for one in pod["containers"]], ["mine/tenon:1", "registry.example/tenon-kubernetes:2"])
        self.assertEqual({one["metadata"].get("namespace", "elsewhere") for one in objects.values()}, {"elsewhere"})
        self.assertEqual(objects["ClusterRoleBinding", "tenon-kubernetes"]["subjects"][0]["namespace"], "elsewhere")

    def test_values_come_where_they_belong(self):
        objects = names(chart(
            images={"registry": "here", "scheduler": {"tag": "1"}, "bridge": {"tag": "2"}, "placeholder": "here/pause", "pullSecrets": [{"name": "key"}]},
            replicas=3, schedulerName="mine", bridgeOptions=["--patience=5s"], podMonitor=True))
        deployment = objects["Deployment", "tenon"]["spec"]
        pod = deployment["template"]["spec"]
        self.assertEqual(deployment["replicas"], 3)
        self.assertEqual([one["image"] for one in pod["containers"]], ["here/tenon:1", "here/tenon-kubernetes:2"])
        self.assertEqual(pod["imagePullSecrets"], [{"name": "key"}])
        for word in ("--scheduler-name=mine", "--placeholder-image=here/pause", "--patience=5s"):
            self.assertIn(word, pod["containers"][1]["command"])
        self.assertEqual(objects["PodMonitor", "tenon"]["spec"]["podMetricsEndpoints"][0]["port"], "metrics")
        self.assertNotIn(("PodMonitor", "tenon"), names(chart()))

    def test_files_of_the_chart_are_ones_that_the_scheduler_takes(self):
        data = names(chart())["ConfigMap", "tenon"]["data"]
        for name, text in data.items():
            (self.folder / name).write_text(text.replace("/run/tenon", str(self.folder)))
        done = subprocess.run([str(Shared.tenon), "serve", "--check", "-c", str(self.folder / "tenon.yaml")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
