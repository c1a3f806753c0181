// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "flight/recorded_input.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>
#include <string>

namespace tenon::host {
namespace {

// A record of 4 MiB cannot want more than that by itself: what does is broken.
constexpr size_t most_memory = size_t{1} << 30;
constexpr uint32_t most_types = 64, most_columns = 256;

std::string_view view(const tenon_text &text) {
  return text.data == nullptr ? std::string_view{} : std::string_view(text.data, text.length);
}

boost::json::value text_json(const tenon_text &text) {
  return text.data == nullptr ? boost::json::value(nullptr) : boost::json::value(view(text));
}

boost::json::array texts_json(const tenon_text *from, uint64_t count) {
  boost::json::array out;
  for (uint64_t i = 0; i < count; ++i) out.push_back(text_json(from[i]));
  return out;
}

boost::json::object map_json(const tenon_text *names, const tenon_text *values, uint64_t count) {
  boost::json::object out;
  for (uint64_t i = 0; i < count; ++i) out[view(names[i])] = view(values[i]);
  return out;
}

// Bytes of a value of a column.
size_t bytes_of(uint32_t kind, uint32_t types) {
  switch (kind) {
    case TENON_COLUMN_I64:
      return sizeof(int64_t);
    case TENON_COLUMN_WORDS:
      return 4 * sizeof(uint64_t);
    case TENON_COLUMN_RESOURCES:
      return types * sizeof(int64_t);
    case TENON_COLUMN_TEXT:
      return sizeof(tenon_text);
    case TENON_COLUMN_TEXT_MAP:
      return sizeof(tenon_text_map);
    case TENON_COLUMN_NUMBERS:
      return sizeof(tenon_numbers);
    case TENON_COLUMN_TEXTS:
      return sizeof(tenon_texts);
    default:
      return 0;
  }
}

const char *kind_name(uint32_t kind) {
  constexpr const char *names[] = {"none", "i64", "resources", "text", "text map", "words", "numbers", "texts"};
  return kind < std::size(names) ? names[kind] : "unknown";
}

template <class T>
const T &as(const std::byte *from) {
  return *reinterpret_cast<const T *>(from);
}

boost::json::value value_json(uint32_t kind, const std::byte *from, const tenon_batch &batch, const uint64_t *mask) {
  boost::json::array list;
  switch (kind) {
    case TENON_COLUMN_I64:
      return as<int64_t>(from);
    case TENON_COLUMN_WORDS:
      for (size_t i = 0; i < 4; ++i) list.push_back(as<uint64_t>(from + i * sizeof(uint64_t)));
      return list;
    case TENON_COLUMN_RESOURCES: {
      boost::json::object out;
      for (uint32_t t = 0; t < batch.type_count; ++t)
        if (mask == nullptr || (*mask >> t & 1) != 0)
          out[view(batch.types[t])] = as<int64_t>(from + t * sizeof(int64_t));
      return out;
    }
    case TENON_COLUMN_TEXT:
      return text_json(as<tenon_text>(from));
    case TENON_COLUMN_TEXT_MAP: {
      const auto &map = as<tenon_text_map>(from);
      return map_json(map.keys, map.values, map.count);
    }
    case TENON_COLUMN_NUMBERS: {
      const auto &numbers = as<tenon_numbers>(from);
      for (uint64_t i = 0; i < numbers.count; ++i) list.push_back(numbers.values[i]);
      return list;
    }
    case TENON_COLUMN_TEXTS:
      return texts_json(as<tenon_texts>(from).values, as<tenon_texts>(from).count);
    default:
      return nullptr;
  }
}

boost::json::object column_json(const tenon_column &column, const tenon_batch &batch) {
  boost::json::object out{{"kind", kind_name(column.kind)}};
  if (column.base == nullptr) {
    out["values"] = nullptr;
    return out;
  }
  const auto one = [&](uint32_t item) {
    const auto *mask = column.present == nullptr
                           ? nullptr
                           : reinterpret_cast<const uint64_t *>(reinterpret_cast<const std::byte *>(column.present) +
                                                                column.present_stride * item);
    return value_json(column.kind, static_cast<const std::byte *>(column.base) + column.item_stride * item, batch,
                      mask);
  };
  if (column.item_stride == 0) {
    out["value"] = one(0);
    return out;
  }
  boost::json::array values;
  for (uint32_t i = 0; i < batch.item_count; ++i) values.push_back(one(batch.items[i]));
  out["values"] = std::move(values);
  return out;
}

boost::json::object batch_json(const tenon_batch &batch, std::string_view columns) {
  boost::json::array items, all;
  for (uint32_t i = 0; i < batch.item_count; ++i) items.push_back(batch.items[i]);
  for (uint32_t c = 0; c < batch.column_count; ++c) {
    const size_t line = columns.find('\n');
    boost::json::object one{{"id", columns.substr(0, line)}};
    columns = line == std::string_view::npos ? std::string_view{} : columns.substr(line + 1);
    for (auto &[key, part] : column_json(batch.columns[c], batch)) one[key] = part;
    all.push_back(std::move(one));
  }
  return {{"now_ms", batch.now_ms},
          {"world", batch.world},
          {"types", texts_json(batch.types, batch.type_count)},
          {"items", std::move(items)},
          {"columns", std::move(all)}};
}

}  // namespace

template <class T>
T *recorded_input::room(size_t count) {
  if (count == 0) count = 1;
  if (count > (most_memory - taken_) / sizeof(T)) return nullptr;
  taken_ += count * sizeof(T);
  void *out = memory_.allocate(count * sizeof(T), alignof(uint64_t));
  std::memset(out, 0, count * sizeof(T));
  return static_cast<T *>(out);
}

tenon_text recorded_input::text(record_reader &from) {
  const std::string_view words = from.text();
  return {words.data(), words.size()};
}

tenon_text recorded_input::text_or_none(record_reader &from) {
  const uint64_t length = from.number();
  if (length == 0) return {nullptr, 0};
  const std::string_view words = from.raw(length - 1);
  return {words.data() == nullptr ? "" : words.data(), words.size()};
}

const tenon_text *recorded_input::texts(record_reader &from, uint64_t count) {
  auto *out = room<tenon_text>(count);
  if (out == nullptr) from.give_up();
  for (uint64_t i = 0; i < count && !from.is_broken(); ++i) out[i] = text(from);
  return out;
}

void recorded_input::value(record_reader &from, const tenon_column &column, std::byte *to) {
  const auto put = [&](const auto &one) { std::memcpy(to, &one, sizeof one); };
  switch (column.kind) {
    case TENON_COLUMN_I64:
      return put(from.signed_number());
    case TENON_COLUMN_WORDS:
      for (size_t i = 0; i < 4; ++i, to += sizeof(uint64_t)) put(from.number());
      return;
    case TENON_COLUMN_RESOURCES:
      for (uint32_t i = 0; i < batch_.type_count; ++i, to += sizeof(int64_t)) put(from.signed_number());
      return;
    case TENON_COLUMN_TEXT:
      return put(text_or_none(from));
    case TENON_COLUMN_TEXT_MAP: {
      const uint64_t count = from.count();
      const tenon_text *keys = texts(from, count), *values = texts(from, count);
      return put(tenon_text_map{keys, values, count});
    }
    case TENON_COLUMN_NUMBERS: {
      const uint64_t one_more = from.number();
      if (one_more == 0) return;
      auto *all = room<int64_t>(one_more - 1);
      if (all == nullptr) from.give_up();
      for (uint64_t i = 0; i + 1 < one_more && !from.is_broken(); ++i) all[i] = from.signed_number();
      return put(tenon_numbers{all, one_more - 1});
    }
    case TENON_COLUMN_TEXTS: {
      const uint64_t one_more = from.number();
      if (one_more == 0) return;
      auto *all = room<tenon_text>(one_more - 1);
      if (all == nullptr) from.give_up();
      for (uint64_t i = 0; i + 1 < one_more && !from.is_broken(); ++i) all[i] = text_or_none(from);
      return put(tenon_texts{all, one_more - 1});
    }
    default:
      return;
  }
}

// Items keep their indexes: a column has room from the first to the last of them, and the values of those alone.
tenon_column recorded_input::column(record_reader &from) {
  tenon_column out{sizeof out, from.small_number(UINT32_MAX), nullptr, nullptr, 0, 0, 0};
  const uint32_t values = from.small_number(2), masks = from.small_number(2);
  const size_t each = bytes_of(out.kind, batch_.type_count);
  // A value for all has no mask of each item.
  if (out.kind < TENON_COLUMN_I64 || out.kind > TENON_COLUMN_TEXTS || (values == 1 && masks == 2)) from.give_up();
  const auto read_all = [&](uint32_t form, size_t bytes, uint64_t &stride, auto &&put) -> const void * {
    if (form == 0) return nullptr;
    auto *to = room<std::byte>((form == 1 ? 1 : span_) * bytes);
    if (to == nullptr) {
      from.give_up();
      return nullptr;
    }
    stride = form == 1 ? 0 : bytes;
    if (form == 1) put(to);
    for (uint32_t i = 0; form == 2 && i < batch_.item_count && !from.is_broken(); ++i)
      put(to + size_t{batch_.items[i] - first_} * bytes);
    const uint64_t before = form == 1 ? 0 : uint64_t{first_} * bytes;
    return reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(to) - before);
  };
  out.base = read_all(values, each, out.item_stride, [&](std::byte *to) { value(from, out, to); });
  out.type_stride = out.kind == TENON_COLUMN_RESOURCES ? sizeof(int64_t) : 0;
  out.present = static_cast<const uint64_t *>(read_all(masks, sizeof(uint64_t), out.present_stride, [&](std::byte *to) {
    const uint64_t mask = from.number();
    std::memcpy(to, &mask, sizeof mask);
  }));
  return out;
}

