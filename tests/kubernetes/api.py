# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A client of the API server: JSON over HTTPS, one connection a thread."""

import http.client
import json
import ssl
import threading
import urllib.parse

GROUPS = {  # kind to the place of its objects, and whether they are of a namespace
    "Namespace": ("api/v1", "namespaces", False),
    "Node": ("api/v1", "nodes", False),
    "Pod": ("api/v1", "pods", True),
    "ConfigMap": ("api/v1", "configmaps", True),
    "ServiceAccount": ("api/v1", "serviceaccounts", True),
    "PersistentVolume": ("api/v1", "persistentvolumes", False),
    "PersistentVolumeClaim": ("api/v1", "persistentvolumeclaims", True),
    "StorageClass": ("apis/storage.k8s.io/v1", "storageclasses", False),
    "CSINode": ("apis/storage.k8s.io/v1", "csinodes", False),
    "DeviceClass": ("apis/resource.k8s.io/v1", "deviceclasses", False),
    "ResourceSlice": ("apis/resource.k8s.io/v1", "resourceslices", False),
    "DeviceTaintRule": ("apis/resource.k8s.io/v1", "devicetaintrules", False),
    "ResourceClaim": ("apis/resource.k8s.io/v1", "resourceclaims", True),
    "RuntimeClass": ("apis/node.k8s.io/v1", "runtimeclasses", False),
    "ResourceQuota": ("api/v1", "resourcequotas", True),
    "Event": ("apis/events.k8s.io/v1", "events", True),
    "Lease": ("apis/coordination.k8s.io/v1", "leases", True),
    "PriorityClass": ("apis/scheduling.k8s.io/v1", "priorityclasses", False),
    "PodGroup": ("apis/scheduling.k8s.io/v1beta1", "podgroups", True),
    "ResourceClaimTemplate": ("apis/resource.k8s.io/v1", "resourceclaimtemplates", True),
    "Deployment": ("apis/apps/v1", "deployments", True),
    "DaemonSet": ("apis/apps/v1", "daemonsets", True),
    "StatefulSet": ("apis/apps/v1", "statefulsets", True),
    "Job": ("apis/batch/v1", "jobs", True),
    "PodDisruptionBudget": ("apis/policy/v1", "poddisruptionbudgets", True),
    "ValidatingAdmissionPolicy": ("apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicies", False),
    "ValidatingAdmissionPolicyBinding": ("apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", False),
    "FlowSchema": ("apis/flowcontrol.apiserver.k8s.io/v1", "flowschemas", False),
    "ClusterRole": ("apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "Role": ("apis/rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("apis/rbac.authorization.k8s.io/v1", "rolebindings", True),
}
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, text: str):
        super().__init__(f"{status} {text}")
        self.status = status


def path_of(kind: str, namespace: str = "", name: str = "", part: str = "") -> str:
    group, plural, namespaced = GROUPS[kind]
    inside = f"/namespaces/{namespace}" if namespaced and namespace else ""
    return f"/{group}{inside}/{plural}" + "".join(f"/{each}" for each in (name, part) if each)


class Api:
    def __init__(self, port: int, authority: str, token: str):
        self.port, self.authority, self.token = port, authority, token
        self.tls = ssl.create_default_context(cafile=authority)
        self.own = threading.local()

    def connection(self, timeout: float = 30) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=timeout)

    def headers(self, form: str = "application/json") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": form, "Accept": "application/json"}

    def call(self, method: str, path: str, body: object = None, form: str = "application/json") -> dict:
        """Gives the answer; Refused where it is none of success, OSError where there is no server."""
        sent = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        for fresh in (False, True):
            kept = getattr(self.own, "connection", None)
            if kept is None or fresh:
                kept = self.own.connection = self.connection()
            try:
                kept.request(method, path, sent, self.headers(form))
                answer = kept.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException) as wrong:
                kept.close()
                self.own.connection = None
                if fresh or method == "POST" and not isinstance(wrong, (http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError)):
                    raise wrong if isinstance(wrong, OSError) else OSError(str(wrong)) from wrong
        if answer.status >= 300:
            try:
                text = json.loads(text)["message"]
            except (ValueError, KeyError):
                text = text.decode(errors="replace")
            raise Refused(answer.status, text)
        return json.loads(text) if text[:1] == b"{" else {"text": text.decode()}

    def create(self, kind: str, body: dict) -> dict:
        body = {"apiVersion": GROUPS[kind][0].partition("/")[2], "kind": kind} | body
        return self.call("POST", path_of(kind, body["metadata"].get("namespace", "")), body)

    def get(self, kind: str, name: str, namespace: str = "") -> dict | None:
        try:
            return self.call("GET", path_of(kind, namespace, name))
        except Refused as wrong:
            if wrong.status == 404:
                return None
            raise

    def list(self, kind: str, namespace: str = "", **query: str) -> list[dict]:
        asked = "?" + urllib.parse.urlencode(query) if query else ""
        return self.call("GET", path_of(kind, namespace) + asked)["items"]

    def patch(self, kind: str, name: str, change: dict, namespace: str = "", part: str = "", form: str = STRATEGIC) -> dict:
        return self.call("PATCH", path_of(kind, namespace, name, part), change, form)

    def delete(self, kind: str, name: str, namespace: str = "", **options: object) -> None:
        """Does nothing where it is gone, or where the precondition names another one."""
        try:
            self.call("DELETE", path_of(kind, namespace, name), {"kind": "DeleteOptions", "apiVersion": "v1"} | options)
        except Refused as wrong:
            if wrong.status not in (404, 409):
                raise

    def manifest(self, text: str) -> None:
        """Creates each document of a file as it is written; the server reads YAML, and refuses fields that it does not know."""
        for document in text.split("\n---\n"):
            kind = next(line.split()[1] for line in document.splitlines() if line.startswith("kind:"))
            namespace = next((line.split()[1] for line in document.splitlines() if line.startswith("  namespace:")), "")
            self.call("POST", path_of(kind, namespace) + "?fieldValidation=Strict", document.encode(), "application/yaml")

    def watch(self, kind: str, version: str):
        """Yields (type, object) until the server ends it."""
        asked = urllib.parse.urlencode({"watch": "1", "resourceVersion": version, "allowWatchBookmarks": "true"})
        connection = self.connection(timeout=600)
        try:
            connection.request("GET", f"{path_of(kind)}?{asked}", headers=self.headers())
            answer = connection.getresponse()
            if answer.status != 200:
                raise Refused(answer.status, answer.read().decode(errors="replace"))
            for line in answer:
                one = json.loads(line)
                yield one["type"], one["object"]
        finally:
            connection.close()
