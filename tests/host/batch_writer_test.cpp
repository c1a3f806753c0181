// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A batch that crossed to another process reads as it did here: every kind of column, by the same indexes.
#include "isolation/batch_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

#include "abi_values.hpp"

namespace tenon::host::isolation {
namespace {

class BatchWriter : public ::testing::Test {
 protected:
  // The region is where it is for both sides here.
  BatchWriter() : region_(1 << 16), to_(region_.data(), 64, region_.size()), writer_(to_) {
    to_.mapped_at(reinterpret_cast<uintptr_t>(region_.data()));
  }

  const tenon_batch &crossed() {
    batch_.size = sizeof batch_;
    batch_.item_count = static_cast<uint32_t>(items_.size());
    batch_.items = items_.data();
    batch_.columns = columns_.data();
    batch_.column_count = static_cast<uint32_t>(columns_.size());
    batch_.column_stride = sizeof(tenon_column);
    batch_.types = types_.data();
    batch_.type_count = static_cast<uint32_t>(types_.size());
    batch_.now_ms = 42;
    writer_.start();
    return *writer_.write(batch_).pointer();
  }

  std::vector<std::byte> region_;
  region_writer to_;
  batch_writer writer_;
  tenon_batch batch_{};
  std::vector<uint32_t> items_{7, 3, 9};
  std::vector<tenon_column> columns_;
  std::vector<tenon_text> types_{text("vcore"), text("memory")};
};

TEST_F(BatchWriter, KeepsItemsTypesAndTime) {
  const tenon_batch &out = crossed();
  EXPECT_THAT(std::vector<uint32_t>(out.items, out.items + out.item_count), ::testing::ElementsAre(7, 3, 9));
  ASSERT_EQ(out.type_count, 2);
  EXPECT_EQ(view(out.types[1]), "memory");
  EXPECT_EQ(out.now_ms, 42);
}

TEST_F(BatchWriter, NumbersAreFoundByTheSameIndexes) {
  std::array<int64_t, 10> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(100 + i);
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_I64, numbers.data(), nullptr, sizeof(int64_t), 0, 0});
  const tenon_batch &out = crossed();
  for (const uint32_t i : items_) EXPECT_EQ(value<int64_t>(out.columns[0], i), 100 + i);
}

TEST_F(BatchWriter, ResourcesCrossWithTheirMasks) {
  // Four numbers an item, of which two are types.
  std::array<int64_t, 40> amounts{};
  std::array<uint64_t, 10> present{};
  for (size_t i = 0; i < amounts.size(); ++i) amounts[i] = static_cast<int64_t>(i);
  for (size_t i = 0; i < present.size(); ++i) present[i] = i % 4;
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_RESOURCES, amounts.data(), present.data(), 4 * sizeof(int64_t),
                      sizeof(int64_t), sizeof(uint64_t)});
  const tenon_column &out = crossed().columns[0];
  for (const uint32_t i : items_) {
    EXPECT_EQ(value<int64_t>(out, i, 0), 4 * i);
    EXPECT_EQ(value<int64_t>(out, i, out.type_stride), 4 * i + 1);
    EXPECT_EQ(
        *reinterpret_cast<const uint64_t *>(reinterpret_cast<const std::byte *>(out.present) + i * out.present_stride),
        i % 4);
  }
}

TEST_F(BatchWriter, OneValueServesAllWhereItDid) {
  const int64_t number = 5;
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_I64, &number, nullptr, 0, 0, 0});
  const tenon_column &out = crossed().columns[0];
  EXPECT_EQ(out.item_stride, 0);
  EXPECT_EQ(value<int64_t>(out, 9), 5);
}

TEST_F(BatchWriter, TextsMapsAndListsCrossWithWhatTheyPointTo) {
  std::array<tenon_text, 10> texts{};
  texts[3] = text("three");
  texts[7] = text("");
  const std::array<tenon_text, 2> keys{text("a"), text("b")}, values{text("1"), text("2")};
  std::array<tenon_text_map, 10> maps{};
  maps[9] = {keys.data(), values.data(), 2};
  const std::array<int64_t, 3> list{4, 5, 6};
  std::array<tenon_numbers, 10> lists{};
  lists[7] = {list.data(), 3};
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_TEXT, texts.data(), nullptr, sizeof(tenon_text), 0, 0});
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_TEXT_MAP, maps.data(), nullptr, sizeof(tenon_text_map), 0, 0});
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_NUMBERS, lists.data(), nullptr, sizeof(tenon_numbers), 0, 0});
  const tenon_batch &out = crossed();
  EXPECT_EQ(view(value<tenon_text>(out.columns[0], 3)), "three");
  EXPECT_NE(value<tenon_text>(out.columns[0], 3).data, texts[3].data);
  EXPECT_NE(value<tenon_text>(out.columns[0], 7).data, nullptr);
  EXPECT_EQ(value<tenon_text>(out.columns[0], 9).data, nullptr);
  const auto &map = value<tenon_text_map>(out.columns[1], 9);
  ASSERT_EQ(map.count, 2);
  EXPECT_EQ(view(map.keys[1]), "b");
  EXPECT_EQ(view(map.values[0]), "1");
  const auto &numbers = value<tenon_numbers>(out.columns[2], 7);
  ASSERT_EQ(numbers.count, 3);
  EXPECT_EQ(numbers.values[2], 6);
}

TEST_F(BatchWriter, ColumnThatThisCallHasNotStaysAway) {
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_TEXT, nullptr, nullptr, 0, 0, 0});
  EXPECT_EQ(crossed().columns[0].base, nullptr);
}

TEST_F(BatchWriter, TypeThatComesLaterIsThereInTheNextCall) {
  (void)crossed();
  types_.push_back(text("gpu"));
  const tenon_batch &out = crossed();
  ASSERT_EQ(out.type_count, 3);
  EXPECT_EQ(view(out.types[0]), "vcore");
  EXPECT_EQ(view(out.types[2]), "gpu");
}

TEST_F(BatchWriter, BatchThatIsLargerThanTheRegionIsToldApart) {
  items_ = {0, 1'000'000};
  const std::vector<int64_t> numbers(1'000'001);
  columns_.push_back({sizeof(tenon_column), TENON_COLUMN_I64, numbers.data(), nullptr, sizeof(int64_t), 0, 0});
  EXPECT_THROW((void)crossed(), region_full);
}

}  // namespace
}  // namespace tenon::host::isolation
