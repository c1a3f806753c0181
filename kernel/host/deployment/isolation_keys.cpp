// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "deployment/parts.hpp"

namespace tenon::host {
namespace {

using config::key_spec;
using config::value_kind;

constexpr std::array<std::string_view, 2> modes{"none", "process"};

constexpr std::array process_keys{
    key_spec{.key = "call_deadline",
             .kind = value_kind::duration,
             .summary = "A call that is not answered by then is a fault; the process is killed and replaced. Time in "
                        "which the process waits for a processor does not count, up to a second.",
             .fallback = "50ms for orders, 200ms for predicates and placement rules"},
    key_spec{.key = "io_deadline",
             .kind = value_kind::duration,
             .summary = "The same for calls of identities and event sinks, which may wait.",
             .fallback = "1m"},
    key_spec{.key = "start_deadline",
             .kind = value_kind::duration,
             .summary = "The same for opening the module, and for making an instance.",
             .fallback = "10s"},
    key_spec{.key = "memory",
             .kind = value_kind::count,
             .summary = "Bytes that it may have of its own.",
             .fallback = "1073741824"},
    key_spec{.key = "descriptors",
             .kind = value_kind::count,
             .summary = "Files that it may have open, with seven of the host's.",
             .fallback = "16"},
};
constexpr config::object_spec process_object{"process", "What each process of a module may use.", process_keys};

constexpr std::array permission_keys{
    key_spec{.key = "read",
             .kind = value_kind::text_list,
             .summary = "Files, and folders with all that is in them, relative to this file.",
             .fallback = "none"},
    key_spec{.key = "write",
             .kind = value_kind::text_list,
             .summary = "The same to read, make, write and remove.",
             .fallback = "none"},
    key_spec{.key = "network",
             .kind = value_kind::boolean,
             .summary = "Connections and datagrams to others, and the files by which names become addresses.",
             .fallback = "false"},
    key_spec{.key = "threads", .kind = value_kind::boolean, .summary = "More threads than one.", .fallback = "false"},
};
constexpr config::object_spec permissions_object{
    "permissions", "What each process of a module may do, where its manifest asks for it.", permission_keys};

void read_permissions(const key_reader &entry, module_use &to) {
  const config::yaml_node *given = entry.find("permissions");
  if (given == nullptr) return;
  if (to.isolation == isolation_mode::none)
    entry.report().refuse(
        given->at, "permissions with isolation: none",
        "permissions of a module that has processes; in the scheduler's it may do all that the scheduler may",
        "write isolation: process, or leave permissions out");
  const auto paths = [&](std::string_view key) {
    std::vector<std::filesystem::path> out;
    for (const std::string &each : config::texts_of(*given, key)) {
      out.push_back(entry.resolve(each));
      std::error_code failed;
      if (!std::filesystem::exists(out.back(), failed))
        entry.report().refuse(given->find(key)->at, std::string(key) + " has " + config::in_quotes(out.back().string()),
                              "a file or folder that is there",
                              "make it, or correct the path; it is relative to this file");
    }
    return out;
  };
  to.granted = {paths("read"), paths("write"), config::boolean_of(*given, "network", false),
                config::boolean_of(*given, "threads", false)};
}

}  // namespace

bool granted_permissions::has(std::string_view permission) const {
  return permission == "read"      ? !read.empty()
         : permission == "write"   ? !write.empty()
         : permission == "network" ? network
                                   : permission == "threads" && threads;
}

const config::object_spec &permissions_spec() { return permissions_object; }
std::span<const std::string_view> isolation_words() { return modes; }
const config::object_spec &process_spec() { return process_object; }

void read_isolation(const key_reader &entry, module_use &to) {
  std::string word;
  entry.text("isolation", word);
  if (!word.empty())
    to.isolation = static_cast<isolation_mode>(std::find(modes.begin(), modes.end(), word) - modes.begin());
  read_permissions(entry, to);
  const key_reader process = entry.object("process");
  if (const config::yaml_node *given = entry.find("process"); given != nullptr && to.isolation == isolation_mode::none)
    entry.report().refuse(given->at, "process with isolation: none", "limits of a module that has processes",
                          "write isolation: process, or leave process out");
  if (process.find("call_deadline") != nullptr) {
    process.duration("call_deadline", to.process.call_deadline);
    to.process.answer_within(to.process.call_deadline);
  }
  process.duration("io_deadline", to.process.io_deadline);
  process.duration("start_deadline", to.process.start_deadline);
  process.count("memory", to.process.memory, uint64_t{16} << 20, UINT64_MAX);
  process.count("descriptors", to.process.descriptors, 12, UINT64_MAX);
}

}  // namespace tenon::host
