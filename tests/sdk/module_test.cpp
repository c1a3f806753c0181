// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules made by the SDK, through the C ABI alone, with callers that are right and callers that are not.
#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <vector>

#include "stub_host.hpp"
#include "tenon/sdk/predicate_policy.hpp"
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct first_number {
  static constexpr std::string_view name = "first-number";
  static constexpr uint32_t order_rev = 7;
  static constexpr uint32_t rekey_ms = 1500;
  static constexpr std::tuple columns{number_column{"app.priority", scope::siblings}};

  // 13 and 14 stand for faults of a policy.
  int64_t key(const auto &app) const {
    const int64_t number = app.template get<0>();
    if (number == 13) throw std::runtime_error("thirteen");
    if (number == 14) throw 14;
    return number;
  }
  int64_t not_before(const auto &app) const {
    return app.template get<0>() < 0 ? TENON_NOT_NOW : std::numeric_limits<int64_t>::min();
  }
  int64_t valid_until(const auto &app) const { return app.template get<0>() * 100; }
  std::array<uint64_t, 4> prepare(const text_map &tags) const {
    const auto deadline = tags.find("deadline");
    if (!deadline) throw invalid_config("no deadline");
    if (*deadline == "never") throw std::runtime_error("a bug");
    return {deadline->size(), 0, 0, 42};
  }
};

// Reads one attribute that its configuration names and gives as many words as it says.
struct configured {
  static constexpr std::string_view name = "configured";

  explicit configured(const setup &s)
      : column_("node.attr:" + s.settings.text("attribute", "rack")),
        words_(static_cast<uint32_t>(s.settings.whole("words", s.max_resource_types, 0, 1000))) {
    if (s.settings.has("break")) throw std::logic_error("broken");
    if (s.settings.has("break badly")) throw 1;
  }

  std::tuple<text_column> columns() const { return {text_column{column_}}; }
  uint32_t key_words() const { return words_; }
  void key(const auto &node, std::span<uint64_t> words) const {
    const auto [value] = node.values();
    std::fill(words.begin(), words.end(), value ? value->size() : 99);
  }

 private:
  std::string column_;
  uint32_t words_;
};

struct lifecycle_recorder {
  static constexpr std::string_view name = "lifecycle";
  static constexpr std::tuple columns{number_column{"app.priority"}};
  static inline std::string calls;

  ~lifecycle_recorder() { calls += "destroy "; }
  void init(host_services &host) {
    host.log(TENON_LOG_INFO, "init");
    calls += "init ";
  }
  void activate() {
    calls += "activate ";
    if (fail_activate) throw std::runtime_error("no room");
  }
  void deactivate() { calls += "deactivate "; }
  double key(const auto &) const { return 0; }
  static inline bool fail_activate = false;
};

struct odd_only {
  static constexpr std::string_view name = "odd-only";
  static constexpr std::tuple columns{number_column{"node.schedulable"}, number_column{"ask.priority", scope::context}};
  static constexpr std::array<std::string_view, 2> reasons{"even", "negative"};

  verdict filter(const auto &node) const {
    const auto [number, unused] = node.values();
    if (number == 13) throw std::runtime_error("thirteen");
    return number < 0 ? unresolvable(2) : number % 2 == 0 ? fail(1) : pass();
  }
  std::array<uint64_t, 2> signature(const auto &ask) const { return {5, static_cast<uint64_t>(ask.template get<1>())}; }
};

}  // namespace

TENON_MODULE(app_sort<first_number>, app_sort<lifecycle_recorder>, node_sort<configured>, predicate<odd_only>)

namespace tenon::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const tenon_module &module_table = TENON_MODULE_ENTRY;
constexpr tenon_nothing nothing{sizeof nothing, 0};

const tenon_factory *factory(std::string_view id) {
  const tenon_get_factory_in in{sizeof in, 0, text(id)};
  tenon_get_factory_out out{sizeof out, 0, nullptr};
  EXPECT_EQ(module_table.get_factory(&in, &out), TENON_OK);
  return out.factory;
}

tenon_description describe(std::string_view id, uint32_t index) {
  const tenon_describe_in in{sizeof in, index};
  tenon_description out = {};
  out.size = sizeof out;
  EXPECT_EQ(factory(id)->describe(factory(id), &in, &out), TENON_OK);
  return out;
}

