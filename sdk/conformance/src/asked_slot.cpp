// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "asked_slot.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <thread>

#include "configurations.hpp"
#include "made_directory.hpp"
#include "tenon/text/letters.hpp"

namespace tenon::conformance {
namespace {

constexpr size_t before = 64;  // bytes in front of an output that must stay
constexpr unsigned char untouched = 0x5A;

// An output: `bytes` in front of which and behind which nothing may be written.
struct output {
  char *first = nullptr;
  char *canary = nullptr;

  output(guarded_memory &memory, const char *name, size_t bytes, unsigned char fill, size_t alignment = 8) {
    canary = static_cast<char *>(memory.make(name, bytes + before, false, alignment));
    std::memset(canary, untouched, before);
    first = canary + before;
    std::memset(first, fill, bytes);
  }
  void check(std::string_view slot, const char *what) const {
    for (size_t i = 0; i < before; ++i) {
      if (static_cast<unsigned char>(canary[i]) != untouched)
        probe::fail(std::string(slot) + " wrote before the beginning of " + what);
    }
  }
};

// An output struct of another size than ours, whose surplus and size must stay.
template <class T>
struct output_struct {
  T *at = nullptr;
  T given{};
  size_t bytes = 0;

  output_struct(guarded_memory &memory, const char *name, T value, const manner &how) {
    bytes = how.out_bytes != 0 ? how.out_bytes : sizeof(T) + (how.larger_out ? 32 : 0);
    value.size = static_cast<uint32_t>(bytes);
    given = value;
    at = memory.structure(name, value, bytes, false, untouched);
  }
  // What the callee may write of it is from `writable` on, as far as it reaches.
  void check(std::string_view slot, size_t writable, size_t writable_bytes) const {
    const auto *now = reinterpret_cast<const unsigned char *>(at);
    const auto *then = reinterpret_cast<const unsigned char *>(&given);
    for (size_t i = 0; i < bytes; ++i) {
      const unsigned char want = i < sizeof(T) ? then[i] : untouched;
      if (i >= writable && i < writable + writable_bytes) continue;
      if (now[i] != want)
        probe::fail(std::string(slot) + " changed byte " + number(i) +
                    " of its output struct, which is not a result (size, pointers, or what it does not know)");
    }
  }
};

tenon_text text_in(guarded_memory &memory, const char *name, const std::string &text) {
  if (text.empty()) return {nullptr, 0};
  return {memory.copy<char>(name, std::string_view(text)), text.size()};
}

using keys_slot = tenon_status (*)(tenon_instance *, const tenon_batch *, tenon_keys_out *);

answer ask_keys(const instance &of, const question &q, const manner &how, keys_slot into) {
  const std::string_view name = slot_name(q.of);
  guarded_memory inputs(how.in.guarded, how.in.guard_only), outputs(how.guard_outputs);
  const size_t items = q.items.size(), words = items * of.key_words();
  const output keys(outputs, "the keys", words * 8, how.prefill);
  const output early(outputs, "not_before_ms", items * 8, 0), late(outputs, "valid_until_ms", items * 8, 0);
  auto *not_before = reinterpret_cast<int64_t *>(early.first);
  auto *valid_until = reinterpret_cast<int64_t *>(late.first);
  std::fill_n(not_before, items, std::numeric_limits<int64_t>::min());
  std::fill_n(valid_until, items, std::numeric_limits<int64_t>::max());
  const output_struct<tenon_keys_out> out(
      outputs, "the output of keys",
      {0, of.key_words(), reinterpret_cast<uint64_t *>(keys.first), not_before, valid_until}, how);
  const tenon_batch *batch = encode(q.rows, q.items, how.in, inputs);
  inputs.freeze();
  answer a;
  a.status = of.asker().call(std::string(name) + " of " + number(items) + " items",
                             [&] { return into(of.raw(), batch, out.at); });
  if (how.guard_outputs) {
    keys.check(name, "the keys"), early.check(name, "not_before_ms"), late.check(name, "valid_until_ms");
    out.check(name, 0, 0);
  }
  a.words.resize(words);
  if (words != 0) std::memcpy(a.words.data(), keys.first, words * 8);
  a.not_before_ms.assign(not_before, not_before + items);
  a.valid_until_ms.assign(valid_until, valid_until + items);
  return a;
}

answer ask_filter(const instance &of, const question &q, const manner &how) {
  guarded_memory inputs(how.in.guarded, how.in.guard_only), outputs(how.guard_outputs);
  const size_t items = q.items.size();
  const output verdicts(outputs, "the verdicts", items, how.prefill, 1),
      reasons(outputs, "the reasons", items * 2, 0, 2);
  const output_struct<tenon_filter_out> out(
      outputs, "the output of filter",
      {0, 0, reinterpret_cast<uint8_t *>(verdicts.first), reinterpret_cast<uint16_t *>(reasons.first)}, how);
  const tenon_batch *batch = encode(q.rows, q.items, how.in, inputs);
  inputs.freeze();
  answer a;
  a.status = of.asker().call("filter of " + number(items) + " nodes",
                             [&] { return of.predicate().filter(of.raw(), batch, out.at); });
  if (how.guard_outputs) {
    verdicts.check("filter", "the verdicts"), reasons.check("filter", "the reasons");
    out.check("filter", 0, 0);
  }
  a.verdicts.resize(items), a.reasons.resize(items);
  if (items != 0) {
    std::memcpy(a.verdicts.data(), verdicts.first, items);
    std::memcpy(a.reasons.data(), reasons.first, items * 2);
  }
  return a;
}

answer ask_signature(const instance &of, const question &q, const manner &how) {
  guarded_memory inputs(how.in.guarded, how.in.guard_only), outputs(how.guard_outputs);
  const output_struct<tenon_signature_out> out(outputs, "the output of signature", {0, 0, {0, 0}}, how);
  const tenon_batch *batch = encode(q.rows, q.items, how.in, inputs);
  inputs.freeze();
  answer a;
  a.status = of.asker().call("signature", [&] { return of.predicate().signature(of.raw(), batch, out.at); });
  if (how.guard_outputs) out.check("signature", offsetof(tenon_signature_out, words), 16);
  if (how.out_bytes == 0) a.words.assign(out.at->words, out.at->words + 2);
  return a;
}

answer ask_filter_prefix(const instance &of, const question &q, const manner &how) {
  guarded_memory inputs(how.in.guarded, how.in.guard_only), outputs(how.guard_outputs);
  std::vector<tenon_handle> victims;
  for (uint32_t i = 0; i < q.victims; ++i) victims.push_back((uint64_t{7} << 32) + i + 1);
  const output_struct<tenon_filter_prefix_out> out(outputs, "the output of filter_prefix", {0, 0}, how);
  const tenon_batch *batch = encode(q.rows, q.items, how.in, inputs);
  const size_t in_bytes = sizeof(tenon_filter_prefix_in) + (how.in.larger ? 32 : 0);
  const tenon_filter_prefix_in in{
      static_cast<uint32_t>(in_bytes), q.victims, batch, inputs.copy<tenon_handle>("the victims", victims), q.start, 0};
  const auto *asked = inputs.structure("the input of filter_prefix", in, in_bytes, true, untouched);
  inputs.freeze();
  answer a;
  a.status = of.asker().call("filter_prefix from " + number(q.start) + " of " + number(q.victims) + " victims",
                             [&] { return of.predicate().filter_prefix(of.raw(), asked, out.at); });
  if (how.guard_outputs) out.check("filter_prefix", offsetof(tenon_filter_prefix_out, index), 4);
  if (a.status == TENON_OK && how.out_bytes == 0) a.words = {out.at->index};
  return a;
}

struct texts_of {
  const tenon_text *names;
  const tenon_text *values;
};

texts_of place_texts(guarded_memory &memory, const named_texts &from) {
  std::vector<tenon_text> names, values;
  for (const auto &[name, value] : from) {
    names.push_back(text_in(memory, "the name of a tag", name));
    values.push_back(text_in(memory, "the value of a tag", value));
  }
  return {memory.copy<tenon_text>("the names of the tags", names),
          memory.copy<tenon_text>("the values of the tags", values)};
}

answer ask_prepare(const instance &of, const question &q, const manner &how) {
  guarded_memory inputs(how.in.guarded, how.in.guard_only), outputs(how.guard_outputs);
  error_buffer said;
  const output_struct<tenon_prepare_out> out(outputs, "the output of prepare", {0, 0, {0, 0, 0, 0}, said.message()},
                                             how);
  const texts_of tags = place_texts(inputs, q.tags);
  const size_t in_bytes = sizeof(tenon_prepare_in) + (how.in.larger ? 32 : 0);
  const tenon_prepare_in in{static_cast<uint32_t>(in_bytes), 0, tags.names, tags.values, q.tags.size()};
  const auto *asked = inputs.structure("the input of prepare", in, in_bytes, true, untouched);
  inputs.freeze();
  answer a;
  a.status = of.asker().call("prepare of " + number(q.tags.size()) + " tags",
                             [&] { return of.sort().prepare(of.raw(), asked, out.at); });
  if (how.guard_outputs) {
    out.check("prepare", offsetof(tenon_prepare_out, words), 32);
    if (auto problem = said.problem(); !problem.empty()) probe::fail("prepare: " + problem);
  }
  if (a.status == TENON_OK && how.out_bytes == 0) a.words.assign(out.at->words, out.at->words + 4);
  a.explained = !said.text().empty();
  return a;
}

// The queues that a rule may look up.
struct test_tree : tenon_queue_tree {
  const question *asked;
  std::string *complaint;

