// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every trigger of the table in docs/events.md, in each of its forms, played on a kernel: each field of each record.
#include "trigger_stories.hpp"

#include <gmock/gmock.h>

#include <set>

#include "hub_fixture.hpp"
#include "tenon/events/trigger.hpp"

namespace tenon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAreArray;

std::string or_none(std::string_view text) { return text.empty() ? "-" : std::string(text); }

std::string full_line(const seen_record &r) {
  std::string out = std::string(events::type_name(r.type)) + ' ' + or_none(r.object) + ' ' + or_none(r.reference) +
                    ' ' + std::string(events::change_name(r.change)) + ' ' + or_none(events::detail_name(r.detail)) +
                    " | " + r.reason + ' ' + or_none(r.group) + " | " + or_none(r.application) + ' ' +
                    or_none(r.queue) + ' ' + or_none(r.node) + " | ";
  std::string amounts;
  for (const auto &[type, value] : r.resource)
    amounts += (amounts.empty() ? "" : " ") + type + ':' + std::to_string(value);
  return out + or_none(amounts) + " | " + or_none(r.message);
}

// A row of the table in one of its forms, as a word: "ask removed (1): REMOVE REQUEST_TIMEOUT".
std::string form_of(const events::trigger &row, uint32_t change, uint32_t detail, std::string_view more = {}) {
  const auto rows = events::triggers_of(row.kind);
  return std::string(name(row.kind)) + " (" + std::to_string(&row - rows.data() + 1) +
         "): " + std::string(events::change_name(change)) + ' ' + or_none(events::detail_name(detail)) +
         std::string(more);
}

std::vector<uint32_t> details_of(const events::trigger &row) {
  switch (row.rule) {
    case events::detail_by::number:
      return {row.detail};
    case events::detail_by::state:  // New is not entered, and Rejected has a row of its own
      return {204, 205, 206, 207, 208, 209, 210, 211, 212};
    case events::detail_by::release:
      return {500, 501, 502, 503, 504};
    case events::detail_by::ask_end:
      return {100, 102};
    case events::detail_by::queue_kind:
      return {0, 401};
    case events::detail_by::hold:
      return {row.detail, row.detail + 2};
  }
  return {};
}

constexpr std::string_view for_the_quota = ", for a queue's max";

std::set<std::string> all_forms() {
  std::set<std::string> out;
  for (const events::trigger &row : events::triggers()) {
    std::vector<uint32_t> changes{row.change};
    if (row.change == events::add_by_flag) changes = {TENON_EVENT_ADD, TENON_EVENT_REMOVE};
    if (row.change == events::set_by_flag) changes = {TENON_EVENT_SET, TENON_EVENT_REMOVE};
    for (const uint32_t change : changes) {
      for (const uint32_t detail : details_of(row)) out.insert(form_of(row, change, detail));
    }
    if (row.kind == fact_kind::preempted) out.insert(form_of(row, row.change, row.detail, for_the_quota));
  }
  return out;
}

// Passes facts on, and says which row each of the records to come is made by.
struct fact_collector : fact_listener {
  struct expected {
    const events::trigger *row;
    int64_t now_ms;
    std::string_view more;
  };
  void take(const fact &what) override {
    for (const events::trigger &row : events::triggers_of(what.kind)) {
      if (row.only_with_group && what.group.empty()) continue;
      const bool quota = what.kind == fact_kind::preempted && what.other_key.empty();
      rows.push_back({&row, what.now_ms, quota ? for_the_quota : std::string_view{}});
    }
    to->take(what);
  }
  fact_listener *to = nullptr;
  std::vector<expected> rows;
};

std::vector<trigger_story> all_stories() {
  std::vector<trigger_story> out = stories_of_applications();
  for (auto &more : {stories_of_asks(), stories_of_nodes_and_queues()}) out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(Triggers, EveryOneIsPlayedAndItsRecordsAreRightInEachField) {
  std::set<std::string> played;
  for (const trigger_story &one : all_stories()) {
    SCOPED_TRACE(one.name);
    sink_in_test sink;
    const auto hub = started({sink.listed()});
    fact_collector collector;
    collector.to = &hub->listener();
    stage on(collector);
    size_t from = 0;
    on.begin = [&] { from = collector.rows.size(); };
    one.play(on);
    ASSERT_TRUE(hub->flush(30s));
    const auto all = sink.all();
    ASSERT_EQ(all.size(), collector.rows.size()) << "a record is missing, or there is one too many";
    std::vector<std::string> lines;
    for (size_t i = from; i < all.size(); ++i) {
      const auto &[row, now_ms, more] = collector.rows[i];
      lines.push_back(full_line(all[i]));
      played.insert(form_of(*row, all[i].change, all[i].detail, more));
      EXPECT_EQ(all[i].timestamp_ns, now_ms * 1'000'000) << lines.back();
      EXPECT_EQ(all[i].partition, default_partition) << lines.back();
      EXPECT_EQ(all[i].id, i + 1) << lines.back();
      EXPECT_EQ(all[i].last_id, all[i].id) << lines.back();
    }
    EXPECT_THAT(lines, ElementsAreArray(one.records));
  }
  EXPECT_THAT(played, ElementsAreArray(all_forms())) << "a row of the table, or a form of it, that no story plays";
}

}  // namespace
}  // namespace tenon::testing