// An instance, made and ended as a host does.
class made {
 public:
  made(std::string_view id, uint32_t index, std::string_view configuration = "{}", const tenon_host *host = nullptr,
       bool active = true) {
    words_ = {sizeof words_, static_cast<uint32_t>(buffer_.size()), buffer_.data(), 0};
    const tenon_create_in in{sizeof in, index, text(configuration), 16, 0, host};
    out.size = sizeof out;
    out.error = &words_;
    status = factory(id)->create(factory(id), &in, &out);
    if (status == TENON_OK && active) {
      EXPECT_EQ(out.lifecycle->init(out.instance, &nothing, &words_), TENON_OK);
      EXPECT_EQ(out.lifecycle->activate(out.instance, &nothing, &words_), TENON_OK);
    }
  }
  ~made() {
    if (out.instance != nullptr) out.lifecycle->destroy(out.instance, &nothing, nullptr);
  }
  made(const made &) = delete;
  made &operator=(const made &) = delete;

  [[nodiscard]] std::string error() const { return {words_.data, words_.length}; }
  [[nodiscard]] const tenon_sort_v1 &sort() const { return *static_cast<const tenon_sort_v1 *>(out.interface_table); }
  [[nodiscard]] const tenon_predicate_v1 &judge() const {
    return *static_cast<const tenon_predicate_v1 *>(out.interface_table);
  }

  tenon_status status;
  tenon_create_out out = {};

 private:
  std::array<char, 64> buffer_{};
  tenon_message words_{};
};

// A batch over one column of numbers, all items in order.
struct numbers_batch {
  explicit numbers_batch(std::vector<int64_t> values, std::vector<int64_t> context = {0})
      : rows(std::move(values)), second(std::move(context)) {
    for (uint32_t i = 0; i < rows.size(); ++i) items.push_back(i);
    columns = {{{sizeof(tenon_column), TENON_COLUMN_I64, rows.data(), nullptr, 8, 0, 0},
                {sizeof(tenon_column), TENON_COLUMN_I64, second.data(), nullptr, 0, 0, 0}}};
    batch.size = sizeof batch;
    batch.item_count = static_cast<uint32_t>(items.size());
    batch.items = items.data();
    batch.columns = columns.data();
    batch.column_count = 2;
    batch.column_stride = sizeof(tenon_column);
    keys.resize(rows.size());
    not_before_ms.assign(rows.size(), INT64_MIN);
    valid_until_ms.assign(rows.size(), INT64_MAX);
    out = {sizeof out, 1, keys.data(), not_before_ms.data(), valid_until_ms.data()};
  }
  std::vector<int64_t> rows, second;
  std::vector<uint32_t> items;
  std::array<tenon_column, 2> columns{};
  tenon_batch batch{};
  std::vector<uint64_t> keys;
  std::vector<int64_t> not_before_ms, valid_until_ms;
  tenon_keys_out out{};
};

TEST(Module, TableSaysItsSizeAndRevisions) {
  EXPECT_EQ(module_table.size, sizeof(tenon_module));
  EXPECT_EQ(module_table.abi_epoch, TENON_ABI_EPOCH);
  EXPECT_EQ(module_table.draft_rev, TENON_DRAFT_REV);
}

TEST(Module, InitMayBeRepeatedAndUndoneTooOften) {
  const stub_host host;
  const tenon_module_init_in in{sizeof in, TENON_ABI_EPOCH, &host.table};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(module_table.init(&in, nullptr), TENON_OK);
  for (int i = 0; i < 103; ++i) EXPECT_EQ(module_table.deinit(&nothing, nullptr), TENON_OK);
  EXPECT_EQ(module_table.init(&in, nullptr), TENON_OK);
  EXPECT_EQ(module_table.deinit(&nothing, nullptr), TENON_OK);
}

TEST(Module, InitHostOfAnotherEpochRefusedWithWords) {
  std::array<char, 200> buffer{};
  tenon_message error{sizeof error, buffer.size(), buffer.data(), 0};
  const tenon_module_init_in in{sizeof in, TENON_ABI_EPOCH + 1, nullptr};
  EXPECT_EQ(module_table.init(&in, &error), TENON_UNSUPPORTED);
  EXPECT_THAT(std::string(error.data, error.length), HasSubstr("epoch"));
}