void recorded_input::read_batch(record_reader &from) {
  given_ = from.small_number(UINT32_MAX);
  kept_ = from.count();
  key_words_ = from.small_number(TENON_MAX_KEY_WORDS);
  batch_.size = sizeof batch_;
  batch_.item_count = static_cast<uint32_t>(kept_);
  batch_.now_ms = from.signed_number();
  batch_.world = from.number();
  auto *items = room<uint32_t>(batch_.item_count);
  if (items == nullptr) return from.give_up();
  for (uint32_t i = 0; i < batch_.item_count; ++i) items[i] = from.small_number(UINT32_MAX - 1);
  if (from.is_broken()) return;
  batch_.items = items;
  if (batch_.item_count != 0) {
    const auto [low, high] = std::minmax_element(items, items + batch_.item_count);
    first_ = *low;
    span_ = *high - *low + 1;
  }
  batch_.type_count = from.small_number(most_types);
  batch_.types = texts(from, batch_.type_count);
  batch_.column_count = from.small_number(most_columns);
  batch_.column_stride = sizeof(tenon_column);
  auto *columns = room<tenon_column>(batch_.column_count);
  if (columns == nullptr) return from.give_up();
  for (uint32_t i = 0; i < batch_.column_count && !from.is_broken(); ++i) columns[i] = column(from);
  batch_.columns = columns;
}

