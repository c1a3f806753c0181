#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Archives that no `tenon plugin pack` wrote: each is refused in words, and nothing of it is there."""

import hashlib
import re
import subprocess
import tarfile

from daemon import main
from packs import MODULE, PackCase, archive, member


class Hostile(PackCase):
    name = f"{MODULE}-1.0.0"
    link = {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}

    def setUp(self):
        super().setUp()
        self.pack = self.packed(self.built())
        self.good, self.has = self.pack.read_bytes(), self.parts(self.pack)
        self.modules.mkdir()

    def archive_of(self, parts: dict, folder: str = name) -> bytes:
        return archive(member(f"{folder}/{file}", content) for file, content in parts.items())

    def with_file(self, file: str, content: bytes) -> bytes:
        """One file is another, and the list does not know."""
        return self.archive_of(self.has | {file: content})

    def summed(self, parts: dict) -> bytes:
        """With a list of just these files."""
        first = self.has["SHA256SUMS"].splitlines()[0].decode()
        lines = [f"{hashlib.sha256(content).hexdigest()}  {file}\n" for file, content in parts.items() if file != "SHA256SUMS"]
        return self.archive_of(parts | {"SHA256SUMS": "".join([first + "\n", *lines]).encode()})

    def with_member(self, *more, form: int = tarfile.USTAR_FORMAT) -> bytes:
        return archive([*(member(f"{self.name}/{file}", content) for file, content in self.has.items()), *more], form)

    def with_header(self, at: int, content: bytes) -> bytes:
        """The first header is another, and its sum is right."""
        header = bytearray(self.good[:512])
        header[at:at + len(content)] = content
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        return bytes(header) + self.good[512:]

    def manifest(self, was: str, now: str) -> bytes:
        text = self.has["least-attribute.yaml"]
        self.assertIn(was.encode(), text)
        return self.summed(self.has | {"least-attribute.yaml": text.replace(was.encode(), now.encode())})

    def library(self, content: bytes) -> bytes:
        """Sealed and listed."""
        digest = hashlib.sha256(content).hexdigest().encode()
        text = re.sub(rb"sha256:\w{64}", b"sha256:" + digest, self.has["least-attribute.yaml"])
        return self.summed(self.has | {"least-attribute.so": content, "least-attribute.yaml": text})

    def refused(self, *bad: tuple[str, bytes, str]) -> None:
        for what, content, words in bad:
            with self.subTest(what):
                self.assertNotEqual(content, self.good)
                file = self.folder / "bad.tar"
                file.write_bytes(content)
                said = self.install(file, code=1)
                self.assertIn(words, said)
                self.assertIn("bad.tar", said)
                self.assertLess(len(said), 2000)
                self.assertEqual(list(self.modules.rglob("*")), [])

    def test_an_archive_of_another_program_is_taken_if_it_has_the_same(self):
        file = self.folder / "other.tar"
        file.write_bytes(self.archive_of(self.has))
        self.install(file)
        self.assertEqual(self.in_use(), "1.0.0")

    def test_what_is_no_whole_archive_is_refused(self):
        good = self.good
        self.refused(
            ("empty", b"", "no tar archive"),
            ("text", b"apiVersion: tenon.module/v1\n" * 100, "no tar archive"),
            ("compressed", subprocess.run(["gzip", "-c", self.pack], capture_output=True, check=True).stdout, "no tar archive"),
            ("zeros", bytes(10240), "without members"),
            ("cut in a header", good[:700], "of which the file has"),
            ("cut in a file", good[:len(good) // 2], "of which the file has"),
            ("cut at the end", good[:-1024], "ends before the archive does"),
            ("cut in the end", good[:-512], "ends before the archive does"),
            ("bytes behind", good + b"x", "behind the end"),
            ("two archives", good + good, "behind the end"),
            ("a checksum", b"X" + good[1:], "no tar archive"),
            ("a later checksum", good[:1024] + b"X" + good[1025:], "another checksum"),
            ("a size that is no number", self.with_header(124, b"0000000000x\0"), "no octal number"),
            ("a huge size", self.with_header(124, b"77777777777\0"), "8589934591"),
            ("a size in base 256", self.with_header(124, b"\x80" + bytes(10) + b"\x10"), "no octal number"))

    def test_members_that_lead_elsewhere_are_refused(self):
        name, more = self.name, self.with_member
        library_is_a_link = [member(f"{name}/{file}", content) if not file.endswith(".so") else member(f"{name}/{file}", **self.link)
                             for file, content in self.has.items()]
        self.refused(
            ("an absolute path", more(member("/etc/cron.d/tenon", b"x")), "'/etc/cron.d/tenon'"),
            ("a path above", more(member("../../tenon.yaml", b"x")), "'../../tenon.yaml'"),
            ("a path above inside", more(member(f"{name}/../other.so", b"x")), "/../other.so'"),
            ("a folder inside", more(member(f"{name}/lib/other.so", b"x")), "/lib/other.so'"),
            ("another folder", more(member("tenon.ring-1.0.0/LICENSE", b"x")), "'tenon.ring-1.0.0/LICENSE'"),
            ("no folder", self.archive_of(self.has, "."), "names of letters"),
            ("the folder of another version", self.archive_of(self.has, f"{MODULE}-1.0.1"), f"the folder {MODULE}-1.0.1"),
            ("a hidden name", more(member(f"{name}/.yaml", b"x")), "/.yaml'"),
            ("a control character", more(member(f"{name}/a\nb", b"x")), "names of letters"),
            ("a symbolic link", more(member(f"{name}/link.so", **self.link)), "a symbolic link"),
            ("a link in place of the library", archive(library_is_a_link), "a symbolic link"),
            ("a hard link", more(member(f"{name}/hard", type=tarfile.LNKTYPE, linkname=f"{name}/LICENSE")), "a hard link"),
            ("a device", more(member(f"{name}/null", type=tarfile.CHRTYPE)), "a device"),
            ("a pipe", more(member(f"{name}/pipe", type=tarfile.FIFOTYPE)), "a named pipe"),
            ("an entry for a folder", more(member(f"{name}/sub", type=tarfile.DIRTYPE)), "a folder"),
            ("a long name of GNU", more(member(f"{name}/{'x' * 200}", b"x"), form=tarfile.GNU_FORMAT), "a long name"),
            ("a header of pax", more(member(f"{name}/x", b"x", pax_headers={"path": "/etc/passwd"}), form=tarfile.PAX_FORMAT), "pax"),
            ("the same name twice", more(member(f"{name}/least-attribute.so", self.has["least-attribute.so"])), "each file once"),
            ("many members", more(*(member(f"{name}/{i}") for i in range(20))), "more than 16 members"))

    def test_files_that_are_not_those_of_the_list_are_refused(self):
        has, sums, so = self.has, self.has["SHA256SUMS"], self.has["least-attribute.so"]
        without = {file: {other: content for other, content in has.items() if other != file} for file in has}
        self.refused(
            *((f"without {file}", self.archive_of(rest), file) for file, rest in without.items()),
            ("without LICENSE in the list either", self.summed(without["LICENSE"]), "the text of the licence"),
            ("without the library in the list either", self.summed(without["least-attribute.so"]), "the library that the manifest names"),
            ("without the manifest in the list either", self.summed(without["least-attribute.yaml"]), "the manifest"),
            ("another library", self.with_file("other.so", b"x"), "does not list"),
            ("another library that is listed", self.summed(has | {"other.so": b"x"}), "another file"),
            ("two manifests", self.summed(has | {"other.yaml": has["least-attribute.yaml"]}), "one manifest"),
            ("a library with other bytes", self.with_file("least-attribute.so", so + b"x"), "as SHA256SUMS says"),
            ("a licence with other bytes", self.with_file("LICENSE", b""), "as SHA256SUMS says"),
            ("a list of another format", self.with_file("SHA256SUMS", sums.replace(b"pack/1", b"pack/2")), "tenon.pack/1"),
            ("a list that is empty", self.with_file("SHA256SUMS", b""), "SHA256SUMS"),
            ("a list without an end", self.with_file("SHA256SUMS", sums[:-1]), "a line with an end"),
            ("a list with a short digest", self.with_file("SHA256SUMS", sums + b"12  LICENSE\n"), "64 hexadecimal digits"),
            ("a list with a file twice", self.with_file("SHA256SUMS", sums + sums.splitlines(keepends=True)[1]), "each file once"),
            ("another build id", self.with_file("SHA256SUMS", re.sub(rb"build-id:..", b"build-id:zz", sums)), "build-id:zz"))

    def test_modules_that_a_host_would_refuse_are_refused(self):
        so = self.has["least-attribute.so"]
        self.refused(
            ("a library that the manifest is not sealed for", self.summed(self.has | {"least-attribute.so": so + b"x"}), "least-attribute.yaml says"),
            ("another ABI", self.manifest("abi_epoch: 1", "abi_epoch: 2"), "ABI epoch 2"),
            ("a key that nobody knows", self.manifest("services: []", "servicez: []"), "servicez"),
            ("an id with a path", self.manifest(f"id: {MODULE}", "id: ../../etc"), "reverse-domain"),
            ("a version with a path", self.manifest("version: 1.0.0", "version: 1.0.0/../x"), "three numbers"),
            ("a library with a path", self.manifest("library: least", "library: ../least"), "without a folder"),
            ("another id", self.manifest(f"id: {MODULE}", "id: acme.other"), "the folder acme.other-1.0.0"),
            ("no YAML", self.summed(self.has | {"least-attribute.yaml": b"\xff\xfe\x00"}), "least-attribute.yaml"),
            ("a library of another machine", self.library(so[:18] + b"\xb7\0" + so[20:]), "aarch64"),
            ("half a library", self.library(so[:4000]), "ELF"),
            ("a library that is a text", self.library(b"#!/bin/sh\n"), "not an ELF file"))

    def test_a_file_that_is_larger_than_any_pack_is_not_read(self):
        large = self.folder / "large.tar"
        with large.open("wb") as to:
            to.truncate(1 << 40)
        self.assertIn("more than any pack has", self.install(large, code=2))

    def test_a_header_with_any_other_byte_is_refused(self):
        self.refused(*((f"byte {at}", self.good[:at] + bytes([self.good[at] ^ 0x55]) + self.good[at + 1:], "no tar archive")
                       for at in range(0, 512, 37)))


if __name__ == "__main__":
    main()
