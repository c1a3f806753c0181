// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What lies on the module path: manifests found, read and told apart. Opens no library.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/queues.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host {

struct module_folder {
  std::filesystem::path path;
  bool built_in = false;  // its modules need not be listed in a deployment
};

// Why a folder that somebody names cannot have modules; empty: it can.
[[nodiscard]] std::optional<refusal> refusal_of_folder(const std::filesystem::path &folder);

// Where to look, in order, each folder once: `first`, then the folders of $TENON_MODULE_PATH (separated by
// colons), then `built_in` as the folder of built-in modules.
[[nodiscard]] std::vector<module_folder> module_folders(const std::vector<std::filesystem::path> &first,
                                                        const std::filesystem::path &built_in);

// ../lib/tenon/modules as seen from the running executable.
[[nodiscard]] std::filesystem::path default_module_folder();

struct catalogued_module {
  module_manifest manifest;
  bool built_in = false;  // found in the folder of built-in modules
  bool own = false;       // the project's: by its digest, wherever it lies
};

// A manifest that cannot be used.
struct broken_manifest {
  std::filesystem::path file;
  std::string id;  // where that much could be read
  std::vector<refusal> reasons;
};

class module_catalog {
 public:
  // Reads every *.yaml in the folders and in the folders directly below them. A link there is the manifest to which it
  // points. Folders that are not there are empty. Refused when two manifests have one id.
  [[nodiscard]] static result<module_catalog> scan(const std::vector<module_folder> &folders);

  [[nodiscard]] const std::vector<catalogued_module> &modules() const { return modules_; }  // by id
  [[nodiscard]] const std::vector<broken_manifest> &broken() const { return broken_; }
  [[nodiscard]] const catalogued_module *find(std::string_view id) const;
  // The same with another build of a module in the place of the one that it has.
  [[nodiscard]] module_catalog with(const catalogued_module &build) const;
  // Why `find` finds nothing: the manifest is broken, or there is none; with the ids that exist.
  [[nodiscard]] refusal missing(std::string_view id, std::string where) const;

 private:
  std::vector<module_folder> folders_;
  std::vector<catalogued_module> modules_;
  std::vector<broken_manifest> broken_;
};

// What queues.yaml could name if the deployment listed the module.
void add_unlisted(const catalogued_module &module, config::known_policies &to);

}  // namespace tenon::host
