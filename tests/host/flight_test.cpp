// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records of calls: what a slot was given comes back as it was, what finds no room is cut and says so, and bytes that
// nobody wrote so are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "abi_values.hpp"
#include "calls/call_place.hpp"
#include "flight/call_writer.hpp"
#include "flight/record_writer.hpp"
#include "flight/recorded_input.hpp"
#include "flight/recorded_now.hpp"
#include "temp_folder.hpp"
#include "tenon/host/flight_record.hpp"
#include "tenon/host/module_fault_record.hpp"

namespace tenon::host {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view lines = "fault: signal SIGILL\nmodule: acme.sort 1.0\nslot: keys\nitems: 3\n\n";

class FlightRecord : public ::testing::Test {
 protected:
  void add(uint32_t kind, const void *base, uint64_t stride, const uint64_t *present = nullptr,
           uint64_t type_stride = 0) {
    columns_.push_back(
        {sizeof(tenon_column), kind, base, present, stride, type_stride, present == nullptr ? 0 : sizeof(uint64_t)});
  }
  const tenon_batch &batch() {
    batch_ = {sizeof batch_,
              static_cast<uint32_t>(items_.size()),
              items_.data(),
              columns_.data(),
              static_cast<uint32_t>(columns_.size()),
              sizeof(tenon_column),
              types_.data(),
              static_cast<uint32_t>(types_.size()),
              0,
              -42,
              7};
    return batch_;
  }
  std::filesystem::path write(size_t room = most_record_bytes) {
    std::string bytes(room, '\0');
    const call_input input{call_shape::batch, 2, &batch(), &origin_};
    bytes.resize(write_call(bytes.data(), bytes.size(), {lines, "/modules/sort.yaml", {"ent", "ries"}}, input));
    return file_of(bytes);
  }
  std::filesystem::path file_of(std::string_view bytes) {
    const std::filesystem::path out = folder_.path() / "key.call";
    std::ofstream(out, std::ios::binary | std::ios::trunc) << bytes;
    return out;
  }
  static std::string bytes_of(const std::filesystem::path &file) {
    std::ifstream from(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(from), {}};
  }

