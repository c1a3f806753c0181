// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What holds for journals of every format.
#include "tenon/kernel/journal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocation_watch.hpp"
#include "journal_bytes.hpp"
#include "journal_random.hpp"

namespace tenon::journal_test {
namespace {

class EveryFormat : public ::testing::TestWithParam<format> {
 protected:
  [[nodiscard]] const format &of() const { return GetParam(); }
  void change_payloads(uint64_t first_seed, uint64_t seeds);

  // A journal and where each entry ends.
  struct written {
    explicit written(const format &f) : as(f), bytes(f.header("journal_test")), ends{bytes.size()} {}
    const format &as;
    std::string bytes;
    std::vector<size_t> ends;

    void add(int64_t now_ms, const command &c) {
      as.append(bytes, now_ms, c);
      ends.push_back(bytes.size());
    }
    [[nodiscard]] uint64_t whole_entries_before(size_t offset) const {
      return static_cast<uint64_t>(std::upper_bound(ends.begin(), ends.end(), offset) - ends.begin()) - 1;
    }
  };

  written small_journal() const {
    written out(of());
    random_commands random(7, of().number);
    // Configurations are large: one of them is enough for tests that try every byte.
    for (int i = 0; i < 14; ++i) {
      const command c = random.next();
      if (!std::holds_alternative<register_rm>(c)) out.add(random.time(), c);
    }
    return out;
  }

  // Bytes are refused, or what is taken of them is written as they are, but for notes that are not known.
  void expect_refused_or_exact(const std::string &bytes, size_t &taken, size_t &refused) const {
    std::string again = of().header("");
    const reading result = read(bytes, [&](int64_t now_ms, const command &c) { of().append(again, now_ms, c); });
    if (!result.refused.empty()) {
      EXPECT_EQ(result.entries, 0U);
      ++refused;
    } else if (of().number == 3 || again.size() >= bytes.size()) {
      EXPECT_EQ(hex(again), hex(bytes));
      ++taken;
    }
  }
};

const auto formats = ::testing::Values(format_3(), format_4());
const auto format_name = [](const auto &of) { return "format" + std::to_string(of.param.number); };
INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, formats, format_name);

TEST_P(EveryFormat, ReadsWhatWasWritten) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_commands random(seed, of().number, seed % 2 == 0);
    std::vector<std::pair<int64_t, command>> commands;
    written journal(of());
    for (int i = 0; i < 26; ++i) {
      commands.emplace_back(random.time(), random.next());
      journal.add(commands.back().first, commands.back().second);
    }
    size_t at = 0;
    const reading all = read(journal.bytes, [&](int64_t now_ms, const command &c) {
      ASSERT_LT(at, commands.size());
      EXPECT_EQ(now_ms, commands[at].first);
      EXPECT_TRUE(equal(c, commands[at].second)) << "entry " << at + 1 << ", command " << c.index();
      ++at;
    });
    ASSERT_EQ(all.refused, "");
    ASSERT_EQ(all.entries, commands.size());
  }
}

TEST(Format4, ACommandWithoutItsConfigurationIsRefused) {
  for (const command &c : {command(register_rm{"rm", "1", "default", nullptr}), command(configure{"rm", nullptr})}) {
    std::string bytes = journal_header("me");
    append_entry(bytes, 1, advance{});
    append_entry(bytes, 1, c);
    const reading all = read(bytes);
    EXPECT_EQ(all.entries, 1U);
    EXPECT_NE(all.refused.find("there is no configuration"), std::string::npos) << all.refused;
  }
}

TEST_P(EveryFormat, WithoutEntriesIsEmpty) {
  const reading none = read(of().header(""));
  EXPECT_EQ(none.refused, "");
  EXPECT_EQ(none.entries, 0U);
}

TEST_P(EveryFormat, EveryFlippedBitIsRefusedAndEntriesBeforeItAreTaken) {
  const written journal = small_journal();
  std::string bytes = journal.bytes;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      const reading damaged = read(bytes);
      ASSERT_NE(damaged.refused, "") << "byte " << at << " bit " << bit;
      if (at >= journal.ends[0]) {
        ASSERT_EQ(damaged.entries, journal.whole_entries_before(at)) << "byte " << at << " bit " << bit;
      }
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    }
  }
  EXPECT_EQ(read(bytes).refused, "");
}

