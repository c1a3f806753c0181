// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One registration of one RM: its streams, its answers, and what the host is told of its connection.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http2/peer.hpp"
#include "http2/status.hpp"
#include "queued_answers.hpp"
#include "tenon/transports/rm_host.hpp"

namespace tenon::grpc_transport {

using transports::outcome;
using transports::rm_host;

class stream;

// What the host said to a registration, and what it was for.
struct entered {
  tenon_rm_session id = 0;
  bool checks = false;  // the RM checks placements
};

class session {
 public:
  using clock = answers::clock;

  session(const rm_host &host, std::string rm, entered as, const answers::limits &limits, size_t most_streams);

  [[nodiscard]] const std::string &rm() const { return rm_; }
  [[nodiscard]] tenon_rm_session id() const { return as_.id; }
  [[nodiscard]] const rm_host &host() const { return host_; }

  [[nodiscard]] clock::time_point since() const { return since_; }
  // Whether streams are open that are not this client's. Their connections are asked for a sign of life then.
  [[nodiscard]] bool is_anothers(const peer &by);
  // Ends it where no stream was ever opened; whether it did.
  bool end_without_streams();

  // A stream says that it is this RM's. OK, or with what it ends.
  rpc_status attach(const std::shared_ptr<stream> &one);

  // A stream is gone; `clean`: the RM closed it, and got all that was written.
  void detach(const std::shared_ptr<stream> &one, bool clean);

  // Answers for it; as tenon_transport_v1.deliver.
  tenon_status deliver(const tenon_transport_deliver_in &in, uint64_t &taken, uint64_t &skipped);

  // For its streams: the next response, where the stream is the one that writes.
  bool next(const stream &one, frame &out);
  void written(const stream &one, const frame &done);

  // Ends all its streams. It says nothing to the host from then on.
  void end(const rpc_status &status);

  // The host says that it has ended.
  void ended_by_host();

  // Called again and again: acknowledges what has arrived, and tells the host that nobody came.
  void tick(clock::time_point now, clock::duration connect_timeout);

  // Nobody is connected and the host has ended it: nothing to remember.
  [[nodiscard]] bool is_over();

 private:
  enum class link : uint8_t { fresh, connected, lost };

  void acknowledge_arrived(clock::time_point now);
  // Of its streams; `that_stay`: without those that are ending.
  [[nodiscard]] size_t count(bool that_stay) const;

  const rm_host &host_;
  const std::string rm_;
  const entered as_;
  const size_t most_streams_;
  const clock::time_point since_ = clock::now();

  // Held while the host is told of the connection, so that it hears in order; taken before mutex_, never inside of it.
  std::mutex attaching_;
  bool told_ = false;  // that nobody is connected

  std::mutex mutex_;  // guards all below; the host is not called with it held
  answers answers_;
  std::array<std::vector<std::shared_ptr<stream>>, method_count> streams_;  // in the order in which they were opened
  std::optional<wire::dialect> spoken_;
  link link_ = link::fresh;
  std::array<bool, method_count> broke_{};  // the last stream of the method broke, and none was opened since
  bool was_connected_ = false;
  bool ended_ = false;
  std::mutex acknowledging_;  // numbers go to the host in order
};

// What a stream ends with whose RM is not registered, or not any more.
rpc_status register_again();

}  // namespace tenon::grpc_transport