  testing::temp_folder folder_;
  instance_origin origin_{R"({"weight":3})", 64, "node.a\nnode.b\n"};
  tenon_batch batch_{};
  std::vector<uint32_t> items_{7, 3, 9};
  std::vector<tenon_column> columns_;
  std::vector<tenon_text> types_{text("vcore"), text("memory")};
};

TEST_F(FlightRecord, HasWhoseItIsAndWhatTheInstanceWasMadeOf) {
  const auto record = read_flight_record(write());
  ASSERT_TRUE(record) << record.why().text();
  EXPECT_EQ(record->text(), lines);
  EXPECT_EQ(record->line("module"), "acme.sort 1.0");
  EXPECT_EQ(record->line("nothing"), "");
  EXPECT_EQ(record->manifest(), "/modules/sort.yaml");
  EXPECT_EQ(record->configuration(), R"({"weight":3})");
  EXPECT_EQ(record->max_resource_types(), 64);
  EXPECT_EQ(record->journal(), "entries");
  EXPECT_EQ(record->cut(), "");
}

TEST_F(FlightRecord, EveryKindOfColumnComesBackByTheSameIndexes) {
  std::array<int64_t, 10> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i) - 8;
  numbers[9] = INT64_MIN;
  std::array<int64_t, 40> amounts{};  // four an item, of which two are types
  std::array<uint64_t, 10> present{};
  for (size_t i = 0; i < amounts.size(); ++i) amounts[i] = static_cast<int64_t>(1000 * i);
  for (size_t i = 0; i < present.size(); ++i) present[i] = i % 4;
  std::array<tenon_text, 10> texts{};
  texts[3] = text("three");
  texts[7] = text("");
  const std::array<tenon_text, 2> names{text("a"), text("b")}, words{text("1"), text("")};
  std::array<tenon_text_map, 10> maps{};
  maps[9] = {names.data(), words.data(), 2};
  const std::array<int64_t, 3> list{4, -5, 6};
  std::array<tenon_numbers, 10> lists{};
  lists[7] = {list.data(), 3};
  std::array<tenon_texts, 10> text_lists{};
  text_lists[3] = {words.data(), 2};
  const std::array<uint64_t, 4> prepared{1, 2, 3, UINT64_MAX};
  add(TENON_COLUMN_I64, numbers.data(), sizeof(int64_t));
  add(TENON_COLUMN_RESOURCES, amounts.data(), 4 * sizeof(int64_t), present.data(), sizeof(int64_t));
  add(TENON_COLUMN_TEXT, texts.data(), sizeof(tenon_text));
  add(TENON_COLUMN_TEXT_MAP, maps.data(), sizeof(tenon_text_map));
  add(TENON_COLUMN_NUMBERS, lists.data(), sizeof(tenon_numbers));
  add(TENON_COLUMN_TEXTS, text_lists.data(), sizeof(tenon_texts));
  add(TENON_COLUMN_WORDS, prepared.data(), 0);
  add(TENON_COLUMN_I64, nullptr, 0);
  const auto record = read_flight_record(write());
  ASSERT_TRUE(record) << record.why().text();
  const tenon_batch &out = record->input().batch();
  EXPECT_THAT(std::vector<uint32_t>(out.items, out.items + out.item_count), ::testing::ElementsAre(7, 3, 9));
  EXPECT_EQ(out.now_ms, -42);
  EXPECT_EQ(out.world, 7);
  EXPECT_EQ(record->input().key_words(), 2);
  ASSERT_EQ(out.type_count, 2);
  EXPECT_EQ(view(out.types[1]), "memory");
  ASSERT_EQ(out.column_count, 8);
  for (const uint32_t i : items_) {
    EXPECT_EQ(value<int64_t>(out.columns[0], i), numbers[i]);
    EXPECT_EQ(value<int64_t>(out.columns[1], i, out.columns[1].type_stride), 4000 * i + 1000);
    EXPECT_EQ(*reinterpret_cast<const uint64_t *>(reinterpret_cast<uintptr_t>(out.columns[1].present) +
                                                  i * out.columns[1].present_stride),
              i % 4);
    EXPECT_EQ(value<uint64_t>(out.columns[6], i, 24), UINT64_MAX);
  }
  EXPECT_EQ(view(value<tenon_text>(out.columns[2], 3)), "three");
  EXPECT_NE(value<tenon_text>(out.columns[2], 7).data, nullptr);
  EXPECT_EQ(value<tenon_text>(out.columns[2], 9).data, nullptr);
  ASSERT_EQ(value<tenon_text_map>(out.columns[3], 9).count, 2);
  EXPECT_EQ(view(value<tenon_text_map>(out.columns[3], 9).keys[1]), "b");
  ASSERT_EQ(value<tenon_numbers>(out.columns[4], 7).count, 3);
  EXPECT_EQ(value<tenon_numbers>(out.columns[4], 7).values[1], -5);
  EXPECT_EQ(value<tenon_numbers>(out.columns[4], 3).values, nullptr);
  ASSERT_EQ(value<tenon_texts>(out.columns[5], 3).count, 2);
  EXPECT_EQ(view(value<tenon_texts>(out.columns[5], 3).values[0]), "1");
  EXPECT_EQ(out.columns[7].base, nullptr);
}

