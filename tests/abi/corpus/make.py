#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Adds this release's modules to the corpus: the examples, built by several compilers against the installed SDK.

Run once for each release that changes the SDK; what is in the corpus already is never built again.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# flavour -> example, compilers, further CMake settings
FLAVOURS = {
    "gcc-c++": ("least-attribute", "gcc", "g++", []),
    "clang-c++": ("least-attribute", "clang", "clang++", []),
    "gcc-c++-static": ("least-attribute", "gcc", "g++", ["-DCMAKE_MODULE_LINKER_FLAGS=-static-libstdc++ -static-libgcc"]),
    "gcc-c": ("roomiest-c", "gcc", "g++", []),
}


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def version() -> str:
    return re.search(r"project\(tenon VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def keep(flavour: str, manifest: pathlib.Path):
    target = HERE / f"{version()}-{flavour}"
    if target.exists():
        raise SystemExit(f"corpus: {target.name} is there already, and what is there stays as it is")
    target.mkdir()
    library = re.search(r"^library: (\S+)", manifest.read_text(), flags=re.M)[1]
    for file in (manifest, manifest.parent / library):
        shutil.copy(file, target)
    print(f"corpus: {target.name}: {library}, {(target / library).stat().st_size} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", type=pathlib.Path, required=True, help="an installation of tenon and its SDK")
    parser.add_argument("--cargo", default="cargo")
    arguments = parser.parse_args()
    prefix = arguments.prefix.resolve()
    examples = prefix / "share/doc/tenon-sdk/examples"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for flavour, (example, cc, cxx, settings) in FLAVOURS.items():
            build = place / flavour
            run("cmake", "-G", "Ninja", "-S", examples / example, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
                f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}", "-DCMAKE_BUILD_TYPE=Release",
                "-DCMAKE_POLICY_DEFAULT_CMP0056=NEW", *settings)
            run("cmake", "--build", build)
            # Smaller, and still the module that was built: then sealed anew.
            manifest = next(path for path in build.glob("*.yaml"))
            run("strip", "--strip-unneeded", next(build.glob("*.so")))
            run(prefix / "bin/tenon", "plugin", "seal", manifest)
            keep(flavour, manifest)
        rust = place / "rust"
        shutil.copytree(examples / "quarantine-rust", rust)
        run(arguments.cargo, "build", "--release", "--offline", cwd=rust,
            env={"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig", "PATH": "/usr/bin:/bin", "HOME": folder})
        shutil.copy(rust / "target/release/libquarantine.so", rust)
        run(prefix / "bin/tenon", "plugin", "seal", rust / "quarantine.yaml")
        keep("rust", rust / "quarantine.yaml")
    digests = subprocess.run("sha256sum */*.so */*.yaml", shell=True, cwd=HERE, check=True, capture_output=True, text=True)
    (HERE / "digests.txt").write_text(digests.stdout)


if __name__ == "__main__":
    main()
