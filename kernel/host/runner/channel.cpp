// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "runner/channel.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "isolation/spin.hpp"
#include "tenon/abi/base.h"

namespace tenon::host::runner {

using namespace isolation;

namespace {

[[noreturn]] void leave(const char *why) {
  (void)!::write(STDERR_FILENO, why, std::strlen(why));
  ::_exit(2);
}

void *mapped(int file, size_t bytes, int protection) {
  void *out = ::mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  if (out == MAP_FAILED) leave("tenon-module-runner is started by the host of a module alone\n");
  ::close(file);
  return out;
}

}  // namespace

channel::channel()
    : request_(static_cast<const request_page *>(mapped(request_memory_fd, request_bytes, PROT_READ))),
      answer_(static_cast<answer_page *>(mapped(answer_memory_fd, answer_bytes, PROT_READ | PROT_WRITE))),
      spins_(may_spin()) {
  answer_->request_base = reinterpret_cast<uintptr_t>(request_);
  answer_->answer_base = reinterpret_cast<uintptr_t>(answer_);
}

template <class Ready>
void channel::wait_until(Ready &&is_there) {
  if (is_there() || (spins_ && spin_until(is_there))) return;
  answer_->waits.store(1, std::memory_order_seq_cst);
  for (;;) {
    const uint32_t before = request_->wakes.load(std::memory_order_seq_cst);
    if (is_there()) break;
    ::syscall(SYS_futex, &request_->wakes, FUTEX_WAIT, before, nullptr, nullptr, 0);
  }
  answer_->waits.store(0, std::memory_order_relaxed);
}

call_kind channel::next() {
  ++number_;
  wait_until([&] { return request_->number.load(std::memory_order_seq_cst) == number_; });
  return static_cast<call_kind>(request_->what);
}

queue_answer channel::ask(uint64_t world, std::string_view path) {
  if (path.size() > question_bytes) return {TENON_UNSUPPORTED, 0, 0, 0};
  if (!path.empty()) path.copy(reinterpret_cast<char *>(answer_) + question_room, path.size());
  answer_->question_length = path.size();
  answer_->question_world = world;
  answer_->question.store(++questions_, std::memory_order_seq_cst);
  ring_host();
  wait_until([&] { return request_->reply.load(std::memory_order_seq_cst) == questions_; });
  return request_->answer;
}

std::string_view channel::bytes() const {
  return {reinterpret_cast<const char *>(request_) + page_bytes, request_->input};
}

void channel::answer(int32_t status) {
  answer_->status = status;
  say_answered();
}

void channel::answer(std::string_view bytes) {
  // What is cut off the host finds broken.
  answer_->length = bytes.copy(reinterpret_cast<char *>(answer_) + answer_room, reply_bytes);
  answer(0);
}

void channel::say_answered() {
  answer_->number.store(number_, std::memory_order_seq_cst);
  ring_host();
}

void channel::ring_host() const {
  if (request_->waits.load(std::memory_order_seq_cst) == 0) return;
  const uint64_t once = 1;
  (void)!::write(answer_bell_fd, &once, sizeof once);
}

// The kernel does it: a module that never returns must not outlive the host. A death signal of the parent would be
// that of the thread which started this process.
void end_with_the_host() {
  ::fcntl(lifeline_fd, F_SETOWN, ::getpid());
  ::fcntl(lifeline_fd, F_SETSIG, SIGKILL);
  ::fcntl(lifeline_fd, F_SETFL, O_ASYNC | O_NONBLOCK);
  char nothing = 0;
  if (::read(lifeline_fd, &nothing, 1) == 0) ::_exit(2);
}

}  // namespace tenon::host::runner
