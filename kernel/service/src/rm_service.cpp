// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_service.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "tenon/host/offered_service.hpp"

namespace tenon::service {
namespace {

// No exception leaves a slot.
template <class Call>
tenon_status behind(const tenon_host *host, tenon_message *error, Call &&call) {
  auto *calls = static_cast<rm_calls *>(host::service_context(host, TENON_HOST_RM));
  if (calls == nullptr) return TENON_UNSUPPORTED;
  try {
    return call(*calls);
  } catch (const std::exception &failed) {
    say(error, failed.what());
  } catch (...) {
    say(error, "an exception of an unknown type");
  }
  return TENON_INTERNAL;
}

tenon_status enter(const tenon_host *host, const tenon_rm_enter_in *in, tenon_rm_enter_out *out) {
  if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_rm_enter_in, registration) ||
      !TENON_COVERS(out, tenon_rm_enter_out, error))
    return TENON_UNSUPPORTED;
  return behind(host, out->error, [&](rm_calls &calls) { return calls.enter(*in, *out); });
}

tenon_status submit(const tenon_host *host, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
  if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_rm_submit_in, message_count) ||
      !TENON_COVERS(out, tenon_rm_submit_out, error))
    return TENON_UNSUPPORTED;
  return behind(host, out->error, [&](rm_calls &calls) { return calls.submit(*in, *out); });
}

tenon_status signal(const tenon_host *host, const tenon_rm_signal_in *in) {
  if (in == nullptr || !TENON_COVERS(in, tenon_rm_signal_in, session)) return TENON_UNSUPPORTED;
  return behind(host, nullptr, [&](rm_calls &calls) { return calls.signal(*in); });
}

tenon_status acknowledge(const tenon_host *host, const tenon_rm_acknowledge_in *in) {
  if (in == nullptr || !TENON_COVERS(in, tenon_rm_acknowledge_in, number)) return TENON_UNSUPPORTED;
  return behind(host, nullptr, [&](rm_calls &calls) { return calls.acknowledge(*in); });
}

tenon_status sent(const tenon_host *host, const tenon_rm_acknowledge_in *in) {
  if (in == nullptr || !TENON_COVERS(in, tenon_rm_acknowledge_in, number)) return TENON_UNSUPPORTED;
  return behind(host, nullptr, [&](rm_calls &calls) { return calls.sent(*in); });
}

}  // namespace

const tenon_host_rm &rm_table() {
  static constexpr tenon_host_rm table{sizeof(tenon_host_rm), 0, enter, submit, signal, acknowledge, sent};
  return table;
}

void say(tenon_message *to, std::string_view text) {
  if (to == nullptr || !TENON_COVERS(to, tenon_message, length) || to->data == nullptr) return;
  to->length = std::min<uint64_t>(text.size(), to->capacity);
  std::memcpy(to->data, text.data(), to->length);
}

}  // namespace tenon::service
