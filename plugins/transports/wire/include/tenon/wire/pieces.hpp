// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A request as several that say the same one after the other, so that its structs need not be in memory together: two
// bytes of a request can be a struct of hundreds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/wire/codec.hpp"

namespace tenon::wire {

// One field of a message.
struct outer_field {
  uint8_t tag = 0;  // 0: of a number beyond 15
  std::string_view whole;
  std::string_view inside;  // where it has a length
};

// The fields of a message, one after the other.
class field_cursor {
 public:
  explicit field_cursor(std::string_view message = {}) : left_(message) {}
  [[nodiscard]] bool more() const { return !left_.empty(); }
  // False: these are no fields, or a group, which the interface has none of.
  bool next(outer_field &out);

 private:
  std::string_view left_;
};

class pieces {
 public:
  static constexpr size_t bytes_of_piece = size_t{64} << 10;  // about
  static constexpr size_t parts_of_piece = 1'024;
  // Beyond these a request is refused: bytes and fields of one part, bytes beside all parts.
  static constexpr size_t most_bytes_of_part = size_t{512} << 10;
  static constexpr size_t most_fields_of_part = 8'192;
  static constexpr size_t most_beside = size_t{256} << 10;

  explicit pieces(const schema &of) : schema_(of) {}

  // Bytes of a message of that type, which stay until the last piece was used. False with a refusal.
  bool begin(std::string_view bytes, std::string &refusal);
  // Begins again with the first piece.
  void rewind();

  // Whom the request names; empty: nobody.
  [[nodiscard]] std::string_view rm() const { return rm_; }
  [[nodiscard]] bool has_parts() const { return parts_in_all_ != 0; }
  [[nodiscard]] bool is_one() const { return is_one_; }

  // The next one, a message of the type for read(); parts come in the order in which they take effect. Stays
  // until the next call. False: that was all.
  bool next(std::string_view &piece);

 private:
  bool is_none(std::string &refusal) const;
  void add_beside(std::string_view bytes, std::string &to);
  bool look_at(const outer_field &field, std::string &refusal);
  bool look_at_part(int rank, std::string_view inside, std::string &refusal);
  bool collect(int rank);
  bool collect_inside(int rank);
  [[nodiscard]] bool is_full() const { return parts_ == parts_of_piece || piece_.size() >= bytes_of_piece; }

  const schema &schema_;
  std::string_view bytes_;
  std::string_view rm_;
  std::string beside_;  // fields that are no parts
  size_t bytes_beside_ = 0;
  size_t parts_in_all_ = 0;
  uint64_t ranks_ = 0;  // that are there
  bool is_one_ = true;

  int rank_ = -1;  // of the parts that are next; -1: what is beside them
  field_cursor at_;
  field_cursor inside_;  // a message with lists, of which some is left
  std::string piece_;
  std::string wrapped_;
  size_t parts_ = 0;
};

// Whether a registration can become an object without much more memory than its bytes: as pieces::begin, for all that
// is not the configuration, whose bytes are told. False with a refusal.
bool is_moderate_registration(std::string_view bytes, size_t &config_bytes, std::string &refusal);

}  // namespace tenon::wire
