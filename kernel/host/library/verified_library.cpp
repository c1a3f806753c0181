// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/verified_library.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "library/library_copies.hpp"
#include "library/sealed_libraries.hpp"

namespace tenon::host {
namespace {

std::optional<refusal> check_digest(const module_manifest &manifest, const library_file &file,
                                    const std::optional<std::string> &pinned) {
  if (auto no = check_digest(manifest, file)) return no;
  if (pinned && file.digest != *pinned)
    return refusal{file.path.string(), "sha256:" + *pinned + ", as the deployment says", "sha256:" + file.digest,
                   "install the pinned build, or pin this one"};
  return std::nullopt;
}

// As the dynamic linker would find them: for each that is needed, the first folder that has it.
std::vector<std::filesystem::path> own_libraries(const library_traits &traits, const std::filesystem::path &origin) {
  std::vector<std::filesystem::path> out;
  for (const std::string &name : traits.needed) {
    for (std::string folder : traits.folders) {
      for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"})
        for (size_t at = folder.find(word); at != std::string::npos;
             at = folder.find(word, at + origin.native().size()))
          folder.replace(at, word.size(), origin.native());
      std::error_code failed;
      std::filesystem::path found = std::filesystem::path(folder) / name;
      if (!std::filesystem::is_regular_file(found, failed)) continue;
      out.push_back(std::move(found));
      break;
    }
  }
  return out;
}

}  // namespace

std::optional<refusal> check_digest(const module_manifest &manifest, const library_file &file) {
  if (file.digest == manifest.digest) return std::nullopt;
  return refusal{file.path.string(), "sha256:" + manifest.digest + ", as " + manifest.file.string() + " says",
                 "sha256:" + file.digest,
                 "take the library and its manifest together from whoever built the module, and install both again"};
}

result<verified_library> verify_library(const module_manifest &manifest, const std::optional<std::string> &pinned,
                                        const std::filesystem::path &cache_directory, opened_by who) {
  const auto file = read_library(manifest.library_path());
  if (!file) return file.why();
  if (auto no = check_digest(manifest, *file, pinned)) return *no;
  lint_report lint = lint_library(*file, {.may_link_grpc = manifest.provides_kind(module_kind::transport)});
  if (!lint.findings.empty()) {
    refusal first = lint.findings.front();
    if (lint.findings.size() > 1)
      first.have += " (and " + std::to_string(lint.findings.size() - 1) + " more: see `tenon plugin lint " +
                    manifest.file.string() + "`)";
    return first;
  }
  verified_library out{file->path, file->path, {}, file->digest, std::move(lint.traits)};
  if (!out.traits.uses_origin)
    if (auto copy = private_copy(*file, cache_directory); !copy.empty()) out.open_path = std::move(copy);
  if (!out.in_place() || who == opened_by::another) return out;
  if (auto copy = sealed_copy(*file); !copy.empty()) {
    out.open_path = std::move(copy);
    out.beside = own_libraries(out.traits, std::filesystem::absolute(file->path).parent_path());
  }
  return out;
}

std::optional<refusal> changed_since(const verified_library &library) {
  if (!library.in_place()) return std::nullopt;
  const auto now = read_library(library.open_path);
  if (now && now->digest == library.digest) return std::nullopt;
  return refusal{library.shown_as.string(), "the bytes that were verified", "a file that changed while it was opened",
                 "install modules before the scheduler starts, and by renaming"};
}

}  // namespace tenon::host
