// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// All sessions and streams of one server, and its limits.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grpc_session.hpp"
#include "grpc_settings.hpp"
#include "http2/call.hpp"
#include "http2/limited_log.hpp"
#include "worker.hpp"

namespace tenon::grpc_transport {

class registry {
 public:
  registry(const settings &with, const rm_host &host, uint64_t transport);
  ~registry();

  // Whether a client may speak for an RM: its certificate must name it. Where clients have none, the name is its whose
  // streams are open under it.
  [[nodiscard]] rpc_status may_speak_for(const call &from, const std::string &rm);

  // Whether an RM may bring so many bytes of queues along: little, where nothing says who its client is. Without a name
  // that is asked of the bytes alone; with one, of all RMs of the connection.
  // They come in place of what the RM brought along before; where it `adds` them beside it, since what an earlier
  // configuration made may still be there.
  [[nodiscard]] rpc_status may_configure(const call &from, std::optional<std::string_view> rm, size_t bytes,
                                         bool adds = false) const;
  // The RM brought them.
  void has_configured(const call &from, const std::string &rm, size_t bytes, bool adds = false) const;

  // A registration; waits for the scheduler. `checks`: of an RM that checks placements.
  rpc_status enter(const tenon_rm_registration &registration, bool checks);

  // The thread that registrations wait on.
  worker &registering() { return registering_; }

  // A stream was opened, or is gone.
  rpc_status opened(const std::shared_ptr<stream> &one);
  void closed(const std::shared_ptr<stream> &one);

  // The first request of a stream said whose it is.
  rpc_status begin(const std::shared_ptr<stream> &one, const std::string &rm);

  // Has its request handed over again, soon.
  void retry_later(std::shared_ptr<stream> one);

  // Logs the values of a request that the scheduler ignores.
  void log_ignored(const std::string &rm, const std::string &values);

  tenon_status deliver(const tenon_transport_deliver_in &in, uint64_t &taken);

  // The host has ended a session.
  void ended(tenon_rm_session id, uint32_t why);

  // Tells all streams that the server ends. They get what waits for them until `deadline`.
  void shut_down();
  [[nodiscard]] bool stopping();

  // Waits until no stream is left; false after the time.
  bool wait_empty(std::chrono::milliseconds time);

 private:
  std::shared_ptr<session> find(const std::string &rm);
  [[nodiscard]] bool is_registered(const std::string &rm) const;
  [[nodiscard]] bool is_known(const peer &by) const;  // who its client is
  bool room_for_one(const std::string &rm);
  // Ends the oldest registration under which nobody ever opened a stream.
  bool end_one_without_streams();
  void forget_ended();
  void tick();

  const settings &settings_;
  const rm_host &host_;
  const uint64_t transport_;
  limited_log requests_log_;

  mutable std::mutex mutex_;  // guards what follows up to the next comment
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<session>> by_rm_;
  std::map<tenon_rm_session, std::shared_ptr<session>> by_id_;
  std::set<std::shared_ptr<stream>> streams_;
  std::map<std::shared_ptr<stream>, session::clock::time_point> unnamed_;
  size_t entering_ = 0;  // registrations whose session the host knows and this does not, perhaps
  uint64_t skipped_ = 0;
  bool stopping_ = false;

  mutable std::mutex configuring_;  // guards what peers brought along

  std::mutex retry_mutex_;
  std::vector<std::shared_ptr<stream>> to_retry_;

  // Last, so that they end first.
  worker retrying_;
  worker registering_;
  worker ticking_;
};

}  // namespace tenon::grpc_transport
