// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Policies that the built-in ones do not need: what the sort kinds must be able to say.
#include <gmock/gmock.h>

#include "tenon/builtin/policy_source.hpp"
#include "tenon/sdk/sort_policy.hpp"
#include "tenon/testing/policy_table.hpp"

namespace {

using namespace tenon::sdk;

// Applications by the deadline in a tag, the next one first; those without one last.
struct deadline_first {
  static constexpr std::string_view name = "deadline";
  static constexpr std::tuple columns{words_column{"item.prepared"}, number_column{"app.submitted_ms"}};

  std::array<uint64_t, 4> prepare(const text_map &tags) const {
    const auto tag = tags.find("deadline_ms");
    if (!tag) return {UINT64_MAX, 0, 0, 0};
    uint64_t deadline = 0;
    const auto [end, error] = std::from_chars(tag->data(), tag->data() + tag->size(), deadline);
    if (error != std::errc() || end != tag->data() + tag->size()) {
      throw invalid_config("deadline_ms: want milliseconds, have \"" + std::string(*tag) + "\"");
    }
    return {deadline, 0, 0, 0};
  }

  std::array<uint64_t, 2> key(const auto &app) const {
    const auto [prepared, submitted_ms] = app.values();
    return {prepared[0], ascending(submitted_ms)};
  }
};

// Queues with the property `hours: H-H` get nothing outside of these hours of the day (UTC).
struct business_hours {
  static constexpr std::string_view name = "hours";
  static constexpr std::tuple columns{text_column{"queue.property:hours"}, number_column{"queue.priority"}};

  void begin(const auto &queues) { now_ms_ = queues.now_ms(); }
  std::array<uint64_t, 1> key(const auto &queue) const { return {descending(queue.template get<1>())}; }

  int64_t not_before(const auto &queue) const {
    const auto hours = queue.template get<0>();
    if (!hours) return std::numeric_limits<int64_t>::min();
    int from = 0, to = 24;
    const auto first = std::from_chars(hours->data(), hours->data() + hours->size(), from);
    if (first.ptr != hours->data() + hours->size()) {
      std::from_chars(first.ptr + 1, hours->data() + hours->size(), to);
    }
    constexpr int64_t hour_ms = 3'600'000, day_ms = 24 * hour_ms;
    const int64_t today = now_ms_ - now_ms_ % day_ms, opens = today + from * hour_ms;
    if (now_ms_ < opens) return opens;
    return now_ms_ < today + to * hour_ms ? std::numeric_limits<int64_t>::min() : opens + day_ms;
  }

 private:
  int64_t now_ms_ = 0;
};

// Nodes by what would stay free beside this ask, least first; without an ask, all alike.
struct best_fit {
  static constexpr std::string_view name = "best-fit";
  static constexpr std::tuple columns{resources_column{"node.free"}, resources_column{"ask.resources", scope::context}};

  double key(const auto &) const { return 0; }
  double score(const auto &node) const {
    const auto [available, wanted] = node.values();
    double left = 0;
    for (uint32_t t = 0; t < node.all().type_count(); ++t) {
      if (wanted[t] > 0) left += static_cast<double>(available[t] - wanted[t]) / static_cast<double>(wanted[t]);
    }
    return left;
  }
};

// Nodes alike, on each the first device with room; of a type and with keys that the instance says.
struct first_device {
  static constexpr std::string_view name = "first-device";
  explicit first_device(const config &settings) : column_(settings.text("column", "score.devices:fpga")) {}
  std::tuple<numbers_column, number_column> columns() const {
    return {{"node.devices:fpga"}, {column_, scope::context}};
  }
  uint32_t key_words() const { return 2; }
  void key(const auto &, std::span<uint64_t> words) const { std::fill(words.begin(), words.end(), 7); }
  with_devices<std::array<uint64_t, 2>> score(const auto &node) const {
    const auto [devices, chooses] = node.values();
    for (size_t i = 0; i < devices.size(); ++i) {
      if (devices[i] > 0) return {{7, 7}, uint64_t{1} << i};
    }
    return {{8, 8}, 0};
  }

 private:
  const std::string column_;
};

}  // namespace

TENON_MODULE(app_sort<deadline_first>, queue_sort<business_hours>, node_sort<best_fit>, node_sort<first_device>)

