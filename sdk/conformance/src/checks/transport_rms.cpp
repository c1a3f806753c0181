// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Transports with RMs: what these send and are told arrives whole, once, in order and at the right one.
#include <algorithm>
#include <array>
#include <thread>

#include "made_rm.hpp"

namespace tenon::conformance {
namespace {

using namespace std::chrono_literals;

constexpr auto soon = 5000ms;
constexpr std::string_view usual_partition = "default";

made_message registration_of(std::string rm, fullness how, const client_side &by, dice &d) {
  made_message out(TENON_RM_REGISTRATION, how, rm, by.detail(), d);
  out.set("rm", std::move(rm));
  return out;
}

// A session that is at work, on both sides.
struct rm_at_work {
  rm_at_work(const client_side &by, transport_at_work &to, const std::string &rm, dice &d) : of(by, to) {
    of.enter(registration_of(rm, fullness::least, by, d));
    session = to.scheduler().session_of(rm);
  }

  made_rm of;
  tenon_rm_session session = 0;
};

std::string value_of(const read_message &message, std::string_view member) {
  const auto found = message.values.find(member);
  return found == message.values.end() ? std::string() : found->second;
}

// Messages of every type that the protocol has, each absent, full and in between.
std::vector<made_message> every_message(std::span<const uint32_t> types, const client_side &by, dice &d) {
  std::vector<made_message> out;
  for (const uint32_t type : types) {
    if (!by.carries(type)) continue;
    for (const fullness how : {fullness::least, fullness::full, fullness::some, fullness::some, fullness::some})
      out.emplace_back(type, how, "m" + number(out.size()), by.detail(), d);
  }
  return out;
}

// Messages of one type come in the order in which they were sent; types may overtake each other on their way.
void want_all(const std::vector<made_message> &sent, const std::vector<read_message> &came, const client_side &by,
              const char *what) {
  for (const made_message &one : sent) {
    const read_message want = one.values();
    std::vector<read_message> wanted, had;
    for (const made_message &other : sent) {
      if (other.get()->type == want.type) wanted.push_back(other.values());
    }
    for (const read_message &other : came) {
      if (other.type == want.type) had.push_back(other);
    }
    for (size_t i = 0; i < std::min(wanted.size(), had.size()); ++i) {
      if (const std::string no = difference(wanted[i], had[i], by.lacks()); !no.empty())
        probe::fail(std::string(what) + " " + number(i + 1) + " of its type: " + no);
    }
    if (wanted.size() != had.size())
      probe::fail(number(had.size()) + " of " + number(wanted.size()) + " " + what + "s " +
                  std::string(message_name(want.type)) + " (type " + number(want.type) + ") arrived");
  }
}

// What is checked is a transport that has started, with the RMs of its protocol and values that the seed drew.
template <void (*check)(const client_side &by, transport_at_work &one, dice &d)>
void with_one(probe &p) {
  const opened_module module = opened_module::start(p);
  const client_side by(p);
  dice d(p.seed());
  transport_at_work one(module);
  one.start();
  check(by, one, d);
}

void enters_whole(const client_side &by, transport_at_work &one, dice &d) {
  for (const fullness how : {fullness::least, fullness::full, fullness::some, fullness::some}) {
    made_rm rm(by, one);
    const std::string name = "rm-" + number(d.below(1'000'000));
    const made_message registration = registration_of(name, how, by, d);
    rm.enter(registration);
    const auto came = one.scheduler().registration_of(name);
    if (!came) probe::fail("an RM that entered is not known to the scheduler under its name");
    if (const std::string no = difference(registration.values(), *came, by.lacks()); !no.empty()) probe::fail(no);
  }
  one.want_no_complaint();
}

void tells_refusals(const client_side &by, transport_at_work &one, dice &d) {
  made_rm rm(by, one);
  const std::string words = "policy group 'nobody' is none of the configuration's";
  one.scheduler().refuse(TENON_INVALID_CONFIG, words);
  std::string why;
  const tenon_status status = rm.try_enter(registration_of("rm-refused", fullness::least, by, d), why);
  if (status == TENON_OK) probe::fail("an RM that the scheduler refuses is told that it entered");
  if (why.find(words) == std::string::npos)
    probe::fail("an RM that the scheduler refuses with words is told" + (why.empty() ? " none" : why));
  one.scheduler().refuse(TENON_OK, "");
  rm.enter(registration_of("rm-refused", fullness::least, by, d));
}

void requests_whole(const client_side &by, transport_at_work &one, dice &d) {
  rm_at_work rm(by, one, "rm-1", d);
  const auto sent = every_message(request_types(), by, d);
  rm.of.submit(sent);
  want_all(sent, one.scheduler().requests(rm.session, sent.size(), soon), by, "request");
  one.want_no_complaint();
}

void answers_whole(const client_side &by, transport_at_work &one, dice &d) {
  rm_at_work rm(by, one, "rm-1", d);
  const auto sent = every_message(answer_types(), by, d);
  one.tell(rm.session, usual_partition, 1, sent);
  want_all(sent, rm.of.told(sent.size(), soon), by, "answer");
  one.want_no_complaint();
}

void detail_comes_back(const client_side &by, transport_at_work &one, dice &d) {
  if (by.detail().empty()) probe::skip("its protocol has no place for detail");
  rm_at_work rm(by, one, "rm-1", d);
  const uint32_t type = by.carries(TENON_RM_ASK) ? TENON_RM_ASK : TENON_RM_ALLOCATION;
  const made_message ask(type, fullness::full, "ask-1", by.detail(), d);
  rm.of.submit({ask});
  const auto came = one.scheduler().requests(rm.session, 1, soon);
  const std::string detail = came.empty() ? std::string() : value_of(came.front(), "detail");
  made_message answer(TENON_RM_ALLOCATION, fullness::least, "ask-1", "", d);
  answer.set("detail", detail);
  one.tell(rm.session, usual_partition, 1, {answer});
  const auto told = rm.of.told(1, soon);
  if (detail != by.detail() || told.empty() || value_of(told.front(), "detail") != detail)
    probe::fail("an ask's detail does not come back with its allocation as it was sent");
}

// The same RM's answers about three partitions, in batches; two RMs at once.
void answers_in_order(const client_side &by, transport_at_work &one, dice &d) {
  constexpr size_t count = 200;
  const std::array<std::string, 3> partitions{"default", "gpu", ""};
  rm_at_work first(by, one, "rm-1", d), second(by, one, "rm-2", d);
  for (const rm_at_work *rm : {&first, &second}) {
    std::array<uint64_t, 3> next{1, 1, 1};
    while (*std::min_element(next.begin(), next.end()) <= count) {
      const size_t which = d.below(partitions.size());
      std::vector<made_message> batch;
      const uint64_t begin = next[which];
      for (uint64_t n = 1 + d.below(40); n > 0 && next[which] <= count; --n) {
        const std::string key = number(rm->session) + "/" + partitions[which] + "/" + number(next[which]++);
        batch.emplace_back(TENON_RM_ACCEPTED_APPLICATION, fullness::least, key, "", d);
      }
      if (!batch.empty()) one.tell(rm->session, partitions[which], begin, batch);
    }
  }
  for (rm_at_work *rm : {&first, &second}) {
    const auto told = rm->of.told(partitions.size() * count, soon);
    for (const std::string &partition : partitions) {
      uint64_t next = 1;
      std::string before = "id-" + number(rm->session);
      before.append("/").append(partition).append("/");
      for (const read_message &answer : told) {
        const std::string id = value_of(answer, "id");
        if (!id.starts_with(before)) continue;
        if (id != before + number(next))
          probe::fail("of partition '" + partition + "' an RM was told " + id + " where answer " + number(next) +
                      " comes next");
        ++next;
      }
      if (next != count + 1)
        probe::fail("of partition '" + partition + "' an RM was told " + number(next - 1) + " of " + number(count) +
                    " answers");
    }
    if (told.size() != partitions.size() * count) probe::fail("an RM was told what is about another one");
    if (rm->of.overlapped()) probe::fail("two callbacks of one RM ran at the same time");
  }
  one.want_no_complaint();
}

// What is acknowledged the scheduler forgets, and it keeps no more than so much for an RM. How soon is the transport's:
// where an RM confirms nothing it may take what came after as a sign.
void acknowledges(const client_side &by, transport_at_work &one, dice &d) {
  constexpr size_t answer_bytes = 600, bytes = size_t{2} << 20;
  rm_at_work rm(by, one, "rm-1", d);
  constexpr uint64_t count = bytes / answer_bytes;
  for (uint64_t next = 1; next <= count; next += 100) {
    std::vector<made_message> batch;
    for (uint64_t n = next; n < next + 100; ++n) {
      const std::string digits = number(n);
      batch.emplace_back(TENON_RM_ACCEPTED_APPLICATION, fullness::least,
                         std::string(answer_bytes - digits.size(), '0') + digits, "", d);
    }
    one.tell(rm.session, usual_partition, next, batch);
  }
  (void)rm.of.told(count, soon);
  if (one.scheduler().acknowledged(rm.session, usual_partition, soon) == 0)
    probe::fail("of " + number(count) + " answers that an RM has been told, 2 MiB of them, none is acknowledged");
  one.want_no_complaint();
}

void requests_again(const client_side &by, transport_at_work &one, dice &d) {
  rm_at_work rm(by, one, "rm-1", d);
  one.scheduler().take_at_most(3, 1ms);
  std::vector<made_message> sent;
  for (size_t i = 0; i < 100; ++i) sent.emplace_back(TENON_RM_APPLICATION, fullness::some, number(i), "", d);
  rm.of.submit(sent);
  want_all(sent, one.scheduler().requests(rm.session, sent.size(), soon), by, "request");
  std::this_thread::sleep_for(50ms);
  if (one.scheduler().requests(rm.session, 0, 0ms).size() != sent.size()) probe::fail("a request was sent twice");
  one.want_no_complaint();
}

void takes_over(const client_side &by, transport_at_work &one, dice &d) {
  rm_at_work older(by, one, "rm-1", d);
  const auto say = [&](tenon_rm_session session, const std::string &key) {
    one.tell(session, usual_partition, 1, {made_message(TENON_RM_ACCEPTED_NODE, fullness::least, key, "", d)});
  };
  say(older.session, "older");
  if (older.of.told(1, soon).size() != 1) probe::fail("an RM was not told of its node");
  rm_at_work newer(by, one, "rm-1", d);
  one.ended(older.session, TENON_RM_ENDED_REPLACED);
  if (!older.of.ended(soon)) probe::fail("an RM whose session ended was not told so");
  say(newer.session, "newer");
  const auto told = newer.of.told(1, soon);
  if (told.size() != 1 || value_of(told.front(), "id") != "id-newer")
    probe::fail("an RM that entered again was not told what is about its new session");
  if (older.of.told_count() != 1) probe::fail("a session that ended was told what is about a newer one");
  const made_message late(TENON_RM_ACCEPTED_NODE, fullness::least, "late", "", d);
  if (one.offer(older.session, usual_partition, 2, {late}).status != TENON_DECLINED)
    probe::fail("deliver did not decline answers for a session that ended");
  one.want_no_complaint();
}

void leaves(const client_side &by, transport_at_work &one, dice &d) {
  rm_at_work stays(by, one, "rm-1", d), goes(by, one, "rm-2", d);
  if (const tenon_status status = goes.of.leave(); status != TENON_OK)
    probe::fail("an RM that leaves gets " + status_name(status));
  const auto said = one.scheduler().signals(goes.session, 1, soon);
  if (said != std::vector<uint32_t>{TENON_RM_SHUTDOWN})
    probe::fail("of an RM that leaves the scheduler was told " + number(said.size()) +
                " signals, want SHUTDOWN and nothing else");
  if (!one.scheduler().signals(stays.session, 0, 0ms).empty())
    probe::fail("of an RM that stays the scheduler was told that it went");
}

void stops_with_rms(probe &p) {
  const opened_module module = opened_module::start(p);
  const client_side by(p);
  dice d(p.seed());
  for (const auto drain : {0ms, 300ms}) {
    transport_at_work one(module);
    one.start();
    rm_at_work first(by, one, "rm-1", d), second(by, one, "rm-2", d);
    std::vector<made_message> many;
    for (size_t i = 0; i < 300; ++i)
      many.emplace_back(TENON_RM_ACCEPTED_APPLICATION, fullness::least, number(i), "", d);
    one.tell(first.session, usual_partition, 1, many);
    one.stop(drain);
    const size_t told = first.of.told_count();
    std::this_thread::sleep_for(150ms);
    one.want_no_complaint();
    // What is on a connection may still arrive; in one process there is none.
    if (p.of().client.empty() && first.of.told_count() != told)
      probe::fail("an RM in this process was told something after stop returned");
  }
}

// An RM that reads nothing for a while: what waits for it has an end, and nobody waits.
void waits_for_nobody(probe &p) {
  constexpr size_t answer_bytes = 600, most = (size_t{64} << 20) / answer_bytes;
  const opened_module module = opened_module::start(p);
  const client_side by(p);
  if (by.is_local()) probe::skip("callbacks in one process do not wait");
  dice d(p.seed());
  transport_at_work one(module);
  one.start();
  rm_at_work rm(by, one, "rm-1", d);
  const auto answer = [&](uint64_t n) {
    const std::string digits = number(n);
    return made_message(TENON_RM_ACCEPTED_APPLICATION, fullness::least,
                        std::string(answer_bytes - digits.size(), '0') + digits, "", d);
  };
  one.tell(rm.session, usual_partition, 1, {answer(1)});
  (void)rm.of.told(1, soon);
  rm.of.hold(true);
  std::jthread release([&](const std::stop_token &ends) {  // where deliver waits for what never comes
    for (int i = 0; i < 200 && !ends.stop_requested(); ++i) std::this_thread::sleep_for(10ms);
    rm.of.hold(false);
  });
  uint64_t next = 2;
  auto progress = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - progress < 200ms) {
    std::vector<made_message> batch;
    for (uint64_t n = next; n < next + 100; ++n) batch.push_back(answer(n));
    const auto before = std::chrono::steady_clock::now();
    const delivered told = one.offer(rm.session, usual_partition, next, batch);
    const auto after = std::chrono::steady_clock::now();
    if (after - before > 1s) probe::fail("deliver waits for an RM that does not read");
    next += told.taken;
    if (told.taken != 0) progress = after;
    if (next > most) probe::fail("deliver takes 64 MiB and more for an RM that does not read");
  }
  release.request_stop();
  release.join();
  one.tell(rm.session, usual_partition, next, {answer(next)});
  const auto told = rm.of.told(next, soon);
  if (told.size() != next)
    probe::fail("an RM that reads again was told " + number(told.size()) + " of " + number(next) + " answers");
  for (uint64_t n = 1; n <= next; ++n) {
    if (value_of(told[n - 1], "id") != value_of(answer(n).values(), "id"))
      probe::fail("an RM that reads again is told other answers than those that were taken, or in another order");
  }
  one.want_no_complaint();
}

void tells_losses(const client_side &by, transport_at_work &one, dice &d) {
  if (by.is_local()) probe::skip("an RM in one process cannot be lost");
  rm_at_work stays(by, one, "rm-1", d);
  tenon_rm_session lost = 0;
  {
    rm_at_work goes(by, one, "rm-2", d);
    lost = goes.session;
    one.tell(lost, usual_partition, 1, {made_message(TENON_RM_ACCEPTED_NODE, fullness::least, "1", "", d)});
    (void)goes.of.told(1, soon);
  }
  // Where an RM has several streams, they break one after another: it may be lost and back before it is lost for good.
  const auto until = std::chrono::steady_clock::now() + soon;
  const made_message late(TENON_RM_ACCEPTED_NODE, fullness::least, "late", "", d);
  std::vector<uint32_t> said;
  delivered told;
  do {
    std::this_thread::sleep_for(50ms);
    said = one.scheduler().signals(lost, 0, 0ms);
    told = one.offer(lost, usual_partition, 2, {late});
  } while ((said.empty() || said.back() != TENON_RM_LOST || told.status != TENON_DECLINED) &&
           std::chrono::steady_clock::now() < until);
  if (said.empty() || said.back() != TENON_RM_LOST)
    probe::fail("of an RM whose connection broke the scheduler was not told that it is lost");
  for (size_t i = 0; i < said.size(); ++i) {
    if (said[i] != (i % 2 == 0 ? TENON_RM_LOST : TENON_RM_BACK))
      probe::fail("of an RM whose connection broke the scheduler was told signal " + number(said[i]) + " as the " +
                  number(i + 1) + ". one; LOST comes first, and BACK between two of it");
  }
  if (told.status != TENON_DECLINED) probe::fail("deliver did not decline answers for an RM that is lost");
  if (!one.scheduler().signals(stays.session, 0, 0ms).empty())
    probe::fail("of an RM that stays the scheduler was told that it went");
}

void stops_under_load(const client_side &by, transport_at_work &one, dice &d) {
  if (by.is_local()) probe::skip("the program sees to it that no RM in it calls a port that closes");
  rm_at_work rm(by, one, "rm-1", d);
  one.scheduler().take_at_most(0, 1ms);
  std::vector<made_message> some;
  for (size_t i = 0; i < 20; ++i) some.emplace_back(TENON_RM_APPLICATION, fullness::least, number(i), "", d);
  std::jthread submits([&](const std::stop_token &ends) {
    while (!ends.stop_requested() && rm.of.try_submit(some) == TENON_OK) std::this_thread::sleep_for(1ms);
  });
  std::this_thread::sleep_for(100ms);
  one.stop();
  std::this_thread::sleep_for(100ms);
  one.want_no_complaint();
}

constexpr std::array transport_rms_list{
    check{"transport-enters-whole", "transports", about::transport, "transport-starts-again",
          "A registration arrives with every member that it has and no other.", with_one<enters_whole>},
    check{"transport-tells-refusals", "transports", about::transport, "transport-enters-whole",
          "An RM that the scheduler refuses is told so, with the scheduler's words, and may try again.",
          with_one<tells_refusals>},
    check{"transport-requests-whole", "transports", about::transport, "transport-enters-whole",
          "Requests of every type arrive with every member that they have and no other, in order.",
          with_one<requests_whole>},
    check{"transport-answers-whole", "transports", about::transport, "transport-enters-whole",
          "Answers of every type arrive with every member that they have and no other, in order.",
          with_one<answers_whole>},
    check{"transport-detail-comes-back", "transports", about::transport, "transport-enters-whole",
          "What an ask has as detail comes back with its allocation, byte by byte.", with_one<detail_comes_back>},
    check{"transport-answers-in-order", "transports", about::transport, "transport-enters-whole",
          "Of several RMs and partitions each answer arrives once, in its order, at its RM; acknowledged is what came.",
          with_one<answers_in_order>},
    check{"transport-acknowledges", "transports", about::transport, "transport-answers-in-order",
          "Answers that RMs have are acknowledged in time, so that the scheduler does not keep them.",
          with_one<acknowledges>},
    check{"transport-requests-again", "transports", about::transport, "transport-enters-whole",
          "What a scheduler does not take now is sent again, once and in order.", with_one<requests_again>},
    check{"transport-takes-over", "transports", about::transport, "transport-enters-whole",
          "After an RM entered again its older session is told that it ended, and nothing more.", with_one<takes_over>},
    check{"transport-leaves", "transports", about::transport, "transport-enters-whole",
          "An RM that says goodbye is told to the scheduler as gone for good, once.", with_one<leaves>},
    check{"transport-stops-with-rms", "transports", about::transport, "transport-enters-whole",
          "stop returns in time while RMs are connected, and none is called back after it.", stops_with_rms},
    check{"transport-waits-for-nobody", "transports", about::transport, "transport-answers-in-order",
          "For an RM that reads nothing deliver does not wait and ends to take; when it reads again nothing is lost.",
          waits_for_nobody},
    check{"transport-tells-losses", "transports", about::transport, "transport-enters-whole",
          "An RM whose connection breaks is told to the scheduler as lost, and answers for it are declined.",
          with_one<tells_losses>},
    check{"transport-stops-under-load", "transports", about::transport, "transport-requests-again",
          "stop returns in time while an RM sends and the scheduler takes nothing.", with_one<stops_under_load>},
};

}  // namespace

checks transport_rm_checks() { return transport_rms_list; }

}  // namespace tenon::conformance
