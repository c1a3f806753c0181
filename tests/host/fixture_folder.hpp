// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A deployment of one fixture module in a temporary folder, and a look at what a test leaves behind.
#pragma once

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "temp_folder.hpp"
#include "tenon/abi/node_sort.h"
#include "tenon/host/library_file.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::host::testing {

// What its manifest says of a fixture. The defaults are what fixtures/fixture.h does.
struct fixture_manifest {
  std::string id = {};  // empty: test. and the fixture with '-' for '_'
  std::string interface = TENON_NODE_SORT;
  std::string name = "fixture";
  std::string version = "1.0.0";
  uint32_t order_rev = 1;
  std::string digest = {};   // empty: the library's
  std::string library = {};  // empty: the fixture's
  std::string services = "[]";
  std::string more = {};  // further lines
};

class fixture_folder {
 public:
  fixture_folder();

  // Copies the fixture's library and writes a manifest for it. Returns the library's path.
  std::filesystem::path install(const std::string &fixture, fixture_manifest manifest = {});
  // Seals the manifest of an installed fixture anew, after its library was changed.
  void seal(const std::string &fixture, fixture_manifest manifest = {});

  // Opens a deployment that lists these fixtures. `entry` is what stands in each entry after the id.
  result<std::unique_ptr<module_host>> open(const std::vector<std::string> &fixtures, const std::string &entry = "");
  // The refusal of opening one fixture, which must be refused.
  refusal refused(const std::string &fixture, const std::string &entry = "");

  // What the host logged.
  [[nodiscard]] std::string log() const;

  temp_folder folder;
  host_options options;

 private:
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> lines_;
};

[[nodiscard]] std::string id_of(const std::string &fixture);

// Open descriptors, children and draft files: equal before and after a test.
struct leftovers {
  std::set<std::string> descriptors;
  bool children = false;
  friend bool operator==(const leftovers &, const leftovers &) = default;
};
[[nodiscard]] leftovers leftovers_now();
// Processes whose command line names something below `folder`, after a moment for those that are being killed.
[[nodiscard]] std::vector<std::string> processes_of(const std::filesystem::path &folder);
// Files below `folder` that are no finished ones: drafts of copies.
[[nodiscard]] std::vector<std::string> drafts_in(const std::filesystem::path &folder);

}  // namespace tenon::host::testing
