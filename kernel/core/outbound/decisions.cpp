// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/decisions.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// Text that keeps a line a line and a field a field: control characters, backslash and a field that would
// read as empty are escaped.
void append_escaped(std::string &out, std::string_view text) {
  if (text.empty()) {
    out += '-';
    return;
  }
  if (text == "-") {
    out += "\\-";
    return;
  }
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (byte < 0x20 || byte == 0x7f) {
          out += "\\x";
          out += hex_digits[byte >> 4];
          out += hex_digits[byte & 0xf];
        } else {
          out += c;
        }
    }
  }
}

template <decision_kind kind, class What>
constexpr bool stands_at = std::is_same_v<std::variant_alternative_t<static_cast<size_t>(kind), decided_what>, What>;
static_assert(decision_kinds == static_cast<size_t>(decision_kind::canary_back) + 1 &&
                  stands_at<decision_kind::configured, decided::configured> &&
                  stands_at<decision_kind::application_state, decided::application_state> &&
                  stands_at<decision_kind::allocated, decided::allocated> &&
                  stands_at<decision_kind::released, decided::released> &&
                  stands_at<decision_kind::reserved, decided::reserved> &&
                  stands_at<decision_kind::proposed, decided::proposed> &&
                  stands_at<decision_kind::canary_back, decided::canary_back>,
              "kinds are in the order of the variant");

template <class... One>
struct overloaded : One... {
  using One::operator()...;
};
template <class... One>
overloaded(One...) -> overloaded<One...>;  // Clang derives none for aggregates

std::string message_for(cause why, const decision_view &d, std::string_view about) {
  switch (why) {
    case cause::given:
      return std::string(about);
    case cause::released_by_rm:
      return messages::released_by_rm();
    case cause::application_removed:
      return messages::application_removed(d.application);
    case cause::node_removed:
      return messages::node_removed(about);
    case cause::partition_removed:
      return messages::partition_removed();
    case cause::application_timeout:
      return messages::execution_timeout();
    case cause::allocation_timeout:
      return messages::allocation_execution_timeout(d.key);
    case cause::gang_timeout:
      return messages::placeholders_timed_out();
    case cause::gang_timeout_pending:
      return messages::pending_placeholders_timed_out();
    case cause::gang_left_over:
      return messages::placeholders_of_completed();
    case cause::placeholder_too_small:
      return messages::placeholder_too_small();
    case cause::replaced:
      return messages::replacing(about);
    case cause::preempted_for_ask:
      return messages::preempted_for_ask(about);
    case cause::preempted_for_daemon:
      return messages::preempted_for_daemon(about);
    case cause::preempted_for_quota:
      return messages::preempted_for_quota(about);
    case cause::reservation_used:
      return messages::reservation_used();
    case cause::ask_gone:
      return messages::reservation_ask_gone();
    case cause::node_unfit:
      return messages::reservation_node_unfit();
    case cause::waited_too_long:
      return messages::reservation_waited(d.node);
    case cause::daemon_comes:
      return messages::reservation_for_daemon(about);
    case cause::higher_comes:
      return messages::reservation_for_higher(about);
    case cause::preempted_there:
      return messages::reservation_for_preemption(about);
    case cause::victims_elsewhere:
      return messages::reservation_moved(about);
    case cause::reservations_off:
      return messages::reservations_off();
    case cause::too_many_reserved:
      return messages::reservations_too_many();
    case cause::may_not_run:
      return messages::reservation_may_not_run();
    case cause::check_refused:
      return messages::check_refused(d.node, about);
    case cause::check_late:
      return messages::check_late(d.node);
    case cause::ask_changed:
      return messages::proposal_ask_gone();
    case cause::application_not_running:
      return messages::proposal_not_running();
    case cause::placeholder_gone:
      return messages::proposal_placeholder_gone(about);
    case cause::too_much_asked:
      return messages::too_much_asked();
  }
  std::abort();
}

// FNV-1a over 128 bits, then a mix of the halves, since FNV leaves the last bytes in few bits.
class hash128 {
 public:
  void add(std::string_view text) {
    // The length first: "a","bc" and "ab","c" are different inputs.
    add(static_cast<uint64_t>(text.size()));
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  // Eight bytes, the lowest first. Those that are zero at its end are one multiplication.
  void add(uint64_t number) {
    size_t zeros = 8;
    for (; number != 0; number >>= 8, --zeros) add_byte(static_cast<unsigned char>(number));
    state_ *= powers[zeros];
  }
  [[nodiscard]] std::array<uint64_t, 2> words() const {
    const auto high = static_cast<uint64_t>(state_ >> 64);
    const auto low = static_cast<uint64_t>(state_);
    // Each step is invertible, so different states stay different.
    const uint64_t first = mix(high ^ mix(low));
    return {first, mix(low ^ first)};
  }

 private:
  __extension__ using wide = unsigned __int128;

  static constexpr wide prime = wide{0x0000000001000000} << 64 | 0x000000000000013b;
  static constexpr std::array<wide, 9> powers = [] {  // of the prime
    std::array<wide, 9> out{1};
    for (size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] * prime;
    return out;
  }();

  void add_byte(unsigned char byte) {
    state_ ^= byte;
    state_ *= prime;
  }
  static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }

