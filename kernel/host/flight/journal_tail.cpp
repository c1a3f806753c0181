// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/journal_tail.hpp"

#include <cstring>

namespace tenon::host {
namespace {

// Filled one after the other: the older one is forgotten when the younger one is full.
struct part {
  char bytes[journal_tail_bytes];
  size_t used = 0;
};
part parts[2];
size_t younger = 0;

}  // namespace

void remember_journal(std::string_view bytes) {
  if (bytes.size() > sizeof part::bytes) {
    parts[0].used = parts[1].used = 0;  // what is before it is of no use without it
    return;
  }
  if (bytes.size() > sizeof part::bytes - parts[younger].used) {
    younger = 1 - younger;
    parts[younger].used = 0;
  }
  part &to = parts[younger];
  std::memcpy(to.bytes + to.used, bytes.data(), bytes.size());
  to.used += bytes.size();
}

std::array<std::string_view, 2> journal_tail(thread_role of_call) {
  if (of_call != thread_role::cycle) return {};
  const part &first = parts[1 - younger], &last = parts[younger];
  return {std::string_view(first.bytes, first.used), std::string_view(last.bytes, last.used)};
}

}  // namespace tenon::host
