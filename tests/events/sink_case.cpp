// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "sink_case.hpp"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <stdexcept>

#include "tenon/host/thread_role.hpp"

namespace tenon::testing {
namespace {

std::string owned(const tenon_text &t) { return t.length == 0 ? std::string() : std::string(t.data, t.length); }

tenon_status take_into(void *taker, const tenon_event_record *r) {
  test_record out{r->id, r->last_id, r->type, r->change, r->detail, r->timestamp_ns};
  out.run = owned(r->run);
  out.partition = owned(r->partition);
  out.object = owned(r->object);
  out.reference = owned(r->reference);
  out.group = owned(r->group);
  out.reason = owned(r->reason);
  out.message = owned(r->message);
  out.application = owned(r->application);
  out.queue = owned(r->queue);
  out.node = owned(r->node);
  for (uint32_t i = 0; i < r->resource_count; ++i)
    out.resource.emplace_back(owned(r->resource_types[i]), r->resource_values[i]);
  static_cast<query_answer *>(taker)->records.push_back(std::move(out));
  return TENON_OK;
}

// Room for the text_buffer of one call.
struct text_buffer {
  char buffer[512];
  tenon_message message{sizeof message, sizeof buffer, buffer, 0};
  [[nodiscard]] std::string text() const { return {buffer, message.length}; }
};

}  // namespace

std::vector<uint64_t> query_answer::ids() const {
  std::vector<uint64_t> out;
  for (const test_record &r : records) out.push_back(r.id);
  return out;
}

tenon_event_query_in everything() {
  tenon_event_query_in out{};
  out.size = sizeof out;
  return out;
}

sink_case::sink_case(const std::string &module, const std::string &configuration)
    : log_(std::make_unique<std::ostringstream>()) {
  config::problems report("tenon.yaml");
  auto plan = host::parse_deployment(
      "apiVersion: tenon/v1\nevents: [{ use: " + module + ", config: " + configuration + " }]\n", "tenon.yaml", report);
  if (!plan) throw std::runtime_error(report.refusals().front().text());
  host::host_options options;
  options.use_cache = false;
  options.log = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(*log_));
  auto opened = host::open_host(std::move(*plan), std::move(options));
  if (!opened) throw std::runtime_error(opened.why().text());
  host_ = std::move(*opened);
  auto sinks = host_->event_sinks();
  if (!sinks) throw std::runtime_error(sinks.why().text());
  listed_ = std::move(*sinks);
  restart();
}

void sink_case::restart() {
  sink_.reset();
  auto made = listed_.at(0).make();
  if (!made) throw std::runtime_error(made.why().text());
  sink_ = std::move(*made);
}

tenon_status sink_case::emit(const std::vector<test_record> &records) {
  std::deque<std::vector<tenon_text>> types;
  std::deque<std::vector<int64_t>> values;
  std::vector<tenon_event_record> batch;
  for (const test_record &r : records) {
    types.emplace_back();
    values.emplace_back();
    for (const auto &[type, value] : r.resource) {
      types.back().push_back(as_text(type));
      values.back().push_back(value);
    }
    tenon_event_record out{};
    out.size = sizeof out;
    out.type = r.type;
    out.id = r.id;
    out.last_id = r.last_id == 0 ? r.id : r.last_id;
    out.timestamp_ns = r.timestamp_ns;
    out.change = r.change;
    out.detail = r.detail;
    out.run = as_text(r.run);
    out.partition = as_text(r.partition);
    out.object = as_text(r.object);
    out.reference = as_text(r.reference);
    out.group = as_text(r.group);
    out.reason = as_text(r.reason);
    out.message = as_text(r.message);
    out.application = as_text(r.application);
    out.queue = as_text(r.queue);
    out.node = as_text(r.node);
    out.resource_types = types.back().data();
    out.resource_values = values.back().data();
    out.resource_count = static_cast<uint32_t>(r.resource.size());
    batch.push_back(out);
  }
  text_buffer w;
  const tenon_event_emit_in in{sizeof in, sizeof(tenon_event_record), batch.data(), batch.size()};
  tenon_event_emit_out out{sizeof out, 0, &w.message};
  const host::role_guard role(host::thread_role::io);
  const tenon_status status = sink_->sink->emit(sink_->instance, &in, &out);
  error_ = w.text();
  return status;
}

query_answer sink_case::query(const tenon_event_query_in &wanted) const {
  query_answer answer;
  text_buffer w;
  tenon_event_query_out out{sizeof out, 0, take_into, &answer, 0, &w.message};
  const host::role_guard role(host::thread_role::io);
  answer.status = sink_->sink->query(sink_->instance, &wanted, &out);
  answer.next = out.next;
  answer.error = w.text();
  return answer;
}

}  // namespace tenon::testing