TEST_P(EveryFormat, ACutIsRefusedUnlessBetweenEntries) {
  const written journal = small_journal();
  for (size_t length = 0; length < journal.bytes.size(); ++length) {
    const reading cut = read(std::string_view(journal.bytes).substr(0, length));
    const bool between = std::binary_search(journal.ends.begin(), journal.ends.end(), length);
    ASSERT_EQ(cut.refused.empty(), between) << length << ": " << cut.refused;
    // Whoever reads it must see that bytes are missing, not that some are wrong.
    const bool within_magic = length < 14;
    ASSERT_TRUE(between || within_magic || cut.refused.find("journal ends within") != std::string::npos)
        << length << ": " << cut.refused;
    ASSERT_EQ(cut.entries, length < journal.ends[0] ? 0 : journal.whole_entries_before(length));
  }
}

TEST_P(EveryFormat, DamageIsRefusedWithItsPlaceAndWhatCanBeSaved) {
  written journal = small_journal();
  const size_t third = journal.ends[2];
  journal.bytes[third + 9] = static_cast<char>(journal.bytes[third + 9] + 1);
  const reading damaged = read(journal.bytes);
  EXPECT_EQ(damaged.where, "journal byte " + std::to_string(third) + ", entry 3");
  EXPECT_NE(damaged.refused.find("checksum"), std::string::npos) << damaged.refused;
  EXPECT_NE(damaged.refused.find("first " + std::to_string(third) + " bytes"), std::string::npos) << damaged.refused;
}

// Bytes that no writer wrote, under a checksum that fits.
void EveryFormat::change_payloads(uint64_t first_seed, uint64_t seeds) {
  size_t taken = 0, refused = 0;
  for (uint64_t seed = first_seed; seed < first_seed + seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_commands random(seed % 50, of().number, seed % 2 == 0);
    for (uint64_t skip = random.number(14) + seed % 14; skip > 0; --skip) random.next();
    std::string payload = of().payload(random.time(), random.next());

    std::mt19937_64 change(seed);
    for (uint64_t left = 1 + change() % 3; left > 0; --left) {
      const size_t at = change() % payload.size();
      switch (change() % 5) {
        case 0:
          payload[at] = static_cast<char>(change());
          break;
        case 1:
          payload.resize(std::max<size_t>(at, 1));
          break;
        case 2:
          payload.insert(at, 1 + change() % 9, static_cast<char>(change()));
          break;
        case 3:
          payload.replace(at, 4, little_endian(static_cast<uint32_t>(change() >> change() % 64)));
          break;
        default:
          payload.erase(at, 1 + change() % 9);
      }
      if (payload.empty()) payload = "x";
    }

    const std::string bytes = of().header("") + of().framed(payload);
    largest_allocation = 0;
    expect_refused_or_exact(bytes, taken, refused);
    EXPECT_LE(largest_allocation, of().least_memory + of().memory_per_byte * bytes.size());
  }
  EXPECT_GT(taken, seeds / 40) << "changes of numbers and texts are still commands";
  EXPECT_GT(refused, seeds / 20);
}