void recorded_input::read_prefix(record_reader &from) {
  prefix_.size = sizeof prefix_;
  prefix_.victim_count = static_cast<uint32_t>(from.count());
  prefix_.start = from.small_number(UINT32_MAX);
  auto *victims = room<tenon_handle>(prefix_.victim_count);
  if (victims == nullptr) return from.give_up();
  for (uint32_t i = 0; i < prefix_.victim_count; ++i) victims[i] = from.number();
  prefix_.victims = victims;
  read_batch(from);
  prefix_.batch = &batch_;
}

void recorded_input::read_tags(record_reader &from, const tenon_text *&names, const tenon_text *&values,
                               uint64_t &count) {
  count = from.count();
  names = texts(from, count);
  values = texts(from, count);
}

void recorded_input::read_place(record_reader &from) {
  place_.size = sizeof place_;
  for (const auto part : {&tenon_place_in::application, &tenon_place_in::queue, &tenon_place_in::user})
    place_.*part = text(from);
  place_.group_count = static_cast<uint32_t>(from.count());
  place_.groups = texts(from, place_.group_count);
  read_tags(from, place_.tag_names, place_.tag_values, place_.tag_count);
  place_.world = from.number();
  place_.now_ms = from.signed_number();
}

void recorded_input::read_events(record_reader &from) {
  given_ = from.number();
  kept_ = from.count();
  auto *all = room<tenon_event_record>(kept_);
  if (all == nullptr) return from.give_up();
  for (uint64_t i = 0; i < kept_ && !from.is_broken(); ++i) {
    tenon_event_record &one = all[i];
    one.size = sizeof one;
    one.type = from.small_number(UINT32_MAX);
    one.id = from.number();
    one.last_id = from.number();
    one.change = from.small_number(UINT32_MAX);
    one.detail = from.small_number(UINT32_MAX);
    one.timestamp_ns = from.signed_number();
    for (const auto part : {&tenon_event_record::run, &tenon_event_record::partition, &tenon_event_record::object,
                            &tenon_event_record::reference, &tenon_event_record::group, &tenon_event_record::reason,
                            &tenon_event_record::message, &tenon_event_record::application, &tenon_event_record::queue,
                            &tenon_event_record::node})
      one.*part = text(from);
    one.resource_count = static_cast<uint32_t>(from.count());
    one.resource_types = texts(from, one.resource_count);
    auto *values = room<int64_t>(one.resource_count);
    if (values == nullptr) return from.give_up();
    for (uint32_t r = 0; r < one.resource_count; ++r) values[r] = from.signed_number();
    one.resource_values = values;
  }
  emit_ = {sizeof emit_, sizeof(tenon_event_record), all, kept_};
}

