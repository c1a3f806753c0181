// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "made_events.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "configurations.hpp"
#include "guarded_memory.hpp"

namespace tenon::conformance {
namespace {

using clock = std::chrono::system_clock;

constexpr std::array<const char *, made_event::text_count> text_names{
    "run", "partition", "object", "reference", "group", "reason", "message", "application", "queue", "node"};
constexpr std::array<tenon_text tenon_event_record::*, made_event::text_count> text_members{
    &tenon_event_record::run,       &tenon_event_record::partition,   &tenon_event_record::object,
    &tenon_event_record::reference, &tenon_event_record::group,       &tenon_event_record::reason,
    &tenon_event_record::message,   &tenon_event_record::application, &tenon_event_record::queue,
    &tenon_event_record::node};
constexpr size_t later_bytes = 24;

std::string owned(const tenon_text &text) {
  return text.length == 0 ? std::string() : std::string(text.data, text.length);
}

made_event copied(const tenon_event_record &from) {
  made_event out{from.type, from.change, from.detail, from.id, from.last_id, from.timestamp_ns, {}, {}};
  for (size_t i = 0; i < out.texts.size(); ++i) out.texts[i] = owned(from.*text_members[i]);
  for (uint32_t i = 0; i < from.resource_count; ++i)
    out.resource.emplace_back(owned(from.resource_types[i]), from.resource_values[i]);
  return out;
}

// The blocks of a batch: records, and all texts, amounts and their names one after the other.
class encoded_batch {
 public:
  encoded_batch(std::span<const made_event> records, const emit_manner &how)
      : memory_(how.guarded), stride_(sizeof(tenon_event_record) + (how.larger ? later_bytes : 0)) {
    std::string texts;
    size_t amounts = 0;
    for (const made_event &one : records) {
      for (const std::string &text : one.texts) texts += text;
      for (const auto &[type, value] : one.resource) texts += type;
      amounts += one.resource.size();
    }
    text_ = memory_.copy<char>("the texts of the batch", std::span<const char>(texts));
    types_ = static_cast<tenon_text *>(memory_.make("the names of amounts", amounts * sizeof(tenon_text), true));
    values_ = static_cast<int64_t *>(memory_.make("the amounts", amounts * sizeof(int64_t), true));
    first_ = static_cast<char *>(memory_.make("the records of the batch", records.size() * stride_, true));
    for (size_t i = 0; i < records.size(); ++i) write(records[i], first_ + i * stride_);
    in_ = {sizeof in_, static_cast<uint32_t>(stride_), reinterpret_cast<const tenon_event_record *>(first_),
           records.size()};
    memory_.freeze();
  }
  [[nodiscard]] const tenon_event_emit_in *input() const { return &in_; }

 private:
  tenon_text next(const std::string &text) {
    if (text.empty()) return {nullptr, 0};
    text_ += text.size();
    return {text_ - text.size(), text.size()};
  }
  void write(const made_event &from, char *to) {
    tenon_event_record out{};
    out.size = static_cast<uint32_t>(stride_);
    out.type = from.type;
    out.id = from.id;
    out.last_id = from.last_id;
    out.timestamp_ns = from.timestamp_ns;
    out.change = from.change;
    out.detail = from.detail;
    for (size_t i = 0; i < from.texts.size(); ++i) out.*text_members[i] = next(from.texts[i]);
    out.resource_count = static_cast<uint32_t>(from.resource.size());
    if (out.resource_count != 0) out.resource_types = types_, out.resource_values = values_;
    for (const auto &[type, value] : from.resource) {
      *types_++ = next(type);
      *values_++ = value;
    }
    std::memset(to, 0x5A, stride_);
    std::memcpy(to, &out, sizeof out);
  }

