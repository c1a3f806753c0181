// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.host.events over a hub.
#include "tenon/events/event_hub.hpp"
#include "tenon/host/offered_service.hpp"

namespace tenon::events {
namespace {

event_hub *hub_of(const tenon_host *host) {
  return static_cast<event_hub *>(host::service_context(host, TENON_HOST_EVENTS));
}

tenon_status query(const tenon_host *host, const tenon_event_query_in *in, tenon_event_query_out *out) {
  event_hub *hub = hub_of(host);
  if (hub == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_event_query_in, limit) ||
      !TENON_COVERS(out, tenon_event_query_out, error) || out->take == nullptr)
    return TENON_UNSUPPORTED;
  return hub->query(*in, *out);
}

tenon_status range(const tenon_host *host, tenon_events_range_out *out) {
  event_hub *hub = hub_of(host);
  if (hub == nullptr || out == nullptr || !TENON_COVERS(out, tenon_events_range_out, highest_id))
    return TENON_UNSUPPORTED;
  return hub->range(*out);
}

tenon_status subscribe(const tenon_host *host, const tenon_events_subscribe_in *in, tenon_events_subscribe_out *out) {
  event_hub *hub = hub_of(host);
  if (hub == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_events_subscribe_in, waker) ||
      !TENON_COVERS(out, tenon_events_subscribe_out, subscription))
    return TENON_UNSUPPORTED;
  return hub->subscribe(*in, *out);
}

tenon_status take(const tenon_host *host, const tenon_events_take_in *in, tenon_events_take_out *out) {
  event_hub *hub = hub_of(host);
  if (hub == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_events_take_in, limit) ||
      !TENON_COVERS(out, tenon_events_take_out, lost) || out->take == nullptr)
    return TENON_UNSUPPORTED;
  return hub->take(*in, *out);
}

tenon_status unsubscribe(const tenon_host *host, const tenon_events_unsubscribe_in *in) {
  event_hub *hub = hub_of(host);
  if (hub == nullptr || in == nullptr || !TENON_COVERS(in, tenon_events_unsubscribe_in, subscription))
    return TENON_UNSUPPORTED;
  return hub->unsubscribe(in->subscription);
}

constexpr tenon_host_events service{sizeof(tenon_host_events), 0, query, range, subscribe, take, unsubscribe};

}  // namespace

void event_hub::offer_to(host::module_host &host) { host.offer({TENON_HOST_EVENTS, &service, this}); }

}  // namespace tenon::events