TEST(Module, GetFactoryUnknownInterfaceUnsupported) {
  for (const char *id : {"", "tenon.node-sort/2", "tenon.node-sort", "tenon.transport/1"}) {
    const tenon_get_factory_in in{sizeof in, 0, text(id)};
    tenon_get_factory_out out{sizeof out, 0, factory(TENON_APP_SORT)};
    EXPECT_EQ(module_table.get_factory(&in, &out), TENON_UNSUPPORTED) << id;
    EXPECT_EQ(out.factory, nullptr) << id;
  }
}

TEST(Module, DescribeEachImplementationOfAnInterfaceByIndex) {
  EXPECT_EQ(view(describe(TENON_APP_SORT, 0).name), "first-number");
  EXPECT_EQ(view(describe(TENON_APP_SORT, 1).name), "lifecycle");
  EXPECT_EQ(view(describe(TENON_NODE_SORT, 0).name), "configured");
  const tenon_describe_in past{sizeof past, 2};
  tenon_description out = {};
  out.size = sizeof out;
  EXPECT_EQ(factory(TENON_APP_SORT)->describe(factory(TENON_APP_SORT), &past, &out), TENON_UNSUPPORTED);
}

TEST(Module, DescribeSaysWhatThePolicyDeclares) {
  const tenon_description d = describe(TENON_APP_SORT, 0);
  EXPECT_EQ(view(d.version), "1.2.3");
  EXPECT_EQ(d.order_rev, 7U);
  EXPECT_EQ(d.rekey_ms, 1500U);
  EXPECT_EQ(d.key_words, 1U);
  ASSERT_EQ(d.column_count, 1U);
  EXPECT_EQ(view(d.columns[0].id), "app.priority");
  EXPECT_EQ(d.columns[0].scope, TENON_SCOPE_SIBLINGS);
  EXPECT_EQ(describe(TENON_APP_SORT, 1).order_rev, 1U);
  EXPECT_EQ(describe(TENON_APP_SORT, 1).rekey_ms, 0U);
}

TEST(Module, DescribeReasonsOfAPredicate) {
  const tenon_description d = describe(TENON_PREDICATE, 0);
  ASSERT_EQ(d.reason_count, 2U);
  EXPECT_EQ(view(d.reasons[0]), "even");
  EXPECT_EQ(view(d.reasons[1]), "negative");
}

TEST(Module, DescribeHostKnowsLessFillsThatMuchAndNoMore) {
  const tenon_describe_in in{sizeof in, 0};
  tenon_description out;
  std::memset(static_cast<void *>(&out), 0x5A, sizeof out);
  out.size = offsetof(tenon_description, order_rev);
  EXPECT_EQ(factory(TENON_APP_SORT)->describe(factory(TENON_APP_SORT), &in, &out), TENON_OK);
  EXPECT_EQ(out.size, offsetof(tenon_description, order_rev));
  EXPECT_EQ(out.key_words, 1U);
  EXPECT_EQ(out.order_rev, 0x5A5A5A5AU);
  EXPECT_EQ(out.reason_count, 0x5A5A5A5AU);
}

TEST(Module, StructsTooSmallToBeUsedUnsupported) {
  const tenon_factory *f = factory(TENON_APP_SORT);
  const tenon_get_factory_in short_id{offsetof(tenon_get_factory_in, interface_id), 0, text(TENON_APP_SORT)};
  tenon_get_factory_out found{sizeof found, 0, nullptr};
  EXPECT_EQ(module_table.get_factory(&short_id, &found), TENON_UNSUPPORTED);
  const tenon_describe_in short_describe{4, 0};
  tenon_description description = {};
  description.size = sizeof description;
  EXPECT_EQ(f->describe(f, &short_describe, &description), TENON_UNSUPPORTED);
  const tenon_create_in short_create{offsetof(tenon_create_in, configuration), 0, text("{}"), 16, 0, nullptr};
  tenon_create_out created = {};
  created.size = sizeof created;
  EXPECT_EQ(f->create(f, &short_create, &created), TENON_UNSUPPORTED);
  const tenon_create_in create{sizeof create, 0, text("{}"), 16, 0, nullptr};
  created.size = offsetof(tenon_create_out, interface_table);
  EXPECT_EQ(f->create(f, &create, &created), TENON_UNSUPPORTED);
  EXPECT_EQ(created.instance, nullptr);
}

