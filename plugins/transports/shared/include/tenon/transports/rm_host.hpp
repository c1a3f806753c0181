// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host service tenon.host.rm, as C++ calls whose outcomes have texts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tenon/abi/transport.h"
#include "tenon/sdk/host.hpp"
#include "tenon/sdk/unavailable.hpp"

namespace tenon::transports {

struct outcome {
  tenon_status status = TENON_OK;
  std::string message;
};

class rm_host {
 public:
  // Throws sdk::unavailable where the host has no such service.
  explicit rm_host(const sdk::host_services &host) : host_(host), rm_(host.find<tenon_host_rm>(TENON_HOST_RM)) {
    if (rm_ == nullptr) throw sdk::unavailable("want the host service " TENON_HOST_RM ", have none; start a scheduler");
  }

  // `wants`: TENON_RM_WANTS_*, added up.
  outcome enter(uint64_t transport, const tenon_rm_registration &registration, uint32_t wants,
                tenon_rm_session &session) const {
    words said;
    tenon_rm_enter_in in{};
    in.size = sizeof in;
    in.transport = transport;
    in.registration = &registration;
    in.wants = wants;
    tenon_rm_enter_out out{sizeof out, 0, 0, said.place()};
    const tenon_status status = rm_->enter(host_.handle(), &in, &out);
    session = out.session;
    return {status, said.said()};
  }

  // `accepted`: the first so many of `messages` are the host's now.
  outcome submit(tenon_rm_session session, std::span<const tenon_rm_message *const> messages,
                 uint64_t &accepted) const {
    words said;
    const tenon_rm_submit_in in{sizeof in, 0, session, messages.data(), messages.size()};
    tenon_rm_submit_out out{sizeof out, 0, 0, said.place()};
    const tenon_status status = rm_->submit(host_.handle(), &in, &out);
    accepted = out.accepted;
    return {status, status == TENON_OK ? std::string() : said.said()};
  }

  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
  tenon_status signal(tenon_rm_session session, uint32_t signal) const {
    const tenon_rm_signal_in in{sizeof in, signal, session};
    return rm_->signal(host_.handle(), &in);
  }

  void acknowledge(tenon_rm_session session, std::string_view partition, uint64_t number) const {
    const tenon_rm_acknowledge_in in{sizeof in, 0, session, sdk::text(partition), number};
    rm_->acknowledge(host_.handle(), &in);
  }

  // Checks up to this number are on the RM's connection.
  void sent(tenon_rm_session session, std::string_view partition, uint64_t number) const {
    if (!TENON_COVERS(rm_, tenon_host_rm, sent) || rm_->sent == nullptr) return;
    const tenon_rm_acknowledge_in in{sizeof in, 0, session, sdk::text(partition), number};
    rm_->sent(host_.handle(), &in);
  }

  void log(uint32_t level, std::string_view line) const { host_.log(level, line); }

 private:
  // Where the host puts its words.
  class words {
   public:
    tenon_message *place() { return &message_; }
    [[nodiscard]] std::string said() const { return {room_.data(), message_.length}; }

   private:
    std::array<char, 8192> room_{};
    tenon_message message_{sizeof(tenon_message), static_cast<uint32_t>(room_.size()), room_.data(), 0};
  };

  sdk::host_services host_;
  const tenon_host_rm *rm_;
};

}  // namespace tenon::transports
