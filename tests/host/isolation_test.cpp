// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules in processes of their own: they answer as in this one, and whatever they do there, this process goes on, the
// fault has the module's name, and another process takes the place of the first.
#include <gtest/gtest.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "isolation/line_rate.hpp"
#include "isolation_fixture.hpp"
#include "refusal_matchers.hpp"
#include "tenon/abi/event_sink.h"

namespace tenon::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::children;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fixture_folder;
using testing::fixture_manifest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Isolation;
using ::testing::Not;
using testing::refusal_parts;
using testing::refuses;
using testing::short_deadline;
using ::testing::SizeIs;

constexpr bool is_sanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

TEST_F(Isolation, SoundModuleAnswersAsInThisProcess) {
  open("good");
  EXPECT_THAT(children(), SizeIs(1));
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_THAT(keys_, ElementsAre(4, 5, 6, 77, 77, 77, 77, 77, 77));
  EXPECT_EQ(keys(1), TENON_OK);
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(Isolation, WhatIsInForceIsSaidAtTheStart) {
  open("good");
  EXPECT_THAT(modules_.log(), HasSubstr("test.good: runs in processes of its own with seccomp, landlock"));
}

TEST_F(Isolation, EachInstanceHasAProcessThatEndsWithIt) {
  open("good");
  auto second = host_->bind(module_kind::node_sort, "fixture", "{}", 16);
  ASSERT_TRUE(second);
  EXPECT_THAT(children(), SizeIs(2));
  second->reset();
  EXPECT_THAT(children(), SizeIs(1));
}

TEST_F(Isolation, WhatItsProcessesUseIsSeen) {
  open("good");
  const auto used = [this] {
    for (const module_counters &one : host_->counters())
      if (one.id == "test.good") return one;
    return module_counters{};
  };
  for (int call = 0; call < 100; ++call) EXPECT_EQ(keys(), TENON_OK);
  const module_counters now = used();
  EXPECT_TRUE(now.isolated);
  EXPECT_EQ(now.usage.processes, 1);
  EXPECT_EQ(now.usage.threads, 1);
  EXPECT_GT(now.usage.memory_bytes, 4096);
  if (std::thread::hardware_concurrency() > 1) {
    EXPECT_GT(now.usage.waited_ns, 0);
  }
  policy_.reset();
  EXPECT_EQ(used().usage.processes, 0);
  EXPECT_EQ(used().usage.memory_bytes, 0);
  EXPECT_GE(used().usage.processor_ns, now.usage.processor_ns);
}

TEST_F(Isolation, LinesForTheLogAndTheThreadCross) {
  fixture_manifest manifest;
  manifest.services = "[tenon.host.log/1, tenon.host.thread/1]";
  open("keys_log", module_kind::node_sort, "isolation: process", manifest);
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_EQ(keys_[0], TENON_THREAD_CYCLE);
  EXPECT_THAT(modules_.log(), HasSubstr("test.keys-log: said in keys"));
  for (int i = 0; i < 400; ++i) ASSERT_EQ(keys(), TENON_OK);
  uint64_t lines = 0;
  const std::string log = modules_.log();
  for (size_t at = 0; (at = log.find("said in keys", at)) != std::string::npos; ++at) ++lines;
  EXPECT_LT(lines, 350U);  // but for a machine on which this takes half a minute
}

TEST(LineRate, WhoLogsInALoopIsLeftOutAndCounted) {
  using isolation::line_rate;
  line_rate lines;
  const auto now = line_rate::clock::now();
  for (uint64_t i = 0; i < line_rate::at_once; ++i) EXPECT_EQ(lines.admit(now), 0U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(lines.admit(now), std::nullopt);
  EXPECT_EQ(lines.admit(now + std::chrono::seconds(2)), 1000U);
  for (uint64_t i = 1; i < 2 * line_rate::each_second; ++i) EXPECT_EQ(lines.admit(now + std::chrono::seconds(2)), 0U);
  EXPECT_EQ(lines.admit(now + std::chrono::seconds(2)), std::nullopt);
}

TEST_F(Isolation, AbortIsAFaultWithTheLastWords) {
  open("keys_abort");
  EXPECT_EQ(keys(), TENON_INTERNAL);
  expect_fault("ended its process by SIGABRT; it said: it is over");
  if (!is_sanitized) {
    EXPECT_THAT(faults_[0].text,
                ::testing::ContainsRegex(
                    "pc: libc\\.so\\.6\\+0x[0-9a-f]+ build_ids: libc.* keys_abort\\.so=[0-9a-f]+.* backtrace: "
                    "libc.* keys_abort\\.so\\+0x[0-9a-f]+"));
  }
}

TEST_F(Isolation, ExitIsAFault) {
  open("keys_exit");
  EXPECT_EQ(keys(), TENON_INTERNAL);
  expect_fault("ended its process with status");
}

TEST_F(Isolation, InputCannotBeWritten) {
  open("keys_write_input");
  EXPECT_EQ(keys(), TENON_INTERNAL);
  EXPECT_THAT(items_, ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_THAT(faults_[0].text, HasSubstr("ended its process"));
}

TEST_F(Isolation, WriteBehindTheOutputIsAFaultAndHarmless) {
  open("keys_too_many");
  EXPECT_EQ(keys(), TENON_INTERNAL);
  expect_fault("wrote behind the end of its output");
  EXPECT_EQ(keys_[3], 77);
}

TEST_F(Isolation, WrongAnswersAreFaultsInTheSameWords) {
  open("keys_unknown_status");
  EXPECT_EQ(keys(), TENON_INTERNAL);
  expect_fault("gave the unknown status 99");
}

TEST_F(Isolation, UnknownVerdictIsAFault) {
  open("filter_unknown_verdict", module_kind::predicate);
  EXPECT_EQ(filter(3), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_EQ(faults_[0].text, "gave the unknown verdict 9");
}

TEST_F(Isolation, KilledProcessIsAFaultAndIsReplaced) {
  open("filter_stops", module_kind::predicate);
  EXPECT_EQ(filter(3), TENON_OK);
  const auto first = children();
  ASSERT_THAT(first, SizeIs(1));
  ::kill(first[0], SIGKILL);
  EXPECT_EQ(filter(3), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_THAT(faults_[0].text, HasSubstr("ended its process by SIGKILL"));
  EXPECT_EQ(filter_in_time(3), TENON_OK);
  EXPECT_THAT(verdicts_, Contains(TENON_PASS).Times(3));
  ASSERT_THAT(children(), SizeIs(1));
  EXPECT_NE(children()[0], first[0]);
}

TEST_F(Isolation, StoppedProcessIsLateAndIsReplaced) {
  open("filter_stops", module_kind::predicate, short_deadline);
  ::kill(children().at(0), SIGSTOP);
  EXPECT_EQ(filter(3), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_THAT(faults_[0].text, HasSubstr("gave no answer in 300 ms"));
  EXPECT_EQ(filter_in_time(3), TENON_OK);
}

TEST_F(Isolation, ProcessThatEndsAgainAndAgainIsReplacedLaterEachTime) {
  open("filter_stops", module_kind::predicate);
  for (int round = 0; round < 3; ++round) {
    const auto latest = steady_clock::now() + std::chrono::seconds(60);
    while (filter(1) != TENON_INTERNAL || faults_.back().text.find("with status 3") == std::string::npos) {
      ASSERT_LT(steady_clock::now(), latest) << faults_.back().text;
      std::this_thread::sleep_for(milliseconds(2));
    }
    faults_.clear();
  }
  const auto before = steady_clock::now();
  EXPECT_EQ(filter_in_time(3), TENON_OK);
  EXPECT_GE(steady_clock::now() - before, milliseconds(150));
  EXPECT_THAT(faults_,
              ::testing::Each(::testing::Field(&module_fault::text, HasSubstr("has no process at the moment"))));
}

TEST_F(Isolation, NothingOutsideIsInReach) {
  open("keys_escape");
  items_ = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(keys(8), TENON_OK);
  EXPECT_THAT(keys_, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 77))
      << "in order: read a file, make one, a socket, a process, a thread, the host, a program, shared memory";
}

TEST_F(Isolation, NoSignalReachesTheHostAndTheLifelineStays) {
  open("keys_signals");
  items_ = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(keys(8), TENON_OK);
  EXPECT_THAT(keys_, ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 77))
      << "in order: own a descriptor for the host, choose its signal, ask for it, close the lifeline, in another way, "
         "take it another name, take its signal away; not to wait where it writes";
}

TEST_F(Isolation, WhatIsOutsideIsInReachWithoutIt) {
  open("keys_escape", module_kind::node_sort, "isolation: none");
  items_ = {0, 2, 3, 4, 5, 7};
  EXPECT_EQ(keys(6), TENON_OK);
  EXPECT_THAT(keys_, ElementsAre(1, 1, 1, 1, 1, 1, 77, 77, 77));
}

class Permissions : public Isolation {
 protected:
  Permissions() {
    modules_.folder.make("its");
    modules_.folder.write("its/readable", "here");
  }
  // Which of its first `items` tries a module could make where its entry grants this.
  std::vector<uint64_t> could(const std::string &granted, const std::string &fixture = "keys_permitted",
                              uint32_t items = 7) {
    modules_.install(fixture, {.more = "permissions: [read, write, network, threads]\n"
                                       "config: { type: object, properties: { folder: { type: string } } }\n"});
    auto host =
        modules_.open({fixture}, "isolation: process" + (granted.empty() ? "" : ", permissions: { " + granted + " }"));
    if (!host) return {};
    host_ = std::move(*host);
    const std::string configuration = R"({"folder":")" + (modules_.folder.path() / "its").string() + R"("})";
    auto policy = host_->bind(module_kind::node_sort, "fixture", configuration, 16);
    EXPECT_TRUE(policy) << policy.why().text();
    policy_ = std::move(*policy);
    items_ = {0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(keys(items), TENON_OK);
    return {keys_.begin(), keys_.begin() + items};
  }
};

TEST_F(Permissions, WhatIsNotGrantedIsDeniedAndNamedWithTheLineToAdd) {
  EXPECT_THAT(could(""), ElementsAre(0, 0, 0, 0, 0, 0, 0));
  for (const char *line :
       {"asks for read, which is denied; to grant it add `permissions: { read: [PATH] }` to its entry",
        "asks for network, which is denied; to grant it add `permissions: { network: true }`"})
    EXPECT_THAT(modules_.log(), HasSubstr(line));
}

TEST_F(Permissions, FilesToRead) {
  EXPECT_THAT(could("read: [its]"), ElementsAre(1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(modules_.log(), HasSubstr("; may read " + (modules_.folder.path() / "its").string()));
  EXPECT_THAT(modules_.log(), Not(HasSubstr("asks for read")));
}

TEST_F(Permissions, FilesToWrite) { EXPECT_THAT(could("write: [its]"), ElementsAre(1, 1, 0, 0, 0, 0, 0)); }
TEST_F(Permissions, TheNetwork) { EXPECT_THAT(could("network: true"), ElementsAre(0, 0, 1, 0, 0, 0, 0)); }
TEST_F(Permissions, Threads) { EXPECT_THAT(could("threads: true"), ElementsAre(0, 0, 0, 1, 0, 0, 0)); }
TEST_F(Permissions, AllOfThem) {
  EXPECT_THAT(could("read: [its], write: [its], network: true, threads: true"), ElementsAre(1, 1, 1, 1, 0, 0, 0));
}

TEST_F(Permissions, WhatTheManifestDoesNotAskForCannotBeGranted) {
  modules_.install("good", {.more = "permissions: [read]\n"});
  const auto host = modules_.open({"good"}, "isolation: process, permissions: { network: true }");
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"tenon.yaml:4:", "that its manifest asks for",
                                                "network for module 'test.good', which does not ask for it", ""}));
}

TEST_F(Permissions, InTheSchedulersProcessThereIsNothingToGrant) {
  modules_.install("good", {.more = "permissions: [network]\n"});
  const auto host = modules_.open({"good"}, "isolation: none, permissions: { network: true }");
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"", "", "permissions with isolation: none", ""}));
}

TEST_F(Permissions, ToWriteInAFolderChangesNothingElsewhere) {
  const auto other = modules_.folder.write("other", "untouched");
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  EXPECT_THAT(could("write: [its]", "keys_writes_elsewhere", 8), ElementsAre(0, 0, 0, 0, 0, 0, 1, 1))
      << "in order: truncate, open to read and empty, open to write, chmod, fchmodat, utimensat; in the folder: empty "
         "a "
         "file where it is opened, and by its descriptor";
  EXPECT_EQ(std::filesystem::file_size(other), 9);
  EXPECT_EQ(std::filesystem::status(other).permissions(), std::filesystem::perms::owner_all);
}

class IsolatedSink : public Isolation {
 protected:
  void open_sink(const std::string &entry = "isolation: process") {
    modules_.install("keeps_events", {.interface = TENON_EVENT_SINK, .name = "keeper"});
    const std::string text = "apiVersion: tenon/v1\nmodule_path: [mods]\nmodules: [ { id: test.keeps-events, " + entry +
                             " } ]\nevents: [ { use: test.keeps-events } ]\n";
    auto host = open_deployment(modules_.folder.write("tenon.yaml", text), modules_.options);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
    auto sinks = host_->event_sinks();
    ASSERT_TRUE(sinks && sinks->size() == 1);
    auto sink = sinks->front().make();
    ASSERT_TRUE(sink) << sink.why().text();
    sink_ = std::move(*sink);
  }
  ~IsolatedSink() override { sink_.reset(); }

  tenon_status emit(std::string_view reason) {
    const role_guard guard(thread_role::io);
    const tenon_text type{"vcore", 5};
    const int64_t value = 7;
    std::array<tenon_event_record, 2> records{};
    for (tenon_event_record &record : records) {
      record.size = sizeof record;
      record.type = TENON_EVENT_APP;
      record.timestamp_ns = -5;
      record.reason = {reason.data(), reason.size()};
      record.message = {"said", 4};
      record.resource_types = &type;
      record.resource_values = &value;
      record.resource_count = 1;
    }
    const tenon_event_emit_in in{sizeof in, sizeof(tenon_event_record), records.data(), records.size()};
    tenon_event_emit_out out{sizeof out, 0, &message_};
    return sink_->sink->emit(sink_->instance, &in, &out);
  }
  tenon_status query(std::string_view object, uint64_t limit) {
    const role_guard guard(thread_role::io);
    tenon_event_query_in in{};
    in.size = sizeof in;
    in.object = {object.data(), object.size()};
    in.limit = limit;
    found_.clear();
    tenon_event_query_out out{sizeof out, 0, take, this, 0, &message_};
    const tenon_status status = sink_->sink->query(sink_->instance, &in, &out);
    next_ = out.next;
    return status;
  }
  static tenon_status take(void *taker, const tenon_event_record *record) {
    auto &self = *static_cast<IsolatedSink *>(taker);
    const auto text = [](const tenon_text &t) { return std::string(t.data, t.length); };
    self.found_.push_back(std::to_string(record->id) + " " + std::to_string(record->type) + " " +
                          std::to_string(record->timestamp_ns) + " " + text(record->object) + " " +
                          text(record->message) + " " + text(record->resource_types[0]) + "=" +
                          std::to_string(record->resource_values[0]));
    return self.found_.size() == self.most_ ? TENON_DECLINED : TENON_OK;
  }

  std::unique_ptr<bound_module> sink_;
  std::vector<std::string> found_;
  size_t most_ = SIZE_MAX;
  uint64_t next_ = 0;
  std::array<char, 64> words_{};
  tenon_message message_{sizeof(tenon_message), sizeof words_, words_.data(), 0};
};

TEST_F(IsolatedSink, RecordsCrossAndComeBack) {
  open_sink();
  EXPECT_EQ(emit("because"), TENON_OK);
  EXPECT_EQ(query("app-1", 2), TENON_OK);
  EXPECT_THAT(found_, ElementsAre("1 2 -5 app-1 said vcore=7", "2 2 -5 app-1 said vcore=7"));
  EXPECT_EQ(next_, 2);
  EXPECT_EQ(query("", 5000), TENON_OK);
  EXPECT_THAT(found_, SizeIs(5000));
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(IsolatedSink, WhoeverAskedEndsTheQuery) {
  open_sink();
  EXPECT_EQ(emit("because"), TENON_OK);
  most_ = 3;
  EXPECT_EQ(query("app-1", 10), TENON_DECLINED);
  EXPECT_THAT(found_, SizeIs(3));
}

TEST_F(IsolatedSink, ItsWordsCross) {
  open_sink();
  EXPECT_EQ(emit("later"), TENON_RETRY);
  EXPECT_EQ(std::string(words_.data(), message_.length), "the disk is full");
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(IsolatedSink, ItsEndIsAFault) {
  open_sink();
  EXPECT_EQ(emit("abort"), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_EQ(faults_[0].slot, "emit");
  EXPECT_THAT(faults_[0].text, HasSubstr("ended its process by SIGABRT"));
}

TEST_F(IsolatedSink, QueryThatNeverReturnsIsAFaultAtItsOwnDeadline) {
  open_sink("isolation: process, process: { call_deadline: 1m, io_deadline: 300ms }");
  EXPECT_EQ(emit("because"), TENON_OK);
  EXPECT_EQ(query("endless", 1), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_THAT(faults_[0].text, HasSubstr("gave no answer in 300 ms"));
}

// Where a module lives of which the deployment does not say it.
class WithoutAWord : public Isolation {
 protected:
  // Binds a node order; the deployment has this text behind `module_path`.
  void open_text(const std::string &text, const std::string &policy = "fixture") {
    auto host = open_deployment(
        modules_.folder.write("tenon.yaml", "apiVersion: tenon/v1\nmodule_path: [mods]\n" + text), modules_.options);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
    auto bound = host_->bind(module_kind::node_sort, policy, "{}", 16);
    ASSERT_TRUE(bound) << bound.why().text();
    policy_ = std::move(*bound);
  }
};

TEST_F(WithoutAWord, ModulesOfOthersHaveProcesses) {
  modules_.install("good");
  open_text("modules: [ { id: test.good } ]\n");
  EXPECT_THAT(children(), SizeIs(1));
  EXPECT_EQ(keys(), TENON_OK);
}

TEST_F(WithoutAWord, WhateverTheyCallThemselvesAndWhereverTheyLie) {
  modules_.install("good", {.id = "tenon.node-good"});
  modules_.options.built_in_modules = modules_.folder.path() / "mods";
  open_text("");
  EXPECT_THAT(children(), SizeIs(1));
}

TEST_F(WithoutAWord, TheProjectsOwnStayInTheSchedulersProcess) {
  modules_.folder.make("mods");
  modules_.options.built_in_modules.clear();  // those of the build
  open_text("", "fair");
  EXPECT_THAT(children(), IsEmpty());
}

TEST_F(WithoutAWord, CopiesOfTheProjectsOwnAreItsOwn) {
  modules_.folder.make("mods");
  for (const char *ending : {".so", ".yaml"})
    std::filesystem::copy_file(default_module_folder() / (std::string("node-fair") + ending),
                               modules_.folder.path() / "mods" / (std::string("copy") + ending));
  std::filesystem::rename(modules_.folder.path() / "mods/copy.so", modules_.folder.path() / "mods/node-fair.so");
  open_text("modules: [ { id: tenon.node-fair } ]\n", "fair");
  EXPECT_THAT(children(), IsEmpty());
}

TEST_F(WithoutAWord, NoneIsAWordThatTheOperatorWrites) {
  modules_.install("good");
  open_text("modules: [ { id: test.good, isolation: none } ]\n");
  EXPECT_THAT(children(), IsEmpty());
}

TEST_F(WithoutAWord, WhatNeedsMoreIsRefusedWithTheLineToWrite) {
  modules_.install("good", {.services = "[tenon.host.events/1]"});
  const auto host = open_deployment(modules_.folder.write("tenon.yaml",
                                                          "apiVersion: tenon/v1\nmodule_path: [mods]\n"
                                                          "modules: [ { id: test.good } ]\n"),
                                    modules_.options);
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"tenon.yaml:3:", "", "uses tenon.host.events/1",
                                                "write isolation: none in its entry"}));
}

TEST_F(Isolation, MemoryIsLimited) {
  if (is_sanitized) GTEST_SKIP() << "the shadow of a sanitizer is beyond every limit";
  open("takes_memory", module_kind::node_sort, "isolation: process, process: { memory: 67108864 }");
  EXPECT_EQ(keys(1), TENON_OK);
  EXPECT_GT(keys_[0], 16);
  EXPECT_LT(keys_[0], 64);
}

TEST_F(Isolation, MemoryIsLimitedHoweverItIsTaken) {
  if (is_sanitized) GTEST_SKIP() << "the shadow of a sanitizer is beyond every limit";
  open("takes_hidden_memory", module_kind::node_sort,
       "isolation: process, process: { memory: 67108864, call_deadline: 20s }");
  items_ = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(keys(2), TENON_OK);
  EXPECT_EQ(keys_[0], 0);
  EXPECT_LE(keys_[1], 2 * 64 + 128);
}

TEST_F(Isolation, BehindWhatACallNeedsThereIsNothingToRead) {
  open("keys_reads_on");
  EXPECT_EQ(keys(1), TENON_OK);
  EXPECT_EQ(keys(2), TENON_INTERNAL);
  expect_fault(is_sanitized ? "Sanitizer: " : "ended its process by SIGBUS");  // a sanitizer ends it in its own way
}

TEST_F(Isolation, LibraryThatAbortsWhereItIsOpenedIsRefused) {
  EXPECT_THAT(bind_refused("load_aborts"), refuses(refusal_parts{"load_aborts.so", "opens in a process of its own",
                                                                 "ended its process by SIGABRT", ""}));
}

TEST_F(Isolation, ModuleThatIsNotWhatItsManifestSaysIsRefused) {
  EXPECT_THAT(bind_refused("other_version"), refuses(refusal_parts{"other_version.so", "version 1.0.0", "", ""}));
}

TEST_F(Isolation, KindThatIsNotServedIsRefused) {
  fixture_manifest manifest;
  manifest.interface = "tenon.transport/1";
  modules_.install("good", manifest);
  const auto host = modules_.open({"good"}, "isolation: process");
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"tenon.yaml:4:", "all kinds but transport",
                                                "'test.good', which provides tenon.transport/1", "isolation: none"}));
}

