// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sources of groups: names of any shape, room that is too little, a source that is away, and nothing that is kept.
#include <utf8.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "asked_slot.hpp"
#include "configurations.hpp"
#include "growth.hpp"
#include "made_directory.hpp"

namespace tenon::conformance {
namespace {

using clock = std::chrono::steady_clock;

question about_user(std::string user) {
  question q;
  q.of = slot::resolve;
  q.user = std::move(user);
  return q;
}

answer groups_of(const instance &of, const std::string &user) { return ask(of, about_user(user)); }

void groups_sound(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  bool any = false;
  for (const std::string &user : users_of(p)) {
    const answer a = groups_of(*one, user);
    std::set<std::string> seen;
    for (const std::string &group : a.groups) {
      const std::string named = "the group " + shown({group.data(), group.size()}) + " of " + spoken_user(user);
      if (group.empty()) probe::fail("a group of " + spoken_user(user) + " has an empty name");
      if (!utf8::is_valid(group)) probe::fail(named + " is no UTF-8 text");
      if (!seen.insert(group).second) probe::fail(named + " is there twice");
      any = true;
    }
  }
  if (!any) probe::skip("none of its users has a group: name one that has, in `x-users` of its schema or by --user");
}

void room(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  bool any = false;
  for (const std::string &user : users_of(p)) {
    const answer want = groups_of(*one, user);
    if (want.status != TENON_OK || want.groups.empty()) continue;
    any = true;
    const room_answer whole = resolve_with_room(*one, user, 1024, 1 << 20);
    const auto groups = static_cast<uint32_t>(want.groups.size());
    const uint64_t bytes = whole.bytes;
    for (const auto &[group_room, byte_room] :
         {std::pair{0U, uint64_t{0}}, {groups - 1, bytes}, {groups, bytes - 1}, {0U, bytes}, {groups, uint64_t{0}}}) {
      const std::string given = "room for " + number(group_room) + " groups and " + number(byte_room) + " bytes";
      room_answer some = resolve_with_room(*one, user, group_room, byte_room);
      if (some.given.status != TENON_EXHAUSTED)
        probe::fail("resolve gave " + status_name(some.given.status) + " for " + spoken_user(user) + " with " + given +
                    ", want EXHAUSTED: its answer takes " + number(groups) + " and " + number(bytes));
      some = resolve_with_room(*one, user, some.groups, some.bytes);
      if (!(some.given == want))
        probe::fail("resolve of " + spoken_user(user) + " answers otherwise with what it wanted after " + given);
    }
    if (!(resolve_with_room(*one, user, groups, bytes).given == want))
      probe::fail("resolve of " + spoken_user(user) + " answers otherwise with just the room that its answer takes");
  }
  if (!any) probe::skip("none of its users has a group: name one that has, in `x-users` of its schema or by --user");
}

const std::vector<std::string> &odd_names() {
  using namespace std::string_literals;
  static const std::vector<std::string> names{"a",
                                              "_",
                                              " ",
                                              "a b",
                                              ".",
                                              "..",
                                              "a.b.c",
                                              "../../etc/passwd",
                                              "/",
                                              "https://issuer.example.com/users#1",
                                              "user@example.com",
                                              "host$",
                                              "system:serviceaccount:ns:name",
                                              "DOMAIN\\user",
                                              "O'Brien",
                                              "\"",
                                              "a,b=c+d",
                                              "uid=a,ou=b",
                                              "%s%n%x",
                                              "{}",
                                              "-rf",
                                              "\n",
                                              "a\r\nb",
                                              "\0"s,
                                              "\xC3\xA4\xC3\xB6",
                                              "e\xCC\x81",
                                              "\xE4\xB8\xAD\xE6\x96\x87",
                                              "\xF0\x9F\x98\x80",
                                              "0",
                                              "-1",
                                              "18446744073709551616",
                                              std::string(256, 'x'),
                                              std::string(257, '.'),
                                              std::string(5000, '('),
                                              std::string(70'000, 'y'),
                                              std::string(1 << 20, 'z')};
  return names;
}

// The first user that is found, and its answer: what must still be so after whatever was asked between.
std::pair<std::string, answer> someone(const instance &of) {
  const auto users = users_of(of.asker());
  for (const std::string &user : users) {
    answer a = groups_of(of, user);
    if (a.status == TENON_OK) return {user, std::move(a)};
  }
  probe::skip("it finds none of its users, as " + spoken_user(users.front()) +
              ": name some in `x-users` of its schema or by --user");
}

void odd_names_answered(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const auto [user, want] = someone(*one);
  for (const std::string &name : odd_names()) {
    manner at_once;
    at_once.patient = false;
    const answer a = ask(*one, about_user(name), at_once);
    if (!may_give(slot::resolve, a.status))
      probe::fail("resolve gave " + status_name(a.status) + " for " + spoken_user(name));
    if (!(groups_of(*one, user) == want))
      probe::fail("after " + spoken_user(name) + " resolve of " + spoken_user(user) + " answers otherwise");
  }
}

// The beginnings of all users' names are no users: of one it may be so.
void want_no_beginnings(const instance &of) {
  size_t tried = 0, found = 0;
  for (const std::string &user : users_of(of.asker())) {
    if (user.size() < 2 || groups_of(of, user).status != TENON_OK) continue;
    ++tried;
    if (groups_of(of, user.substr(0, user.size() - 1)).status == TENON_OK) ++found;
  }
  if (tried >= 2 && found == tried) probe::fail("it finds who has only the beginning of a user's name");
}

void names_whole(probe &p) {
  using namespace std::string_literals;
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  const auto [user, want] = someone(*one);
  dice d(p.seed());
  for (int i = 0; i < 3; ++i) {
    if (groups_of(*one, a_stranger(d)).status == TENON_OK) probe::skip("it knows everybody");
  }
  const std::string begin = user.substr(0, 1);
  for (const std::string &name : {user + "\0"s,  user + "\0x"s,  "\0"s + user,  user + "-",  user + "," + user,
                                  user + "\n",   "\n" + user,    "*"s,          begin + "*", begin + ".*",
                                  begin + "%",   "%"s,           "?*"s,         "*)(uid=*"s, user + ")(&",
                                  "*)(|(uid=*"s, "' OR '1'='1"s, user + "' --", "[a-z]*"s,   user + "/../" + user,
                                  "./" + user}) {
    manner at_once;
    at_once.patient = false;
    if (ask(*one, about_user(name), at_once).status == TENON_OK)
      probe::fail("it finds " + spoken_user(name) +
                  ", and strangers it does not: a part of the name was left out, or taken for a pattern");
  }
  want_no_beginnings(*one);
}

void keeps_no_users(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  dice d(p.seed());
  no_growth("resolve of one more user", 200, [&] { (void)groups_of(*one, a_stranger(d)); });
}

void ends_threads(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto life = [&] {
    const auto one = instance::active(module);
    for (const std::string &user : users_of(p)) (void)groups_of(*one, user);
  };
  life();  // what a library starts once is the library's
  const size_t threads = threads_now(), files = open_files();
  for (int i = 0; i < 5; ++i) life();
  if (const size_t after = threads_left(threads); after > threads)
    probe::fail(number(after - threads) + " threads are left of instances that were destroyed");
  if (const size_t after = open_files(); after > files)
    probe::fail(number(after - files) + " descriptors are left of instances that were destroyed");
}

// A source that is away when an instance is made, and stays so.
void away(probe &p) {
  const auto configuration = away_configuration(p.manifest());
  if (!configuration) probe::skip("its schema has no `x-away`, a configuration by which the source cannot be asked");
  const opened_module module = opened_module::start(p);
  const auto once = [&] {
    const auto one = instance::create(module, *configuration);
    one->init();
    one->activate();
    for (const std::string &user : users_of(p)) {
      manner at_once;
      at_once.patient = false;
      const auto began = clock::now();
      const answer a = ask(*one, about_user(user), at_once);
      if (a.status != TENON_RETRY)
        probe::fail("resolve gave " + status_name(a.status) + " for " + spoken_user(user) +
                    " while the source is away, want RETRY: an answer would be kept");
      if (clock::now() - began > std::chrono::seconds(5))
        probe::fail("resolve takes more than 5 s to find that the source is away");
    }
  };
  once();
  no_growth("an instance whose source is away", 10, once);
}

constexpr std::array identity_list{
    check{"identity-groups-sound", "identities", about::identity, "answers-repeat",
          "Groups have UTF-8 names, none empty, and each is there once.", groups_sound},
    check{"identity-room", "identities", about::identity, "answers-repeat",
          "Where there is too little room it says how much it wants, and with that the answer is whole.", room},
    check{
        "identity-odd-names", "identities", about::identity, "answers-repeat",
        "A user may have any name, of one byte to a million: it is found or not, and the next one is answered as ever.",
        odd_names_answered},
    check{"identity-names-whole", "identities", about::identity, "identity-odd-names",
          "Nobody is found by a part of a name, by what comes before a zero byte, or by a pattern.", names_whole},
    check{"identity-keeps-no-users", "identities", about::identity, "answers-repeat",
          "Users that are asked about once are not kept: that is the host's.", keeps_no_users},
    check{"identity-ends-threads", "identities", about::identity, "answers-repeat",
          "An instance that is gone leaves no thread and no descriptor behind.", ends_threads},
    check{"identity-away", "identities", about::identity, "instance-starts",
          "A source that is away is no wrong configuration: RETRY, with words and soon, and nothing is kept of it.",
          away},
};

}  // namespace

checks identity_checks() { return identity_list; }

}  // namespace tenon::conformance