TEST(Module, NullPointersUnsupported) {
  EXPECT_EQ(module_table.init(nullptr, nullptr), TENON_UNSUPPORTED);
  EXPECT_EQ(module_table.get_factory(nullptr, nullptr), TENON_UNSUPPORTED);
  const tenon_factory *f = factory(TENON_APP_SORT);
  EXPECT_EQ(f->describe(f, nullptr, nullptr), TENON_UNSUPPORTED);
  EXPECT_EQ(f->create(f, nullptr, nullptr), TENON_UNSUPPORTED);
  const made policy(TENON_APP_SORT, 0);
  EXPECT_EQ(policy.sort().keys(policy.out.instance, nullptr, nullptr), TENON_UNSUPPORTED);
  numbers_batch b({1});
  EXPECT_EQ(policy.sort().keys(nullptr, &b.batch, &b.out), TENON_INTERNAL);
}

TEST(Create, HostWithoutHostFieldStillMakesAnInstance) {
  const tenon_factory *f = factory(TENON_APP_SORT);
  const tenon_create_in in{offsetof(tenon_create_in, host), 0, text("{}"), 16, 0, nullptr};
  tenon_create_out out = {};
  out.size = offsetof(tenon_create_out, columns);
  ASSERT_EQ(f->create(f, &in, &out), TENON_OK);
  EXPECT_EQ(out.lifecycle->destroy(out.instance, &nothing, nullptr), TENON_OK);
}

TEST(Create, HostTooOldForItsColumnsRefused) {
  const tenon_factory *f = factory(TENON_NODE_SORT);
  const tenon_create_in in{sizeof in, 0, text("{}"), 16, 0, nullptr};
  tenon_create_out out = {};
  out.size = offsetof(tenon_create_out, columns);
  EXPECT_EQ(f->create(f, &in, &out), TENON_UNSUPPORTED);
  EXPECT_EQ(out.instance, nullptr);
}

TEST(Create, RefusedConfigurationSaysWhy) {
  const made policy(TENON_NODE_SORT, 0, R"({"attribute": 7})");
  EXPECT_EQ(policy.status, TENON_INVALID_CONFIG);
  EXPECT_EQ(policy.out.instance, nullptr);
  EXPECT_EQ(policy.error(), R"(configuration key "attribute": want a text)");
}

TEST(Create, BrokenJsonRefused) { EXPECT_EQ(made(TENON_NODE_SORT, 0, "{").status, TENON_INVALID_CONFIG); }

TEST(Create, ConstructorThrowsInternalWithItsWords) {
  const made policy(TENON_NODE_SORT, 0, R"({"break": 1})");
  EXPECT_EQ(policy.status, TENON_INTERNAL);
  EXPECT_EQ(policy.error(), "broken");
  EXPECT_EQ(made(TENON_NODE_SORT, 0, R"({"break badly": 1})").status, TENON_INTERNAL);
}

TEST(Create, LongWordsAreCutToTheRoomThereIs) {
  const std::string key = "\"" + std::string(500, 'x') + "\"";
  const made policy(TENON_NODE_SORT, 0, "{" + key + ": 1, " + key + ": 2}");
  EXPECT_EQ(policy.status, TENON_INVALID_CONFIG);
  EXPECT_EQ(policy.error().size(), 64U);
}

TEST(Create, InstanceDecidesColumnsAndWordsComeWithIt) {
  EXPECT_EQ(describe(TENON_NODE_SORT, 0).columns, nullptr);
  EXPECT_EQ(describe(TENON_NODE_SORT, 0).key_words, 0U);
  const made policy(TENON_NODE_SORT, 0, R"({"attribute": "zone", "words": 3})");
  ASSERT_EQ(policy.status, TENON_OK);
  ASSERT_EQ(policy.out.column_count, 1U);
  EXPECT_EQ(view(policy.out.columns[0].id), "node.attr:zone");
  EXPECT_EQ(policy.out.key_words, 3U);
  EXPECT_EQ(made(TENON_NODE_SORT, 0).out.key_words, 16U);  // max_resource_types
}

TEST(Create, MoreWordsThanAKeyMayHaveRefused) {
  EXPECT_EQ(made(TENON_NODE_SORT, 0, R"({"words": 0})").status, TENON_INTERNAL);
  EXPECT_EQ(made(TENON_NODE_SORT, 0, R"({"words": 72})").status, TENON_OK);
  EXPECT_EQ(made(TENON_NODE_SORT, 0, R"({"words": 73})").status, TENON_INTERNAL);
}

