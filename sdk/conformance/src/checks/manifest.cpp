// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Manifest and library as files: nothing of the module runs here.
#include <algorithm>
#include <array>

#include "check.hpp"
#include "library/elf_image.hpp"
#include "subject.hpp"
#include "tenon/abi/host_admin.h"
#include "tenon/abi/host_events.h"
#include "tenon/abi/host_explain.h"
#include "tenon/abi/host_local.h"
#include "tenon/abi/host_metrics.h"
#include "tenon/abi/host_read.h"
#include "tenon/abi/transport.h"
#include "tenon/host/library_lint.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::conformance {
namespace {

// Some hosts have.
constexpr std::array<std::string_view, 9> host_services{TENON_HOST_LOG,   TENON_HOST_THREAD,  TENON_HOST_RM,
                                                        TENON_HOST_READ,  TENON_HOST_ADMIN,   TENON_HOST_EVENTS,
                                                        TENON_HOST_LOCAL, TENON_HOST_METRICS, TENON_HOST_EXPLAIN};

std::string text_of(const refusal &why) {
  return why.have + (why.want.empty() ? "" : "; want " + why.want) + (why.fix.empty() ? "" : "; " + why.fix);
}

void manifest_reads(probe &p) {
  config::problems problems(p.of().manifest_file.filename().string());
  const auto manifest = host::read_manifest(p.of().manifest_file, problems);
  if (problems.refused()) {
    const refusal &first = problems.refusals().front();
    probe::fail(first.where + ": " + text_of(first) +
                (problems.refused_count() > 1 ? "; and " + number(problems.refused_count() - 1) + " more" : ""));
  }
  probe::want(manifest.has_value(), "it cannot be read");
}

host::library_file library(probe &p) {
  auto file = host::read_library(p.manifest().library_path());
  if (!file) probe::fail(text_of(file.why()));
  return std::move(*file);
}

void manifest_digest(probe &p) {
  const auto file = library(p);
  if (const auto no = host::check_digest(p.manifest(), file)) probe::fail(text_of(*no));
}

void manifest_services(probe &p) {
  for (const std::string &service : p.manifest().services) {
    const bool known = std::find(host_services.begin(), host_services.end(), service) != host_services.end();
    if (!known && service.starts_with("tenon.")) probe::fail("no host has the service " + service);
  }
}

enum class part : uint8_t { kind, exports, needs, memory };

part part_of(const refusal &finding) {
  const auto says = [&](std::string_view wanted) { return finding.want.find(wanted) != std::string::npos; };
  if (says("export") || says(TENON_MODULE_SYMBOL)) return part::exports;
  if (says("protobuf")) return part::needs;
  if (says("stack") || says("writable") || says("position-independent code")) return part::memory;
  return part::kind;
}

void lint(probe &p, part about) {
  const auto file = library(p);
  const host::lint_options options{.may_link_grpc = p.manifest().provides_kind(module_kind::transport)};
  for (const refusal &finding : host::lint_library(file, options).findings) {
    if (part_of(finding) == about) probe::fail(text_of(finding));
  }
}

void library_kind(probe &p) { lint(p, part::kind); }
void library_exports(probe &p) { lint(p, part::exports); }
void library_memory(probe &p) { lint(p, part::memory); }

void library_needs(probe &p) {
  lint(p, part::needs);
  const auto file = library(p);
  for (const std::string &name : host::lint_library(file).traits.needed) {
    if (name.starts_with("libtenon_kernel") || name.starts_with("libtenon_conformance"))
      probe::fail("it needs " + name + "; a module sees the host through the ABI alone");
    // A sanitizer's or a profiler's runtime is not on customers' machines, and takes malloc over.
    if (name.starts_with("libasan") || name.starts_with("libtsan") || name.starts_with("libjemalloc") ||
        name.starts_with("libtcmalloc"))
      probe::fail("it needs " + name + ", which takes the memory of the whole process over");
  }
}

void library_run_path(probe &p) {
  const auto file = library(p);
  const auto reading = host::read_elf(file.bytes);
  if (!reading.image) probe::fail(reading.problem);
  for (const std::string &paths : reading.image->run_paths) {
    for (size_t at = 0; at <= paths.size();) {
      const size_t end = std::min(paths.find(':', at), paths.size());
      const std::string one = paths.substr(at, end - at);
      if (!one.starts_with("$ORIGIN") && !one.starts_with("${ORIGIN}"))
        probe::fail("it looks for libraries in '" + one + "', a place of the machine that built it");
      at = end + 1;
    }
  }
}

void manifest_matches(probe &p) {
  const opened_module module = opened_module::start(p);
  for (const host::provided_interface &one : p.manifest().provides) {
    const tenon_factory *factory = nullptr;
    const tenon_status status = module.get_factory(one.interface, factory);
    if (status != TENON_OK || factory == nullptr || factory->describe == nullptr)
      probe::fail("the manifest lists " + one.interface + ", get_factory gave " + status_name(status));
    std::vector<std::string> names;
    bool found = false;
    for (uint32_t i = 0; i < 256; ++i) {
      const tenon_describe_in in{sizeof in, i};
      tenon_description d{};
      d.size = sizeof d;
      if (p.call("describe", [&] { return factory->describe(factory, &in, &d); }) != TENON_OK) break;
      const std::string name(d.name.data == nullptr ? "" : d.name.data, d.name.length);
      const auto &listed = p.manifest().provides;
      const bool known = std::any_of(listed.begin(), listed.end(), [&](const host::provided_interface &l) {
        return l.interface == one.interface && l.name == name;
      });
      if (!known)
        probe::fail("it describes " + one.interface + " " + shown(d.name) + ", which the manifest does not list");
      if (std::find(names.begin(), names.end(), name) != names.end())
        probe::fail("it describes " + one.interface + " " + shown(d.name) + " twice");
      names.push_back(name);
      if (std::string(d.version.data == nullptr ? "" : d.version.data, d.version.length) != p.manifest().version)
        probe::fail("it says version " + shown(d.version) + ", the manifest '" + p.manifest().version + "'");
      if (name != one.name) continue;
      found = true;
      if (d.order_rev != one.order_rev)
        probe::fail("it says order_rev " + number(d.order_rev) + " of '" + name + "', the manifest " +
                    number(one.order_rev));
    }
    if (!found) probe::fail("the manifest lists " + one.interface + " '" + one.name + "', which it does not describe");
  }
}

constexpr std::array manifest_list{
    check{"manifest-reads", "manifest", about::module, "",
          "The manifest is complete and right: known keys, sound ids, a schema that accepts its own defaults.",
          manifest_reads},
    check{"manifest-digest", "manifest", about::module, "manifest-reads",
          "The manifest has the digest of the library beside it.", manifest_digest},
    check{"manifest-services", "manifest", about::module, "manifest-reads",
          "The services that the manifest lists are ones that a host has, or a vendor's own.", manifest_services},
    check{"library-kind", "library", about::module, "manifest-reads",
          "The library is a shared library for this machine that may be opened.", library_kind},
    check{"library-needs", "library", about::module, "library-kind",
          "The library needs no protobuf and no gRPC, a transport aside that links libtenon_proto, nothing of the host "
          "and nothing that takes memory over.",
          library_needs},
    check{"library-exports", "library", about::module, "library-needs",
          "The library exports tenon_module_v1, an object, and nothing else.", library_exports},
    check{"library-memory", "library", about::module, "library-kind",
          "The library has no text relocations, no writable code and no executable stack.", library_memory},
    check{"library-run-path", "library", about::module, "library-kind",
          "The library looks for others beside itself or where the system does, in no place of one machine.",
          library_run_path},
    check{"library-opens", "lifecycle", about::module, "library-exports",
          "The library opens in a fresh process and has a complete module table of this epoch.",
          [](probe &p) { opened_module::open(p); }},
    check{"module-starts", "lifecycle", about::module, "library-opens", "The module's init and deinit succeed.",
          [](probe &p) {
            opened_module module = opened_module::start(p);
            module.deinit();
          }},
    check{"manifest-matches", "manifest", about::module, "module-starts",
          "What the module describes is what its manifest lists, both ways: interfaces, names, version, order_rev.",
          manifest_matches},
};

}  // namespace

checks manifest_checks() { return manifest_list; }

}  // namespace tenon::conformance
