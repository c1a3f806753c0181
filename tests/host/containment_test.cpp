// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whom an end of the process is laid to, and for how long a module is in quarantine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "calls/call_page.hpp"
#include "calls/crash_place.hpp"
#include "calls/fault_text.hpp"
#include "containment/quarantine.hpp"
#include "temp_folder.hpp"
#include "tenon/host/unasked_end.hpp"

namespace tenon::host {
namespace {

constexpr int64_t minute = 60'000, hour = 60 * minute, day = 24 * hour;
constexpr int64_t now = 1'800'000'000'000;

class Quarantine : public ::testing::Test {
 protected:
  void record(int64_t at_ms) {
    std::ofstream(folder_.path() / "key", std::ios::app)
        << "fault: signal SIGSEGV at 0x0\nat_ms: " << at_ms << "\nmodule: m 1\nslot: keys\n\n";
  }
  // 0: it is in none.
  int64_t left(int64_t at_ms = now) {
    const auto found = quarantine(folder_.path(), at_ms).find("key", at_ms);
    return found ? found->until_ms - at_ms : 0;
  }

  testing::temp_folder folder_;
};

TEST_F(Quarantine, DoublesWithEachRecordUpToADay) {
  for (const int64_t wanted : {10 * minute, 20 * minute, 40 * minute, 80 * minute, 160 * minute, 320 * minute,
                               640 * minute, 1280 * minute, day, day, day}) {
    record(now);
    EXPECT_EQ(left(), wanted);
  }
}

TEST_F(Quarantine, IsOverWhenItsTimeIs) {
  record(now - 9 * minute);
  EXPECT_EQ(left(), minute);
  EXPECT_EQ(left(now + minute - 1), 1);
  EXPECT_EQ(left(now + minute), 0);
}

TEST_F(Quarantine, IsOverWhenItsTimeIsThoughNobodyReadsTheRecordsAgain) {
  record(now);
  const quarantine held(folder_.path(), now);
  EXPECT_TRUE(held.find("key", now + 10 * minute - 1));
  EXPECT_FALSE(held.find("key", now + 10 * minute));
}

TEST_F(Quarantine, CountsRecordsOfSevenDays) {
  record(now - 7 * day - 1);
  record(now - 7 * day - 2);
  record(now);
  EXPECT_EQ(left(), 10 * minute);
  record(now - 7 * day);
  EXPECT_EQ(left(), 20 * minute);
}

TEST_F(Quarantine, TakesARecordOfTomorrowForOneOfNow) {
  record(now + day);
  EXPECT_EQ(left(), 10 * minute);
}

TEST_F(Quarantine, IsOverForGoodOnceLifted) {
  record(now);
  quarantine held(folder_.path(), now);
  EXPECT_TRUE(held.lift("key"));
  EXPECT_FALSE(held.find("key", now));
  EXPECT_FALSE(held.lift("key"));
  EXPECT_EQ(left(), 0);
}

call_subject subject(const std::string &id) {
  call_subject out;
  out.module = id;
  out.version = "1.0.0";
  out.digest = std::string(64, 'd');
  out.key = id + "-key";
  return out;
}

// The page of this process, which has one at most.
call_page &page() {
  static auto *const out = [] {
    static_cast<void>(publish_calls({}));
    return call_page::of_process();
  }();
  return *out;
}

std::string suspect_of(int64_t thread = 0) {
  const call_page::line *at = page().suspect(thread);
  return at == nullptr ? "" : std::string(page().recorded(*at).module) + " " + std::string(page().recorded(*at).slot);
}

// Another thread that is in a call meanwhile.
class call_elsewhere {
 public:
  call_elsewhere(uint32_t entry, const char *slot)
      : thread_([this, entry, slot] {
          thread_number_ = ::gettid();
          const call_on_page call(entry, slot, 1);
          both_.arrive_and_wait();
          both_.arrive_and_wait();
        }) {
    both_.arrive_and_wait();
  }
  ~call_elsewhere() {
    both_.arrive_and_wait();
    thread_.join();
  }
  [[nodiscard]] int64_t thread_number() const { return thread_number_; }