std::unique_ptr<recorded_input> recorded_input::read(std::string_view bytes) {
  std::unique_ptr<recorded_input> out(new recorded_input);
  record_reader from(bytes);
  out->shape_ = static_cast<call_shape>(from.small_number(static_cast<uint64_t>(call_shape::too_large)));
  switch (out->shape_) {
    case call_shape::batch:
      out->read_batch(from);
      break;
    case call_shape::prefix:
      out->read_prefix(from);
      break;
    case call_shape::prepare:
      out->prepare_.size = sizeof out->prepare_;
      out->read_tags(from, out->prepare_.tag_names, out->prepare_.tag_values, out->prepare_.tag_count);
      break;
    case call_shape::place:
      out->read_place(from);
      break;
    case call_shape::resolve:
      out->resolve_ = {sizeof out->resolve_, 0, out->text(from)};
      break;
    case call_shape::emit:
      out->read_events(from);
      break;
    default:
      break;
  }
  return from.is_broken() || !from.is_at_end() ? nullptr : std::move(out);
}

boost::json::object recorded_input::as_json(std::string_view columns) const {
  switch (shape_) {
    case call_shape::batch:
      return batch_json(batch_, columns);
    case call_shape::prefix: {
      boost::json::object out = batch_json(batch_, columns);
      boost::json::array victims;
      for (uint32_t i = 0; i < prefix_.victim_count; ++i) victims.push_back(prefix_.victims[i]);
      out["victims"] = std::move(victims);
      out["start"] = prefix_.start;
      return out;
    }
    case call_shape::prepare:
      return {{"tags", map_json(prepare_.tag_names, prepare_.tag_values, prepare_.tag_count)}};
    case call_shape::place:
      return {{"application", view(place_.application)},
              {"queue", view(place_.queue)},
              {"user", view(place_.user)},
              {"groups", texts_json(place_.groups, place_.group_count)},
              {"tags", map_json(place_.tag_names, place_.tag_values, place_.tag_count)},
              {"now_ms", place_.now_ms}};
    case call_shape::resolve:
      return {{"user", view(resolve_.user)}};
    case call_shape::emit: {
      boost::json::array records;
      for (uint64_t i = 0; i < kept_; ++i) {
        const tenon_event_record &one = emit_.records[i];
        records.push_back(boost::json::object{{"id", one.id},
                                              {"type", one.type},
                                              {"timestamp_ns", one.timestamp_ns},
                                              {"object", view(one.object)},
                                              {"message", view(one.message)}});
      }
      return {{"records", std::move(records)}};
    }
    default:
      return {};
  }
}

}  // namespace tenon::host
