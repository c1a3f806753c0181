// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// docs/state-json.md has the keys that states and explanations have, and no others.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../documents/written_pages.hpp"
#include "describe_rms.hpp"

namespace tenon {
namespace {

struct key_list {
  std::string keys;

  template <class T>
  void operator()(std::string_view key, const T &) {
    keys += (keys.empty() ? "`" : ", `") + std::string(key) + "`";
  }
};

template <class Record>
std::string keys_of() {
  key_list out;
  const Record one{};
  describe(out, one);
  return out.keys;
}

TEST(StateJson, PageHasItsKeys) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"state", keys_of<kernel_snapshot>()},
      {"partition", keys_of<partition_snapshot>()},
      {"canary", keys_of<canary_snapshot>()},
      {"limits of a canary", keys_of<canary_limits>()},
      {"side of a canary", keys_of<canary_side>()},
      {"queue", keys_of<queue_snapshot>()},
      {"template of children", keys_of<child_template_config>()},
      {"application", keys_of<application_snapshot>()},
      {"ask", keys_of<ask_snapshot>()},
      {"allocation", keys_of<allocation_snapshot>()},
      {"placeholders", keys_of<placeholder_snapshot>()},
      {"past use", keys_of<past_use_snapshot>()},
      {"node", keys_of<node_snapshot>()},
      {"usage", keys_of<usage_snapshot>()},
      {"resource manager", keys_of<service::rm_status>()},
      {"bound", keys_of<service::rm_bound>()},
      {"explanation", keys_of<explanation>()},
      {"obstacle", keys_of<obstacle>()},
      {"nodes of an explanation", keys_of<node_reasons>()},
      {"change", keys_of<change>()}};
  std::string table = "| record | keys |\n|---|---|\n";
  for (const auto &[record, keys] : rows) table += "| " + record + " | " + keys + " |\n";
  EXPECT_TRUE(tenon::pages::has_part("docs/state-json.md", "keys", table));
}

}  // namespace
}  // namespace tenon
