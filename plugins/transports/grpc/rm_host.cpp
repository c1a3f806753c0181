// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_host.hpp"

#include <array>

#include "tenon/sdk/unavailable.hpp"

namespace tenon::grpc_transport {
namespace {

// Where the host puts its text_buffer.
class text_buffer {
 public:
  tenon_message *place() { return &message_; }
  [[nodiscard]] std::string said() const { return {room_.data(), message_.length}; }

 private:
  std::array<char, 8192> room_{};
  tenon_message message_{sizeof(tenon_message), static_cast<uint32_t>(room_.size()), room_.data(), 0};
};

}  // namespace

rm_host::rm_host(const sdk::host_services &host) : host_(host), rm_(host.find<tenon_host_rm>(TENON_HOST_RM)) {
  if (rm_ == nullptr) throw sdk::unavailable("want the host service " TENON_HOST_RM ", have none; start a scheduler");
}

outcome rm_host::enter(uint64_t transport, const tenon_rm_registration &registration, uint32_t wants,
                       tenon_rm_session &session) const {
  text_buffer said;
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

outcome rm_host::submit(tenon_rm_session session, std::span<const tenon_rm_message *const> messages,
                        uint64_t &accepted) const {
  text_buffer said;
  const tenon_rm_submit_in in{sizeof in, 0, session, messages.data(), messages.size()};
  tenon_rm_submit_out out{sizeof out, 0, 0, said.place()};
  const tenon_status status = rm_->submit(host_.handle(), &in, &out);
  accepted = out.accepted;
  return {status, status == TENON_OK ? std::string() : said.said()};
}

tenon_status rm_host::signal(tenon_rm_session session, uint32_t signal) const {
  const tenon_rm_signal_in in{sizeof in, signal, session};
  return rm_->signal(host_.handle(), &in);
}

void rm_host::acknowledge(tenon_rm_session session, std::string_view partition, uint64_t number) const {
  const tenon_rm_acknowledge_in in{sizeof in, 0, session, sdk::text(partition), number};
  rm_->acknowledge(host_.handle(), &in);
}

void rm_host::sent(tenon_rm_session session, std::string_view partition, uint64_t number) const {
  if (!TENON_COVERS(rm_, tenon_host_rm, sent) || rm_->sent == nullptr) return;
  const tenon_rm_acknowledge_in in{sizeof in, 0, session, sdk::text(partition), number};
  rm_->sent(host_.handle(), &in);
}

}  // namespace tenon::grpc_transport
