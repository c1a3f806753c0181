// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a slot was given, made again of a record: structs of the ABI that a slot can be called on.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "calls/call_input.hpp"
#include "flight/record_reader.hpp"
#include "tenon/abi/columns.h"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/module.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/sort.h"

namespace tenon::host {

class recorded_input {
 public:
  // `bytes`: of the section, which outlive this. Nothing: they are broken.
  [[nodiscard]] static std::unique_ptr<recorded_input> read(std::string_view bytes);
  recorded_input(const recorded_input &) = delete;
  recorded_input &operator=(const recorded_input &) = delete;

  [[nodiscard]] call_shape shape() const { return shape_; }
  // Of a batch or of records of events: how many there were, and how many the record has.
  [[nodiscard]] uint64_t given() const { return given_; }
  [[nodiscard]] uint64_t kept() const { return kept_; }
  [[nodiscard]] uint32_t key_words() const { return key_words_; }

  // That of its shape is filled.
  [[nodiscard]] const tenon_batch &batch() const { return batch_; }
  [[nodiscard]] const tenon_filter_prefix_in &prefix() const { return prefix_; }
  [[nodiscard]] const tenon_prepare_in &prepare() const { return prepare_; }
  [[nodiscard]] const tenon_place_in &place() const { return place_; }
  [[nodiscard]] const tenon_resolve_in &resolve() const { return resolve_; }
  [[nodiscard]] const tenon_event_emit_in &emit() const { return emit_; }

  // For people and programs. `columns`: their ids, a line each.
  [[nodiscard]] boost::json::object as_json(std::string_view columns) const;

 private:
  recorded_input() = default;
  template <class T>
  T *room(size_t count);
  tenon_text text(record_reader &from);
  tenon_text text_or_none(record_reader &from);
  const tenon_text *texts(record_reader &from, uint64_t count);
  void value(record_reader &from, const tenon_column &column, std::byte *to);
  tenon_column column(record_reader &from);
  void read_batch(record_reader &from);
  void read_prefix(record_reader &from);
  void read_tags(record_reader &from, const tenon_text *&names, const tenon_text *&values, uint64_t &count);
  void read_place(record_reader &from);
  void read_events(record_reader &from);

  std::pmr::monotonic_buffer_resource memory_;
  size_t taken_ = 0;  // of memory_
  call_shape shape_ = call_shape::nothing;
  uint64_t given_ = 0, kept_ = 0;
  uint32_t key_words_ = 0;
  uint32_t first_ = 0, span_ = 0;  // the lowest index of an item, and how many from it to the highest
  tenon_batch batch_{};
  tenon_filter_prefix_in prefix_{};
  tenon_prepare_in prepare_{};
  tenon_place_in place_{};
  tenon_resolve_in resolve_{};
  tenon_event_emit_in emit_{};
};

}  // namespace tenon::host