 private:
  int64_t thread_number_ = 0;
  std::barrier<> both_{2};
  std::thread thread_;
};

TEST(CallPage, NamesTheOnlyCallAndTheOneAroundIt) {
  page();
  const uint32_t a = call_page::entry_of(subject("a")), b = call_page::entry_of(subject("b"));
  EXPECT_EQ(suspect_of(), "");
  {
    const call_on_page outer(a, "keys", 7);
    EXPECT_EQ(suspect_of(), "a keys");
    {
      const call_on_page inner(b, "place", 1);
      EXPECT_EQ(suspect_of(), "b place");
    }
    EXPECT_EQ(suspect_of(), "a keys");
    EXPECT_EQ(page().recorded(*page().suspect(0)).items, 7U);
  }
  EXPECT_EQ(suspect_of(), "");
}

TEST(CallPage, OfSeveralCallsNamesThatOfTheThread) {
  page();
  const call_on_page here(call_page::entry_of(subject("a")), "keys", 1);
  const call_elsewhere there(call_page::entry_of(subject("b")), "emit");
  EXPECT_EQ(suspect_of(), "");
  EXPECT_EQ(suspect_of(::gettid()), "a keys");
  EXPECT_EQ(suspect_of(there.thread_number()), "b emit");
}

TEST(CallPage, OfSeveralCallsNamesTheOneOfAModuleOnTrial) {
  page();
  const uint32_t a = call_page::entry_of(subject("old")), b = call_page::entry_of(subject("new"));
  const call_on_page here(a, "keys", 1);
  const call_elsewhere there(b, "emit");
  EXPECT_EQ(suspect_of(), "");
  auto &line = *page().line_of(call_place::of_this_thread());
  for (uint64_t i = 0; i < call_page::calls_of_trial; ++i) page().enter(line, a, "keys", 1, ::gettid());
  EXPECT_TRUE(page().is_on_trial(line)) << "many calls, no minute";
  page().show_alive(std::chrono::milliseconds(0));
  page().after_ms(call_page::trial_ms);
  EXPECT_FALSE(page().is_on_trial(line));
  EXPECT_EQ(suspect_of(), "new emit");
  page().restart_trial(a);
  EXPECT_TRUE(page().is_on_trial(line)) << "it was at fault";
  EXPECT_EQ(suspect_of(), "");
}

TEST(CallPage, IsNotOfALostProcessAfterAnotherBootOrAnEnd) {
  auto left = std::make_unique<call_page>();
  EXPECT_FALSE(left->is_of_a_lost_process("boot")) << "an empty file";
  left->begin("", "boot");
  EXPECT_TRUE(left->is_of_a_lost_process("boot"));
  EXPECT_FALSE(left->is_of_a_lost_process("another boot")) << "a loss of power";
  left->end();
  EXPECT_FALSE(left->is_of_a_lost_process("boot"));
}

// What a child of that process does in a call that it makes.
template <class Does>
int ended(const shared_calls &calls, const std::filesystem::path &folder, Does &&does) {
  const pid_t child = ::fork();
  if (child == 0) {
    // The page of the parent's tests is not its own.
    calls.use();
    static_cast<void>(publish_calls(folder));
    // A thread of its own: this one has the place of the parent's.
    std::thread([&] {
      const call_on_page call(call_page::entry_of(subject("m")), "keys", 1);
      does();
      ::_exit(3);
    }).join();
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(SharedCalls, SayWhatAChildWasIn) {
  const testing::temp_folder folder;
  shared_calls calls;
  EXPECT_TRUE(calls.is_known()) << "nobody publishes";
  ended(calls, folder.path(), [] {});
  EXPECT_FALSE(calls.is_known());
  EXPECT_EQ(calls.suspects(false), "in m 1.0.0: keys");
  EXPECT_EQ(calls.suspects(true), "in m 1.0.0: keys");
  calls.record("its process ended with status 3", false);
  std::ifstream record(folder.path() / "m-key");
  std::string first;
  std::getline(record, first);
  EXPECT_EQ(first, "fault: its process ended with status 3");
  EXPECT_TRUE(quarantine(folder.path(), unix_now_ms()).find("m-key", unix_now_ms()));
}

TEST(SharedCalls, SayNothingOfAChildWhoseEndIsKnown) {
  const testing::temp_folder folder;
  shared_calls calls;
  ended(calls, folder.path(), [] { end_is_known(); });
  EXPECT_TRUE(calls.is_known());
  EXPECT_EQ(calls.suspects(false), "");
  calls.empty();
  ended(calls, folder.path(), [] { record_unasked_end("itself", unasked_by::this_thread); });
  EXPECT_TRUE(calls.is_known()) << "it left its record";
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "m-key"));
}

TEST(SharedCalls, SuspectEveryModuleOnTrialOfAnEndOutsideOfCalls) {
  const testing::temp_folder folder;
  shared_calls calls;
  const auto outside_of_calls = [](bool says_so) {
    return [says_so] {
      const uint32_t never_called = call_page::entry_of(subject("never called"));
      EXPECT_NE(never_called, 0U);
      { const call_on_page over(call_page::entry_of(subject("over")), "keys", 1); }
      call_page::of_process()->line_of(call_place::of_this_thread())->of = 0;  // out of the call of ended(), too
      if (says_so) record_unasked_end("exit() was called", unasked_by::this_thread);
    };
  };
  ended(calls, folder.path(), outside_of_calls(false));
  EXPECT_EQ(calls.suspects(true), "while on trial were m 1.0.0, over 1.0.0");
  calls.record("its process ended with signal Killed", true);
  for (const char *key : {"m-key", "over-key"}) {
    const auto found = quarantine(folder.path(), unix_now_ms()).find(key, unix_now_ms());
    ASSERT_TRUE(found) << key;
    EXPECT_EQ(found->fault, "its process ended with signal Killed, in no call that could be meant");
    std::filesystem::remove(folder.path() / key);
  }
  calls.empty();
  ended(calls, folder.path(), outside_of_calls(true));
  EXPECT_TRUE(calls.is_known()) << "it left its records";
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "m-key"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "never called-key"));
}

