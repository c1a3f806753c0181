// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "fixture_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "tenon/abi/base.h"
#include "tenon/abi/node_sort.h"

namespace tenon::host::testing {
namespace {

namespace fs = std::filesystem;

std::string manifest_text(const std::string &fixture, const fixture_manifest &m, const std::string &digest) {
  return "apiVersion: tenon.module/v1\n"
         "id: " +
         (m.id.empty() ? id_of(fixture) : m.id) +
         "\n"
         "version: " +
         m.version +
         "\n"
         "vendor: Tests\n"
         "license: Apache-2.0\n"
         "description: A fixture.\n"
         "library: " +
         (m.library.empty() ? fixture + ".so" : m.library) +
         "\n"
         "digest: sha256:" +
         (m.digest.empty() ? digest : m.digest) +
         "\n"
         "abi_epoch: " +
         std::to_string(TENON_ABI_EPOCH) +
         "\n"
         "draft_rev: " +
         std::to_string(TENON_DRAFT_REV) +
         "\n"
         "provides:\n"
         "  - { interface: " +
         m.interface + ", name: " + m.name + ", order_rev: " + std::to_string(m.order_rev) +
         " }\n"
         "services: " +
         m.services + "\n" + m.more;
}

}  // namespace

std::string id_of(const std::string &fixture) {
  std::string id = "test." + fixture;
  std::replace(id.begin(), id.end(), '_', '-');
  return id;
}

fixture_folder::fixture_folder() : lines_(std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(1000)) {
  options.cache_directory = folder.path() / "cache";
  options.built_in_modules = folder.make("built-in");
  options.log = std::make_shared<spdlog::logger>("test", lines_);
  options.log->set_level(spdlog::level::trace);
}

fs::path fixture_folder::install(const std::string &fixture, fixture_manifest manifest) {
  const fs::path library = folder.make("mods") / (fixture + ".so");
  fs::copy_file(fs::path(TENON_FIXTURE_DIRECTORY) / (fixture + ".so"), library, fs::copy_options::overwrite_existing);
  seal(fixture, std::move(manifest));
  return library;
}

void fixture_folder::seal(const std::string &fixture, fixture_manifest manifest) {
  const auto library = read_library(folder.path() / "mods" / (fixture + ".so"));
  folder.write("mods/" + fixture + ".yaml",
               manifest_text(fixture, manifest, library ? library->digest : std::string(64, '0')));
}

result<std::unique_ptr<module_host>> fixture_folder::open(const std::vector<std::string> &fixtures,
                                                          const std::string &entry) {
  std::string text = "apiVersion: tenon/v1\nmodule_path: [mods]\nmodules:\n";
  const bool says_where = entry.find("isolation:") != std::string::npos;
  for (const std::string &fixture : fixtures)
    text += "  - { id: " + id_of(fixture) + (entry.empty() ? "" : ", " + entry) +
            (says_where ? "" : ", isolation: none") + " }\n";
  return open_deployment(folder.write("tenon.yaml", text), options);
}

refusal fixture_folder::refused(const std::string &fixture, const std::string &entry) {
  const auto host = open({fixture}, entry);
  EXPECT_FALSE(host) << fixture << " was loaded";
  return host ? refusal{} : host.why();
}

std::string fixture_folder::log() const {
  std::string out;
  for (const std::string &line : lines_->last_formatted()) out += line;
  return out;
}

leftovers leftovers_now() {
  leftovers out;
  for (const auto &entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the directory's own descriptor
    const fs::path target = fs::read_symlink(entry.path(), gone);
    if (target == fs::current_path()) continue;               // the host keeps it, once for the process
    if (target == "/memfd:tenon module (deleted)") continue;  // and these, once for each library
    if (!gone && target.string().find("/fd") == std::string::npos)
      out.descriptors.insert(entry.path().filename().string() + " " + target.string());
  }
  out.children = ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
  return out;
}

std::vector<std::string> processes_of(const fs::path &folder) {
  std::vector<std::string> found;
  for (int round = 0; round < 100; ++round) {
    found.clear();
    std::error_code failed;
    for (const auto &entry : fs::directory_iterator("/proc", failed)) {
      std::ifstream in(entry.path() / "cmdline", std::ios::binary);
      std::string line(64 * 1024, '\0');
      in.read(line.data(), std::ssize(line));  // nothing of a process that ends just now
      line.resize(static_cast<size_t>(in.gcount()));
      if (line.find(folder.string()) != std::string::npos)
        found.push_back(entry.path().filename().string() + " " + line);
    }
    if (found.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return found;
}

std::vector<std::string> drafts_in(const fs::path &folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (const auto &entry : fs::recursive_directory_iterator(folder, failed))
    if (entry.is_regular_file() && entry.path().extension() != ".so" && entry.path().has_extension())
      out.push_back(entry.path().string());
  return out;
}

}  // namespace tenon::host::testing
