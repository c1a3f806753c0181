// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/journal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocation_watch.hpp"
#include "journal_random.hpp"

namespace tenon {
namespace {

using journal_test::equal;
using journal_test::random_commands;

// The entries of a journal that cannot be read to its end are those before the damage.
struct reading {
  uint64_t entries = 0;
  std::string refused;  // empty: read to the end
  std::string where;
};

template <class F>
reading read(std::string_view bytes, F &&take) {
  reading out;
  const auto read_entries = read_journal(bytes, [&](int64_t now_ms, const command &c) {
    ++out.entries;
    take(now_ms, c);
  });
  if (read_entries) {
    EXPECT_EQ(*read_entries, out.entries);
  } else {
    out.refused = read_entries.why().text();
    out.where = read_entries.why().where;
    EXPECT_FALSE(out.refused.empty());
  }
  return out;
}
reading read(std::string_view bytes) {
  return read(bytes, [](int64_t, const command &) {});
}

std::string little_endian(uint32_t x) {
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(x >> shift);
  return out;
}

// An entry of any bytes, with a frame that is right.
std::string framed(const std::string &payload) {
  const std::string length = little_endian(static_cast<uint32_t>(payload.size()));
  boost::crc_32_type crc;
  crc.process_bytes(length.data(), length.size());
  crc.process_bytes(payload.data(), payload.size());
  return length + little_endian(static_cast<uint32_t>(crc.checksum())) + payload;
}

// A journal and where each entry ends.
struct written {
  std::string bytes = journal_header("journal_test");
  std::vector<size_t> ends{bytes.size()};

  void add(int64_t now_ms, const command &c) {
    append_entry(bytes, now_ms, c);
    ends.push_back(bytes.size());
  }
  [[nodiscard]] uint64_t whole_entries_before(size_t offset) const {
    return static_cast<uint64_t>(std::upper_bound(ends.begin(), ends.end(), offset) - ends.begin()) - 1;
  }
};

written small_journal() {
  written out;
  random_commands random(7);
  // Configurations are large: one of them is enough for tests that try every byte.
  for (int i = 0; i < 14; ++i) {
    const command c = random.next();
    if (!std::holds_alternative<register_rm>(c)) out.add(random.time(), c);
  }
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned char>(c) & 0xf];
  }
  return out;
}

TEST(Journal, ReadsWhatWasWritten) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_commands random(seed, seed % 2 == 0);
    std::vector<std::pair<int64_t, command>> commands;
    written journal;
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

TEST(Journal, WithoutEntriesIsEmpty) {
  const reading none = read(journal_header(""));
  EXPECT_EQ(none.refused, "");
  EXPECT_EQ(none.entries, 0U);
}

TEST(Journal, HeaderIsOneLineAboutItsWriter) {
  const std::string header = journal_header("tenon 0.1 on host\nsecond line");
  EXPECT_EQ(std::count(header.begin(), header.end(), '\n'), 1);
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(header.find("tenon 0.1 on host"), std::string::npos);
  EXPECT_EQ(header.find("second"), std::string::npos);
  EXPECT_EQ(read(header).refused, "");
}