TEST_F(FlightRecord, BatchThatIsTooLargeIsCutAndSaysSo) {
  items_.resize(4000);
  for (uint32_t i = 0; i < items_.size(); ++i) items_[i] = i;
  const std::vector<int64_t> numbers(items_.size(), INT64_MIN);
  add(TENON_COLUMN_I64, numbers.data(), sizeof(int64_t));
  const auto record = read_flight_record(write(16'000));
  ASSERT_TRUE(record) << record.why().text();
  EXPECT_EQ(record->cut(), "the first 1000 of 4000 items alone");
  EXPECT_EQ(record->input().batch().item_count, 1000);
  EXPECT_EQ(record->input_json().at("cut").as_string(), record->cut());
}

TEST_F(FlightRecord, ValueForAllThatIsTooLargeLeavesTheInputOut) {
  const std::string long_text(20'000, 'x');
  const tenon_text one = text(long_text);
  add(TENON_COLUMN_TEXT, &one, 0);
  const auto record = read_flight_record(write(16'000));
  ASSERT_TRUE(record) << record.why().text();
  EXPECT_EQ(record->input().shape(), call_shape::too_large);
  EXPECT_EQ(record->line("slot"), "keys");
}

// A page that says what a slot is given, and can be taken away.
class CallUnderWay : public FlightRecord {
 protected:
  CallUnderWay() {
    void *const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    input_ = new (page) call_input{call_shape::batch, 2, &batch(), &origin_};
    subject_.module = "acme.sort";
    subject_.key = "key";
    prepare_flight_records();
  }
  ~CallUnderWay() override { ::munmap(input_, 4096); }
  void take_away() { ::mprotect(input_, 4096, PROT_NONE); }
  std::string folder() const { return folder_.path().string(); }

  call_subject subject_;
  call_input *input_;
};

TEST_F(CallUnderWay, IsRecordedWithItsInput) {
  const published_call call(&subject_, "keys", 3, input_);
  const auto seen = call_place::of_this_thread().look();
  ASSERT_TRUE(seen);
  write_flight_record(lines, *seen, folder());
  const auto record = read_flight_record(folder_.path() / "key.call");
  ASSERT_TRUE(record) << record.why().text();
  EXPECT_EQ(record->input().shape(), call_shape::batch);
}

TEST_F(CallUnderWay, InputOfACallThatHasReturnedIsNotCopied) {
  const call_place &place = call_place::of_this_thread();
  std::optional<call_place::seen_call> seen;
  {
    const published_call call(&subject_, "keys", 3, input_);
    seen = place.look();
    const auto copy = copied_input(place, *seen);
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->in, input_->in);
  }
  EXPECT_FALSE(copied_input(place, *seen));
  const published_call next(&subject_, "keys", 3, input_);
  EXPECT_FALSE(copied_input(place, *seen));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST_F(CallUnderWay, CrashWhoseInputIsGoneLeavesItsRecordAndEndsTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    end_with_record_on_fatal_signals({folder_.path(), 5, 4});
    const published_call call(&subject_, "keys", 3, input_);
    take_away();
    *static_cast<volatile uint32_t *>(&input_->key_words) = 1;
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  EXPECT_THAT(bytes_of(folder_.path() / "key"), HasSubstr("fault: signal SIGSEGV"));
  EXPECT_THAT(bytes_of(folder_.path() / "key"), HasSubstr("\nbacktrace: "));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "key.call"));
}

TEST_F(CallUnderWay, SecondThreadThatCrashesWaitsForTheRecordOfTheFirst) {
  const std::filesystem::path file = folder_.path() / "key";
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);  // the first one writes once somebody reads
  const pid_t child = ::fork();
  if (child == 0) {
    end_with_record_on_fatal_signals({folder_.path(), 5, 4});
    static int *volatile null_pointer = nullptr;
    const auto crash = [&] {
      const published_call call(&subject_, "keys", 3, input_);
      *null_pointer = 1;
    };
    std::thread first(crash);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    crash();
    ::_exit(0);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1'000));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0) << "the second one ended the process";
  if (!::testing::Test::HasFailure()) {
    EXPECT_THAT(bytes_of(file), HasSubstr("fault: signal SIGSEGV"));
    ::waitpid(child, &status, 0);
  }
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

#endif

TEST_F(FlightRecord, FileThatIsCutOffIsRefused) {
  const std::array<int64_t, 10> numbers{};
  add(TENON_COLUMN_I64, numbers.data(), sizeof(int64_t));
  const std::string whole = bytes_of(write());
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(read_flight_record(file_of(whole.substr(0, length)))) << length;
}

TEST_F(FlightRecord, BytesThatNobodyWroteSoAreReadWithoutHarm) {
  const std::array<int64_t, 10> numbers{1, 2, 3};
  std::array<tenon_text, 10> texts{};
  texts[3] = text("three");
  add(TENON_COLUMN_I64, numbers.data(), sizeof(int64_t));
  add(TENON_COLUMN_TEXT, texts.data(), sizeof(tenon_text));
  const std::string whole = bytes_of(write());
  for (size_t at = call_file_head.size(); at < whole.size(); ++at) {
    for (const unsigned char byte : {0x00, 0x7f, 0x80, 0xff}) {
      std::string other = whole;
      other[at] = static_cast<char>(byte);
      if (const auto record = read_flight_record(file_of(other))) static_cast<void>(record->input_json());
    }
  }
}

TEST_F(FlightRecord, RecordForPeopleLeadsToTheCall) {
  const std::filesystem::path file = write(), people = folder_.path() / "key";
  std::ofstream(people) << lines << "fault: signal SIGILL\ncall: key.call\n\n";
  const auto record = read_flight_record(people);
  ASSERT_TRUE(record) << record.why().text();
  EXPECT_EQ(record->file(), file);
  std::ofstream(people, std::ios::trunc) << lines;
  EXPECT_THAT(read_flight_record(people).why().text(), HasSubstr("left no time to write it"));
}

TEST_F(FlightRecord, RecordThatLeadsToAnotherOneForPeopleIsRefused) {
  const std::filesystem::path people = folder_.path() / "itself.call";
  std::ofstream(people) << lines << "fault: signal SIGILL\ncall: itself.call\n\n";
  const auto record = read_flight_record(people);
  ASSERT_FALSE(record);
  EXPECT_THAT(record.why().text(), HasSubstr("name a file of containment.records"));
}

TEST_F(FlightRecord, ValueForAllWithAMaskOfEachItemIsRefused) {
  const std::array<int64_t, 2> amounts{4, 5};
  const std::array<uint64_t, 10> masks{3, 3, 3, 3};
  add(TENON_COLUMN_RESOURCES, amounts.data(), 0, masks.data(), sizeof(int64_t));
  const auto record = read_flight_record(write());
  ASSERT_FALSE(record);
  EXPECT_THAT(record.why().text(), HasSubstr("not as it was written"));
}

TEST_F(FlightRecord, PolicyWithoutANameIsRefused) {
  for (const std::string policy : {"tenon.node-sort/1", "tenon.node-sort/1 "}) {
    std::string bytes(most_record_bytes, '\0');
    const std::string facts = std::string(lines) + "policy: " + policy + "\n";
    const call_input input{call_shape::batch, 2, &batch(), &origin_};
    bytes.resize(write_call(bytes.data(), bytes.size(), {facts, "/modules/sort.yaml"}, input));
    const auto record = read_flight_record(file_of(bytes));
    ASSERT_TRUE(record) << record.why().text();
    const auto call = replay_call(*record, {});
    ASSERT_FALSE(call);
    EXPECT_EQ(call.why().have, "'" + policy + "'");
  }
}

TEST_F(FlightRecord, FileOfALaterReleaseIsRefusedByItsNumber) {
  std::string bytes = bytes_of(write());
  bytes[call_file_head.size() - 2] = '2';
  const refusal why = read_flight_record(file_of(bytes)).why();
  EXPECT_EQ(why.want, "tenon-call 1");
  EXPECT_EQ(why.have, "tenon-call 2");
}

}  // namespace
}  // namespace tenon::host