TEST(SharedCalls, OfAProcessThatIsGoneAreAccountedForAtTheNextStart) {
  const testing::temp_folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    call_page::publish_in(nullptr);  // that of other tests
    static_cast<void>(publish_calls(folder.path()));
    { const call_on_page over(call_page::entry_of(subject("m")), "keys", 1); }
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const pid_t next = ::fork();
  if (next == 0) {
    call_page::publish_in(nullptr);
    ::_exit(publish_calls(folder.path()).find("ended without a word, while on trial were m 1.0.0") ==
            std::string::npos);
  }
  int status = 0;
  ::waitpid(next, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(quarantine(folder.path(), unix_now_ms()).find("m-key", unix_now_ms()));
}

TEST(SharedCalls, AreNotThoseOfAProcessThatAModuleForked) {
  const testing::temp_folder folder;
  shared_calls calls;
  ended(calls, folder.path(), [] {
    const pid_t forked = ::fork();
    if (forked == 0) {
      EXPECT_FALSE(is_end_unknown());
      ::_exit(record_unasked_end("in the wrong process", unasked_by::any_thread) ? 1 : 0);
    }
    int status = 0;
    ::waitpid(forked, &status, 0);
    if (status == 0) end_is_known();
  });
  EXPECT_TRUE(calls.is_known());
}

// What a child process that crashes writes, on a stack of its own.
int words_end = -1;
alignas(16) char handler_stack[size_t{64} << 10];

void write_crash_place(int number, siginfo_t *what, void *context) {
  fault_text where, calls;
  const auto say = [](const fault_text &words) {
    [[maybe_unused]] const ssize_t wrote = ::write(words_end, words.text().data(), words.text().size());
  };
  add_program_counter(context, "m", where);
  say(where);
  add_backtrace(context, "m", calls);
  say(calls);
  let_it_be(number, *what);
}

struct crash {
  std::string words;
  int signal = 0;
};

crash crash_of(void (*does)()) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    words_end = ends[1];
    stack_t mine{};
    mine.ss_sp = handler_stack;
    mine.ss_size = sizeof handler_stack;
    ::sigaltstack(&mine, nullptr);
    struct sigaction how {};
    how.sa_sigaction = write_crash_place;
    how.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int number : crash_signals) sigaddset(&how.sa_mask, number);
    for (const int number : crash_signals) ::sigaction(number, &how, nullptr);
    does();
    ::_exit(3);
  }
  ::close(ends[1]);
  crash out;
  char some[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], some, sizeof some)) > 0;)
    out.words.append(some, static_cast<size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return out;
}

void (*volatile nothing_to_call)() = nullptr;
int *volatile nowhere = nullptr;

TEST(CrashPlace, NamesTheProgramCounterItsBuildAndTheCalls) {
  if (has_own_handlers) return;
  const crash said = crash_of([] { *nowhere = 1; });
  EXPECT_EQ(said.signal, SIGSEGV);
  EXPECT_THAT(said.words, ::testing::MatchesRegex("pc: host_test\\+0x[0-9a-f]+\nbuild_ids: host_test=[0-9a-f]+.*\n"
                                                  "backtrace: host_test\\+0x[0-9a-f]+ host_test\\+0x.*\n"));
}

TEST(CrashPlace, NamesTheCallerOfANullPointer) {
  if (has_own_handlers) return;
  const crash said = crash_of([] {
    nothing_to_call();
    *nowhere = 1;  // no jump in place of the call
  });
  EXPECT_EQ(said.signal, SIGSEGV);
  EXPECT_THAT(said.words, ::testing::MatchesRegex("pc: 0x0\nbuild_ids: host_test=[0-9a-f]+.*\n"
                                                  "backtrace: 0x0 host_test\\+0x[0-9a-f]+.*\n"));
}

#if defined(__x86_64__)
TEST(CrashPlace, SaysTheProgramCounterWhereTheStackIsLost) {
  if (has_own_handlers) return;
  const crash said = crash_of([] { asm volatile("mov $4096, %rsp; mov $4096, %rbp; ud2"); });
  EXPECT_EQ(said.signal, SIGSEGV) << "it crashed once more over the stack";
  EXPECT_THAT(said.words, ::testing::MatchesRegex("pc: host_test\\+0x[0-9a-f]+\n"));
}
#endif

}  // namespace
}  // namespace tenon::host
