// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What each slot of an instance writes for its process, and reads of the answer.
#include <algorithm>
#include <cstring>

#include "isolation/event_bytes.hpp"
#include "isolation/isolated_instance.hpp"

namespace tenon::host::isolation {
namespace {

// An output array that the process fills, and a canary right behind it.
constexpr uint64_t canary = 0x7e40c0ffee5afe11;
template <class T>
placed<T> guarded_room(region_writer &to, size_t count) {
  const placed<T> out = to.room<T>(count + (sizeof canary + sizeof(T) - 1) / sizeof(T));
  std::memcpy(out.here + count, &canary, sizeof canary);
  return out;
}
template <class T>
bool is_guarded(const placed<T> &array, size_t count) {
  return std::memcmp(array.here + count, &canary, sizeof canary) == 0;
}

constexpr const char *behind_its_output = "wrote behind the end of its output";

std::chrono::milliseconds deadline_of(call_kind what, const process_limits &limits) {
  switch (what) {
    case call_kind::resolve:
    case call_kind::emit:
    case call_kind::query:
      return limits.io_deadline;  // of kinds that may wait for somebody else
    case call_kind::keys:
    case call_kind::score:
    case call_kind::prepare:
      return limits.order_deadline;
    default:
      return limits.call_deadline;
  }
}

queue_answer look_up(const tenon_queue_tree &queues, uint64_t world, std::string_view path) {
  const tenon_find_queue_in wanted{sizeof wanted, 0, {path.data(), path.size()}, world};
  tenon_find_queue_out found{sizeof found, 0, 0, 0};
  const tenon_status status = queues.find(&queues, &wanted, &found);
  return {status, found.exists, found.leaf, found.state};
}

}  // namespace

// Writes what the slot is given with `put`, waits for the slot, and reads what it gave with `take`.
template <class Put, class Take>
tenon_status isolated_instance::call(call_kind what, Put &&put, Take &&take) {
  cause_.clear();
  const bool ready = is_ready();
  loss_ = {};  // what was before the call
  if (!ready) return TENON_INTERNAL;
  batches_->start();
  process_->answers().rewind(answer_room);
  addresses at{};
  try {
    at = put(process_->answers());
  } catch (const region_full &full) {
    cause_ = full.what();
    return TENON_INTERNAL;
  }
  process_->ask(what, at.input, at.output);
  asked_at_ = std::chrono::steady_clock::now();
  if (!call_answered(deadline_of(what, of_.plan().limits))) return TENON_INTERNAL;
  ++calls_;
  take();
  return process_ == nullptr ? TENON_INTERNAL : process_->status();
}

tenon_status isolated_instance::keys(call_kind what, const tenon_batch *in, tenon_keys_out *out) {
  const size_t items = in->item_count, words = items * out->key_words;
  placed<tenon_keys_out> head;
  placed<uint64_t> keys;
  placed<int64_t> not_before, valid_until;
  const auto put = [&](region_writer &to) {
    const placed<tenon_batch> batch = batches_->write(*in);
    head = to.room<tenon_keys_out>(1);
    keys = guarded_room<uint64_t>(to, words);
    not_before = guarded_room<int64_t>(to, items);
    valid_until = guarded_room<int64_t>(to, items);
    std::copy_n(out->keys, words, keys.here);
    std::copy_n(out->not_before_ms, items, not_before.here);
    std::copy_n(out->valid_until_ms, items, valid_until.here);
    *head.here = {out->size, out->key_words, keys.pointer(), not_before.pointer(), valid_until.pointer()};
    return addresses{batch.there, head.there};
  };
  const auto take = [&] {
    std::copy_n(keys.here, words, out->keys);
    std::copy_n(not_before.here, items, out->not_before_ms);
    std::copy_n(valid_until.here, items, out->valid_until_ms);
    if (!is_guarded(keys, words) || !is_guarded(not_before, items) || !is_guarded(valid_until, items))
      lose(behind_its_output, {process_loss::how::overwrote});
  };
  return call(what, put, take);
}

tenon_message *isolated_instance::sent_message::send(const tenon_message *from, region_writer &to) {
  if (from == nullptr) return nullptr;
  head = to.room<tenon_message>(1);
  words = to.room<char>(from->capacity);
  *head.here = {sizeof(tenon_message), from->capacity, words.pointer(), 0};
  return head.pointer();
}

void isolated_instance::sent_message::take(tenon_message *to) const {
  if (to == nullptr) return;
  to->length = head.here->length;
  std::memcpy(to->data, words.here, std::min<uint64_t>(to->length, to->capacity));
}

tenon_status isolated_instance::prepare(const tenon_prepare_in *in, tenon_prepare_out *out) {
  placed<tenon_prepare_out> head;
  sent_message error;
  const auto put = [&](region_writer &to) {
    region_writer &requests = process_->requests();
    const placed<tenon_prepare_in> tags = requests.room<tenon_prepare_in>(1);
    *tags.here = {sizeof(tenon_prepare_in), 0, requests.texts(in->tag_names, in->tag_count),
                  requests.texts(in->tag_values, in->tag_count), in->tag_count};
    head = to.room<tenon_prepare_out>(1);
    *head.here = *out;
    head.here->error = error.send(out->error, to);
    return addresses{tags.there, head.there};
  };
  const auto take = [&] {
    std::copy_n(head.here->words, std::size(out->words), out->words);
    error.take(out->error);
  };
  return call(call_kind::prepare, put, take);
}

tenon_status isolated_instance::filter(const tenon_batch *in, tenon_filter_out *out) {
  const size_t items = in->item_count;
  placed<tenon_filter_out> head;
  placed<uint8_t> verdicts;
  placed<uint16_t> reasons;
  const auto put = [&](region_writer &to) {
    const placed<tenon_batch> batch = batches_->write(*in);
    head = to.room<tenon_filter_out>(1);
    verdicts = guarded_room<uint8_t>(to, items);
    reasons = guarded_room<uint16_t>(to, items);
    std::copy_n(out->verdicts, items, verdicts.here);
    std::copy_n(out->reasons, items, reasons.here);
    *head.here = {out->size, out->reserved, verdicts.pointer(), reasons.pointer()};
    return addresses{batch.there, head.there};
  };
  const auto take = [&] {
    std::copy_n(verdicts.here, items, out->verdicts);
    std::copy_n(reasons.here, items, out->reasons);
    if (!is_guarded(verdicts, items) || !is_guarded(reasons, items))
      lose(behind_its_output, {process_loss::how::overwrote});
  };
  return call(call_kind::filter, put, take);
}

tenon_status isolated_instance::signature(const tenon_batch *in, tenon_signature_out *out) {
  placed<tenon_signature_out> head;
  return call(
      call_kind::signature,
      [&](region_writer &to) {
        const placed<tenon_batch> batch = batches_->write(*in);
        head = to.room<tenon_signature_out>(1);
        *head.here = *out;
        return addresses{batch.there, head.there};
      },
      [&] { std::copy_n(head.here->words, std::size(out->words), out->words); });
}

tenon_status isolated_instance::filter_prefix(const tenon_filter_prefix_in *in, tenon_filter_prefix_out *out) {
  placed<tenon_filter_prefix_out> head;
  return call(
      call_kind::filter_prefix,
      [&](region_writer &to) {
        const placed<tenon_batch> batch = batches_->write(*in->batch);
        region_writer &requests = process_->requests();
        const placed<tenon_filter_prefix_in> question = requests.room<tenon_filter_prefix_in>(1);
        const placed<tenon_handle> victims = requests.room<tenon_handle>(in->victim_count);
        std::copy_n(in->victims, in->victim_count, victims.here);
        *question.here = {sizeof(tenon_filter_prefix_in),
                          in->victim_count,
                          batch.pointer(),
                          victims.pointer(),
                          in->start,
                          in->reserved};
        head = to.room<tenon_filter_prefix_out>(1);
        *head.here = *out;
        return addresses{question.there, head.there};
      },
      [&] { out->index = head.here->index; });
}

tenon_status isolated_instance::place(const tenon_place_in *in, tenon_place_out *out) {
  placed<tenon_place_out> head;
  placed<char> name;
  sent_message error;
  const auto put = [&](region_writer &to) {
    region_writer &requests = process_->requests();
    const placed<tenon_place_in> question = requests.room<tenon_place_in>(1);
    *question.here = *in;
    question.here->size = sizeof *in;
    for (const auto text : {&tenon_place_in::application, &tenon_place_in::queue, &tenon_place_in::user})
      question.here->*text = requests.text(in->*text);
    question.here->groups = requests.texts(in->groups, in->group_count);
    question.here->tag_names = requests.texts(in->tag_names, in->tag_count);
    question.here->tag_values = requests.texts(in->tag_values, in->tag_count);
    question.here->queues = nullptr;  // the process has one that asks here
    head = to.room<tenon_place_out>(1);
    name = guarded_room<char>(to, out->name_capacity);
    *head.here = *out;
    head.here->name = name.pointer();
    head.here->error = error.send(out->error, to);
    process_->answer_by(
        [queues = in->queues](uint64_t world, std::string_view path) { return look_up(*queues, world, path); });
    return addresses{question.there, head.there};
  };
  const auto take = [&] {
    out->name_length = head.here->name_length;
    out->qualified = head.here->qualified;
    std::copy_n(name.here, std::min(out->name_length, out->name_capacity), out->name);
    error.take(out->error);
    if (!is_guarded(name, out->name_capacity)) lose(behind_its_output, {process_loss::how::overwrote});
  };
  const tenon_status status = call(call_kind::place, put, take);
  if (process_ != nullptr) process_->answer_by(nullptr);
  return status;
}

tenon_status isolated_instance::resolve(const tenon_resolve_in *in, tenon_resolve_out *out) {
  placed<tenon_resolve_out> head;
  placed<tenon_text> groups;
  placed<char> room;
  sent_message error;
  const auto put = [&](region_writer &to) {
    region_writer &requests = process_->requests();
    const placed<tenon_resolve_in> question = requests.room<tenon_resolve_in>(1);
    *question.here = {sizeof *in, 0, requests.text(in->user)};
    head = to.room<tenon_resolve_out>(1);
    groups = guarded_room<tenon_text>(to, out->group_capacity);
    room = guarded_room<char>(to, out->room_capacity);
    *head.here = *out;
    head.here->groups = groups.pointer();
    head.here->room = room.pointer();
    head.here->error = error.send(out->error, to);
    return addresses{question.there, head.there};
  };
  const auto take = [&] {
    out->group_count = head.here->group_count;
    out->room_length = head.here->room_length;
    const uint64_t count = process_->status() == TENON_OK ? out->group_count : 0;
    for (uint64_t i = 0; i < std::min<uint64_t>(count, out->group_capacity); ++i) {
      const tenon_text name = groups.here[i];
      const uint64_t at = reinterpret_cast<uintptr_t>(name.data) - room.there;
      // A name that is not in the room has no place here either.
      const bool inside = at <= out->room_capacity && name.length <= out->room_capacity - at;
      if (inside) std::copy_n(room.here + at, name.length, out->room + at);
      out->groups[i] = {inside ? out->room + at : nullptr, name.length};
    }
    error.take(out->error);
    if (!is_guarded(groups, out->group_capacity) || !is_guarded(room, out->room_capacity))
      lose(behind_its_output, {process_loss::how::overwrote});
  };
  return call(call_kind::resolve, put, take);
}

tenon_status isolated_instance::emit(const tenon_event_emit_in *in, tenon_event_emit_out *out) {
  placed<tenon_event_emit_out> head;
  sent_message error;
  const auto put = [&](region_writer &to) {
    region_writer &requests = process_->requests();
    const placed<tenon_event_emit_in> batch = requests.room<tenon_event_emit_in>(1);
    const placed<tenon_event_record> records = requests.room<tenon_event_record>(in->record_count);
    for (uint64_t i = 0; i < in->record_count; ++i) {
      const auto &from = *reinterpret_cast<const tenon_event_record *>(
          reinterpret_cast<const std::byte *>(in->records) + i * in->record_stride);
      tenon_event_record &record = records.here[i];
      record = from;
      for (const auto part : record_texts) record.*part = requests.text(from.*part);
      record.resource_types = requests.texts(from.resource_types, from.resource_count);
      const placed<int64_t> values = requests.room<int64_t>(from.resource_count);
      std::copy_n(from.resource_values, from.resource_count, values.here);
      record.resource_values = values.pointer();
    }
    *batch.here = {sizeof *in, sizeof(tenon_event_record), records.pointer(), in->record_count};
    head = to.room<tenon_event_emit_out>(1);
    *head.here = *out;
    head.here->error = error.send(out->error, to);
    return addresses{batch.there, head.there};
  };
  return call(call_kind::emit, put, [&] { error.take(out->error); });
}

// The process writes what it finds behind its output, and it is given on from here.
tenon_status isolated_instance::query(const tenon_event_query_in *in, tenon_event_query_out *out) {
  placed<tenon_event_query_out> head;
  placed<std::byte> found;
  sent_message error;
  std::string records;
  const auto put = [&](region_writer &to) {
    region_writer &requests = process_->requests();
    const placed<tenon_event_query_in> question = requests.room<tenon_event_query_in>(1);
    *question.here = *in;
    for (const auto text :
         {&tenon_event_query_in::run, &tenon_event_query_in::partition, &tenon_event_query_in::object,
          &tenon_event_query_in::application, &tenon_event_query_in::queue, &tenon_event_query_in::node})
      question.here->*text = requests.text(in->*text);
    head = to.room<tenon_event_query_out>(1);
    *head.here = *out;
    head.here->take = nullptr;  // the process has one that writes to `taker`
    head.here->error = error.send(out->error, to);
    found = to.room<std::byte>(query_bytes);
    head.here->taker = found.pointer();
    return addresses{question.there, head.there};
  };
  const auto take = [&] {
    out->next = head.here->next;
    error.take(out->error);
    records = process_->bytes_in(found, query_bytes);
  };
  tenon_status status = call(call_kind::query, put, take);
  if (status != TENON_OK) return status;
  record_reader each(records);
  while (const tenon_event_record *record = each.next())
    if ((status = out->take(out->taker, record)) != TENON_OK) return status;
  if (!each.is_broken()) return TENON_OK;
  cause_ = "gave something that is no record";
  return TENON_INTERNAL;
}

}  // namespace tenon::host::isolation