// A later release reads what this one wrote: these bytes never change within a format.
TEST(Journal, BytesAreAsTheyWillAlwaysBe) {
  EXPECT_EQ(journal_header("me"), "tenon-journal 3 ac5292c2 me\n");
  std::string out;
  append_entry(out, 1'000, advance{});
  EXPECT_EQ(hex(out), "09000000c71431f9e8030000000000000d");
  out.clear();
  append_entry(out, -2, signal_rm{"rm", rm_signal::shutdown});
  EXPECT_EQ(hex(out), "10000000a7c22ad1feffffffffffffff0302000000726d03");
  out.clear();
  const named_amount resources[] = {{"vcore", 500}};
  const named_text tags[] = {{"t", "v"}};
  put_ask ask;
  ask.partition = "p";
  ask.application = "a";
  ask.key = "k";
  ask.resources = resources;
  ask.max_allocations = 3;
  ask.priority = -1;
  ask.priority_class = "c";
  ask.execution_timeout_ms = 4;
  ask.create_time_ms = 5;
  ask.tags = tags;
  ask.task_group = "g";
  ask.required_node = "n";
  ask.placeholder = true;
  ask.allow_preempt_self = false;
  ask.allow_preempt_other = true;
  append_entry(out, 0x0102030405060708, ask);
  EXPECT_EQ(
      hex(out),
      "660000007dbb20c908070605040302010601000000700100000061010000006b010000000500000076636f7265f4010000000000000300"
      "0000ffffffff01000000630400000000000000050000000000000001000000010000007401000000760100000067010000006e01000001");
}

// Existing allocations without details are written as before there were any; with them, under another number.
TEST(Journal, DetailsAreWrittenWhereThereAreSome) {
  put_allocation c;
  c.node = "n";
  std::string plain, detailed;
  append_entry(plain, 1, c);
  c.allocation.detail = "gpu=1@0";
  append_entry(detailed, 1, c);
  EXPECT_EQ(plain[16], '\x07');
  EXPECT_EQ(detailed[16], '\x0f');
  EXPECT_EQ(hex(detailed.substr(17)), hex(plain.substr(17)) + "070000006770753d314030");

  const existing_allocation both[] = {{}, {.ask = {}, .bind_time_ms = 0, .foreign = false, .detail = "gpu=1@0"}};
  add_node node;
  node.existing = {both, 1};
  std::string without, with;
  append_entry(without, 1, node);
  node.existing = both;
  append_entry(with, 1, node);
  EXPECT_EQ(without[16], '\x09');
  EXPECT_EQ(with[16], '\x10');
}

// As above, for every field of every command at once.
TEST(Journal, ChecksumOfManyCommandsIsAsItWillAlwaysBe) {
  random_commands random(1, false, 14);  // the kinds that there were first: more are looked at below
  std::string out;
  for (int i = 0; i < 140; ++i) {
    const int64_t now_ms = random.time();
    append_entry(out, now_ms, random.next());
  }
  boost::crc_32_type crc;
  crc.process_bytes(out.data(), out.size());
  EXPECT_EQ(crc.checksum(), 1363238476U) << out.size() << " bytes";
}

TEST(Journal, ARegistrationThatChecksPlacementsHasANumberOfItsOwn) {
  register_rm c;
  c.rm = "rm";
  std::string plain, checks;
  append_entry(plain, 1, c);
  c.check_deadline_ms = 1'000;
  append_entry(checks, 1, c);
  EXPECT_EQ(plain[16], '\x01');
  EXPECT_EQ(checks[16], '\x13');
  EXPECT_EQ(hex(checks.substr(17)), hex(plain.substr(17)) + "e803000000000000");
  std::string answer, again, delivered;
  append_entry(answer, 1, check_answer{"p", 7, true, "r"});
  append_entry(again, 1, check_again{"p", "a", "k", "n"});
  append_entry(delivered, 1, checks_delivered{"p", 7});
  EXPECT_EQ(hex(delivered.substr(16)), "1801000000700700000000000000");
  EXPECT_EQ(hex(answer.substr(16)), "1101000000700700000000000000010100000072");
  EXPECT_EQ(hex(again.substr(16)), "1201000000700100000061010000006b010000006e");
}

TEST(Journal, AppendingKeepsWhatIsThere) {
  std::string out = "before";
  append_entry(out, 1, advance{});
  std::string alone;
  append_entry(alone, 1, advance{});
  EXPECT_EQ(out, "before" + alone);
}

TEST(DamagedJournal, EveryFlippedBitIsRefusedAndEntriesBeforeItAreTaken) {
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

TEST(DamagedJournal, ACutIsRefusedUnlessBetweenEntries) {
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

TEST(DamagedJournal, IsRefusedWithItsPlaceAndWhatCanBeSaved) {
  written journal = small_journal();
  const size_t third = journal.ends[2];
  journal.bytes[third + 9] = static_cast<char>(journal.bytes[third + 9] + 1);
  const reading damaged = read(journal.bytes);
  EXPECT_EQ(damaged.where, "journal byte " + std::to_string(third) + ", entry 3");
  EXPECT_NE(damaged.refused.find("checksum"), std::string::npos) << damaged.refused;
  EXPECT_NE(damaged.refused.find("first " + std::to_string(third) + " bytes"), std::string::npos) << damaged.refused;
}

TEST(DamagedJournal, AnotherFileIsNoJournal) {
  EXPECT_EQ(read("").where, "journal byte 0, header");
  EXPECT_EQ(read("partitions:\n  - name: default\n").where, "journal byte 0, header");
  EXPECT_EQ(read(std::string(100, '\0')).where, "journal byte 0, header");
}

TEST(DamagedJournal, ALaterFormatIsNamed) {
  const reading later = read("tenon-journal 9 00000000 someone\n");
  EXPECT_NE(later.refused.find("format 9"), std::string::npos) << later.refused;
}

// Bytes that no writer wrote, under a checksum that fits. Whatever is taken must be written back as it was.
TEST(HostileJournal, ChangedPayloadsAreRefusedOrExact) {
  size_t taken = 0, refused = 0;
  for (uint64_t seed = 1; seed <= 20'000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_commands random(seed % 50, seed % 2 == 0);
    for (uint64_t skip = random.number(14) + seed % 14; skip > 0; --skip) random.next();
    std::string entry;
    append_entry(entry, random.time(), random.next());
    std::string payload = entry.substr(8);

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

    const std::string bytes = journal_header("") + framed(payload);
    largest_allocation = 0;
    std::string again = journal_header("");
    const reading result = read(bytes, [&](int64_t now_ms, const command &c) { append_entry(again, now_ms, c); });
    // Lists of views are larger in memory than in the journal, by a factor that the element types bound.
    EXPECT_LE(largest_allocation, 4'096 + 16 * bytes.size());
    if (result.refused.empty()) {
      EXPECT_EQ(hex(again), hex(bytes));
      ++taken;
    } else {
      EXPECT_EQ(result.entries, 0U);
      ++refused;
    }
  }
  EXPECT_GT(taken, 500U) << "changes of numbers and texts are still commands";
  EXPECT_GT(refused, 1'000U);
}

TEST(HostileJournal, ACountBeyondTheEntryAllocatesNothing) {
  const std::string time(8, '\0');
  // add_application: four texts, then groups.
  const std::string empty_text(4, '\0');
  const std::string payload = time + '\x04' + empty_text + empty_text + empty_text + empty_text + "\xff\xff\xff\x7f";
  const std::string bytes = journal_header("") + framed(payload);
  largest_allocation = 0;
  const reading result = read(bytes);
  EXPECT_NE(result.refused.find("a list of 2147483647"), std::string::npos) << result.refused;
  EXPECT_EQ(result.where, "journal byte " + std::to_string(bytes.size() - 4) + ", entry 1");
  EXPECT_LT(largest_allocation, 4'096U);
}

TEST(HostileJournal, UnknownCommandsAreRefused) {
  for (int number = 0; number < 256; ++number) {
    if (number >= 1 && number <= 24) continue;
    const reading result = read(journal_header("") + framed(std::string(8, '\0') + static_cast<char>(number)));
    EXPECT_NE(result.refused.find("number " + std::to_string(number)), std::string::npos) << result.refused;
  }
}

TEST(HostileJournal, EveryFieldStopsAtTheEndOfItsEntry) {
  random_commands random(3, true);
  for (int i = 0; i < 44; ++i) {
    std::string entry;
    append_entry(entry, 1, random.next());
    const std::string payload = entry.substr(8);
    for (size_t length = 9; length < payload.size(); ++length) {
      // What follows the entry must not be read as part of it.
      const std::string rest = framed(std::string(200, '\0'));
      const reading result = read(journal_header("") + framed(payload.substr(0, length)) + rest);
      ASSERT_NE(result.refused, "") << i << " " << length;
      ASSERT_EQ(result.entries, 0U) << i << " " << length;
    }
    const reading longer = read(journal_header("") + framed(payload + '\0'));
    EXPECT_NE(longer.refused.find("after the last field"), std::string::npos) << longer.refused;
  }
}

cluster_config nested(size_t depth) {
  cluster_config out;
  out.partitions.emplace_back();
  for (queue_config *q = &out.partitions[0].root; depth > 0; --depth) q = &q->queues.emplace_back();
  return out;
}

TEST(Journal, TakesDeepConfigurations) {
  const cluster_config deep = nested(900);
  written journal;
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

TEST(HostileJournal, NestingHasALimit) {
  const cluster_config deep = nested(1'100);
  written journal;
  journal.add(1, configure{"rm", &deep});
  const reading result = read(journal.bytes);
  EXPECT_NE(result.refused.find("nested deeper than 1000"), std::string::npos) << result.refused;
}

TEST(Journal, ALongOneTakesNoMoreMemoryThanItsLargestEntry) {
  const std::vector<named_text> tags(4, named_text{"k", "v"});
  add_application application;
  application.tags = tags;
  written journal;
  for (int i = 0; i < 5'000; ++i) journal.add(i, application);
  largest_allocation = 0;
  EXPECT_EQ(read(journal.bytes).entries, 5'000U);
  EXPECT_LT(largest_allocation, 16'384U);
}

TEST(Journal, AReaderThatThrowsStopsTheReading) {
  written journal;
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

}  // namespace
}  // namespace tenon
