// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One registration of one RM: what it said and waits to be handled, and the answers that it does not have yet. The lock
// of the exchange guards all of it, but for what is marked as the worker's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/transport.h"
#include "tenon/v1/broker.pb.h"
#include "tenon/wire/codec.hpp"
#include "tenon/wire/pieces.hpp"

namespace tenon::mqtt {

// What requests and answers are made of.
enum class kind : uint8_t { application, node, allocation, checks, recovery, reports, configuration };
inline constexpr size_t kind_count = 7;
const wire::schema &request_of(kind what);
const wire::schema &response_of(kind what);
// Which kind of request a message is; `bytes` is of the message. False: none.
bool is_request(const v1::FromManager &message, kind &what, const std::string *&bytes);

// What happened to an RM, in order.
struct occurrence {
  enum class of : uint8_t { said, came_or_went, arrived_at_broker, too_large } what = of::said;
  std::unique_ptr<v1::FromManager> message;  // said, too_large
  size_t bytes = 0;
  std::string partition;  // arrived_at_broker: checks up to the number
  uint64_t number = 0;    // too_large: of the request
};

// One message to the RM, with answers.
struct told {
  uint64_t last = 0;
  size_t bytes = 0;
};

// A request that is being handed over, piece by piece.
struct request_in_hand {
  request_in_hand(kind what, std::unique_ptr<v1::FromManager> of, const std::string &content);

  // Looks at all of it, so that it is refused as a whole. False with a refusal.
  bool begin(std::string_view rm, std::string &refusal);
  bool next_piece();

  const kind what;
  const std::unique_ptr<v1::FromManager> message;
  const std::string &bytes;
  wire::pieces pieces;
  wire::arena arena;
  wire::batch batch;
  size_t submitted = 0;
  std::string ignored;  // describes values that the scheduler ignores
};

struct manager {
  static constexpr size_t most_told = 256;  // messages that an RM does not have yet

  std::string rm, topic;
  uint64_t session = 0;  // as the RM named it
  tenon_rm_session id = 0;
  bool is_connected = true;  // the scheduler was told so, and answers may be delivered
  bool is_over = false;

  // How it stands with the RM's connection: as it was heard last, whatever of it the scheduler was told. One occurrence
  // in the inbox stands for all of it, so that none is dropped and a later one has the last word.
  uint64_t connection = 0;  // the RM's present one
  bool is_lost = false;
  bool says_present = false, says_goodbye = false;  // since the worker looked
  bool came_or_went = false;                        // the inbox has it
  unsigned unanswered = 0;                          // times that it was asked since it said anything
  std::chrono::steady_clock::time_point asked_at;

  std::deque<occurrence> inbox;
  size_t inbox_bytes = 0;
  bool dropped_some = false;
  bool is_queued = false;  // for the worker, or it has it in hand

  // By partition, in the order of their numbers.
  std::map<std::string, std::deque<told>, std::less<>> waiting;
  size_t waiting_bytes = 0, waiting_count = 0;
  // By partition: the last answer that was told, whoever has it.
  std::map<std::string, uint64_t, std::less<>> last_told;
  // When the RM confirmed answers; where none waited, when the broker had the first. None: it has none yet.
  std::optional<std::chrono::steady_clock::time_point> confirmed_at;

  // The worker's.
  uint64_t taken = 0;       // requests up to this one are the scheduler's
  uint64_t taken_told = 0;  // as the RM was told
  bool host_knows_lost = false;
  bool asked_again = false;  // since the last request that came in order
  std::unique_ptr<request_in_hand> in_hand;

  [[nodiscard]] bool has_room(size_t most_bytes) const {
    return waiting_bytes < most_bytes && waiting_count < most_told;
  }
  void forget_told();
  // The RM has answers up to the number. The last of those that are forgotten; 0: none is.
  uint64_t arrived(std::string_view partition, uint64_t number);
};

// Joins the answers of one delivery into messages.
class letters {
 public:
  letters(const manager &to, const tenon_transport_deliver_in &in);

  // The next message, of the answers from `at` on; how many they are. What was told before is told alone: the RM may
  // have it or not, and tells by the numbers of whole messages. `checks`: the last number of a check; 0: none.
  uint64_t next(uint64_t at, v1::ToManager &out, uint64_t &checks) const;

 private:
  static constexpr size_t bytes_of_message = size_t{64} << 10;  // about

  const manager &to_;
  const tenon_transport_deliver_in &in_;
  const uint64_t told_before_;  // answers up to this one
};

}  // namespace tenon::mqtt
