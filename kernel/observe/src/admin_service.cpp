// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.host.admin: what people change, for transports.
#include "services_impl.hpp"
#include "tenon/host/offered_service.hpp"
#include "tenon/service/ignored_settings.hpp"

namespace tenon::observe {
namespace {

services::impl *self(const tenon_host *host) {
  return static_cast<services::impl *>(host::service_context(host, TENON_HOST_ADMIN));
}

std::string string_of(const tenon_text &t) { return std::string(view_of(t)); }

caller caller_of(const tenon_admin_caller *c) {
  caller out;
  if (c == nullptr) return out;
  out.user = string_of(c->user);
  for (uint64_t i = 0; i < c->group_count; ++i) out.groups.push_back(string_of(c->groups[i]));
  if (TENON_COVERS(c, tenon_admin_caller, origin)) out.origin = string_of(c->origin);
  out.all = (c->rights & TENON_CALLER_ALL) != 0;
  return out;
}

configuration_change change_of(const tenon_admin_config_in &in) {
  configuration_change out;
  out.rm = string_of(in.rm);
  out.policy_group = string_of(in.policy_group);
  out.text = string_of(in.configuration);
  if (TENON_COVERS(&in, tenon_admin_config_in, extra)) out.extra_settings = service::malformed_settings(in.extra);
  if (TENON_COVERS(&in, tenon_admin_config_in, flags)) out.forced = (in.flags & TENON_ADMIN_FORCED) != 0;
  return out;
}

tenon_status answer(const configuration_outcome &made, tenon_admin_config_out &out) {
  if (TENON_COVERS(&out, tenon_admin_config_out, old_length)) {
    say(out.old, made.before);
    out.old_length = made.before.size();
  }
  if (made.how.status == TENON_OK && TENON_COVERS(&out, tenon_admin_config_out, checksum))
    say(out.checksum, made.checksum);
  if (TENON_COVERS(&out, tenon_admin_config_out, revision)) {
    std::string lines;
    for (const std::string &one : made.notes) lines += (lines.empty() ? "" : "\n") + one;
    say(out.notes, lines);
    out.revision = made.revision;
  }
  say(out.error, made.how.message);
  return made.how.status;
}

bool is_whole(const services::impl *s, const tenon_admin_config_in *in, const tenon_admin_config_out *out) {
  return s != nullptr && in != nullptr && out != nullptr && TENON_COVERS(in, tenon_admin_config_in, configuration) &&
         TENON_COVERS(out, tenon_admin_config_out, error);
}

tenon_status update_config(const tenon_host *host, const tenon_admin_config_in *in, tenon_admin_config_out *out) {
  services::impl *s = self(host);
  if (!is_whole(s, in, out)) return TENON_UNSUPPORTED;
  return answer(s->admin.configure(caller_of(in->caller), change_of(*in)), *out);
}

tenon_status validate_config(const tenon_host *host, const tenon_admin_config_in *in, tenon_admin_config_out *out) {
  services::impl *s = self(host);
  if (!is_whole(s, in, out)) return TENON_UNSUPPORTED;
  return answer(s->admin.validate(change_of(*in)), *out);
}

tenon_status act(const tenon_host *host, const tenon_admin_act_in *in, tenon_admin_act_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_admin_act_in, reason) ||
      !TENON_COVERS(out, tenon_admin_act_out, error)) {
    return TENON_UNSUPPORTED;
  }
  action what{in->action, string_of(in->partition), string_of(in->object), string_of(in->target),
              string_of(in->reason)};
  const outcome how = s->admin.act(caller_of(in->caller), what);
  say(out->error, how.message);
  return how.status;
}

tenon_status step(const tenon_host *host, const tenon_admin_step_in *in, tenon_admin_step_out *out) {
  services::impl *s = self(host);
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_admin_step_in, partition) ||
      !TENON_COVERS(out, tenon_admin_step_out, error)) {
    return TENON_UNSUPPORTED;
  }
  const outcome how = s->admin.step(caller_of(in->caller), string_of(in->partition), in->most, out->decisions);
  say(out->error, how.message);
  return how.status;
}

}  // namespace

const tenon_host_admin &admin_table() {
  static constexpr tenon_host_admin table{sizeof(tenon_host_admin), 0, update_config, validate_config, act, step};
  return table;
}

}  // namespace tenon::observe
