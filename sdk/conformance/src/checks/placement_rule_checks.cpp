// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement rules: names that are names, whatever people and directories call things, and trees of any depth.
#include <time.h>
#include <utf8.h>

#include <array>

#include "asked_slot.hpp"

namespace tenon::conformance {
namespace {

const std::vector<std::string> &odd_names() {
  static const std::vector<std::string> names{"",
                                              " ",
                                              ".",
                                              "..",
                                              "...",
                                              ".a",
                                              "a.",
                                              "a..b",
                                              "root",
                                              "ROOT.a",
                                              "root.",
                                              "root..a",
                                              "a b",
                                              "a/b",
                                              "a@b.example",
                                              "\xC3\xA4\xC3\xB6",
                                              "\xF0\x9F\x98\x80",
                                              "\"quoted\"",
                                              "{}",
                                              "%s%n%x",
                                              "-",
                                              "*",
                                              "a,b",
                                              "a=b",
                                              "a\\b",
                                              "O'Brien",
                                              "0",
                                              std::string(64, 'x'),
                                              std::string(65, 'y'),
                                              std::string(5000, 'z'),
                                              std::string(3000, '.')};
  return names;
}

void check_answer(const answer &a, const std::string &about) {
  if (!may_give(slot::place, a.status) && a.status != TENON_EXHAUSTED)
    probe::fail("place gave " + status_name(a.status) + " for " + about);
  if (a.status != TENON_OK) return;
  if (a.qualified > 1) probe::fail("place set qualified to " + number(a.qualified) + " for " + about);
  if (a.text.find('\0') != std::string::npos || !utf8::is_valid(a.text))
    probe::fail("place gave a name that is no UTF-8 text for " + about);
}

std::string spoken(const std::string &name) {
  return name.size() > 40 ? "a name of " + number(name.size()) + " bytes" : shown({name.data(), name.size()});
}

void place_odd_names(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  question q = usual_question(*one, slot::place, p.seed());
  const auto vocabulary_here = vocabulary(*one);
  for (const std::string &name : odd_names()) {
    question user = q, queue = q, group = q, tag = q, all = q;
    user.user = name;
    queue.queue = name;
    group.groups = {name, "b", name};
    tag.tags = {{name, name}, {"namespace", name}, {name, "twice"}};
    for (const std::string &key : vocabulary_here) tag.tags.emplace_back(key, name);
    all.user = all.queue = all.application = name;
    all.groups = {name};
    all.tags = tag.tags;
    check_answer(ask(*one, user), "the user " + spoken(name));
    check_answer(ask(*one, queue), "the queue " + spoken(name));
    check_answer(ask(*one, group), "the group " + spoken(name));
    check_answer(ask(*one, tag), "the tag " + spoken(name));
    check_answer(ask(*one, all), spoken(name) + " everywhere");
  }
  q.groups.clear(), q.tags.clear(), q.user.clear(), q.queue.clear(), q.application.clear(), q.queues.clear();
  check_answer(ask(*one, q), "an application of which nothing is known");
}

void place_names_sound(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  for (uint64_t i = 0; i < 100; ++i) {
    const question q = usual_question(*one, slot::place, mixed(p.seed(), i));
    manner m;
    m.guard_outputs = true;
    const answer a = ask(*one, q, m);
    check_answer(a, "an ordinary application");
    if (a.status == TENON_OK && a.qualified == 1) {
      std::string first = a.text.substr(0, a.text.find('.'));
      for (char &c : first) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      if (first != "root") probe::fail("place calls " + spoken(a.text) + " a full path; those begin with root");
    }
  }
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void place_deep_trees(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  question q = usual_question(*one, slot::place, p.seed());
  std::string path = "root";
  for (int level = 0; level < 200; ++level) {
    path += ".level" + std::to_string(level);
    q.queues[path] = {level == 199, TENON_QUEUE_ACTIVE};
  }
  for (int i = 0; i < 2000; ++i) {
    q.groups.push_back("group-" + std::to_string(i));
    q.tags.emplace_back("tag-" + std::to_string(i), "value");
  }
  q.queue = path;
  q.user = "alice";
  const answer first = ask(*one, q);
  check_answer(first, "a path of 200 levels, 2000 groups and 2000 tags");
  // What a tag names or a group is called may lead down there, too.
  question deep = q;
  for (auto &[key, value] : deep.tags) value = path;
  deep.tags.resize(8);
  for (const std::string &key : vocabulary(*one)) deep.tags.emplace_back(key, path);
  deep.groups = {path};
  check_answer(ask(*one, deep), "a path of 200 levels everywhere");
  const double start = cpu_seconds();
  (void)ask(*one, q);
  const double took = cpu_seconds() - start;
  if (took > 0.25) probe::fail("place needs " + std::to_string(took) + " s for 2000 groups, 2000 tags and 200 levels");
}

void place_states(probe &p) {
  const opened_module module = opened_module::start(p);
  const auto one = instance::active(module);
  question q = usual_question(*one, slot::place, p.seed());
  for (const uint32_t state : {TENON_QUEUE_ACTIVE, TENON_QUEUE_DRAINING, TENON_QUEUE_STOPPED}) {
    for (const bool leaf : {true, false}) {
      for (auto &[path, queue] : q.queues) queue = {leaf, state};
      check_answer(ask(*one, q), "queues in state " + number(state));
    }
  }
  q.queues.clear();
  check_answer(ask(*one, q), "a partition without queues");
  q.rows.world = 7;
  check_answer(ask(*one, q), "another world");
}

constexpr std::array placement_list{
    check{"place-names-sound", "placement", about::placement_rule, "answers-repeat",
          "A name that is given is UTF-8 text within its room, and a full path begins with root.", place_names_sound},
    check{
        "place-odd-names", "placement", about::placement_rule, "answers-repeat",
        "Users, queues, groups and tags may have any name, or none: the answer is a name, the next rule or a refusal.",
        place_odd_names},
    check{"place-deep-trees", "placement", about::placement_rule, "answers-repeat",
          "Two hundred levels, two thousand groups and as many tags are answered, and in time.", place_deep_trees},
    check{"place-states", "placement", about::placement_rule, "answers-repeat",
          "Queues may be active, draining, stopped or none at all, in any world; lookups ask in the world that was "
          "given.",
          place_states},
};

}  // namespace

checks placement_checks() { return placement_list; }

}  // namespace tenon::conformance