  static tenon_status look_up(const tenon_queue_tree *self, const tenon_find_queue_in *in, tenon_find_queue_out *out) {
    const auto &tree = *static_cast<const test_tree *>(self);
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_find_queue_in, world) ||
        !TENON_COVERS(out, tenon_find_queue_out, state) || (in->path.data == nullptr && in->path.length != 0)) {
      *tree.complaint = "it looked up a queue with an input or output that is not filled in (size, path, world)";
      return TENON_UNSUPPORTED;
    }
    if (in->world != tree.asked->rows.world) {
      *tree.complaint = "it looked up a queue in another world than it was asked about";
      return TENON_UNSUPPORTED;
    }
    out->exists = 0, out->leaf = 0, out->state = 0;
    const auto found = tree.asked->queues.find(
        lower_case(in->path.data == nullptr ? std::string() : std::string(in->path.data, in->path.length)));
    if (found == tree.asked->queues.end()) return TENON_OK;
    out->exists = 1;
    out->leaf = found->second.leaf ? 1 : 0;
    out->state = found->second.state;
    return TENON_OK;
  }
};

uint64_t name_buffer(const instance &of, const question &q) {
  size_t longest = usual_configuration(of.asker().manifest()).size();
  for (const std::string *text : {&q.application, &q.queue, &q.user}) longest = std::max(longest, text->size());
  for (const std::string &group : q.groups) longest = std::max(longest, group.size());
  for (const auto &[name, value] : q.tags) longest = std::max({longest, name.size(), value.size()});
  return std::max<uint64_t>(TENON_PLACE_NAME_ROOM, 5 * longest);
}

