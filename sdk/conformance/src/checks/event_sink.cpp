// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Event sinks: what is taken is taken whole, and given back as it was, to whoever asks for it.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "growth.hpp"
#include "made_events.hpp"

namespace tenon::conformance {
namespace {

constexpr const char *first_run = "5f0c1d8e-run-1", *second_run = "5f0c1d8e-run-2";

// What `have` lacks or has too much of, as words; empty where it is `want`.
std::string difference(const std::vector<made_event> &want, const std::vector<made_event> &have) {
  for (size_t i = 0; i < std::min(want.size(), have.size()); ++i) {
    if (const std::string no = want[i].difference(have[i]); !no.empty())
      return "record " + number(i + 1) + " of the answer: " + no;
  }
  if (want.size() == have.size()) return {};
  return number(have.size()) + " records came, want " + number(want.size());
}

void want_answer(const instance &of, const made_query &wanted, const std::vector<made_event> &all,
                 const std::string &about) {
  std::vector<made_event> want;
  for (const made_event &one : all) {
    if (wanted.fits(one)) want.push_back(one);
  }
  if (const std::string no = difference(want, ask_for(of, wanted).records); !no.empty())
    probe::fail("a query " + about + ": " + no);
}

void takes_batches(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  uint64_t id = 1;
  for (const size_t count : {0UL, 1UL, 0UL, 10'000UL, 2UL}) {
    emit(*one, make_events(count, first_run, id, d));
    id += count;
  }
  emit(*one, make_events(3, first_run, id + 1000, d));
}

void starts_again(probe &p) {
  const opened_module module = opened_module::start(p);
  dice d(p.seed());
  for (int life = 0; life < 3; ++life) {
    const auto one = instance::active(module);
    const std::string run = first_run + std::to_string(life);
    std::vector<made_event> all;
    for (int time = 0; time < 3; ++time) {
      const auto more = make_events(5, run, all.size() + 1, d);
      emit(*one, more);
      all.insert(all.end(), more.begin(), more.end());
      made_query of_run;
      of_run.run = run;
      if (can_query(*one)) (void)ask_for(*one, of_run);
      one->deactivate();
      one->activate();
      if (!can_query(*one)) continue;
      emit(*one, {});
      of_run.first_id = 1;
      const auto kept = ask_for(*one, of_run).records;  // what is kept in memory alone may be gone
      if (!kept.empty() && kept.back() != all.back())
        probe::fail("after deactivate and activate: " + all.back().difference(kept.back()));
    }
  }
}

void gives_back(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  std::vector<made_event> all;
  for (const size_t count : {1UL, 40UL, 7UL}) {
    const auto more = make_events(count, first_run, all.size() + 1, d);
    emit(*one, more);
    all.insert(all.end(), more.begin(), more.end());
    want_answer(*one, {}, all, "for everything");
  }
}

void filters(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  const auto all = make_events(200, first_run, 1, d);
  emit(*one, all);
  struct condition {
    const char *name;
    void (*set)(made_query &, const made_event &);
  };
  static constexpr std::array conditions{
      condition{"types", [](made_query &q, const made_event &e) { q.types = 1U << e.type | 1U; }},
      condition{"run", [](made_query &q, const made_event &e) { q.run = e.texts[made_event::run]; }},
      condition{"partition", [](made_query &q, const made_event &e) { q.partition = e.texts[made_event::partition]; }},
      condition{"object", [](made_query &q, const made_event &e) { q.object = e.texts[made_event::object]; }},
      condition{"application",
                [](made_query &q, const made_event &e) { q.application = e.texts[made_event::application]; }},
      condition{"queue", [](made_query &q, const made_event &e) { q.queue = e.texts[made_event::queue]; }},
      condition{"node", [](made_query &q, const made_event &e) { q.node = e.texts[made_event::node]; }},
      condition{"since_ns", [](made_query &q, const made_event &e) { q.since_ns = e.timestamp_ns; }},
      condition{"until_ns", [](made_query &q, const made_event &e) { q.until_ns = e.timestamp_ns; }},
      condition{"first_id", [](made_query &q, const made_event &e) { q.first_id = e.id; }},
      condition{"last_id", [](made_query &q, const made_event &e) { q.last_id = e.id; }},
  };
  for (int round = 0; round < 3; ++round) {
    for (const condition &each : conditions) {
      made_query wanted;
      each.set(wanted, d.one_of(all));
      want_answer(*one, wanted, all, std::string("by ") + each.name);
    }
  }
  for (int round = 0; round < 40; ++round) {
    made_query wanted;
    std::string names;
    const made_event &like = d.one_of(all);
    for (const condition &each : conditions) {
      if (!d.chance(30)) continue;
      each.set(wanted, d.chance(80) ? like : d.one_of(all));
      names += std::string(names.empty() ? "" : ", ") + each.name;
    }
    want_answer(*one, wanted, all, "by " + names);
  }
  made_query nothing;
  nothing.object = "nobody";
  want_answer(*one, nothing, all, "for an object that no record is about");
}

void pages(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  const auto all = make_events(60, first_run, 1, d);
  emit(*one, all);
  for (const uint64_t limit : {1U, 7U, 59U, 60U, 61U}) {
    for (const char *queue : {"", "root.a"}) {
      made_query wanted;
      wanted.limit = limit;
      wanted.queue = queue;
      std::vector<made_event> want, have;
      for (const made_event &each : all) {
        if (wanted.fits(each)) want.push_back(each);
      }
      for (size_t turns = 0; turns <= all.size(); ++turns) {
        const query_answer page = ask_for(*one, wanted);
        if (page.records.size() > limit)
          probe::fail("query gave " + number(page.records.size()) + " records where " + number(limit) +
                      " were the limit");
        have.insert(have.end(), page.records.begin(), page.records.end());
        wanted.after = page.next;
        if (page.next == 0) break;
      }
      if (const std::string no = difference(want, have); !no.empty())
        probe::fail("pages of " + number(limit) + ", put together: " + no);
    }
  }
}

void stops(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  emit(*one, make_events(30, first_run, 1, d));
  for (const uint64_t enough : {1U, 10U}) {
    const query_answer some = ask_for(*one, {}, enough);
    if (some.after_enough != 0) probe::fail("query goes on though the taker has enough");
    if (some.records.size() != enough) probe::fail("query ends before the taker has enough");
  }
  if (ask_for(*one, {}).records.size() != 30) probe::fail("after a query that was ended early records are missing");
}

const std::vector<std::string> &odd_texts() {
  using namespace std::string_literals;
  static const std::vector<std::string> texts{" ",
                                              "\n",
                                              "a\nb",
                                              "\t\"quoted\"",
                                              "'; DROP TABLE events; --",
                                              "%s%n%x",
                                              "{}",
                                              "\\",
                                              "\\u0000",
                                              "a\0b"s,
                                              "\0"s,
                                              "\xC3\xA4\xF0\x9F\x98\x80",
                                              "\xFF\xFE",
                                              "\x1B[31m",
                                              "_%",
                                              "NULL",
                                              "-1",
                                              std::string(1024, 'x'),
                                              std::string(70'000, 'y')};
  return texts;
}

void odd_texts_come_back(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  std::vector<made_event> all;
  for (const std::string &text : odd_texts()) {
    auto some = make_events(2, first_run, all.size() + 1, d);
    for (size_t i = 1; i < made_event::text_count; ++i) some[0].texts[i] = text;
    some[0].resource = {{text, INT64_MAX}};
    some[1].texts.fill("");
    some[1].texts[made_event::run] = first_run;
    some[1].resource.clear();
    emit(*one, some);
    all.insert(all.end(), some.begin(), some.end());
  }
  if (!can_query(*one)) return;
  want_answer(*one, {}, all, "for everything");
  for (const std::string &text : odd_texts()) {
    made_query wanted;
    wanted.object = wanted.queue = text;
    want_answer(*one, wanted, all, "for an object of " + number(text.size()) + " odd bytes");
  }
}

void borrows(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  std::vector<made_event> all;
  for (const emit_manner how : {emit_manner{true, false}, emit_manner{true, true}, emit_manner{false, true}}) {
    const auto more = make_events(20, first_run, all.size() + 1, d);
    emit(*one, more, how);
    all.insert(all.end(), more.begin(), more.end());
  }
  if (can_query(*one)) want_answer(*one, {}, all, "for everything");
}

void runs_and_losses(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  auto all = make_events(10, first_run, 1, d);
  made_event &lost = all[5];
  lost.type = TENON_EVENT_SYSTEM;
  lost.texts[made_event::reason] = "EventsLost";
  lost.last_id = lost.id + 90;
  for (size_t i = 6; i < all.size(); ++i) all[i].id = all[i].last_id = all[i].id + 90;
  emit(*one, all);
  const auto later = make_events(10, second_run, 1, d);
  emit(*one, later);
  all.insert(all.end(), later.begin(), later.end());
  for (const char *run : {"", first_run, second_run}) {
    made_query wanted;
    wanted.run = run;
    want_answer(*one, wanted, all, "for " + (*run == 0 ? std::string("all runs") : std::string("one run of two")));
    wanted.first_id = wanted.last_id = 50;
    want_answer(*one, wanted, all, "for an id that is lost");
  }
}

void ends_threads(probe &p) {
  const opened_module module = opened_module::start(p);
  dice d(p.seed());
  const size_t before = threads_now();
  for (int i = 0; i < 3; ++i) {
    const auto one = instance::active(module);
    emit(*one, make_events(100, first_run + std::to_string(i), 1, d));
    one->deactivate();
    one->destroy();
  }
  const size_t after = threads_left(before);
  if (after > before) probe::fail(number(after - before) + " threads are left of instances that were destroyed");
}

void any_thread(probe &p) {
  const opened_module module = opened_module::start(p);
  std::unique_ptr<instance> one;
  dice d(p.seed());
  std::vector<made_event> all;
  std::string failure;
  const auto on_a_thread = [&](auto &&body) {
    std::thread([&] {
      try {
        body();
      } catch (const check_failed &no) {
        failure = no.text;
      } catch (const check_skipped &) {  // this is about threads
      }
    }).join();
    if (!failure.empty()) probe::fail("on another thread: " + failure);
  };
  on_a_thread([&] {
    test_host::be(TENON_THREAD_MAIN);
    one = instance::active(module);
  });
  if (!one) probe::skip("no instance could be made");
  for (int i = 0; i < 3; ++i) {
    on_a_thread([&] {
      const auto more = make_events(5, first_run, all.size() + 1, d);
      emit(*one, more);
      all.insert(all.end(), more.begin(), more.end());
    });
    if (!can_query(*one)) continue;
    on_a_thread([&] { want_answer(*one, {}, all, "for everything"); });
  }
}

constexpr int nothing_to_check = 77;  // exit status of a process whose sink takes no records here

// Another process takes the batches one by one. Either it ends as it should after `enough` of them, or it is killed
// while it goes on. How many it had taken, by its own word.
size_t taken_by_another_process(probe &p, std::span<const std::vector<made_event>> batches, size_t enough,
                                bool killed) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) probe::skip("there is no pipe to another process");
  const pid_t other = ::fork();
  if (other < 0) probe::skip("no process could be started");
  if (other == 0) {
    ::close(ends[0]);
    try {
      const opened_module module = opened_module::start(p);
      const auto one = instance::active(module);
      for (const auto &batch : killed ? batches : batches.first(enough)) {
        emit(*one, batch);
        if (::write(ends[1], "t", 1) != 1) ::_exit(EXIT_FAILURE);
      }
      if (killed) ::pause();
      one->deactivate();
      one->destroy();
      ::_exit(EXIT_SUCCESS);
    } catch (const check_skipped &) {
      ::_exit(nothing_to_check);
    } catch (...) {
      ::_exit(EXIT_FAILURE);
    }
  }
  ::close(ends[1]);
  size_t taken = 0;
  char word = 0;
  while (taken < enough && ::read(ends[0], &word, 1) == 1) ++taken;
  if (killed) ::kill(other, SIGKILL);
  while (::read(ends[0], &word, 1) == 1) ++taken;
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(other, &status, 0) != other) probe::skip("the other process got lost");
  p.step("");
  if (WIFEXITED(status) && WEXITSTATUS(status) == nothing_to_check)
    probe::skip("it takes no records in another process");
  const bool as_meant = killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                               : WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
  if (!as_meant) probe::fail("a second process that takes records after " + number(taken) + " batches ended by itself");
  return taken;
}

// A sink that keeps records beyond its process keeps what it took, whatever becomes of that.
void outlives_a_kill(probe &p) {
  dice d(p.seed());
  struct life {
    std::string run;
    bool killed;
    std::vector<std::vector<made_event>> batches;
    size_t taken = 0;
  };
  std::array<life, 3> lives{life{"ended", false, {}}, life{"killed", true, {}}, life{"killed-again", true, {}}};
  for (life &each : lives) {
    uint64_t id = 1;
    for (int i = 0; i < 60; ++i) {
      each.batches.push_back(make_events(1 + p.pick(25), each.run, id, d));
      id += each.batches.back().size();
    }
    each.taken = taken_by_another_process(p, each.batches, 1 + p.pick(30), each.killed);
  }
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (const life &each : lives) {
    made_query of_run;
    of_run.run = each.run;
    const auto kept = ask_for(*one, of_run).records;
    if (!each.killed && kept.empty()) probe::skip("it keeps nothing beyond its process");
    std::vector<made_event> want;
    for (size_t i = 0; i < each.taken; ++i) want.insert(want.end(), each.batches[i].begin(), each.batches[i].end());
    if (kept.size() < want.size())
      probe::fail("of a process that was " + each.run + " " + number(kept.size()) +
                  " records are left, emit had said OK to " + number(want.size()));
    // The one more that it was taking may be there too: all of it.
    if (kept.size() > want.size() && each.killed && each.taken < each.batches.size())
      want.insert(want.end(), each.batches[each.taken].begin(), each.batches[each.taken].end());
    if (const std::string no = difference(want, kept); !no.empty())
      probe::fail("after a process was " + each.run + ": " + no);
  }
}

// As on a disk that is full: no file of this process grows beyond so many bytes.
class files_end_at {
 public:
  explicit files_end_at(rlim_t bytes) {
    before_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit less{std::min(bytes, limit_.rlim_max), limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~files_end_at() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, before_);
  }
  files_end_at(const files_end_at &) = delete;
  files_end_at &operator=(const files_end_at &) = delete;