TEST_P(EveryFormat, ChangedPayloadsAreRefusedOrExact) { change_payloads(1, 5'000); }
TEST_P(EveryFormat, ManyChangedPayloadsAreRefusedOrExact) { change_payloads(5'001, 15'000); }

TEST_P(EveryFormat, EveryFieldStopsAtTheEndOfItsEntry) {
  random_commands random(3, of().number, true);
  size_t taken = 0, refused = 0;
  for (int i = 0; i < 44; ++i) {
    const std::string payload = of().payload(1, random.next());
    for (size_t length = 1; length < payload.size(); ++length) {
      expect_refused_or_exact(of().header("") + of().framed(payload.substr(0, length)), taken, refused);
      ASSERT_FALSE(HasFailure()) << i << " " << length;
    }
    EXPECT_NE(read(of().header("") + of().framed(payload + '\0')).refused, "");
  }
  EXPECT_GT(refused, 1'000U);
}

cluster_config nested(size_t depth) {
  cluster_config out;
  out.partitions.emplace_back();
  for (queue_config *q = &out.partitions[0].root; depth > 0; --depth) q = &q->queues.emplace_back();
  return out;
}

TEST_P(EveryFormat, TakesDeepConfigurations) {
  cluster_config deep = nested(900);
  if (of().number == 3) {  // it has none of these
    partition_tuning &tuning = deep.partitions[0].tuning;
    tuning.reservation_max_nodes = 0;
    tuning.start_retry_ms = tuning.start_retry_max_ms = 0;
  }
  written journal(of());
  journal.add(1, configure{"rm", &deep});
  largest_allocation = 0;
  EXPECT_EQ(read(journal.bytes,
                 [&](int64_t, const command &c) {
                   EXPECT_GT(largest_allocation, 0U) << "allocations of the kernel are seen";
                   EXPECT_TRUE(std::get<configure>(c).config != nullptr && *std::get<configure>(c).config == deep);
                 })
                .refused,
            "");
}

TEST_P(EveryFormat, NestingHasALimit) {
  const cluster_config deep = nested(1'100);
  written journal(of());
  journal.add(1, configure{"rm", &deep});
  const reading result = read(journal.bytes);
  EXPECT_NE(result.refused.find("nested deeper than 1000"), std::string::npos) << result.refused;
}

TEST_P(EveryFormat, ALongOneTakesNoMoreMemoryThanItsLargestEntry) {
  const std::vector<named_text> tags(4, named_text{"k", "v"});
  add_application application;
  application.tags = tags;
  written journal(of());
  for (int i = 0; i < 5'000; ++i) journal.add(i, application);
  largest_allocation = 0;
  EXPECT_EQ(read(journal.bytes).entries, 5'000U);
  EXPECT_LT(largest_allocation, 16'384U);
}

TEST_P(EveryFormat, AReaderThatThrowsStopsTheReading) {
  written journal(of());
  journal.add(1, advance{});
  journal.add(2, advance{});
  int calls = 0;
  const auto stop = [&](int64_t, const command &) {
    ++calls;
    throw std::runtime_error("enough");
  };
  EXPECT_THROW((void)read_journal(journal.bytes, stop), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST(Journal, HeaderIsOneLineAboutItsWriter) {
  const std::string header = journal_header("tenon 0.1 on host\nsecond line");
  EXPECT_EQ(std::count(header.begin(), header.end(), '\n'), 1);
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(header.find("tenon 0.1 on host"), std::string::npos);
  EXPECT_EQ(header.find("second"), std::string::npos);
  EXPECT_EQ(read(header).refused, "");
}

TEST(Journal, AppendingKeepsWhatIsThere) {
  std::string out = "before";
  append_entry(out, 1, advance{});
  std::string alone;
  append_entry(alone, 1, advance{});
  EXPECT_EQ(out, "before" + alone);
}

TEST(Journal, WhileItIsWrittenWholeEntriesAreTold) {
  std::string bytes;
  std::vector<size_t> ends{0};
  for (const size_t length : {size_t{1}, size_t{200}, size_t{40'000}}) {
    append_entry(bytes, 5, fail_application{"[rm]default", "app", std::string(length, 'x'), {}});
    ends.push_back(bytes.size());
  }
  for (size_t cut = 0; cut <= bytes.size(); cut += cut < 300 ? 1 : 97) {
    const size_t whole = *(std::upper_bound(ends.begin(), ends.end(), cut) - 1);
    EXPECT_EQ(whole_entries(std::string_view(bytes).substr(0, cut)), whole) << cut;
  }
  EXPECT_EQ(whole_entries(bytes), bytes.size());
  // No entry has such a size: whoever reads it hears why.
  EXPECT_EQ(whole_entries(std::string(12, '\xff')), 12U);
  EXPECT_EQ(whole_entries("\xff\xff\xff\xff\xff\x7f...."), 10U);
}

TEST(DamagedJournal, AnotherFileIsNoJournal) {
  EXPECT_EQ(read("").where, "journal byte 0, header");
  EXPECT_EQ(read("partitions:\n  - name: default\n").where, "journal byte 0, header");
  EXPECT_EQ(read(std::string(100, '\0')).where, "journal byte 0, header");
}

TEST(DamagedJournal, FormatsThatAreNotReadAreNamed) {
  for (const std::string number : {"0", "1", "2", "5", "9", "04", "44", ""}) {
    const reading other = read("tenon-journal " + number + " 00000000 someone\n");
    EXPECT_NE(other.refused.find("format " + number + " is not known"), std::string::npos) << other.refused;
    EXPECT_NE(other.refused.find("a journal of format 3 or 4"), std::string::npos) << other.refused;
  }
}

}  // namespace
}  // namespace tenon::journal_test
