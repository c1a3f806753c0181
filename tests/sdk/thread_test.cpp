// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The thread checks of debug builds; this program is always compiled without NDEBUG.
#include <gmock/gmock.h>

#include "stub_host.hpp"
#include "tenon/sdk/identity.hpp"
#include "tenon/sdk/sort_policy.hpp"

namespace {

struct constant {
  static constexpr std::string_view name = "constant";
  static constexpr std::tuple columns{tenon::sdk::number_column{"queue.priority"}};
  double key(const auto &) const { return 1; }
};

struct no_groups {
  static constexpr std::string_view name = "no-groups";
  std::vector<std::string> groups(std::string_view) const { return {}; }
};

}  // namespace

TENON_MODULE(tenon::sdk::queue_sort<constant>, tenon::sdk::identity<no_groups>)

namespace tenon::sdk {
namespace {

constexpr tenon_nothing nothing{sizeof nothing, 0};

class ThreadCheck : public ::testing::Test {  // NOLINT(readability-identifier-naming): the name of a suite
 protected:
  ThreadCheck() { make(TENON_QUEUE_SORT); }
  ~ThreadCheck() override { end(); }

  void make(std::string_view interface_id) {
    const tenon_get_factory_in want{sizeof want, 0, text(interface_id)};
    tenon_get_factory_out found{sizeof found, 0, nullptr};
    EXPECT_EQ(TENON_MODULE_ENTRY.get_factory(&want, &found), TENON_OK);
    const tenon_create_in in{sizeof in, 0, text("{}"), 16, 0, &host.table};
    made = {};
    made.size = sizeof made;
    EXPECT_EQ(found.factory->create(found.factory, &in, &made), TENON_OK);
    EXPECT_EQ(made.lifecycle->init(made.instance, &nothing, nullptr), TENON_OK);
  }
  void end() {
    host.thread = TENON_THREAD_MAIN;
    EXPECT_EQ(made.lifecycle->destroy(made.instance, &nothing, nullptr), TENON_OK);
  }

  tenon_status keys_on(uint32_t thread) {
    host.thread = thread;
    const int64_t value = 3;
    const uint32_t item = 0;
    const tenon_column column{sizeof column, TENON_COLUMN_I64, &value, nullptr, 8, 0, 0};
    tenon_batch batch = {};
    batch.size = sizeof batch;
    batch.item_count = batch.column_count = 1;
    batch.items = &item;
    batch.columns = &column;
    batch.column_stride = sizeof column;
    uint64_t key = 0;
    int64_t not_before_ms = 0, valid_until_ms = 0;
    tenon_keys_out out{sizeof out, 1, &key, &not_before_ms, &valid_until_ms};
    return static_cast<const tenon_sort_v1 *>(made.interface_table)->keys(made.instance, &batch, &out);
  }

  tenon_status resolve_on(uint32_t thread) {
    host.thread = thread;
    const tenon_resolve_in in{sizeof in, 0, text("alice")};
    tenon_resolve_out out = {};
    out.size = sizeof out;
    return static_cast<const tenon_identity_v1 *>(made.interface_table)->resolve(made.instance, &in, &out);
  }

  tenon_status activate_on(uint32_t thread) {
    host.thread = thread;
    return made.lifecycle->activate(made.instance, &nothing, nullptr);
  }

  stub_host host;
  tenon_create_out made = {};
};

TEST_F(ThreadCheck, CycleSlotOnTheWriterAlone) {
  EXPECT_EQ(keys_on(TENON_THREAD_CYCLE), TENON_OK);
  EXPECT_EQ(keys_on(TENON_THREAD_MAIN), TENON_INTERNAL);
  EXPECT_EQ(keys_on(TENON_THREAD_IO), TENON_INTERNAL);
  EXPECT_EQ(keys_on(TENON_THREAD_OTHER), TENON_INTERNAL);
  EXPECT_THAT(host.lines, ::testing::ElementsAre(::testing::HasSubstr("[cycle]")));
}

TEST_F(ThreadCheck, IoSlotOnAWorkerAlone) {
  end();
  make(TENON_IDENTITY);
  EXPECT_EQ(resolve_on(TENON_THREAD_IO), TENON_OK);
  for (const uint32_t other : {TENON_THREAD_MAIN, TENON_THREAD_CYCLE, TENON_THREAD_OTHER})
    EXPECT_EQ(resolve_on(other), TENON_INTERNAL);
  EXPECT_THAT(host.lines, ::testing::ElementsAre(::testing::HasSubstr("[io]")));
}

TEST_F(ThreadCheck, MainSlotOnMainOrTheWriter) {
  EXPECT_EQ(activate_on(TENON_THREAD_IO), TENON_INTERNAL);
  EXPECT_EQ(activate_on(TENON_THREAD_MAIN), TENON_OK);
  host.thread = TENON_THREAD_CYCLE;
  EXPECT_EQ(made.lifecycle->deactivate(made.instance, &nothing, nullptr), TENON_OK);
}

}  // namespace
}  // namespace tenon::sdk
