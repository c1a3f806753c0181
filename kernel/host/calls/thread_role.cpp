// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/thread_role.hpp"

#include <utility>

#include "calls/call_place.hpp"

namespace tenon::host {
namespace {

thread_local thread_role role_of_this_thread = thread_role::other;
thread_local bool steps_a_copy = false;

}  // namespace

thread_role current_role() { return role_of_this_thread; }

std::string_view role_name(thread_role role) {
  switch (role) {
    case thread_role::main:
      return "main";
    case thread_role::cycle:
      return "cycle";
    case thread_role::io:
      return "io";
    case thread_role::other:
      break;
  }
  return "other";
}

role_guard::role_guard(thread_role role) : former_(role_of_this_thread) { take(role); }

role_guard::~role_guard() { take(former_); }

void role_guard::take(thread_role role) {
  role_of_this_thread = role;
  call_place::of_this_thread().set_role(steps_a_copy && role == thread_role::cycle ? thread_role::io : role);
}

copy_thread_guard::copy_thread_guard() : before_(std::exchange(steps_a_copy, true)) {}
bool copy_thread_guard::is_here() { return steps_a_copy; }
copy_thread_guard::~copy_thread_guard() { steps_a_copy = before_; }

std::string_view tag_name(slot_tag tag) {
  switch (tag) {
    case slot_tag::cycle:
      return "[cycle]";
    case slot_tag::main:
      return "[main]";
    case slot_tag::io:
      return "[io]";
    case slot_tag::any:
      break;
  }
  return "[any]";
}

bool may_call(slot_tag tag, thread_role role) {
  switch (tag) {
    case slot_tag::cycle:
      return role == thread_role::cycle;
    case slot_tag::main:
      return role == thread_role::main || role == thread_role::cycle;
    case slot_tag::io:
      return role == thread_role::io;
    case slot_tag::any:
      break;
  }
  return role != thread_role::other;
}

}  // namespace tenon::host
