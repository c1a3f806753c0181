# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Builds what the tests need in Go: the programs of a control plane and kwok of the small module in control-plane/, the
program in render/ that renders as helm and kustomize do, and the bridge.

The control plane is built once for each content of its module and each Go, into a folder of that name; it takes some
minutes. Modules come from Go's proxy, as go.sum says. Where there is no Go or no modules the program ends as skipped."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import go_module

MODULE = HERE / "control-plane"
OLDER = HERE / "older"  # a module for each minor version before that of MODULE
RENDER = HERE / "render"
KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
PROGRAMS = {"etcd": "./etcd", "kwok": "sigs.k8s.io/kwok/cmd/kwok"} | {name: f"k8s.io/kubernetes/cmd/{name}" for name in KUBERNETES}
OF_EACH_MINOR = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
STAGES = "kwok.yaml"  # what kwok plays: it has none compiled in
STAGE_FILES = ("node/fast/node-initialize", "pod/fast/pod-ready", "pod/fast/pod-complete", "pod/fast/pod-delete")


def version(go: str, module: pathlib.Path) -> str:
    """Names what would be built: the pinned modules, the sources and the toolchain."""
    told = hashlib.sha256(subprocess.check_output([go, "env", "GOVERSION"], cwd="/"))
    for file in sorted(module.rglob("*")):
        if file.is_file():
            told.update(str(file.relative_to(module)).encode() + b"\0" + file.read_bytes() + b"\0")
    return told.hexdigest()[:16]


def minors() -> list[str]:
    """The older minor versions of Kubernetes that can be built."""
    return sorted(each.name for each in OLDER.iterdir())


def control_plane(folder: pathlib.Path, minor: str = "") -> pathlib.Path:
    """Returns the folder of the programs of a control plane, and builds those that are missing. With one of minors(), the API server, the
    controllers and the scheduler are of that minor version, and the other programs are those of the newest one."""
    newest = built(MODULE, folder, PROGRAMS)
    if not minor:
        return newest
    older = built(OLDER / minor, folder.with_name(f"{folder.name}-{minor}"), {name: PROGRAMS[name] for name in OF_EACH_MINOR})
    for name in {*PROGRAMS, STAGES} - set(OF_EACH_MINOR):
        (older / name).unlink(missing_ok=True)
        (older / name).symlink_to(newest / name)
    return older


def built(module: pathlib.Path, folder: pathlib.Path, programs: dict[str, str]) -> pathlib.Path:
    """Returns the folder of these programs of a module, which are built where they are not there yet. It has kwok's stages where
    kwok is one of the programs."""
    go = go_module.toolchain()
    place = folder.resolve() / version(go, module)
    ready = place / "bin"
    if all((ready / each).exists() for each in programs):
        return ready
    source = place / "source"
    go_module.copied(module, source)
    go_module.downloaded(go, module, source)
    print(f"building {', '.join(programs)} into {ready}: some minutes, once", flush=True)
    made = place / "made"
    pinned = re.search(r"k8s.io/kubernetes (v\S+)", (module / "go.mod").read_text())[1]
    flags = f"-s -w -X k8s.io/component-base/version.gitVersion={pinned}"  # else it says a template
    command = [go, "build", "-buildvcs=false", "-trimpath", "-ldflags", flags, "-o", f"{made}/", *programs.values()]
    done = subprocess.run(command, cwd=source, env=os.environ | {"CGO_ENABLED": "0"})
    if done.returncode:
        sys.exit("the control plane cannot be built")
    if "kwok" in programs:
        (made / STAGES).write_text(stages(go, source))
    made.rename(ready)  # all of it or nothing
    for old in folder.resolve().iterdir():
        if old.is_dir() and old != place:
            shutil.rmtree(old)
    return ready


def stages(go: str, source: pathlib.Path) -> str:
    """kwok's own stages of nodes and pods, as its module brings them."""
    place = subprocess.check_output([go, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok"], cwd=source, text=True).strip()
    return "---\n".join((pathlib.Path(place) / "kustomize/stage" / f"{name}.yaml").read_text() for name in STAGE_FILES)


def bridge(folder: pathlib.Path, *more: str) -> pathlib.Path:
    """The bridge, and other programs of its module beside it."""
    done = subprocess.run([sys.executable, "-B", ROOT / "bridges/kubernetes/build.py", folder, *more], stdout=subprocess.DEVNULL)
    if done.returncode == go_module.SKIPPED:
        go_module.skip("the bridge cannot be built here")
    if done.returncode:
        sys.exit("the bridge cannot be built")
    return folder.resolve() / "bin/tenon-kubernetes"


def render(folder: pathlib.Path) -> pathlib.Path:
    go = go_module.toolchain()
    place = folder.resolve()
    go_module.copied(RENDER, place)
    go_module.downloaded(go, RENDER, place)
    go_module.run([go, "build", "-trimpath", "-o", "bin/render", "."], place, env=os.environ | {"CGO_ENABLED": "0"})
    return place / "bin/render"
