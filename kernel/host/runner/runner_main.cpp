// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon-module-runner MODULE: holds one module, for the host that started it. isolation/shared_pages.hpp has the way of
// a call; the first request says which library, and what this process may use.
#include <unistd.h>

#include <string>
#include <vector>

#include "isolation/byte_stream.hpp"
#include "runner/channel.hpp"
#include "runner/crash_words.hpp"
#include "runner/runner_host.hpp"
#include "runner/sandbox.hpp"
#include "runner/served_module.hpp"

namespace {

using namespace tenon::host;
using isolation::call_kind;

struct opening {
  explicit opening(std::string_view bytes) {
    isolation::byte_reader from(bytes);
    library = from.text();
    memory = from.number();
    descriptors = from.number();
    services.resize(from.count());
    for (std::string &service : services) service = from.text();
    for (auto *paths : {&permitted.read, &permitted.write}) {
      paths->resize(from.count());
      for (std::string &path : *paths) path = from.text();
    }
    permitted.network = from.number() != 0;
    permitted.threads = from.number() != 0;
    require_sandbox = from.number() != 0;
  }
  std::string library;
  uint64_t memory, descriptors;
  std::vector<std::string> services;
  runner::permissions permitted;
  bool require_sandbox;
};

}  // namespace

int main(int count, char **words) {
  runner::say_where_it_crashes(count > 1 ? words[1] : "module");
  runner::channel calls;
  runner::end_with_the_host();
  if (calls.next() != call_kind::open) return 2;
  const opening what(calls.bytes());
  const runner::confinement confined = runner::confine(what.library, what.memory, what.descriptors, what.permitted);
  runner::runner_host host(what.services, calls.answers());
  runner::served_module module(host, calls);
  const bool may_open = !what.require_sandbox || isolation::is_whole_sandbox(confined.in_force);
  const std::string report = may_open ? module.open(what.library, confined) : module.leave_closed(confined);
  runner::close_files(confined, what.permitted);
  calls.answer(report);
  for (;;) {
    const call_kind kind = calls.next();
    host.start_log();
    switch (kind) {
      case call_kind::create:
        host.on_thread(TENON_THREAD_MAIN);
        calls.answer(module.create(std::string(calls.bytes())));
        break;
      case call_kind::end:
        host.on_thread(TENON_THREAD_MAIN);
        module.end();
        // Destructors are left out: the module is let go, and so is all else.
        ::_exit(0);
      default:
        host.on_thread(kind == call_kind::resolve || kind == call_kind::emit || kind == call_kind::query
                           ? TENON_THREAD_IO
                           : TENON_THREAD_CYCLE);
        calls.answer(module.call(kind, calls.input(), calls.output()));
    }
  }
}
