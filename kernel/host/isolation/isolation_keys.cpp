// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/isolation_keys.hpp"

#include <algorithm>
#include <array>

namespace tenon::host {
namespace {

using config::key_spec;
using config::value_kind;

constexpr std::array<std::string_view, 2> modes{"none", "process"};

constexpr std::array process_keys{
    key_spec{.key = "call_deadline",
             .kind = value_kind::duration,
             .summary = "A call that is not answered by then is a fault; the process is killed and replaced.",
             .fallback = "1s"},
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
             .summary = "Files that it may have open, with eight of the host's.",
             .fallback = "16"},
};
constexpr config::object_spec process_object{"process", "What each process of a module may use.", process_keys};

}  // namespace

std::span<const std::string_view> isolation_words() { return modes; }
const config::object_spec &process_spec() { return process_object; }

void read_isolation(const config::yaml_node &entry, module_use &to, config::problems &report) {
  to.isolation = static_cast<isolation_mode>(
      std::find(modes.begin(), modes.end(), config::text_of(entry, "isolation", modes[0])) - modes.begin());
  const config::yaml_node *given = entry.find("process");
  if (given == nullptr) return;
  if (to.isolation != isolation_mode::process)
    report.refuse(given->at, "process without isolation: process", "limits of a module that has processes",
                  "write isolation: process, or leave process out");
  const auto deadline = [&](std::string_view key, std::chrono::milliseconds &time) {
    time = std::chrono::milliseconds(config::duration_ms_of(*given, key, time.count()));
    if (time.count() <= 0)
      report.refuse(given->find(key)->at, std::string(key) + " is no time", "a duration above 0, as 500ms",
                    "leave it out for the default");
  };
  const auto count = [&](std::string_view key, uint64_t &number, uint64_t least) {
    number = config::count_of(*given, key, number);
    if (number < least)
      report.refuse(given->find(key)->at, std::string(key) + " is " + std::to_string(number),
                    "at least " + std::to_string(least), "leave it out for the default");
  };
  deadline("call_deadline", to.process.call_deadline);
  deadline("start_deadline", to.process.start_deadline);
  count("memory", to.process.memory, uint64_t{16} << 20);
  count("descriptors", to.process.descriptors, 12);
}

}  // namespace tenon::host