  wide state_ = wide{0x6c62272e07bb0142} << 64 | 0x62b821756295c58d;
};

// In the order of the enums.
constexpr std::array<std::string_view, decision_kinds> kind_names{
    "rm_registered",
    "rm_rejected",
    "configured",
    "configuration_rejected",
    "application_accepted",
    "application_rejected",
    "application_state",
    "ask_rejected",
    "ask_released",
    "allocated",
    "released",
    "allocation_rejected",
    "node_accepted",
    "node_rejected",
    "node_update_rejected",
    "reserved",
    "unreserved",
    "container_state",
    "proposed",
    "undone",
    "canary_back",
};
constexpr std::array<std::string_view, static_cast<size_t>(termination::scheduling_failed) + 1> termination_names{
    "STOPPED_BY_RM",           "TIMEOUT", "PREEMPTED_BY_SCHEDULER", "PLACEHOLDER_REPLACED", "UNKNOWN_TERMINATION_TYPE",
    "SCHEDULING_FAILED_ON_RM",
};
static_assert(!kind_names.back().empty() && !termination_names.back().empty());

}  // namespace

std::string_view name(decision_kind kind) { return kind_names[static_cast<size_t>(kind)]; }
std::string_view name(termination why) { return termination_names[static_cast<size_t>(why)]; }

const termination *end_of(const decision_view &d) {
  if (const auto *released = d.as<decided::released>()) return &released->end;
  if (const auto *released = d.as<decided::ask_released>()) return &released->end;
  return nullptr;
}

const reason *reason_of(const decision_view &d) {
  const auto look = [](const auto &what) -> const reason * {
    if constexpr (requires { what.reason; }) return &what.reason;
    return nullptr;
  };
  return std::visit(look, d.what);
}

std::string_view devices_of(const decision_view &d) {
  const auto look = [](const auto &what) -> std::string_view {
    if constexpr (requires { what.devices; }) return what.devices;
    return {};
  };
  return std::visit(look, d.what);
}

std::string_view text_of(const decision_view &d, std::string &room) {
  const auto made = [&room](std::string text) -> std::string_view { return room = std::move(text); };
  return std::visit(overloaded{
                        [](const decided::application_state &what) { return name(what.state); },
                        [&](const decided::allocated &what) {
                          return what.existing ? made(messages::existing()) : std::string_view();
                        },
                        [&](const decided::container_state &what) {
                          return made(what.skipped ? messages::container_skipped() : messages::container_failed());
                        },
                        [&](const decided::proposed &what) {
                          return what.in_place_of.empty() ? std::string_view()
                                                          : made(messages::proposed_in_place(what.in_place_of));
                        },
                        [&](const auto &what) {
                          if constexpr (requires { what.message; }) return what.message;
                          if constexpr (requires { what.reason; }) {
                            const auto &[why, about] = what.reason;
                            return why == cause::given ? about : made(message_for(why, d, about));
                          }
                          return std::string_view();
                        },
                    },
                    d.what);
}

std::string text_of(const decision_view &d) {
  std::string room;
  return std::string(text_of(d, room));
}

std::string format(const decision_view &d) {
  std::string out = std::to_string(d.sequence), room;
  out.reserve(192);
  const auto field = [&out](std::string_view text) {
    out += '\t';
    append_escaped(out, text);
  };
  const termination *end = end_of(d);
  field(std::to_string(d.now_ms));
  field(name(d.kind()));
  field(d.rm);
  field(d.partition);
  field(d.application);
  field(d.key);
  field(d.allocation_sequence == 0 ? std::string() : std::to_string(d.allocation_sequence));
  field(d.node);
  field(d.queue);
  field(d.placeholder ? "placeholder" : "");
  field(end != nullptr ? name(*end) : std::string_view());
  field(text_of(d, room));
  const auto *state = d.as<decided::application_state>();
  const std::string_view last = state != nullptr ? state->message : devices_of(d);
  if (!last.empty()) field(last);
  return out;
}

void write_allocation_uuid(const decision_view &d, std::span<char, uuid_length> out) {
  hash128 hash;
  hash.add(d.partition);
  hash.add(d.application);
  hash.add(d.key);
  hash.add(d.allocation_sequence);
  if (d.epoch != 0) hash.add(d.epoch);
  auto words = hash.words();
  words[0] = (words[0] & ~uint64_t{0xf000}) | 0x8000;                // version 8: the maker's own derivation
  words[1] = (words[1] & ~(uint64_t{3} << 62)) | uint64_t{2} << 62;  // the RFC's variant

  size_t at = 0;
  for (size_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) out[at++] = '-';
    out[at++] = hex_digits[words[digit / 16] >> (60 - digit % 16 * 4) & 0xf];
  }
}

std::string allocation_uuid(const decision_view &d) {
  std::string out(uuid_length, '\0');
  write_allocation_uuid(d, std::span<char, uuid_length>(out.data(), uuid_length));
  return out;
}

}  // namespace tenon