TEST_F(Isolation, ServiceThatDoesNotCrossIsRefused) {
  fixture_manifest manifest;
  manifest.services = "[tenon.host.metrics/1]";
  modules_.install("good", manifest);
  const auto host = modules_.open({"good"}, "isolation: process");
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"tenon.yaml:4:", "", "uses tenon.host.metrics/1", "isolation: none"}));
}

TEST_F(Isolation, ProgramThatIsNotThereIsRefused) {
  modules_.options.module_runner = modules_.folder.path() / "nowhere";
  EXPECT_THAT(bind_refused("good"),
              refuses(refusal_parts{"good.so", "nowhere", "No such file", "tenon-module-runner"}));
}

// In a process for which this system is one without landlock.
void open_without_landlock(fixture_folder &modules, bool required, const std::string &id = "test.good") {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0) != 0 ||
      seccomp_load(filter.get()) != 0)
    ::_exit(2);
  const std::string text = std::string("apiVersion: tenon/v1\nrequire_sandbox: ") + (required ? "true" : "false") +
                           "\nmodule_path: [mods]\nmodules: [ { id: " + id + ", isolation: process } ]\n";
  const auto host = open_deployment(modules.folder.write("tenon.yaml", text), modules.options);
  std::fputs(host ? modules.log().c_str() : host.why().text().c_str(), stderr);
  ::_exit(host ? 0 : 1);
}

