// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "services/host_services.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>

#include "tenon/host/thread_role.hpp"

namespace tenon::host {
namespace {

constexpr size_t longest_line = 4096;

const host_services &self(const tenon_host *host) { return *static_cast<const host_services *>(host); }

tenon_status write_log(const tenon_host *host, const tenon_log_in *in) {
  if (host == nullptr || in == nullptr || !TENON_COVERS(in, tenon_log_in, line)) return TENON_UNSUPPORTED;
  if (in->line.data == nullptr && in->line.length != 0) return TENON_UNSUPPORTED;
  self(host).write(in->level, {in->line.data, in->line.length});
  return TENON_OK;
}

tenon_status current_thread(const tenon_host *, tenon_thread_out *out) {
  if (out == nullptr || !TENON_COVERS(out, tenon_thread_out, thread)) return TENON_UNSUPPORTED;
  out->thread = static_cast<uint32_t>(current_role());
  return TENON_OK;
}

constexpr tenon_host_log log_table{sizeof(tenon_host_log), 0, write_log};
constexpr tenon_host_thread thread_table{sizeof(tenon_host_thread), 0, current_thread};

struct service {
  std::string_view id;
  const void *table;
};
constexpr service services[] = {{TENON_HOST_LOG, &log_table}, {TENON_HOST_THREAD, &thread_table}};

tenon_status find_service(const tenon_host *host, const tenon_get_service_in *in, tenon_get_service_out *out) {
  if (out == nullptr || !TENON_COVERS(out, tenon_get_service_out, service)) return TENON_UNSUPPORTED;
  out->service = nullptr;
  if (host == nullptr || in == nullptr || !TENON_COVERS(in, tenon_get_service_in, id)) return TENON_UNSUPPORTED;
  const std::string_view wanted(in->id.data, in->id.length);
  if (!self(host).allows(wanted)) return TENON_UNSUPPORTED;
  for (const service &one : services)
    if (one.id == wanted) out->service = one.table;
  if (const auto offered = self(host).offered().find(wanted)) out->service = offered->table;
  return out->service == nullptr ? TENON_UNSUPPORTED : TENON_OK;
}

spdlog::level::level_enum level_of(uint32_t level) {
  switch (level) {
    case TENON_LOG_DEBUG:
      return spdlog::level::debug;
    case TENON_LOG_INFO:
      return spdlog::level::info;
    case TENON_LOG_WARNING:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

}  // namespace

host_services::host_services(std::string module_id, std::vector<std::string> allowed,
                             std::shared_ptr<spdlog::logger> log, std::shared_ptr<const service_registry> offered)
    : tenon_host{sizeof(tenon_host), TENON_ABI_EPOCH, find_service},
      module_id_(std::move(module_id)),
      allowed_(std::move(allowed)),
      log_(std::move(log)),
      offered_(std::move(offered)) {}

void host_services::write(uint32_t level, std::string_view line) const {
  log_->log(level_of(level), "{}: {}", module_id_, one_line(line, longest_line));
}

bool host_services::allows(std::string_view id) const {
  return std::find(allowed_.begin(), allowed_.end(), id) != allowed_.end();
}

void service_registry::offer(const offered_service &service) {
  const std::unique_lock lock(mutex_);
  std::erase_if(offered_, [&](const offered_service &one) { return one.id == service.id; });
  offered_.push_back(service);
}

std::optional<offered_service> service_registry::find(std::string_view id) const {
  const std::shared_lock lock(mutex_);
  const auto found =
      std::find_if(offered_.begin(), offered_.end(), [&](const offered_service &one) { return one.id == id; });
  return found == offered_.end() ? std::nullopt : std::optional(*found);
}

void *service_context(const tenon_host *host, std::string_view id) {
  if (host == nullptr || !self(host).allows(id)) return nullptr;
  const auto offered = self(host).offered().find(id);
  return offered ? offered->context : nullptr;
}

std::string_view calling_module(const tenon_host *host) {
  return host == nullptr ? std::string_view{} : self(host).module_id();
}

std::string one_line(std::string_view text, size_t limit) {
  std::string out(text.substr(0, limit));
  for (char &c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

}  // namespace tenon::host
