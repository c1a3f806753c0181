// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A transport from a plain struct:
//
//   struct carrier {
//     static constexpr std::string_view name = "pigeon";
//     void start(uint64_t transport);                    // throws invalid_config, unavailable
//     void stop(std::chrono::milliseconds drain);
//     tenon_status deliver(const tenon_transport_deliver_in &answers, uint64_t &taken);
//   };
//   TENON_MODULE(tenon::sdk::transport<carrier>)
//
// start begins to listen, stop ends all connections and threads, deliver queues answers for one RM without waiting for
// it and says how many. Optional: ended(session, why), when a session is over; bool check(const
// tenon_transport_check_in &), where an RM answers at once whether an ask may run on a node; order_rev, a constructor
// from const config & or const setup &; init(host_services &), activate(), deactivate().
#pragma once

#include <chrono>
#include <concepts>
#include <stdexcept>
#include <string_view>

#include "tenon/abi/transport.h"
#include "tenon/sdk/module.hpp"
#include "tenon/sdk/unavailable.hpp"

namespace tenon::sdk {

namespace internal {

template <class P>
struct transport_slots {
  static tenon_status start(tenon_instance *self, const tenon_transport_start_in *in, tenon_message *error) noexcept {
    if (in == nullptr || !TENON_COVERS(in, tenon_transport_start_in, transport)) return TENON_UNSUPPORTED;
    return explained(self, error, [&](P &policy) { policy.start(in->transport); });
  }

  static tenon_status stop(tenon_instance *self, const tenon_transport_stop_in *in, tenon_message *error) noexcept {
    if (in == nullptr || !TENON_COVERS(in, tenon_transport_stop_in, drain_ms)) return TENON_UNSUPPORTED;
    return explained(self, error, [&](P &policy) { policy.stop(std::chrono::milliseconds(in->drain_ms)); });
  }

  static tenon_status deliver(tenon_instance *self, const tenon_transport_deliver_in *in,
                              tenon_transport_deliver_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_transport_deliver_in, message_count) ||
        !TENON_COVERS(out, tenon_transport_deliver_out, taken)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::io(self, [&](P &policy) { return policy.deliver(*in, out->taken); });
  }

  static tenon_status ended(tenon_instance *self, const tenon_transport_ended_in *in) noexcept {
    if (in == nullptr || !TENON_COVERS(in, tenon_transport_ended_in, session)) return TENON_UNSUPPORTED;
    return instance<P>::io(self, [&](P &policy) {
      if constexpr (requires { policy.ended(in->session, in->why); }) policy.ended(in->session, in->why);
      return TENON_OK;
    });
  }

  static tenon_status check(tenon_instance *self, const tenon_transport_check_in *in,
                            tenon_transport_check_out *out) noexcept {
    if (in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_transport_check_in, question) ||
        !TENON_COVERS(out, tenon_transport_check_out, fits)) {
      return TENON_UNSUPPORTED;
    }
    return instance<P>::cycle(self, [&](P &policy) {
      if constexpr (requires { policy.check(*in); }) out->fits = policy.check(*in) ? 1 : 0;
      return TENON_OK;
    });
  }

  static constexpr bool has_ended = requires(P & policy) { policy.ended(tenon_rm_session{}, uint32_t{}); };
  static constexpr bool has_check = requires(P & policy, const tenon_transport_check_in &in) { policy.check(in); };
  static constexpr tenon_transport_v1 slots{
      sizeof(tenon_transport_v1), 0, start, stop, deliver, has_ended ? ended : nullptr, has_check ? check : nullptr};

 private:
  // What is thrown here is for whoever wrote the deployment, and comes with its words.
  template <class Body>
  static tenon_status explained(tenon_instance *self, tenon_message *error, Body &&body) noexcept {
    return instance<P>::io(self, [&](P &policy) {
      try {
        body(policy);
        return TENON_OK;
      } catch (const unavailable &e) {
        explain(error, e.what());
        return TENON_RETRY;
      } catch (const invalid_config &e) {
        explain(error, e.what());
        return TENON_INVALID_CONFIG;
      } catch (const std::exception &e) {
        explain(error, e.what());
        return TENON_INTERNAL;
      }
    });
  }
};

}  // namespace internal

template <class P>
struct transport {
  static constexpr std::string_view interface_id = TENON_TRANSPORT;

  static tenon_description describe() noexcept { return internal::describe_common<P>(); }
  static tenon_status make(const tenon_create_in &in, tenon_create_out &out) noexcept {
    static_assert(
        requires(P & policy, const tenon_transport_deliver_in &answers, uint64_t &taken) {
          policy.start(uint64_t{});
          policy.stop(std::chrono::milliseconds{});
          { policy.deliver(answers, taken) } -> std::same_as<tenon_status>;
        },
        "a transport has start(uint64_t), stop(std::chrono::milliseconds) and "
        "tenon_status deliver(const tenon_transport_deliver_in &, uint64_t &taken)");
    return internal::create<P>(in, out, internal::transport_slots<P>::slots, [](const P &) { return 0U; });
  }
};

}  // namespace tenon::sdk