answer ask_place(const instance &of, const question &q, const manner &how) {
  guarded_memory inputs(how.in.guarded, how.in.guard_only), outputs(how.guard_outputs);
  std::string complaint;
  test_tree tree{};
  tree.size = sizeof(tenon_queue_tree);
  tree.find = test_tree::look_up;
  tree.asked = &q;
  tree.complaint = &complaint;
  const auto *queues = inputs.copy<test_tree>("the queue tree", std::span<const test_tree>(&tree, 1));
  std::vector<tenon_text> groups;
  for (const std::string &group : q.groups) groups.push_back(text_in(inputs, "the name of a group", group));
  const texts_of tags = place_texts(inputs, q.tags);
  tenon_place_in in{};
  const size_t in_bytes = sizeof in + (how.in.larger ? 32 : 0);
  in.size = static_cast<uint32_t>(in_bytes);
  in.group_count = static_cast<uint32_t>(groups.size());
  in.application = text_in(inputs, "the application's id", q.application);
  in.queue = text_in(inputs, "the queue's name", q.queue);
  in.user = text_in(inputs, "the user's name", q.user);
  in.groups = inputs.copy<tenon_text>("the groups", groups);
  in.tag_names = tags.names;
  in.tag_values = tags.values;
  in.tag_count = q.tags.size();
  in.queues = queues;
  in.world = q.rows.world;
  in.now_ms = q.now_ms;
  const auto *asked = inputs.structure("the input of place", in, in_bytes, true, untouched);
  inputs.freeze();
  const uint64_t room_bytes = name_buffer(of, q);
  error_buffer said;
  const output name(outputs, "the room for the name", room_bytes, how.prefill, 1);
  const output_struct<tenon_place_out> out(outputs, "the output of place",
                                           {0, 0, name.first, room_bytes, 0, said.message()}, how);
  answer a;
  a.status = of.asker().call("place", [&] { return of.placement().place(of.raw(), asked, out.at); });
  if (!complaint.empty()) probe::fail("place: " + complaint);
  if (how.guard_outputs) {
    name.check("place", "the room for the name");
    if (auto problem = said.problem(); !problem.empty()) probe::fail("place: " + problem);
    const tenon_place_out &now = *out.at, &then = out.given;
    const bool room_moved = now.size != then.size || now.name != then.name || now.name_capacity != then.name_capacity;
    if (room_moved || (how.out_bytes == 0 && now.error != then.error))
      probe::fail("place changed its output struct: size, the room for the name, or the room for said");
  }
  a.explained = !said.text().empty();
  if (how.out_bytes != 0) return a;
  if (out.at->name_length > room_bytes)
    probe::fail("place says that the name has " + number(out.at->name_length) + " bytes, with room for " +
                number(room_bytes));
  if (a.status == TENON_OK) {
    a.text.assign(name.first, out.at->name_length);
    a.qualified = out.at->qualified;
  }
  return a;
}

