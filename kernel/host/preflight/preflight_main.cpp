// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon-preflight PARENT LIBRARY [COMPANION...]: opens a module's library and goes through init, describe and
// deinit in a process that may die of it. Started by the host. By hand: tenon-preflight 0 LIBRARY 3>&1
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "library/linker_remedy.hpp"
#include "library/module_library.hpp"
#include "preflight/preflight_protocol.hpp"
#include "tenon/abi/module.h"
#include "tenon/host/process_state.hpp"
#include "tenon/kernel/module_kinds.hpp"

namespace {

namespace stage = tenon::host::preflight_stage;

void tell(const std::string &line) {
  const std::string text = line + '\n';
  // A parent that is gone ends this process anyway.
  if (::write(stage::descriptor_number, text.data(), text.size()) < 0) _exit(1);
}

[[noreturn]] void refuse(const std::string &have, const std::string &fix) {
  std::string line = stage::refused + have + '\t' + fix;
  for (char &c : line)
    if (c == '\n') c = ' ';
  tell(line);
  _exit(1);
}

void refuse_changes(const tenon::host::process_state &before, const char *when) {
  const auto changed = before.changes();
  if (!changed.empty())
    refuse(std::string(when) + " changed " + tenon::host::joined(changed) + " of the process",
           "leave process-wide state alone; link without -ffast-math");
}

tenon_status write_log(const tenon_host *, const tenon_log_in *) { return TENON_OK; }
tenon_status current_thread(const tenon_host *, tenon_thread_out *out) {
  if (out == nullptr || out->size < sizeof *out) return TENON_UNSUPPORTED;
  out->thread = TENON_THREAD_MAIN;
  return TENON_OK;
}

constexpr tenon_host_log log_service{sizeof(tenon_host_log), 0, write_log};
constexpr tenon_host_thread thread_service{sizeof(tenon_host_thread), 0, current_thread};

// Only services that do nothing: a module must start without the others.
tenon_status get_service(const tenon_host *, const tenon_get_service_in *in, tenon_get_service_out *out) {
  if (in == nullptr || out == nullptr || out->size < sizeof *out) return TENON_UNSUPPORTED;
  const std::string_view id(in->id.data, in->id.length);
  out->service = nullptr;
  if (id == TENON_HOST_LOG) out->service = &log_service;
  if (id == TENON_HOST_THREAD) out->service = &thread_service;
  return out->service == nullptr ? TENON_UNSUPPORTED : TENON_OK;
}

constexpr tenon_host host{sizeof(tenon_host), TENON_ABI_EPOCH, get_service};

void describe_all(const tenon_module &module) {
  for (const auto &known : tenon::module_kinds) {
    const tenon_get_factory_in in{sizeof in, 0, {known.interface.data(), known.interface.size()}};
    tenon_get_factory_out out{sizeof out, 0, nullptr};
    if (module.get_factory(&in, &out) != TENON_OK || out.factory == nullptr) continue;
    if (out.factory->size < sizeof(tenon_factory) || out.factory->describe == nullptr) continue;
    for (uint32_t i = 0; i < tenon::max_implementations; ++i) {
      const tenon_describe_in which{sizeof which, i};
      tenon_description description{};
      description.size = sizeof description;
      if (out.factory->describe(out.factory, &which, &description) != TENON_OK) break;
    }
  }
}

void check(const char *library) {
  const tenon::host::process_state before;
  tell(stage::opening);
  tenon::host::module_library opened;
  if (const std::string said = opened.open(library); !said.empty())
    refuse("the dynamic linker refuses it: " + said, tenon::host::linker_remedy(said));
  refuse_changes(before, "opening it");
  const auto *module = opened.table();
  // What it says of itself is compared where its manifest is known; here only whether it can be called.
  if (module == nullptr || module->size < sizeof(tenon_module) || module->abi_epoch != TENON_ABI_EPOCH) return;
  if (module->init == nullptr || module->deinit == nullptr || module->get_factory == nullptr) return;

  tell(stage::init);
  std::array<char, 512> words{};
  tenon_message error{sizeof error, words.size(), words.data(), 0};
  const tenon_module_init_in in{sizeof in, TENON_ABI_EPOCH, &host};
  const tenon_status status = module->init(&in, &error);
  if (status != TENON_OK) {
    const std::string said(words.data(), std::min<size_t>(error.length, words.size()));
    refuse("init failed with status " + std::to_string(status) + (said.empty() ? "" : ": " + said),
           "see the module's documentation");
  }
  refuse_changes(before, "its init");
  tell(stage::describing);
  describe_all(*module);
  tell(stage::deinit);
  const tenon_nothing nothing{sizeof nothing, 0};
  error.length = 0;
  if (module->deinit(&nothing, &error) != TENON_OK) refuse("deinit failed", "let deinit undo one init");
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  // Dies with the parent, also when the parent died before the request was made. By hand (0) it may be debugged.
  const auto parent = static_cast<pid_t>(std::strtol(argv[1], nullptr, 10));
  if (parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) return 2;
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);

  tell(stage::companions);
  // What is open already where the module will be; each of them opened in a child of its own before.
  std::vector<tenon::host::module_library> companions(static_cast<size_t>(argc) - 3);
  for (int i = 3; i < argc; ++i) (void)companions[static_cast<size_t>(i) - 3].open(argv[i]);
  check(argv[2]);
  tell(stage::leaving);
  return 0;
}
