// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A pack: the one file in which a vendor gives a module away. It is a tar archive with these members below the folder
// ID-VERSION, in this order:
//
//   SHA256SUMS      the digest list, which `sha256sum -c` reads. Its first line names module, version and build id
//   SHA256SUMS.sig  an Ed25519 signature of SHA256SUMS; it may be missing
//   LICENSE         the text of the licence
//   NAME.so         the library
//   NAME.yaml       the sealed manifest
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/tar_archive.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::cli {

struct module_pack {
  host::module_manifest manifest;
  std::string manifest_name;
  std::string build_id;  // of the library, hexadecimal digits
  bool is_signed = false;
  std::vector<tar_member> files;  // without their folder; the bytes are views into the archive
};

struct pack_sources {
  std::string manifest;  // file; its library lies beside it
  std::string license;   // file; empty: LICENSE or COPYING beside the manifest
  std::string key;       // file with a private key; empty: the pack is not signed
};

// Returns the bytes of a pack. Equal files give equal bytes. Refuses whatever open_pack() refuses.
[[nodiscard]] result<std::string> make_pack(const pack_sources &from);

// Returns what a pack has. Refuses an archive that is not whole or has other members, a digest that differs, a manifest
// that this host would refuse, and a library that this host would not open. Runs nothing of the library. With a file
// `key` the pack must be signed by this public key. `where` names the pack in refusals.
[[nodiscard]] result<module_pack> open_pack(std::string_view archive, const std::string &where, const std::string &key);

// Returns the bytes of a pack's file. Refuses what is no regular file, or larger than any pack.
[[nodiscard]] result<std::string> read_pack_file(const std::string &path);

// ID-VERSION.
[[nodiscard]] std::string pack_name(const host::module_manifest &manifest);

}  // namespace tenon::cli