void no_context(table &rows, bool (*which)(const column_values &)) {
  for (column_values &c : rows.columns) {
    if (which(c)) c.absent = true;
  }
}

std::string a_name(dice &d) {
  static const std::vector<std::string> names{"alice",  "bob",  "a.b",    "Root",
                                              "dept-x", "prod", "root.a", "root.people.bob"};
  return d.one_of(names);
}

// One call; where there was too little room, `groups` and `bytes` are then what is wanted.
answer resolve_once(const instance &of, const question &q, const manner &how, uint32_t &groups, uint64_t &bytes) {
  guarded_memory inputs(how.in.guarded, how.in.guard_only), outputs(how.guard_outputs);
  const size_t in_bytes = sizeof(tenon_resolve_in) + (how.in.larger ? 32 : 0);
  const tenon_resolve_in in{static_cast<uint32_t>(in_bytes), 0, text_in(inputs, "the user's name", q.user)};
  const auto *asked = inputs.structure("the input of resolve", in, in_bytes, true, untouched);
  inputs.freeze();
  error_buffer said;
  const output names(outputs, "the groups", groups * sizeof(tenon_text), how.prefill),
      room(outputs, "the room for names", bytes, how.prefill, 1);
  const output_struct<tenon_resolve_out> out(
      outputs, "the output of resolve",
      {0, groups, reinterpret_cast<tenon_text *>(names.first), 0, room.first, bytes, 0, said.message()}, how);
  answer a;
  a.status = of.asker().call("resolve of " + spoken_user(q.user),
                             [&] { return of.identity().resolve(of.raw(), asked, out.at); });
  names.check("resolve", "the groups"), room.check("resolve", "the room for names");
  if (auto problem = said.problem(); !problem.empty()) probe::fail("resolve: " + problem);
  if (how.out_bytes != 0) return a;
  const tenon_resolve_out &now = *out.at, &then = out.given;
  if (now.size != then.size || now.groups != then.groups || now.group_capacity != then.group_capacity ||
      now.room != then.room || now.room_capacity != then.room_capacity || now.error != then.error)
    probe::fail("resolve changed its output struct: size, the room for groups and names, or the room for words");
  if (how.larger_out) out.check("resolve", 0, sizeof(tenon_resolve_out));
  a.why.text = said.text();
  a.explained = !a.why.text.empty();
  if (a.status == TENON_RETRY && !a.explained) probe::fail("resolve gave RETRY and says nothing of why");
  if (a.status == TENON_EXHAUSTED) {
    if (now.group_count <= groups && now.room_length <= bytes)
      probe::fail("resolve gave EXHAUSTED for " + spoken_user(q.user) + " and wants " + number(now.group_count) +
                  " groups and " + number(now.room_length) + " bytes, with room for " + number(groups) + " and " +
                  number(bytes));
    if (now.group_count > most_groups || now.room_length > most_group_bytes)
      probe::fail("resolve wants " + number(now.group_count) + " groups and " + number(now.room_length) +
                  " bytes for one user: a host gives no more than " + number(most_groups) + " and " +
                  number(most_group_bytes));
    groups = std::max(groups, static_cast<uint32_t>(now.group_count));
    bytes = std::max(bytes, now.room_length);
  }
  if (a.status != TENON_OK) return a;
  if (now.group_count > groups || now.room_length > bytes)
    probe::fail("resolve says that it wrote " + number(now.group_count) + " groups and " + number(now.room_length) +
                " bytes, with room for " + number(groups) + " and " + number(bytes));
  for (uint64_t i = 0; i < now.group_count; ++i) {
    const tenon_text &name = now.groups[i];
    const auto at = reinterpret_cast<uintptr_t>(name.data) - reinterpret_cast<uintptr_t>(room.first);
    if (name.length != 0 && (at > now.room_length || name.length > now.room_length - at))
      probe::fail("group " + number(i + 1) + " of " + spoken_user(q.user) +
                  " is not within the bytes that resolve says it wrote to its room");
    a.groups.emplace_back(name.length == 0 ? "" : name.data, name.length);
  }
  groups = static_cast<uint32_t>(now.group_count);
  bytes = now.room_length;
  return a;
}