TEST(Lifecycle, InOrderReachesThePolicy) {
  lifecycle_recorder::calls.clear();
  stub_host host;
  {
    const made policy(TENON_APP_SORT, 1, "{}", &host.table);
    EXPECT_EQ(policy.out.lifecycle->deactivate(policy.out.instance, &nothing, nullptr), TENON_OK);
    EXPECT_EQ(policy.out.lifecycle->activate(policy.out.instance, &nothing, nullptr), TENON_OK);
  }
  EXPECT_EQ(lifecycle_recorder::calls, "init activate deactivate activate destroy ");
  EXPECT_THAT(host.lines, ElementsAre("init"));
}

TEST(Lifecycle, OutOfOrderRefusedAndThePolicyNotCalled) {
  lifecycle_recorder::calls.clear();
  const made policy(TENON_APP_SORT, 1, "{}", nullptr, false);
  EXPECT_EQ(policy.out.lifecycle->activate(policy.out.instance, &nothing, nullptr), TENON_INTERNAL);
  EXPECT_EQ(policy.out.lifecycle->deactivate(policy.out.instance, &nothing, nullptr), TENON_INTERNAL);
  EXPECT_EQ(policy.out.lifecycle->init(policy.out.instance, &nothing, nullptr), TENON_OK);
  EXPECT_EQ(policy.out.lifecycle->init(policy.out.instance, &nothing, nullptr), TENON_INTERNAL);
  EXPECT_EQ(lifecycle_recorder::calls, "init ");
}

TEST(Lifecycle, ActivateThrowsStatusAndWords) {
  const made policy(TENON_APP_SORT, 1, "{}", nullptr, false);
  EXPECT_EQ(policy.out.lifecycle->init(policy.out.instance, &nothing, nullptr), TENON_OK);
  lifecycle_recorder::fail_activate = true;
  std::array<char, 40> buffer{};
  tenon_message error{sizeof error, buffer.size(), buffer.data(), 0};
  EXPECT_EQ(policy.out.lifecycle->activate(policy.out.instance, &nothing, &error), TENON_INTERNAL);
  EXPECT_EQ(std::string(error.data, error.length), "no room");
  lifecycle_recorder::fail_activate = false;
  EXPECT_EQ(policy.out.lifecycle->activate(policy.out.instance, &nothing, nullptr), TENON_OK);
}

TEST(Keys, BatchKeysInItsOrder) {
  const made policy(TENON_APP_SORT, 0);
  numbers_batch b({30, -10, 20});
  b.items = {2, 0, 1};
  b.batch.items = b.items.data();
  ASSERT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_OK);
  EXPECT_THAT(b.keys, ElementsAre(ascending(int64_t{20}), ascending(int64_t{30}), ascending(int64_t{-10})));
  EXPECT_THAT(b.not_before_ms, ElementsAre(INT64_MIN, INT64_MIN, TENON_NOT_NOW));
  EXPECT_THAT(b.valid_until_ms, ElementsAre(2000, 3000, -1000));
}

TEST(Keys, EmptyBatchNothing) {
  const made policy(TENON_APP_SORT, 0);
  numbers_batch b({});
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_OK);
}

TEST(Keys, PolicyThrowsInternalAndLoggedOnce) {
  stub_host host;
  const made policy(TENON_APP_SORT, 0, "{}", &host.table);
  host.thread = TENON_THREAD_CYCLE;
  numbers_batch thirteen({1, 13}), fourteen({14}), sound({1});
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &thirteen.batch, &thirteen.out), TENON_INTERNAL);
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &fourteen.batch, &fourteen.out), TENON_INTERNAL);
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &sound.batch, &sound.out), TENON_OK);
  EXPECT_THAT(host.lines, ElementsAre("thirteen"));
  host.thread = TENON_THREAD_MAIN;
}

TEST(Keys, HostWithoutServicesFaultsAreStillStatuses) {
  stub_host host;
  host.has_services = false;
  const made policy(TENON_APP_SORT, 0, "{}", &host.table);
  numbers_batch b({13});
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_INTERNAL);
}

TEST(Keys, ColumnsThatWereNotDeclaredUnsupported) {
  const made policy(TENON_APP_SORT, 0);
  numbers_batch b({1});
  b.batch.column_count = 0;
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_UNSUPPORTED);
  b.batch.column_count = 1;
  b.columns[0].kind = TENON_COLUMN_TEXT;
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_UNSUPPORTED);
}