 private:
  rlimit limit_{};
  void (*before_)(int) = nullptr;
};

void full_disk(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  std::vector<made_event> taken = make_events(20, first_run, 1, d), refused;
  emit(*one, taken);
  {
    const files_end_at limit(rlim_t{256} << 10U);
    for (int i = 0; i < 200 && refused.empty(); ++i) {
      const auto more = make_events(50, first_run, taken.size() + 1, d);
      auto &to = is_taken(*one, more) ? taken : refused;
      to.insert(to.end(), more.begin(), more.end());
    }
  }
  if (refused.empty()) probe::skip("it needs no file that grows");
  emit(*one, refused);
  taken.insert(taken.end(), refused.begin(), refused.end());
  const auto more = make_events(5, first_run, taken.size() + 1, d);
  emit(*one, more);
  taken.insert(taken.end(), more.begin(), more.end());
  if (can_query(*one)) want_answer(*one, {}, taken, "after its files could not grow");
}

constexpr std::array event_sink_list{
    check{"sink-takes-batches", "event sinks", about::event_sink, "instance-starts",
          "Batches of no, one and ten thousand records are taken, with gaps between ids; a refusal has words.",
          takes_batches},
    check{"sink-starts-again", "event sinks", about::event_sink, "sink-takes-batches",
          "After deactivate and activate, and after destroy and create, records are taken and queries answered.",
          starts_again},
    check{"sink-borrows", "event sinks", about::event_sink, "sink-takes-batches",
          "Records are found by their stride, whatever a later host adds, and nothing of them is read after the call.",
          borrows},
    check{"sink-gives-back", "event sinks", about::event_sink, "sink-takes-batches",
          "A query gives each record as it was taken, every field of it, in the order in which they came.", gives_back},
    check{"sink-filters", "event sinks", about::event_sink, "sink-gives-back",
          "A query gives the records that fit all of its conditions, and no others.", filters},
    check{"sink-pages", "event sinks", about::event_sink, "sink-gives-back",
          "No answer has more records than the limit, and all pages, put together, are the whole.", pages},
    check{"sink-stops", "event sinks", about::event_sink, "sink-gives-back",
          "A taker that has enough is given no more, and the next query is answered whole.", stops},
    check{"sink-odd-texts", "event sinks", about::event_sink, "sink-takes-batches",
          "Texts may be any bytes, or very long: they are taken, found and given back as they were.",
          odd_texts_come_back},
    check{"sink-runs", "event sinks", about::event_sink, "sink-gives-back",
          "Records of two runs with equal ids are two; a range that is lost is found by each id in it.",
          runs_and_losses},
    check{"sink-any-thread", "event sinks", about::event_sink, "sink-takes-batches",
          "A sink works on whatever thread calls it, and whatever thread made it.", any_thread},
    check{"sink-ends-threads", "event sinks", about::event_sink, "sink-takes-batches",
          "An instance that is gone leaves no thread behind.", ends_threads},
    check{"sink-outlives-kill", "event sinks", about::event_sink, "sink-gives-back",
          "Where records outlive the process, each that was taken outlives its kill, and of a batch all or none.",
          outlives_a_kill},
    check{"sink-full-disk", "event sinks", about::event_sink, "sink-takes-batches",
          "Where its files cannot grow it says RETRY, with words; once they can it takes the batch, and none is lost.",
          full_disk},
};

}  // namespace

checks event_sink_checks() { return event_sink_list; }

}  // namespace tenon::conformance