TEST_F(Isolation, SandboxThatIsRequiredAndNotThereIsRefused) {
  modules_.install("good");
  EXPECT_EXIT(open_without_landlock(modules_, true), ::testing::ExitedWithCode(1),
              "not in force: landlock.*; want: .*require_sandbox.*; fix: .*require_sandbox: false");
}

TEST_F(Isolation, WhereTheSandboxThatIsRequiredIsNotThereNoCodeOfTheModuleRuns) {
  modules_.install("load_aborts");
  EXPECT_EXIT(open_without_landlock(modules_, true, "test.load-aborts"), ::testing::ExitedWithCode(1),
              "not in force: landlock.*; want: .*require_sandbox");
}

TEST_F(Isolation, SandboxThatIsNotThereIsSaid) {
  modules_.install("good");
  EXPECT_EXIT(open_without_landlock(modules_, false), ::testing::ExitedWithCode(0),
              "with seccomp, limits.*not in force: landlock");
}

TEST_F(Isolation, SandboxThatIsRequiredAndThereIsNoReasonToRefuse) {
  modules_.install("good");
  const auto host =
      open_deployment(modules_.folder.write("tenon.yaml",
                                            "apiVersion: tenon/v1\nrequire_sandbox: true\nmodule_path: [mods]\n"
                                            "modules: [ { id: test.good, isolation: process } ]\n"),
                      modules_.options);
  EXPECT_TRUE(host) << host.why().text();
}

}  // namespace
}  // namespace tenon::host
