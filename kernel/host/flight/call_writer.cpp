// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "flight/call_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <span>

#include "flight/record_writer.hpp"
#include "tenon/abi/columns.h"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/sort.h"

namespace tenon::host {
namespace {

const void *at(const void *base, uint64_t stride, uint64_t index) {
  return static_cast<const std::byte *>(base) + stride * index;
}

void texts(record_writer &to, const tenon_text *from, uint64_t count) {
  for (uint64_t i = 0; i < count && !to.failed(); ++i) to.text(to.read<tenon_text>(from + i));
}

// One more than the length, so that one that is none differs from one that is empty.
void text_or_none(record_writer &to, const tenon_text &from) {
  if (from.data == nullptr) return to.number(0);
  to.number(from.length + 1);
  to.raw({from.data, from.length});
}

void value(record_writer &to, const tenon_column &column, const void *from, uint32_t types) {
  switch (column.kind) {
    case TENON_COLUMN_I64:
      return to.signed_number(to.read<int64_t>(from));
    case TENON_COLUMN_WORDS:
      for (uint64_t i = 0; i < 4; ++i) to.number(to.read<uint64_t>(at(from, sizeof(uint64_t), i)));
      return;
    case TENON_COLUMN_RESOURCES:
      for (uint64_t i = 0; i < types; ++i) to.signed_number(to.read<int64_t>(at(from, column.type_stride, i)));
      return;
    case TENON_COLUMN_TEXT:
      return text_or_none(to, to.read<tenon_text>(from));
    case TENON_COLUMN_TEXT_MAP: {
      const auto map = to.read<tenon_text_map>(from);
      to.number(map.count);
      texts(to, map.keys, map.count);
      return texts(to, map.values, map.count);
    }
    case TENON_COLUMN_NUMBERS: {
      const auto list = to.read<tenon_numbers>(from);
      if (list.values == nullptr) return to.number(0);
      to.number(list.count + 1);
      for (uint64_t i = 0; i < list.count && !to.failed(); ++i) to.signed_number(to.read<int64_t>(list.values + i));
      return;
    }
    case TENON_COLUMN_TEXTS: {
      const auto list = to.read<tenon_texts>(from);
      if (list.values == nullptr) return to.number(0);
      to.number(list.count + 1);
      for (uint64_t i = 0; i < list.count && !to.failed(); ++i) text_or_none(to, to.read<tenon_text>(list.values + i));
      return;
    }
    default:
      return;
  }
}

// 0: there are none; 1: one for all items; 2: one for each.
uint32_t form_of(const void *base, uint64_t item_stride) { return base == nullptr ? 0 : item_stride == 0 ? 1 : 2; }

void column(record_writer &to, const tenon_column &from, const tenon_batch &batch, uint32_t items) {
  const auto each = [&](uint32_t form, const void *base, uint64_t stride, auto &&put) {
    if (form == 1) put(base);
    for (uint32_t i = 0; form == 2 && i < items && !to.failed(); ++i)
      put(at(base, stride, to.read<uint32_t>(batch.items + i)));
  };
  const uint32_t values = form_of(from.base, from.item_stride), masks = form_of(from.present, from.present_stride);
  to.number(from.kind);
  to.number(values);
  to.number(masks);
  each(values, from.base, from.item_stride, [&](const void *one) { value(to, from, one, batch.type_count); });
  each(masks, from.present, from.present_stride, [&](const void *one) { to.number(to.read<uint64_t>(one)); });
}

void put_batch(record_writer &to, const tenon_batch &batch, uint32_t key_words, uint64_t items) {
  const auto kept = static_cast<uint32_t>(std::min<uint64_t>(items, batch.item_count));
  to.number(batch.item_count);
  to.number(kept);
  to.number(key_words);
  to.signed_number(batch.now_ms);
  to.number(batch.world);
  for (uint32_t i = 0; i < kept && !to.failed(); ++i) to.number(to.read<uint32_t>(batch.items + i));
  to.number(batch.type_count);
  texts(to, batch.types, batch.type_count);
  to.number(batch.column_count);
  for (uint32_t i = 0; i < batch.column_count && !to.failed(); ++i)
    column(to, to.read<tenon_column>(at(batch.columns, batch.column_stride, i)), batch, kept);
}

void put_prefix(record_writer &to, const tenon_filter_prefix_in &in) {
  to.number(in.victim_count);
  to.number(in.start);
  for (uint64_t i = 0; i < in.victim_count && !to.failed(); ++i) to.number(to.read<tenon_handle>(in.victims + i));
  put_batch(to, to.read<tenon_batch>(in.batch), 0, UINT32_MAX);
}

void put_tags(record_writer &to, const tenon_text *names, const tenon_text *values, uint64_t count) {
  to.number(count);
  texts(to, names, count);
  texts(to, values, count);
}

void put_place(record_writer &to, const tenon_place_in &in) {
  for (const tenon_text &one : {in.application, in.queue, in.user}) to.text(one);
  to.number(in.group_count);
  texts(to, in.groups, in.group_count);
  put_tags(to, in.tag_names, in.tag_values, in.tag_count);
  to.number(in.world);
  to.signed_number(in.now_ms);
}

void put_event(record_writer &to, const tenon_event_record &from) {
  for (const uint64_t one : {uint64_t{from.type}, from.id, from.last_id, uint64_t{from.change}, uint64_t{from.detail}})
    to.number(one);
  to.signed_number(from.timestamp_ns);
  for (const tenon_text &one : {from.run, from.partition, from.object, from.reference, from.group, from.reason,
                                from.message, from.application, from.queue, from.node})
    to.text(one);
  to.number(from.resource_count);
  texts(to, from.resource_types, from.resource_count);
  for (uint64_t i = 0; i < from.resource_count && !to.failed(); ++i)
    to.signed_number(to.read<int64_t>(from.resource_values + i));
}

void put_events(record_writer &to, const tenon_event_emit_in &in, uint64_t items) {
  const uint64_t kept = std::min(items, in.record_count);
  to.number(in.record_count);
  to.number(kept);
  for (uint64_t i = 0; i < kept && !to.failed(); ++i)
    put_event(to, to.read<tenon_event_record>(at(in.records, in.record_stride, i)));
}

// Of a batch the first `items`.
void put_input(record_writer &to, const call_input &input, uint64_t items) {
  to.number(static_cast<uint64_t>(input.shape));
  switch (input.shape) {
    case call_shape::batch:
      return put_batch(to, to.read<tenon_batch>(input.in), input.key_words, items);
    case call_shape::prefix:
      return put_prefix(to, to.read<tenon_filter_prefix_in>(input.in));
    case call_shape::prepare: {
      const auto in = to.read<tenon_prepare_in>(input.in);
      return put_tags(to, in.tag_names, in.tag_values, in.tag_count);
    }
    case call_shape::place:
      return put_place(to, to.read<tenon_place_in>(input.in));
    case call_shape::resolve:
      return to.text(to.read<tenon_resolve_in>(input.in).user);
    case call_shape::emit:
      return put_events(to, to.read<tenon_event_emit_in>(input.in), items);
    default:
      return;
  }
}

uint64_t items_of(record_writer &to, const call_input &input) {
  if (input.shape == call_shape::batch) return to.read<tenon_batch>(input.in).item_count;
  if (input.shape == call_shape::emit) return to.read<tenon_event_emit_in>(input.in).record_count;
  return 0;
}

// As many items as there is room for, down to none.
void input_section(record_writer &to, const call_input &input) {
  const size_t start = to.used();
  for (uint64_t items = items_of(to, input);; items /= 2) {
    to.begin('i');
    put_input(to, input, items);
    to.end();
    if (!to.failed()) return;
    to.rewind(start);
    if (items != 0) continue;
    to.begin('i');
    to.number(static_cast<uint64_t>(call_shape::too_large));
    return to.end();
  }
}

void section(record_writer &to, char letter, std::span<const std::string_view> parts) {
  const size_t start = to.used();
  to.begin(letter);
  for (const std::string_view part : parts) to.raw(part);
  to.end();
  if (to.failed()) to.rewind(start);
}
void section(record_writer &to, char letter, std::string_view bytes) { section(to, letter, {&bytes, 1}); }

// One behind the other, with a zero at the end. False: there is no room.
bool join(char (&to)[PATH_MAX], std::initializer_list<std::string_view> parts) {
  size_t length = 0;
  for (const std::string_view part : parts) {
    if (part.size() >= sizeof to - length) return false;
    std::memcpy(to + length, part.data(), part.size());
    length += part.size();
  }
  to[length] = '\0';
  return true;
}

}  // namespace

size_t write_call(char *room, size_t bytes, const call_facts &facts, const call_input &input) {
  constexpr size_t end_bytes = 5, instead_bytes = 6;
  if (bytes < call_file_head.size() + end_bytes + instead_bytes) return 0;
  record_writer to(room, bytes - end_bytes);
  to.raw(call_file_head);
  to.begin('r');
  to.raw(facts.record);
  to.end();
  if (to.failed()) return 0;
  section(to, 'm', facts.manifest);
  if (input.origin != nullptr) {
    section(to, 'c', input.origin->configuration);
    section(to, 'k', input.origin->columns);
    to.begin('t');
    to.number(input.origin->max_resource_types);
    to.end();
  }
  section(to, 'j', facts.journal);
  input_section(to, input);
  if (to.failed()) return 0;
  record_writer last(room + to.used(), end_bytes);
  last.begin('e');
  last.end();
  return to.used() + last.used();
}

bool write_call_file(std::string_view folder, std::string_view key, std::string_view bytes) {
  // Several processes may have one folder.
  char number[16];
  size_t first = sizeof number;
  for (auto left = static_cast<unsigned>(::getpid()); left != 0; left /= 10)
    number[--first] = static_cast<char>('0' + left % 10);
  char path[PATH_MAX], fresh[PATH_MAX];
  if (bytes.empty() || folder.empty() || !join(path, {folder, "/", key, call_file_ending}) ||
      !join(fresh, {path, ".new", {number + first, sizeof number - first}}))
    return false;
  const int to = ::open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (to < 0) return false;
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t took = ::write(to, bytes.data() + written, bytes.size() - written);
    if (took <= 0) break;
    written += static_cast<size_t>(took);
  }
  ::fsync(to);
  ::close(to);
  if (written == bytes.size() && ::rename(fresh, path) == 0) return true;
  ::unlink(fresh);
  return false;
}

}  // namespace tenon::host
