// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The manifest of a module (apiVersion tenon.module/v1): read before any of the module's code runs.
#pragma once

#include <algorithm>
#include <boost/json/object.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/problems.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::host {

// "read", "write", "network", "threads": what an operator may grant to a module in processes of its own.
[[nodiscard]] std::span<const std::string_view> permission_words();

// One implementation that a module provides.
struct provided_interface {
  std::string interface;   // "tenon.node-sort/1"
  std::string name;        // as queues.yaml or the deployment names it
  uint32_t order_rev = 0;  // changes whenever the order or verdict changes
};

struct module_manifest {
  std::filesystem::path file;
  std::string id;  // reverse domain: "acme.binpack"
  std::string version;
  std::string vendor;
  std::string license;
  std::map<std::string, std::string> own;  // texts of the vendor's keys, which begin with x-
  std::string description;
  std::string library;  // a file beside the manifest
  std::string digest;   // SHA-256 of the library, 64 lower-case hexadecimal digits
  uint32_t abi_epoch = 0;
  uint32_t draft_rev = 0;
  std::vector<provided_interface> provides;
  std::vector<std::string> services;     // host services that it uses
  std::vector<std::string> permissions;  // what it asks for in a process of its own: permission_words()
  boost::json::object configuration;     // JSON Schema; empty: takes none
  boost::json::object queue_properties;  // JSON Schema of all that it reads, as one object
  boost::json::object tags;              // the same of tags

  [[nodiscard]] std::filesystem::path library_path() const { return file.parent_path() / library; }
  // Of any version of its interface.
  [[nodiscard]] bool provides_kind(module_kind kind) const {
    return std::any_of(provides.begin(), provides.end(), [&](const provided_interface &one) {
      return one.interface.starts_with(entry_of(kind).family());
    });
  }
};

// The format, for its reference page and schema.
[[nodiscard]] const config::object_spec &manifest_spec();

// Nothing, with reasons in `report`, unless all of this is so: keys and interfaces are known, types are right, ids,
// digest and schemas are sound, epoch and draft revision are those of this host.
[[nodiscard]] std::optional<module_manifest> parse_manifest(std::string_view text, std::filesystem::path file,
                                                            config::problems &report);
[[nodiscard]] std::optional<module_manifest> read_manifest(const std::filesystem::path &file, config::problems &report);

// Shapes of names, as everywhere in deployments and manifests.
[[nodiscard]] bool is_module_id(std::string_view text);    // "acme.binpack"
[[nodiscard]] bool is_policy_name(std::string_view text);  // "binpacking"
// The digits of "sha256:<64 lower-case hexadecimal digits>".
[[nodiscard]] std::optional<std::string> digest_digits(std::string_view text);

}  // namespace tenon::host
