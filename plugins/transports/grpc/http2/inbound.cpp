// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "inbound.hpp"

#include <algorithm>
#include <utility>

#include "inflate.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr size_t kept = size_t{256} << 10;  // of memory, for the next message

}  // namespace

rpc_status inbound::begin() {
  length_ = size_t{header_[1]} << 24 | size_t{header_[2]} << 16 | size_t{header_[3]} << 8 | size_t{header_[4]};
  if (header_[0] > 1 || (header_[0] == 1 && !compressed_)) {
    return {status_code::unimplemented,
            "want messages that are not compressed, or by gzip or deflate as grpc-encoding says, have another one"};
  }
  if (length_ > most_) {
    return {status_code::resource_exhausted, "want a request of at most " + std::to_string(most_) +
                                                 " bytes, have one of " + std::to_string(length_) +
                                                 "; send it in parts, or raise max_message_bytes"};
  }
  complete_ = length_ == 0;
  return {};
}

size_t inbound::add(std::string_view bytes, rpc_status &to) {
  size_t used = 0;
  if (header_size_ < header) {
    used = std::min(header - header_size_, bytes.size());
    std::copy_n(bytes.begin(), used, header_.begin() + static_cast<ptrdiff_t>(header_size_));
    header_size_ += used;
    if (header_size_ < header) return used;
    to = begin();
    if (!to.ok()) return used;
  }
  const size_t more = std::min(length_ - message_.size(), bytes.size() - used);
  // A length is only a claim: memory grows with what comes, and at the end to the length and not beyond it.
  if (message_.size() + more > message_.capacity()) {
    message_.reserve(std::min(length_, std::max(message_.size() + more, 2 * message_.capacity())));
  }
  message_.append(bytes.substr(used, more));
  complete_ = message_.size() == length_;
  return used + more;
}

rpc_status inbound::take(std::string_view bytes) {
  held_ += bytes.size();
  rpc_status out;
  if (!complete_) bytes.remove_prefix(add(bytes, out));
  rest_.append(bytes);
  return out;
}

void inbound::forget_last() {
  held_ -= given_;
  given_ = 0;
}

rpc_status inbound::next(std::string &to) {
  forget_last();
  given_ = header + length_;
  if (to.capacity() > kept) to = {};
  rpc_status out;
  if (header_[0] == 1) {
    out = inflated(message_, most_, to);
  } else {
    to.swap(message_);
  }
  message_.clear();
  header_size_ = length_ = 0;
  complete_ = false;
  if (out.ok()) take_rest(out);
  return out;
}

void inbound::take_rest(rpc_status &to) {
  rest_at_ += add(std::string_view(rest_).substr(rest_at_), to);
  if (rest_at_ <= rest_.size() / 2) return;
  rest_.erase(0, rest_at_);
  rest_at_ = 0;
  if (rest_.empty() && rest_.capacity() > kept) rest_ = {};
}

}  // namespace tenon::grpc_transport
