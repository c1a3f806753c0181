// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/wire/pieces.hpp"

#include <utility>

#include "cursor.hpp"
#include "put.hpp"
#include "tenon/si/v1later/si.pb.h"
#include "wire_schema.hpp"

namespace tenon::wire {
namespace {

constexpr size_t few_bytes = 2 * pieces::most_fields_of_part;  // which cannot be more fields than a part may have

std::string refused(const std::string &message, const std::string &want, size_t have, const std::string &fix) {
  return message + ": want " + want + ", found " + std::to_string(have) + "; " + fix;
}

std::string refused_bytes(const std::string &message, std::string_view bytes) {
  return message + ": want a message of this type, found " + std::to_string(bytes.size()) +
         " bytes that are none; send one that protobuf wrote";
}

bool few_fields(std::string_view inside, size_t &count) {
  count = 0;
  if (inside.size() <= few_bytes) return true;
  cursor at(inside);
  for (uint32_t tag = 0; at.more() && at.tag(tag) && at.skip(tag);) ++count;
  return count <= pieces::most_fields_of_part;
}

}  // namespace

bool field_cursor::next(outer_field &out) {
  cursor at(left_);
  uint32_t tag = 0;
  out.inside = {};
  if (!at.tag(tag) || (tag & 7) == group_begins) return false;
  if ((tag & 7) == length_follows ? !at.inside(out.inside) : !at.skip(tag)) return false;
  out.tag = tag < 0x80 ? static_cast<uint8_t>(tag) : 0;
  out.whole = left_.substr(0, static_cast<size_t>(at.at() - left_.data()));
  left_.remove_prefix(out.whole.size());
  return true;
}

bool pieces::begin(std::string_view bytes, std::string &refusal) {
  bytes_ = bytes;
  rm_ = {};
  beside_.clear();
  ranks_ = 0;
  parts_in_all_ = 0;
  bytes_beside_ = 0;
  field_cursor at(bytes);
  while (at.more()) {
    outer_field field;
    if (!at.next(field)) return is_none(refusal);
    if (!look_at(field, refusal)) return false;
  }
  if (bytes_beside_ > most_beside) {
    refusal = refused(schema_.name, "at most " + std::to_string(most_beside) + " bytes beside its parts", bytes_beside_,
                      "send what this schema knows");
    return false;
  }
  is_one_ = bytes.size() <= bytes_of_piece && parts_in_all_ <= parts_of_piece;
  rewind();
  return true;
}

bool pieces::is_none(std::string &refusal) const {
  refusal = refused_bytes(schema_.name, bytes_);
  return false;
}

void pieces::add_beside(std::string_view bytes, std::string &to) {
  bytes_beside_ += bytes.size();
  if (bytes_beside_ <= most_beside) to.append(bytes);
}

bool pieces::look_at(const outer_field &field, std::string &refusal) {
  const tagged_outer &known = schema_.fields[field.tag >> 3];
  if (field.tag != 0 && field.tag == known.tag && known.is == tagged_outer::what::parts) {
    return look_at_part(known.rank, field.inside, refusal);
  }
  if (field.tag == 0 || field.tag != known.tag || known.is != tagged_outer::what::holder) {
    if (known.is == tagged_outer::what::rm && (field.tag & 7) == 2) rm_ = field.inside;
    add_beside(field.whole, beside_);
    return true;
  }
  std::string unknown;
  field_cursor at(field.inside);
  while (at.more()) {
    outer_field inner;
    if (!at.next(inner)) return is_none(refusal);
    const int rank = inner.tag != 0 && (inner.tag & 7) == 2 ? known.inner[inner.tag >> 3] : -1;
    if (rank < 0) {
      add_beside(inner.whole, unknown);
    } else if (!look_at_part(rank, inner.inside, refusal)) {
      return false;
    }
  }
  bytes_beside_ += 2;
  if (bytes_beside_ > most_beside) return true;
  put_bytes(beside_, field.tag, unknown);
  return true;
}

bool pieces::look_at_part(int rank, std::string_view inside, std::string &refusal) {
  const auto refuse = [&](size_t most, size_t have, const std::string &of) {
    refusal = refused(schema_.slots[static_cast<size_t>(rank)].holds->name,
                      "at most " + std::to_string(most) + " " + of, have, "send less in one of them");
    return false;
  };
  size_t fields = 0;
  if (inside.size() > most_bytes_of_part) return refuse(most_bytes_of_part, inside.size(), "bytes");
  if (!few_fields(inside, fields)) return refuse(most_fields_of_part, fields, "fields");
  ranks_ |= uint64_t{1} << rank;
  ++parts_in_all_;
  return true;
}

void pieces::rewind() {
  rank_ = -1;
  at_ = inside_ = field_cursor();
  piece_.clear();
  parts_ = 0;
}

bool pieces::next(std::string_view &piece) {
  const int end = static_cast<int>(schema_.slots.size());
  if (is_one_) {
    piece = bytes_;
    return std::exchange(rank_, end) != end;
  }
  if (rank_ < 0) {
    rank_ = 0;
    at_ = field_cursor(bytes_);
    piece = beside_;
    return true;
  }
  piece_.clear();
  for (parts_ = 0; rank_ < end; ++rank_, at_ = field_cursor(bytes_)) {
    if ((ranks_ >> rank_ & 1) == 0) continue;
    if (collect(rank_)) break;
    if (parts_ != 0) {  // all of them; those of the next kind begin another piece
      ++rank_;
      at_ = field_cursor(bytes_);
      break;
    }
  }
  piece = piece_;
  return parts_ != 0;
}

// True: it is full, and there may be more of the kind.
bool pieces::collect(int rank) {
  const uint8_t holder = schema_.slots[static_cast<size_t>(rank)].holder;
  const uint8_t tag = holder != 0 ? holder : schema_.slots[static_cast<size_t>(rank)].tag;
  while (inside_.more() || at_.more()) {
    if (inside_.more()) {
      if (collect_inside(rank)) return true;
      continue;
    }
    outer_field field;
    at_.next(field);
    if (field.tag != tag) continue;
    if (holder != 0) {
      inside_ = field_cursor(field.inside);
      continue;
    }
    piece_.append(field.whole);
    ++parts_;
    if (is_full()) return true;
  }
  return false;
}

bool pieces::collect_inside(int rank) {
  const uint8_t tag = schema_.slots[static_cast<size_t>(rank)].tag;
  wrapped_.clear();
  bool full = false;
  for (outer_field inner; !full && inside_.more();) {
    inside_.next(inner);
    if (inner.tag != tag) continue;
    wrapped_.append(inner.whole);
    ++parts_;
    full = parts_ == parts_of_piece || piece_.size() + wrapped_.size() >= bytes_of_piece;
  }
  if (wrapped_.empty()) return full;
  put_bytes(piece_, schema_.slots[static_cast<size_t>(rank)].holder, wrapped_);
  return full;
}

bool is_moderate_registration(std::string_view bytes, size_t &config_bytes, std::string &refusal) {
  using registration = si::v1later::RegisterResourceManagerRequest;
  constexpr uint8_t config = registration::kConfigFieldNumber << 3 | 2;
  size_t beside = 0;
  size_t fields = 0;
  config_bytes = 0;
  field_cursor at(bytes);
  for (outer_field field; at.more(); ++fields) {
    if (!at.next(field)) {
      refusal = refused_bytes(registration::descriptor()->name(), bytes);
      return false;
    }
    (field.tag == config ? config_bytes : beside) += field.whole.size();
  }
  if (fields > pieces::most_fields_of_part) {
    refusal = refused(registration::descriptor()->name(),
                      "at most " + std::to_string(pieces::most_fields_of_part) + " fields", fields, "send fewer pairs");
  } else if (beside > pieces::most_beside) {
    refusal = refused(registration::descriptor()->name(),
                      "at most " + std::to_string(pieces::most_beside) + " bytes beside the configuration", beside,
                      "send less");
  }
  return refusal.empty();
}

}  // namespace tenon::wire
