// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes of each format, as they will always be, and what a build does with those of later ones.
#include <gtest/gtest.h>

#include <string>

#include "../documents/written_pages.hpp"
#include "allocation_watch.hpp"
#include "journal/damage.hpp"
#include "journal/writer.hpp"
#include "journal_bytes.hpp"
#include "journal_page.hpp"
#include "journal_random.hpp"

namespace tenon::journal_test {
namespace {

// Every field has another value than the one that is left out.
struct full_ask {
  named_amount resources[1] = {{"vcore", 500}};
  named_text tags[1] = {{"t", "v"}};
  put_ask ask{.partition = "p",
              .application = "a",
              .key = "k",
              .resources = resources,
              .max_allocations = 3,
              .priority = -1,
              .priority_class = "c",
              .execution_timeout_ms = 4,
              .create_time_ms = 5,
              .tags = tags,
              .task_group = "g",
              .required_node = "n",
              .placeholder = true,
              .originator = true,
              .allow_preempt_self = false,
              .allow_preempt_other = true};
};

std::string hex_of(const format &as, int64_t now_ms, const command &c) {
  std::string out;
  as.append(out, now_ms, c);
  return hex(out);
}

// A later release reads what this one wrote: these bytes never change.
TEST(Format4, BytesAreAsTheyWillAlwaysBe) {
  EXPECT_EQ(journal_header("me"), "tenon-journal 4 ac5292c2 me\n");
  EXPECT_EQ(hex_of(format_4(), 1'000, advance{}), "078d19a5bc1ad00f");
  EXPECT_EQ(hex_of(format_4(), -2, signal_rm{"rm", rm_signal::shutdown}), "0c29f7137e06030a02726d1003");
  EXPECT_EQ(hex_of(format_4(), 0x0102030405060708, full_ask().ask),
            "4777f551dd0c909cb0d080c18182020a01701201611a016b220b0a0a0576636f726510e807280630013a01634008480a5207060a01"
            "741201765a016762016e680170017800800101");
  step with_answers{"p", 7, {}};
  const step_answer answers[] = {
      {step_answer::kind::policy_fault, 3, false, {policy_fault::kind::node_order, {}, "x", {}}},
      {step_answer::kind::rm_check, 1, true, {}}};
  with_answers.answers = answers;
  EXPECT_EQ(hex_of(format_4(), 1, with_answers), "1e8ef6ec5d18020a017010071a11091003220508031a017806080110011801");
  cluster_config config;
  config.partitions.emplace_back();
  config.partitions[0].root.name = "root";
  config.partitions[0].node_sort.resource_weights = {{"vcore", 1.5}};
  config.priority_classes = {{"high", -3}};
  EXPECT_EQ(hex_of(format_4(), 1, configure{"rm", &config}),
            "7d7ad4eead04020a02726d12710a67660a0764656661756c7412060a04726f6f74200132160a0466616972120e0576636f72650000"
            "00000000f83f423908a01f1080bab703180128b0ea0130c0cf2438e0d4034080d098f70148c0ee6d50a09c0158c0b80260809f4968"
            "ffffffff0f70d00f78c0cf241206046869676805");
  config.partitions[0].tuning.reservation_max_nodes = 0;
  config.partitions[0].tuning.start_retry_ms = config.partitions[0].tuning.start_retry_max_ms = 0;
  EXPECT_EQ(hex_of(format_4(), 1, configure{"rm", &config}),
            "70e7a1dad504020a02726d12640a5a590a0764656661756c7412060a04726f6f74200132160a0466616972120e0576636f72650000"
            "00000000f83f422c08a01f1080bab703180128b0ea0130c0cf2438e0d4034080d098f70148c0ee6d50a09c0158c0b80260809f4912"
            "06046869676805")
      << "as builds wrote that did not have these";
}

TEST(Format4, WhatIsLeftOutTakesNoBytes) {
  EXPECT_EQ(hex(format_4().payload(0, put_ask{})), "0c00");
  EXPECT_EQ(hex(format_4().payload(0, add_node{})), "1200");
  EXPECT_EQ(hex(format_4().payload(0, put_allocation{})), "0e00");
  EXPECT_EQ(hex(format_4().payload(0, register_rm{})), "0200");
  const cluster_config config;
  EXPECT_EQ(hex(format_4().payload(0, configure{{}, &config})), "04001200") << "none, and one that has nothing, differ";
}

TEST(Format4, ThePageHasTheFields) { EXPECT_TRUE(tenon::pages::has_part("docs/journal.md", "fields", field_tables())); }

// Bytes of a field.
std::string field(uint32_t id, bool note, journal::wire as, const std::string &value) {
  std::string out;
  journal::writer(out).varint(journal::tag_of(id, note, as));
  return out + value;
}
std::string sized(const std::string &content) {
  std::string out;
  journal::writer(out).varint(content.size());
  return out + content;
}
std::string entry(uint32_t head, const std::string &fields) {
  std::string out;
  journal::writer(out).varint(head);
  return format_4().framed(out + '\0' + fields);
}

constexpr uint32_t add_node_head = 9 << 1;
using journal::wire;

// add_node of a later build: notes of every wire, at every depth and between the fields that are known.
TEST(Format4, NotesOfLaterBuildsAreSkipped) {
  const std::string notes = field(100, true, wire::number, "\xff\x01") + field(101, true, wire::bits64, "12345678") +
                            field(5000, true, wire::bytes, sized("text"));
  const std::string ask = field(3, false, wire::bytes, sized("key")) + notes;
  const std::string existing = field(1, false, wire::bytes, sized(ask)) + field(3, false, wire::number, "\x01") + notes;
  const std::string node = field(2, false, wire::bytes, sized("n")) +
                           field(7, false, wire::bytes, sized(sized(existing) + sized(notes))) + notes;
  const reading result = read(journal_header("") + entry(add_node_head, node), [](int64_t, const command &c) {
    const auto &read = std::get<add_node>(c);
    EXPECT_EQ(read.node, "n");
    ASSERT_EQ(read.existing.size(), 2U);
    EXPECT_EQ(read.existing[0].ask.key, "key");
    EXPECT_TRUE(read.existing[0].foreign);
    EXPECT_EQ(read.existing[1].ask.max_allocations, 1);
  });
  EXPECT_EQ(result.refused, "");
  EXPECT_EQ(result.entries, 1U);
}

TEST(Format4, FieldsOfLaterBuildsThatMustBeUnderstoodAreRefused) {
  const std::string ask = field(3, false, wire::bytes, sized("key")) + field(18, false, wire::number, "\x01");
  const std::string existing = sized(field(1, false, wire::bytes, sized(ask)));
  const reading result =
      read(journal_header("tenon 9.9") + entry(add_node_head, field(7, false, wire::bytes, sized(existing))));
  EXPECT_EQ(result.entries, 0U);
  EXPECT_EQ(result.refused,
            "journal byte 52, entry 1: add_node.existing.ask: field 18 is not known and must be understood; want: "
            "commands, fields and choices that this build knows; fix: replay it with the build that wrote it (tenon "
            "9.9) or a later one");
}

TEST(Format4, CommandsOfLaterBuildsAreSkippedWhereTheySaySo) {
  const std::string known = format_4().framed(format_4().payload(1, advance{}));
  const reading skipped = read(journal_header("") + known + entry(99 << 1 | 1, "anything") + known);
  EXPECT_EQ(skipped.refused, "");
  EXPECT_EQ(skipped.entries, 2U);
  for (uint32_t number = 0; number < 300; ++number) {
    const bool unused = number == 15 || number == 16 || number == 19 || number == 26;
    if (number >= 1 && number <= 27 && !unused) continue;
    const reading result = read(journal_header("") + known + entry(number << 1, ""));
    EXPECT_NE(result.refused.find("command " + std::to_string(number) + " is not known and must be understood"),
              std::string::npos)
        << result.refused;
    EXPECT_NE(result.where.find("entry 2"), std::string::npos) << result.where;
  }
}

TEST(Format4, ChoicesOfLaterBuildsAreRefused) {
  const reading result = read(journal_header("") + entry(3 << 1, field(2, false, wire::number, "\x04")));
  EXPECT_NE(result.refused.find("signal_rm.signal: a choice of 0 to 3 is 4"), std::string::npos) << result.refused;
  EXPECT_NE(result.refused.find("or a later one"), std::string::npos) << result.refused;
}

// A value has one form, so that what is read is written as it was.
TEST(Format4, OtherFormsOfAValueAreRefused) {
  const auto why = [](uint32_t command, const std::string &fields) {
    return read(journal_header("") + entry(command << 1, fields)).refused;
  };
  const auto has = [](const std::string &in, const char *what) { return in.find(what) != std::string::npos; };
  const std::string p = field(1, false, wire::bytes, sized("p"));
  EXPECT_TRUE(has(why(6, p + p), "not in the order of their ids"));
  EXPECT_TRUE(has(why(6, field(3, false, wire::bytes, sized("k")) + p), "not in the order of their ids"));
  EXPECT_TRUE(has(why(6, field(0, false, wire::number, "\x01")), "not in the order of their ids"));
  EXPECT_TRUE(has(why(6, field(1, false, wire::number, "\x01")), "not written as one of its kind"));
  EXPECT_TRUE(has(why(6, field(1, true, wire::bytes, sized("p"))), "not written as one of its kind"));
  EXPECT_TRUE(has(why(6, field(1, false, static_cast<wire>(3), sized("p"))), "no wire"));
  EXPECT_TRUE(has(why(6, field(1, false, wire::bytes, sized(""))), "put_ask.partition: is written with the value"));
  EXPECT_TRUE(has(why(6, field(5, false, wire::number, "\x02")), "put_ask.max_allocations: is written with the value"));
  EXPECT_TRUE(has(why(6, field(5, false, wire::number, std::string("\x84\x00", 2))), "longer than it needs to be"));
  EXPECT_TRUE(has(why(6, field(5, false, wire::number, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")), "64 bits"));
  EXPECT_TRUE(has(why(6, field(5, false, wire::number, "\x80\x80\x80\x80\x10")), "2147483648 is no number of 32 bits"));
  EXPECT_TRUE(has(why(6, field(13, false, wire::number, "\x02")), "a choice of 0 to 1 is 2"));
  EXPECT_TRUE(has(why(11, field(3, false, wire::number, "\x80\x02")), "256 is no number of 8 bits"));
  EXPECT_TRUE(has(why(6, p + field(3, false, wire::bytes, "\x05k")), "5 bytes reach beyond the end"));
  EXPECT_TRUE(has(why(6, p + field(5, false, wire::number, "\x80")), "reaches beyond the end"));
}

TEST(Format4, MapsHaveTheirKeysInOrder) {
  const auto why = [](const std::string &classes) {
    const std::string config = field(2, false, wire::bytes, sized(classes));
    return read(journal_header("") + entry(2 << 1, field(2, false, wire::bytes, sized(config)))).refused;
  };
  EXPECT_EQ(why(sized("a") + '\x02' + sized("b") + '\x02'), "");
  EXPECT_NE(why(sized("b") + '\x02' + sized("a") + '\x02'), "");
  EXPECT_NE(why(sized("a") + '\x02' + sized("a") + '\x02').find("priority_classes: keys of a map are not ascending"),
            std::string::npos);
  EXPECT_NE(why(sized("a")), "");
}

TEST(Format4, ASizeBeyondTheEntryAllocatesNothing) {
  std::string groups;
  journal::writer(groups).varint(UINT64_MAX);
  for (const std::string &list : {groups, "\x05" + groups}) {
    const std::string bytes = journal_header("") + entry(4 << 1, field(5, false, wire::bytes, list));
    largest_allocation = 0;
    const reading result = read(bytes);
    EXPECT_NE(result.refused.find("add_application.groups: "), std::string::npos) << result.refused;
    EXPECT_LT(largest_allocation, 4'096U);
  }
}

// A list of empty elements is hundreds of times as large in memory.
TEST(Format4, ListsOfAlmostNothingAreRefused) {
  const auto reading_of = [](uint32_t command, uint32_t id, const std::string &list) {
    const std::string bytes = journal_header("") + entry(command << 1, field(id, false, wire::bytes, list));
    largest_allocation = 0;
    const reading out = read(bytes);
    EXPECT_LE(largest_allocation, 65'536 + 3 * 128 * bytes.size());
    return out.refused;
  };
  const std::string many(1'000'000, '\0');
  EXPECT_EQ(reading_of(4, 5, sized(many)), "") << "texts";
  EXPECT_NE(reading_of(9, 7, sized(many)).find("too many elements of almost nothing"), std::string::npos);
  EXPECT_NE(reading_of(2, 2, sized(field(1, false, wire::bytes, sized(many)))).find("almost nothing"),
            std::string::npos);
}

// Version 3 is read as it was written.
TEST(Format3, BytesAreRead) {
  const auto taken = [](const char *digits, auto expected) {
    std::string journal = "tenon-journal 3 ac5292c2 me\n" + from_hex(digits);
    const reading one = read(journal, [&](int64_t, const command &c) { EXPECT_TRUE(equal(c, command(expected))); });
    EXPECT_EQ(one.refused, "");
    EXPECT_EQ(one.entries, 1U);
  };
  taken("09000000c71431f9e8030000000000000d", advance{});
  taken("10000000a7c22ad1feffffffffffffff0302000000726d03", signal_rm{"rm", rm_signal::shutdown});
  full_ask full;
  full.ask.originator = false;
  taken(
      "660000007dbb20c908070605040302010601000000700100000061010000006b010000000500000076636f7265f4010000000000000300"
      "0000ffffffff01000000630400000000000000050000000000000001000000010000007401000000760100000067010000006e0100000"
      "1",
      full.ask);
}

// What reads format 3 is tested with bytes that builds of format 3 would have written.
TEST(Format3, TheWriterOfTheTestsWritesAsBuildsDid) {
  full_ask full;
  full.ask.originator = false;
  EXPECT_EQ(hex_of(format_3(), 1'000, advance{}), "09000000c71431f9e8030000000000000d");
  random_commands random(1, 3, false, 14);
  random.without_configurations = true;
  std::string out;
  for (int i = 0; i < 140; ++i) {
    const int64_t now_ms = random.time();
    format_3().append(out, now_ms, random.next());
  }
  EXPECT_EQ(journal::crc_of(out), 1363238476U) << out.size() << " bytes";
}

TEST(Format3, WhatCameLaterHasANumberOfItsOwn) {
  const auto payload = [](const command &c) { return format_3().payload(1, c).substr(8); };
  put_allocation c;
  c.node = "n";
  const std::string plain = payload(c);
  c.allocation.detail = "gpu=1@0";
  EXPECT_EQ(plain[0], '\x07');
  EXPECT_EQ(hex(payload(c).substr(1)), hex(plain.substr(1)) + "070000006770753d314030");
  EXPECT_EQ(payload(c)[0], '\x0f');
  register_rm checks;
  checks.check_deadline_ms = 1'000;
  EXPECT_EQ(payload(checks)[0], '\x13');
  // The second number says that there is something more.
  const reading none = read(format_3().header("") +
                            format_3().framed(std::string(8, '\0') + '\x0f' + plain.substr(1) + std::string(4, '\0')));
  EXPECT_NE(none.refused.find("an entry for details has none"), std::string::npos) << none.refused;
}

TEST(Format3, ACountBeyondTheEntryAllocatesNothing) {
  const std::string time(8, '\0');
  // add_application: four texts, then groups.
  const std::string payload = time + '\x04' + std::string(16, '\0') + "\xff\xff\xff\x7f";
  const std::string bytes = format_3().header("") + format_3().framed(payload);
  largest_allocation = 0;
  const reading result = read(bytes);
  EXPECT_NE(result.refused.find("a list of 2147483647"), std::string::npos) << result.refused;
  EXPECT_EQ(result.where, "journal byte " + std::to_string(bytes.size() - 4) + ", entry 1");
  EXPECT_LT(largest_allocation, 4'096U);
}

TEST(Format3, UnknownCommandsAreRefused) {
  for (int number = 0; number < 256; ++number) {
    if (number >= 1 && number <= 24) continue;
    const std::string payload = std::string(8, '\0') + static_cast<char>(number);
    const reading result = read(format_3().header("") + format_3().framed(payload));
    EXPECT_NE(result.refused.find("number " + std::to_string(number)), std::string::npos) << result.refused;
  }
}

}  // namespace
}  // namespace tenon::journal_test