TEST(Keys, OtherNumberOfWordsUnsupported) {
  const made policy(TENON_APP_SORT, 0);
  numbers_batch b({1});
  b.out.key_words = 2;
  EXPECT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_UNSUPPORTED);
}

TEST(Keys, ColumnsOfANewerHostReadByTheirStride) {
  struct wide_column {
    tenon_column known;
    uint64_t more;
  };
  const made policy(TENON_APP_SORT, 0);
  numbers_batch b({7});
  const std::array<wide_column, 1> wide{
      {{{sizeof(wide_column), TENON_COLUMN_I64, b.rows.data(), nullptr, 8, 0, 0}, 1}}};
  b.batch.columns = &wide[0].known;
  b.batch.column_count = 1;
  b.batch.column_stride = sizeof(wide_column);
  ASSERT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_OK);
  EXPECT_EQ(b.keys[0], ascending(int64_t{7}));
}

TEST(Keys, DynamicWordsAllWritten) {
  const made policy(TENON_NODE_SORT, 0, R"({"words": 2})");
  const std::array<tenon_text, 2> values{text("abc"), tenon_text{nullptr, 0}};
  numbers_batch b({0, 0});
  b.columns[0] = {sizeof(tenon_column), TENON_COLUMN_TEXT, values.data(), nullptr, sizeof(tenon_text), 0, 0};
  b.keys.resize(4);
  b.out.keys = b.keys.data();
  b.out.key_words = 2;
  ASSERT_EQ(policy.sort().keys(policy.out.instance, &b.batch, &b.out), TENON_OK);
  EXPECT_THAT(b.keys, ElementsAre(3, 3, 99, 99));
}

TEST(Prepare, TagsBecomeWordsOrARefusal) {
  const made policy(TENON_APP_SORT, 0);
  const auto prepare = [&](std::string_view name, std::string_view value, tenon_prepare_out &out) {
    const tenon_text n = text(name), v = text(value);
    const tenon_prepare_in in{sizeof in, 0, &n, &v, 1};
    return policy.sort().prepare(policy.out.instance, &in, &out);
  };
  std::array<char, 40> buffer{};
  tenon_message error{sizeof error, buffer.size(), buffer.data(), 0};
  tenon_prepare_out out{sizeof out, 0, {0, 0, 0, 0}, &error};
  EXPECT_EQ(prepare("deadline", "soon", out), TENON_OK);
  EXPECT_THAT(out.words, ElementsAre(4, 0, 0, 42));
  EXPECT_EQ(prepare("other", "soon", out), TENON_INVALID_CONFIG);
  EXPECT_EQ(std::string(error.data, error.length), "no deadline");
  EXPECT_EQ(prepare("deadline", "never", out), TENON_INTERNAL);
}

TEST(Prepare, PolicyWithoutItSlotIsNull) {
  EXPECT_EQ(made(TENON_APP_SORT, 1).sort().prepare, nullptr);
  EXPECT_EQ(made(TENON_APP_SORT, 1).sort().score, nullptr);
}

TEST(Filter, BatchVerdictsAndReasons) {
  const made policy(TENON_PREDICATE, 0);
  numbers_batch b({1, 2, -3});
  std::array<uint8_t, 3> verdicts{};
  std::array<uint16_t, 3> reasons{};
  tenon_filter_out out{sizeof out, 0, verdicts.data(), reasons.data()};
  ASSERT_EQ(policy.judge().filter(policy.out.instance, &b.batch, &out), TENON_OK);
  EXPECT_THAT(verdicts, ElementsAre(TENON_PASS, TENON_FAIL, TENON_FAIL_UNRESOLVABLE));
  EXPECT_THAT(reasons, ElementsAre(0, 1, 2));
  EXPECT_EQ(policy.judge().filter_prefix, nullptr);
  numbers_batch bad({13});
  EXPECT_EQ(policy.judge().filter(policy.out.instance, &bad.batch, &out), TENON_INTERNAL);
}

TEST(Filter, SignatureReadsTheAskOfABatchWithoutItems) {
  const made policy(TENON_PREDICATE, 0);
  numbers_batch b({}, {77});
  b.columns[0].base = nullptr;
  tenon_signature_out out{sizeof out, 0, {0, 0}};
  ASSERT_EQ(policy.judge().signature(policy.out.instance, &b.batch, &out), TENON_OK);
  EXPECT_THAT(out.words, ElementsAre(5, 77));
}

}  // namespace
}  // namespace tenon::sdk