namespace tenon {
namespace {

using order = std::vector<uint32_t>;

std::unique_ptr<bound_policy> policy(module_kind kind, std::string_view name, std::string_view configuration = "{}") {
  static constexpr std::array modules{builtin::static_module{"test.expressive", &TENON_MODULE_ENTRY}};
  auto bound = bind_static(modules, kind, name, configuration, 16);
  if (!bound) throw std::runtime_error(bound.why().text());
  return std::move(*bound);
}

// What `prepare` makes of one tag.
std::pair<tenon_status, std::array<uint64_t, 4>> prepared(const bound_policy &p, std::string_view key,
                                                          std::string_view value) {
  const tenon_text name = testing::as_text(key), text = testing::as_text(value);
  const tenon_prepare_in in{sizeof in, 0, &name, &text, 1};
  tenon_prepare_out out{sizeof out, 0, {0, 0, 0, 0}, nullptr};
  const tenon_status status = p.sort->prepare(p.instance, &in, &out);
  return {status, {out.words[0], out.words[1], out.words[2], out.words[3]}};
}

TEST(DeadlineFirst, TagsPreparedOnceAndOrderedBy) {
  const auto p = policy(module_kind::app_sort, "deadline");
  testing::policy_table apps({});
  apps.words("item.prepared", {prepared(*p, "deadline_ms", "500").second, prepared(*p, "other", "x").second,
                               prepared(*p, "deadline_ms", "90").second, prepared(*p, "deadline_ms", "500").second});
  apps.numbers("app.submitted_ms", {7, 1, 9, 3});
  EXPECT_EQ(apps.order(*p), (order{2, 3, 0, 1}));
}

TEST(DeadlineFirst, TagThatIsNoNumberRefusesTheApplication) {
  EXPECT_EQ(prepared(*policy(module_kind::app_sort, "deadline"), "deadline_ms", "soon").first, TENON_INVALID_CONFIG);
}

TEST(BusinessHours, OutsideOfItsHoursTheQueueWaitsUntilTheyBegin) {
  constexpr int64_t hour_ms = 3'600'000, day_ms = 24 * hour_ms, some_day = 19'000 * day_ms;
  const auto p = policy(module_kind::queue_sort, "hours");
  testing::policy_table queues({});
  queues.texts("queue.property:hours", {"8-18", std::nullopt, "0-24"}).numbers("queue.priority", {9, 1, 2});
  const auto at = [&](int64_t now_ms) {
    queues.now_ms = now_ms;
    return queues.order(*p);
  };
  EXPECT_EQ(at(some_day + 7 * hour_ms), (order{2, 1}));
  EXPECT_EQ(at(some_day + 8 * hour_ms), (order{0, 2, 1}));
  EXPECT_EQ(at(some_day + 18 * hour_ms - 1), (order{0, 2, 1}));
  EXPECT_EQ(at(some_day + 18 * hour_ms), (order{2, 1}));
  EXPECT_EQ(queues.keys(*p).not_before_ms[0], some_day + day_ms + 8 * hour_ms);
}

TEST(BestFit, ScoreDependsOnTheAsk) {
  const auto p = policy(module_kind::node_sort, "best-fit");
  testing::policy_table nodes({"vcore", "memory"});
  nodes.resources("node.free", {{{"vcore", 10}, {"memory", 2}}, {{"vcore", 4}, {"memory", 10}}});
  nodes.resources("ask.resources", {{{"vcore", 4}}});
  EXPECT_GT(nodes.scores(*p).keys[0], nodes.scores(*p).keys[1]);
  nodes.resources("ask.resources", {{{"memory", 2}}});
  EXPECT_LT(nodes.scores(*p).keys[0], nodes.scores(*p).keys[1]);
}

TEST(FirstDevice, TheMaskIsTheWordAfterTheKey) {
  const auto p = policy(module_kind::node_sort, "first-device");
  EXPECT_EQ(p->key_words, 3U);
  testing::policy_table nodes({});
  nodes.lists("node.devices:fpga", {{0, 5, 9}, {0}}).numbers("score.devices:fpga", {1});
  EXPECT_EQ(nodes.scores(*p).keys, (testing::policy_table::keys_of_items{{7, 7, 0b10}, {8, 8, 0}}));
  nodes.absent("score.devices:fpga");
  EXPECT_EQ(nodes.keys(*p).keys, (testing::policy_table::keys_of_items{{7, 7, 0}, {7, 7, 0}}));
}

TEST(FirstDevice, WithoutTheColumnThereIsNoInstance) {
  EXPECT_THROW((void)policy(module_kind::node_sort, "first-device", R"({"column": "node.device_size:fpga"})"),
               std::runtime_error);
}

TEST(BestFit, KeysWithoutAnAsk) {
  const auto p = policy(module_kind::node_sort, "best-fit");
  testing::policy_table nodes({"vcore"});
  nodes.resources("node.free", {{{"vcore", 10}}, {{"vcore", 4}}});
  nodes.absent("ask.resources");
  const auto result = nodes.keys(*p);
  EXPECT_EQ(result.status, TENON_OK);
  EXPECT_EQ(result.keys[0], result.keys[1]);
  EXPECT_EQ(nodes.scores(*p).status, TENON_OK);
}

}  // namespace
}  // namespace tenon