  guarded_memory memory_;
  size_t stride_;
  const char *text_ = nullptr;
  tenon_text *types_ = nullptr;
  int64_t *values_ = nullptr;
  char *first_ = nullptr;
  tenon_event_emit_in in_{};
};

// The calling thread is one of those that sinks are called on.
struct io_role {
  io_role() { test_host::be(TENON_THREAD_IO); }
  ~io_role() { test_host::be(TENON_THREAD_MAIN); }
  io_role(const io_role &) = delete;
  io_role &operator=(const io_role &) = delete;
};

struct taker_state {
  query_answer *to;
  uint64_t enough;
  std::string problem;
};

tenon_status take(void *taker, const tenon_event_record *record) {
  auto &state = *static_cast<taker_state *>(taker);
  if (record == nullptr || !TENON_COVERS(record, tenon_event_record, resource_count)) {
    state.problem = "query gave a record whose size does not cover its fields, or none";
    return TENON_DECLINED;
  }
  if (state.enough != 0 && state.to->records.size() >= state.enough) {
    ++state.to->after_enough;
    return TENON_DECLINED;
  }
  state.to->records.push_back(copied(*record));
  return state.enough != 0 && state.to->records.size() >= state.enough ? TENON_DECLINED : TENON_OK;
}

void check_text(const char *slot, tenon_status status, const error_buffer &said) {
  if (auto problem = said.problem(); !problem.empty()) probe::fail(std::string(slot) + ": " + problem);
  if (status != TENON_OK && said.text().empty())
    probe::fail(std::string(slot) + " gave " + status_name(status) + " and says nothing of why");
}

// A second of RETRY. What a manifest says it needs of the world may be missing where the check runs.
[[noreturn]] void gone_too_long(const instance &of, const std::string &slot, const error_buffer &said) {
  if (const std::string outside = outside_of(of.asker().manifest()); !outside.empty())
    probe::skip("it wants " + outside + said.text());
  probe::fail(slot + " gives RETRY for a second" + said.text());
}

}  // namespace

std::string made_event::difference(const made_event &other) const {
  const auto differ = [](const char *name, auto a, auto b) {
    return std::string(name) + " is " + std::to_string(b) + ", want " + std::to_string(a);
  };
  if (id != other.id) return differ("id", id, other.id);
  if (last_id != other.last_id) return differ("last_id", last_id, other.last_id);
  if (type != other.type) return differ("type", type, other.type);
  if (change != other.change) return differ("change", change, other.change);
  if (detail != other.detail) return differ("detail", detail, other.detail);
  if (timestamp_ns != other.timestamp_ns) return differ("timestamp_ns", timestamp_ns, other.timestamp_ns);
  for (size_t i = 0; i < text_count; ++i) {
    if (texts[i] != other.texts[i])
      return std::string(text_names[i]) + " is " + shown({other.texts[i].data(), other.texts[i].size()}) + ", want " +
             shown({texts[i].data(), texts[i].size()});
  }
  return resource == other.resource ? "" : "its amounts are others";
}

std::vector<made_event> make_events(size_t count, const std::string &run, uint64_t first_id, dice &d) {
  static const std::vector<std::string> apps{"app-1", "app-2", "app-3"}, queues{"root.a", "root.b", "root.a.c"},
      nodes{"node-1", "node-2"}, partitions{"[rm]default", "[rm]other"}, reasons{"AskAdded", "NodeAdded", ""};
  std::vector<made_event> out(count);
  const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch()).count();
  for (size_t i = 0; i < count; ++i) {
    made_event &one = out[i];
    one.type = static_cast<uint32_t>(d.below(6));
    one.change = static_cast<uint32_t>(d.below(4));
    one.detail = static_cast<uint32_t>(d.below(605));
    one.id = one.last_id = first_id + i;
    one.timestamp_ns = now - static_cast<int64_t>(count - i) * 1'000'000;
    const std::string app = d.one_of(apps), queue = d.one_of(queues), node = d.one_of(nodes);
    one.texts = {run,
                 d.one_of(partitions),
                 d.chance(50) ? app : node,
                 d.chance(50) ? "ask-7" : "",
                 queue,
                 d.one_of(reasons),
                 "words " + std::to_string(one.id),
                 d.chance(80) ? app : "",
                 d.chance(80) ? queue : "",
                 d.chance(50) ? node : ""};
    if (d.chance(50)) one.resource = {{"memory", static_cast<int64_t>(d.next() >> 1)}, {"vcore", -1}};
  }
  return out;
}

