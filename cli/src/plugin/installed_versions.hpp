// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Versions of a module side by side in a folder of modules, of which one is in use:
//
//   MODULES/ID.yaml      a link to the manifest of the version in use: all that hosts look at
//   MODULES/ID/VERSION/  the files of a version; they never change
//   MODULES/ID/before    a link to the version that was in use before
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/tar_archive.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::cli {

class installed_versions {
 public:
  // `modules`: a folder of modules, which may be missing. Changes nothing.
  installed_versions(std::filesystem::path modules, std::string id);

  // Where a module of the catalogue was put by an installation; nothing where somebody else put it there.
  [[nodiscard]] static std::optional<installed_versions> of(const host::module_manifest &manifest);

  [[nodiscard]] std::filesystem::path folder(const std::string &version) const;
  [[nodiscard]] std::optional<std::filesystem::path> manifest(const std::string &version) const;
  [[nodiscard]] std::vector<std::string> all() const;  // by number, the smallest first
  [[nodiscard]] std::optional<std::string> in_use() const;
  // The version to which a rollback goes; never the one in use.
  [[nodiscard]] std::optional<std::string> before() const;

  // Hosts find this version from now on: in one step, so that there is no moment without a whole module. Refused where
  // MODULES/ID.yaml is somebody's own file.
  [[nodiscard]] std::optional<refusal> put_in_use(const std::string &version) const;

 private:
  friend class version_draft;
  std::filesystem::path modules_, own_;  // own_: MODULES/ID
  std::string id_;
};

// The files of a version on their way in. What was not kept is gone with the object.
class version_draft {
 public:
  explicit version_draft(const installed_versions &of);
  ~version_draft();
  version_draft(const version_draft &) = delete;
  version_draft &operator=(const version_draft &) = delete;

  // Writes the files through to the disk, readable for everybody.
  [[nodiscard]] std::optional<refusal> write(std::span<const tar_member> files);
  [[nodiscard]] const std::filesystem::path &folder() const { return folder_; }
  // Makes the files that version, which must not be there.
  [[nodiscard]] std::optional<refusal> keep_as(const std::string &version);

 private:
  const installed_versions &of_;
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> made_;  // folders that were missing, the innermost last
};

}  // namespace tenon::cli
