// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The lock of a deployment (tenon.yaml.lock, apiVersion tenon.lock/v1): which builds of which modules it was
// tried with. Written by `tenon plugin lock`, read whenever the deployment is opened.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/problems.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host {

struct locked_module {
  std::string id;
  std::string version;
  std::string digest;  // 64 hexadecimal digits; empty: a built-in module, whose bytes change with every release
  std::vector<provided_interface> provides;
};

struct module_lock {
  std::filesystem::path file;
  std::vector<locked_module> modules;  // by id

  [[nodiscard]] const locked_module *find(std::string_view id) const;
};

// The lock's file beside a deployment's.
[[nodiscard]] std::filesystem::path lock_file_of(const std::filesystem::path &deployment);

// The format, for its reference page and schema.
[[nodiscard]] const config::object_spec &lock_spec();

// Nothing, with reasons in `report`, unless keys, types, ids and digests are sound and no module is there twice.
[[nodiscard]] std::optional<module_lock> parse_lock(std::string_view text, std::filesystem::path file,
                                                    config::problems &report);
[[nodiscard]] std::optional<module_lock> read_lock(const std::filesystem::path &file, config::problems &report);

// The text of a lock, modules by id.
[[nodiscard]] std::string lock_text(std::vector<locked_module> modules);

// The same as one line of JSON, which parse_lock() reads as well.
[[nodiscard]] std::string lock_line(std::vector<locked_module> modules);

// What a lock says of a module. Of a built-in one: interfaces, names and behaviour revisions.
[[nodiscard]] locked_module locked(const module_manifest &manifest, bool built_in);

// Why the module that was found is not the one that was locked; nothing where it is.
[[nodiscard]] std::optional<refusal> check_lock(const module_lock &lock, const module_manifest &manifest,
                                                bool built_in);

}  // namespace tenon::host