bool made_query::fits(const made_event &one) const {
  const auto same = [&](const std::string &want, made_event::text which) {
    return want.empty() || want == one.texts[which];
  };
  return (types == 0 || (types >> one.type & 1U) != 0) && same(run, made_event::run) &&
         same(partition, made_event::partition) && same(object, made_event::object) &&
         same(application, made_event::application) && same(queue, made_event::queue) && same(node, made_event::node) &&
         one.timestamp_ns >= since_ns && (until_ns == 0 || one.timestamp_ns < until_ns) && one.last_id >= first_id &&
         (last_id == 0 || one.id <= last_id);
}

namespace {
tenon_status emit_once(const instance &to, const encoded_batch &batch, error_buffer &said) {
  tenon_event_emit_out out{sizeof out, 0, said.message()};
  const tenon_status status = to.asker().call("emit", [&] { return to.sink().emit(to.raw(), batch.input(), &out); });
  check_text("emit", status, said);
  return status;
}
}  // namespace

void emit(const instance &to, std::span<const made_event> records, const emit_manner &how) {
  const io_role io;
  for (int tries = 0;; ++tries) {
    const encoded_batch batch(records, how);
    error_buffer said;
    const tenon_status status = emit_once(to, batch, said);
    if (status == TENON_OK) return;
    if (status == TENON_DECLINED) probe::skip("it declines ordinary records" + said.text());
    if (status != TENON_RETRY) probe::fail("emit gave " + status_name(status) + said.text());
    if (tries == 50) gone_too_long(to, "emit", said);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool is_taken(const instance &to, std::span<const made_event> records) {
  const io_role io;
  error_buffer said;
  const tenon_status status = emit_once(to, encoded_batch(records, {}), said);
  if (status == TENON_OK || status == TENON_RETRY) return status == TENON_OK;
  probe::fail("emit gave " + status_name(status) + said.text() + ", want RETRY");
}

bool can_query(const instance &of) { return of.sink().query != nullptr; }

query_answer ask_for(const instance &of, const made_query &wanted, uint64_t enough) {
  if (!can_query(of)) probe::skip("it answers no queries");
  const auto text = [](const std::string &from) {
    return from.empty() ? tenon_text{nullptr, 0} : tenon_text{from.data(), from.size()};
  };
  const tenon_event_query_in in{sizeof in,           wanted.types,
                                text(wanted.run),    text(wanted.partition),
                                text(wanted.object), text(wanted.application),
                                text(wanted.queue),  text(wanted.node),
                                wanted.since_ns,     wanted.until_ns,
                                wanted.first_id,     wanted.last_id,
                                wanted.after,        wanted.limit};
  const io_role io;
  for (int tries = 0;; ++tries) {
    query_answer answer;
    taker_state state{&answer, enough, {}};
    error_buffer said;
    tenon_event_query_out out{sizeof out, 0, take, &state, 0, said.message()};
    const tenon_status status = of.asker().call("query", [&] { return of.sink().query(of.raw(), &in, &out); });
    check_text("query", status, said);
    if (!state.problem.empty()) probe::fail(state.problem);
    if (out.size != sizeof out || out.take != take || out.taker != &state || out.error != said.message())
      probe::fail("query changed its output struct: size, taker, or the room for words");
    answer.next = out.next;
    if (status == TENON_OK) return answer;
    if (status != TENON_RETRY) probe::fail("query gave " + status_name(status) + said.text());
    if (tries == 50) gone_too_long(of, "query", said);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace tenon::conformance