// As a host asks, again as long as more room is wanted. Guarded outputs begin without any, so that the last call has
// just what is wanted.
answer ask_resolve(const instance &of, const question &q, const manner &how) {
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + longest_retry;
  for (;;) {
    const bool tight = how.guard_outputs && how.out_bytes == 0;
    uint32_t groups = tight ? 0 : 64;
    uint64_t bytes = tight ? 0 : 4096;
    answer a = resolve_once(of, q, how, groups, bytes);
    for (int turn = 0; a.status == TENON_EXHAUSTED && how.out_bytes == 0; ++turn) {
      if (turn == 8) probe::fail("resolve of " + spoken_user(q.user) + " wants more room each time that it gets some");
      a = resolve_once(of, q, how, groups, bytes);
    }
    if (a.status != TENON_RETRY || !how.patient || clock::now() > until) return a;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

room_answer resolve_with_room(const instance &of, const std::string &user, uint32_t groups, uint64_t bytes) {
  question q;
  q.of = slot::resolve;
  q.user = user;
  manner how;
  how.guard_outputs = true;
  room_answer out;
  out.groups = groups, out.bytes = bytes;
  test_host::be(TENON_THREAD_IO);
  out.given = resolve_once(of, q, how, out.groups, out.bytes);
  test_host::be(TENON_THREAD_MAIN);
  return out;
}

std::string_view slot_name(slot s) {
  static constexpr std::array<std::string_view, 8> names{"keys",      "score",         "prepare", "filter",
                                                         "signature", "filter_prefix", "place",   "resolve"};
  return names[static_cast<size_t>(s)];
}

bool has_slot(const instance &of, slot s) {
  switch (s) {
    case slot::keys:
      return of.sort().keys != nullptr;
    case slot::score:
      return of.asker().is(about::node_sort) && of.sort().score != nullptr;
    case slot::prepare:
      return of.sort().prepare != nullptr;
    case slot::filter:
      return of.predicate().filter != nullptr;
    case slot::signature:
      return of.predicate().signature != nullptr;
    case slot::filter_prefix:
      return of.predicate().filter_prefix != nullptr;
    case slot::place:
      return of.placement().place != nullptr;
    case slot::resolve:
      return of.identity().resolve != nullptr;
  }
  return false;
}

std::vector<slot> slots_of(const instance &of) {
  std::vector<slot> out;
  for (const slot s : {slot::keys, slot::score, slot::prepare, slot::filter, slot::signature, slot::filter_prefix,
                       slot::place, slot::resolve}) {
    if (has_slot(of, s)) out.push_back(s);
  }
  return out;
}

answer ask(const instance &of, const question &what, const manner &how) {
  test_host::be(what.of == slot::resolve ? TENON_THREAD_IO : TENON_THREAD_CYCLE);
  answer a;
  switch (what.of) {
    case slot::keys:
      a = ask_keys(of, what, how, of.sort().keys);
      break;
    case slot::score:
      a = ask_keys(of, what, how, of.sort().score);
      break;
    case slot::prepare:
      a = ask_prepare(of, what, how);
      break;
    case slot::filter:
      a = ask_filter(of, what, how);
      break;
    case slot::signature:
      a = ask_signature(of, what, how);
      break;
    case slot::filter_prefix:
      a = ask_filter_prefix(of, what, how);
      break;
    case slot::place:
      a = ask_place(of, what, how);
      break;
    case slot::resolve:
      a = ask_resolve(of, what, how);
      break;
  }
  test_host::be(TENON_THREAD_MAIN);
  return a;
}

bool may_give(slot s, tenon_status status) {
  if (status == TENON_OK) return true;
  if (s == slot::prepare || s == slot::place) {
    if (status == TENON_INVALID_CONFIG) return true;
  }
  if (s == slot::place) return status == TENON_DECLINED;
  if (s == slot::resolve) return status == TENON_DECLINED || status == TENON_RETRY;
  return s == slot::filter_prefix && status == TENON_UNSCHEDULABLE;
}

std::vector<std::string> vocabulary(const instance &of) {
  // Reads the library, which may be large: once is enough, for the module stays the same.
  static std::map<std::string, std::vector<std::string>> known;
  const probe &p = of.asker();
  const auto [found, fresh] = known.try_emplace(p.of().manifest_file.string() + p.of().interface_id);
  if (fresh) found->second = vocabulary_of(p.manifest(), of.columns());
  return found->second;
}

question usual_question(const instance &of, slot s, uint64_t seed, const world_style &given) {
  question q;
  q.of = s;
  dice d(mixed(seed, static_cast<uint64_t>(s)));
  if (s == slot::resolve) {
    const auto known = users_of(of.asker());
    q.user = d.chance(60) ? d.one_of(known) : a_stranger(d);
    return q;
  }
  world_style style = given;
  if (style.vocabulary.empty()) style.vocabulary = vocabulary(of);
  if (s == slot::prepare || s == slot::place) {
    std::vector<std::string> keys = style.vocabulary;
    keys.insert(keys.end(), {"namespace", "deadline", "zone"});
    std::map<std::string, std::string> tags;
    static const std::vector<std::string> values{"a", "10", "prod", "2.5", "root.b", "true"};
    for (uint64_t n = d.below(4); n > 0; --n) tags[d.one_of(keys)] = d.one_of(values);
    q.tags.assign(tags.begin(), tags.end());
    q.application = "application-" + number(d.below(100));
    q.user = a_name(d);
    if (d.chance(60)) q.queue = a_name(d);
    for (uint64_t n = d.below(4); n > 0; --n) q.groups.push_back(a_name(d));
    q.queues = {{"root", {false}}, {"root.a", {true}}, {"root.people", {false}}, {"root.people.bob", {true}}};
    return q;
  }
  q.rows = make_table(of.columns(), style, seed);
  q.items.resize(style.rows);
  std::iota(q.items.begin(), q.items.end(), 0U);
  if (s == slot::keys) no_context(q.rows, [](const column_values &c) { return is_of_the_ask(c.is.id); });
  if (s == slot::signature) {
    q.items.clear();
    no_context(q.rows, [](const column_values &c) { return c.is.scope != TENON_SCOPE_CONTEXT; });
  }
  if (s == slot::filter_prefix) {
    q.items = {static_cast<uint32_t>(d.below(style.rows))};
    q.victims = 1 + static_cast<uint32_t>(d.below(4));
    q.start = static_cast<uint32_t>(d.below(q.victims));
  }
  return q;
}

std::vector<question> usual_questions(const instance &of, size_t count, uint64_t seed) {
  std::vector<question> out;
  for (const slot s : slots_of(of)) {
    for (size_t i = 0; i < count; ++i) {
      world_style style;
      style.rows = static_cast<uint32_t>(1 + (i * 5 + 3) % 12);
      style.types = static_cast<uint32_t>(1 + (i + 2) % 5);
      out.push_back(usual_question(of, s, mixed(seed, i), style));
      if (s == slot::resolve && i == 0) out.back().user = users_of(of.asker()).front();
    }
  }
  return out;
}

}  // namespace tenon::conformance
