// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "modules_tables.hpp"

#include "config/spec_tables.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host {
namespace {

// The object's section, then those of the objects in it.
std::string sections(const config::object_spec &spec) {
  std::string out = config::object_section(spec);
  const config::object_spec *last = nullptr;
  for (const config::key_spec &key : spec.keys) {
    if (key.object != nullptr && key.object != last) out += sections(*key.object);
    last = key.object;
  }
  return out;
}

}  // namespace

std::string modules_tables() { return sections(manifest_spec()) + sections(deployment_spec()) + sections(lock_spec()); }

}  // namespace tenon::host
