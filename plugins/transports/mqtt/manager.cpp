// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "manager.hpp"

#include <utility>

#include "tenon/sdk/error.hpp"
#include "tenon/wire/ignored_values.hpp"

namespace tenon::mqtt {
namespace {

constexpr std::array<const char *, kind_count> requests{
    "ApplicationRequest", "NodeRequest",   "AllocationRequest",   "CheckPlacementsRequest",
    "RecoveryRequest",    "ReportRequest", "ConfigurationRequest"};
constexpr std::array<const char *, kind_count> responses{
    "ApplicationResponse", "NodeResponse",   "AllocationResponse",   "CheckPlacementsResponse",
    "RecoveryResponse",    "ReportResponse", "ConfigurationResponse"};
constexpr std::array all_kinds{kind::application, kind::node,    kind::allocation,   kind::checks,
                               kind::recovery,    kind::reports, kind::configuration};

using schemas = std::array<const wire::schema *, kind_count>;

schemas schemas_of(const std::array<const char *, kind_count> &names) {
  schemas out{};
  for (size_t i = 0; i < kind_count; ++i) out[i] = &wire::schema_of(wire::dialect::later, names[i]);
  return out;
}

// The kind of response that has a place for the message, and which; false: none.
bool find_place(uint32_t type, kind &what, int &rank) {
  for (const kind each : all_kinds) {
    rank = wire::rank_of(response_of(each), type);
    if (rank < 0) continue;
    what = each;
    return true;
  }
  return false;
}

std::string &place_in(v1::ToManager &to, kind what) {
  switch (what) {
    case kind::application:
      return *to.mutable_application();
    case kind::node:
      return *to.mutable_node();
    case kind::allocation:
      return *to.mutable_allocation();
    case kind::checks:
      return *to.mutable_checks();
    case kind::recovery:
      return *to.mutable_recovery();
    case kind::reports:
      return *to.mutable_reports();
    case kind::configuration:
      break;
  }
  return *to.mutable_configuration();
}

uint64_t last_in(const std::map<std::string, uint64_t, std::less<>> &of, std::string_view partition) {
  const auto at = of.find(partition);
  return at == of.end() ? 0 : at->second;
}

}  // namespace

const wire::schema &request_of(kind what) {
  static const schemas all = schemas_of(requests);
  return *all[static_cast<size_t>(what)];
}

const wire::schema &response_of(kind what) {
  static const schemas all = schemas_of(responses);
  return *all[static_cast<size_t>(what)];
}

bool is_request(const v1::FromManager &message, kind &what, const std::string *&bytes) {
  const auto is = [&](kind of, const std::string &content) {
    what = of;
    bytes = &content;
    return true;
  };
  switch (message.says_case()) {
    case v1::FromManager::kApplication:
      return is(kind::application, message.application());
    case v1::FromManager::kNode:
      return is(kind::node, message.node());
    case v1::FromManager::kAllocation:
      return is(kind::allocation, message.allocation());
    case v1::FromManager::kChecks:
      return is(kind::checks, message.checks());
    case v1::FromManager::kRecovery:
      return is(kind::recovery, message.recovery());
    case v1::FromManager::kConfiguration:
      return is(kind::configuration, message.configuration());
    default:
      return false;
  }
}

request_in_hand::request_in_hand(kind of, std::unique_ptr<v1::FromManager> said, const std::string &content)
    : what(of), message(std::move(said)), bytes(content), pieces(request_of(of)) {}

bool request_in_hand::begin(std::string_view rm, std::string &refusal) {
  if (!pieces.begin(bytes, refusal)) return false;
  if (!pieces.rm().empty() && pieces.rm() != rm) {
    refusal = "want requests of RM \"" + std::string(rm) + "\" on its topic, have one of \"" +
              std::string(pieces.rm()) + "\"; each RM has a topic of its own";
    return false;
  }
  for (std::string_view piece; pieces.next(piece);) {
    arena.clear();
    if (!wire::read(request_of(what), piece, arena, batch, refusal)) return false;
    if (ignored.empty()) ignored = wire::ignored_values(batch);
  }
  submitted = 0;
  if (pieces.is_one()) return true;
  pieces.rewind();
  next_piece();
  return true;
}

bool request_in_hand::next_piece() {
  std::string_view piece;
  if (!pieces.next(piece)) return false;
  std::string refusal;
  arena.clear();
  wire::read(request_of(what), piece, arena, batch, refusal);  // as before
  submitted = 0;
  return true;
}

void manager::forget_told() {
  waiting.clear();
  waiting_bytes = waiting_count = 0;
}

uint64_t manager::arrived(std::string_view partition, uint64_t number) {
  const auto at = waiting.find(partition);
  if (at == waiting.end()) return 0;
  uint64_t last = 0;
  std::deque<told> &of = at->second;
  while (!of.empty() && of.front().last <= number) {
    last = of.front().last;
    waiting_bytes -= of.front().bytes;
    --waiting_count;
    of.pop_front();
  }
  if (of.empty()) waiting.erase(at);
  return last;
}

letters::letters(const manager &to, const tenon_transport_deliver_in &in)
    : to_(to), in_(in), told_before_(last_in(to.last_told, sdk::view(in.partition))) {}

uint64_t letters::next(uint64_t at, v1::ToManager &out, uint64_t &checks) const {
  out.Clear();
  out.set_session(to_.session);
  out.set_partitionname(std::string(sdk::view(in_.partition)));
  out.set_firstnumber(static_cast<int64_t>(in_.first_number + at));
  checks = 0;
  std::string *bytes = nullptr;
  kind of{};
  int rank = 0;
  const uint64_t first = at;
  for (; at < in_.message_count; ++at) {
    if (at != first && in_.first_number + at - 1 <= told_before_) break;
    const tenon_rm_message *message = in_.messages[at];
    kind what{};
    int place = 0;
    // What has no place in the protocol has a number all the same.
    if (!find_place(message->type, what, place)) continue;
    if (bytes != nullptr && (what != of || place < rank || bytes->size() >= bytes_of_message)) break;
    std::string refusal;
    if (bytes == nullptr) bytes = &place_in(out, of = what);
    rank = place;
    if (wire::append(response_of(what), message, *bytes, refusal) && message->type == TENON_RM_CHECK)
      checks = in_.first_number + at;
  }
  out.set_lastnumber(static_cast<int64_t>(in_.first_number + at - 1));
  return at - first;
}

}  // namespace tenon::mqtt
