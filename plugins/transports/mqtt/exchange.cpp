// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <utility>

#include "envelope.hpp"
#include "tenon/sdk/error.hpp"
#include "tenon/text/utf8.hpp"
#include "tenon/wire/pieces.hpp"

namespace tenon::mqtt {
namespace {

using namespace std::chrono_literals;

constexpr size_t most_registrations = 64;  // that wait
constexpr size_t most_registration_bytes = size_t{64} << 20;

// What waits in the library for the broker, in quarters: strangers get no word beyond the first, RMs no answers beyond
// the second. The library has numbers for 65,535 messages.
constexpr size_t quarter_of_messages = 5'000;
constexpr size_t quarter_of_bytes = size_t{4} << 20;  // or those of a queue, where they are more
constexpr size_t of_a_stranger = 1;
constexpr size_t of_answers = 2;

constexpr unsigned most_unanswered = 2;
constexpr size_t bytes_of_any = 128;       // of what is in an inbox, beside its message
constexpr size_t bytes_of_arrived = 64;    // of an object, beside what it is written with
constexpr uint64_t requests_of_word = 16;  // after so many an RM is told that they are taken, at the latest
constexpr auto again = 2ms;                // after it a request is tried once more that the scheduler had no room for

std::string of_this_start() {
  std::random_device chance;
  std::string out;
  for (int i = 0; i < 4; ++i) out += std::to_string(chance()) + (i < 3 ? "-" : "");
  return out;
}

v1::Ended::Reason reason_of(uint32_t why) {
  switch (why) {
    case TENON_RM_ENDED_REPLACED:
      return v1::Ended::REPLACED;
    case TENON_RM_ENDED_TIMEOUT:
      return v1::Ended::TIMEOUT;
    case TENON_RM_ENDED_OVERFLOW:
      return v1::Ended::OVERFLOW;
    case TENON_RM_ENDED_SHUTDOWN:
      return v1::Ended::GOODBYE;
    case TENON_RM_ENDED_STOPPING:
      return v1::Ended::STOPPING;
    default:
      return v1::Ended::UNKNOWN;
  }
}

// Of one that is too large only what the refusal is for. Fields that nobody here knows would stay in memory.
bool read(std::string_view payload, const envelope &outside, bool is_too_large, v1::FromManager &out) {
  if (is_too_large) {
    out.set_session(outside.session);
    out.set_number(outside.number);
    if (outside.is_registration) out.mutable_registration();
    return true;
  }
  if (!out.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return false;
  out.DiscardUnknownFields();
  return true;
}

}  // namespace

exchange::exchange(const settings &with, const sdk::host_services &host, uint64_t transport)
    : settings_(with),
      host_(host),
      transport_(transport),
      topics_(with.topics),
      link_(with, *this, topics_.of_all_rms(), topics_.state()) {}

exchange::~exchange() { stop(0ms); }

void exchange::start() {
  entering_thread_ = std::thread([this] { enter_all(); });
  working_thread_ = std::thread([this] { work(); });
  link_.start();
}

void exchange::stop(std::chrono::milliseconds drain) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      for (const auto &[id, each] : by_id_) say_ended(*each, v1::Ended::STOPPING);
      send(topics_.state(), "", {}, true);
    }
    stopping_ = true;
  }
  changed_.notify_all();
  if (entering_thread_.joinable()) entering_thread_.join();
  if (working_thread_.joinable()) working_thread_.join();
  link_.stop(drain);
}

// What the broker says.

void exchange::is_up() {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  send(topics_.state(), of_this_start(), {}, true);
  v1::ToManager who;
  who.mutable_whoisthere();
  for (const auto &[id, each] : by_id_) {
    who.set_session(each->session);
    say(each->topic, who);
    each->asked_at = clock::now();
  }
}

void exchange::is_down(const std::string &why) {
  const std::lock_guard lock(mutex_);
  host_.log(TENON_LOG_WARNING, "the broker is gone (" + why + "); tried again every " +
                                   std::to_string(settings_.retry.count()) + " ms, RMs count as lost meanwhile");
  // What the library keeps it sends again; of whom it was for nobody asks then.
  for (auto &[number, each] : on_their_way_) each.to.reset();
  for (const auto &each : registrations_) each->is_gone = true;
  for (const auto &[id, each] : by_id_) put_lost(each);
}

void exchange::published(int number) {
  const std::lock_guard lock(mutex_);
  const auto at = on_their_way_.find(number);
  if (at == on_their_way_.end()) return;
  const on_its_way what = std::move(at->second);
  on_their_way_.erase(at);
  bytes_on_their_way_ -= what.bytes;
  const shared_manager to = what.to.lock();
  if (to == nullptr) return;
  if (!to->confirmed_at) to->confirmed_at = clock::now();
  if (what.checks == 0) return;
  occurrence one;
  one.what = occurrence::of::arrived_at_broker;
  one.partition = what.partition;
  one.number = what.checks;
  put(to, std::move(one));
}

void exchange::hear(std::string_view topic, std::string_view payload) {
  const std::optional<std::string> rm = topics_.rm_of(topic);
  const std::optional<envelope> seen = rm ? envelope_of(payload) : std::nullopt;
  const envelope outside = seen.value_or(envelope{});
  const bool is_too_large = payload.size() > settings_.message_bytes;
  const bool is_moderate = is_too_large || outside.is_moderate();
  auto message = std::make_unique<v1::FromManager>();
  const bool is_read = seen && is_moderate && read(payload, outside, is_too_large, *message);
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  if (!is_read) {
    std::string line =
        "topic " + utf8_of(topic.substr(0, 200), "?") + ": want a message FromManager on the topic of an RM";
    if (seen && !is_moderate)
      line += " with at most " + std::to_string(envelope::most_arrived) + " `arrived`, and " +
              std::to_string(envelope::most_beside) + " bytes beside its request, have " +
              std::to_string(outside.arrived) + " and " + std::to_string(outside.beside);
    else
      line += ", have " + std::to_string(payload.size()) + " bytes that are none";
    warn(line + "; they are left out");
    return;
  }
  if (message->says_case() == v1::FromManager::kLost) return hear_loss(*rm, message->connection());
  if (message->says_case() == v1::FromManager::kRegistration) {
    if (!is_too_large) return hear_registration(*rm, std::move(message));
    const registration one{*rm, std::move(message)};
    refuse(one,
           "want a registration of " + std::to_string(settings_.message_bytes) + " bytes at most, have " +
               std::to_string(payload.size()) + "; make it smaller, or raise max_message_bytes",
           false);
    return;
  }
  const shared_manager to = find(*rm, message->session());
  if (to == nullptr) {
    say_ended(topics_.to_rm(*rm), message->session(), v1::Ended::UNKNOWN, of_a_stranger);
    return;
  }
  to->unanswered = 0;
  const v1::FromManager::SaysCase says = message->says_case();
  const uint64_t connection = message->connection();
  occurrence one;
  one.bytes = payload.size() + bytes_of_any + bytes_of_arrived * outside.arrived;
  if (is_too_large) {
    one.what = occurrence::of::too_large;
    one.number = payload.size();
    one.bytes = bytes_of_any;
  }
  one.message = std::move(message);
  put(to, std::move(one));
  // After what it says beside: answers that it has are not told again.
  if (says == v1::FromManager::kPresent) hear_present(to, connection);
  if (says == v1::FromManager::kGoodbye) {
    to->says_goodbye = true;
    put_came_or_went(to);
  }
}

exchange::shared_manager exchange::find(const std::string &rm, uint64_t session) {
  const auto at = by_rm_.find(rm);
  return at == by_rm_.end() || at->second->session != session ? nullptr : at->second;
}

void exchange::hear_registration(const std::string &rm, std::unique_ptr<v1::FromManager> message) {
  // Told at least once is told twice now and then.
  if (const shared_manager known = find(rm, message->session()); known != nullptr) {
    v1::ToManager answer;
    answer.set_session(known->session);
    answer.mutable_entered();
    say(known->topic, answer);
    return hear_present(known, message->connection());
  }
  for (const auto &each : registrations_) {
    if (each->rm != rm || each->message->session() != message->session()) continue;
    each->connection = message->connection();
    each->is_gone = false;
    return;
  }
  const uint64_t connection = message->connection();
  auto one = std::make_shared<registration>(registration{rm, std::move(message), connection});
  if (one->message->session() == 0) return refuse(*one, "want a session, have 0; choose one by chance", false);
  // Of those of one name that wait the newest is meant.
  for (auto at = registrations_.begin(); at != registrations_.end(); ++at) {
    if ((*at)->rm != rm || (is_entering_ && at == registrations_.begin())) continue;
    say_ended(topics_.to_rm(rm), (*at)->message->session(), v1::Ended::REPLACED, of_a_stranger);
    registration_bytes_ -= (*at)->message->registration().size();
    registrations_.erase(at);
    break;
  }
  const size_t bytes = one->message->registration().size();
  if (registrations_.size() >= most_registrations)
    return refuse(*one, "want fewer registrations at once than " + std::to_string(most_registrations), true);
  if (!registrations_.empty() && registration_bytes_ + bytes > most_registration_bytes)
    return refuse(*one,
                  "want registrations that wait of " + std::to_string(most_registration_bytes) +
                      " bytes at most, have " + std::to_string(registration_bytes_ + bytes),
                  true);
  registration_bytes_ += bytes;
  registrations_.push_back(std::move(one));
  changed_.notify_all();
}

// Of an earlier connection nobody asks any more.
void exchange::hear_loss(const std::string &rm, uint64_t connection) {
  for (const auto &each : registrations_)
    if (each->rm == rm && each->connection == connection) each->is_gone = true;
  const auto at = by_rm_.find(rm);
  if (at != by_rm_.end() && at->second->connection == connection) put_lost(at->second);
}

void exchange::hear_present(const shared_manager &to, uint64_t connection) {
  to->connection = connection;
  to->is_lost = false;
  to->says_present = true;
  to->unanswered = 0;
  put_came_or_went(to);
}

void exchange::put_lost(const shared_manager &to) {
  to->is_lost = true;
  to->is_connected = false;
  to->forget_told();
  put_came_or_went(to);
}

void exchange::put_came_or_went(const shared_manager &to) {
  if (std::exchange(to->came_or_went, true)) return;
  occurrence one;
  one.what = occurrence::of::came_or_went;
  put(to, std::move(one));
}

// What finds no room is dropped: the RM sends again what it was not told of.
void exchange::put(const shared_manager &to, occurrence one) {
  const bool is_the_rms = one.message != nullptr;
  if (is_the_rms && to->inbox_bytes + one.bytes > settings_.queue_bytes + settings_.message_bytes) {
    to->dropped_some = true;
    return;
  }
  to->inbox_bytes += one.bytes;
  to->inbox.push_back(std::move(one));
  if (std::exchange(to->is_queued, true)) return;
  ready_.push_back(to);
  changed_.notify_all();
}

void exchange::remove(const shared_manager &one) {
  one->is_over = true;
  one->is_connected = false;
  one->forget_told();
  by_id_.erase(one->id);
  if (const auto at = by_rm_.find(one->rm); at != by_rm_.end() && at->second == one) by_rm_.erase(at);
}

// What is left out because of a broker that takes nothing is as if the broker had dropped it: it comes again when it is
// asked for.
void exchange::say(const std::string &topic, const v1::ToManager &what, size_t quarters) {
  if (!is_broker_behind(quarters)) send(topic, what.SerializeAsString(), {});
}

bool exchange::is_broker_behind(size_t quarters) const {
  const size_t most_bytes = quarters * std::max(quarter_of_bytes, settings_.queue_bytes);
  return bytes_on_their_way_ >= most_bytes || on_their_way_.size() >= quarters * quarter_of_messages;
}

bool exchange::send(const std::string &topic, const std::string &bytes, on_its_way what, bool retained) {
  int number = 0;
  if (!link_.publish(topic, bytes, number, retained)) return false;
  what.bytes = bytes.size() + topic.size() + bytes_of_any;
  bytes_on_their_way_ += what.bytes;
  on_its_way &place = on_their_way_[number];
  bytes_on_their_way_ -= place.bytes;
  place = std::move(what);
  return true;
}

void exchange::say_ended(const manager &to, v1::Ended::Reason why) { say_ended(to.topic, to.session, why, of_all); }

void exchange::say_ended(const std::string &topic, uint64_t session, v1::Ended::Reason why, size_t quarters) {
  v1::ToManager answer;
  answer.set_session(session);
  answer.mutable_ended()->set_reason(why);
  say(topic, answer, quarters);
}

// A broker that is full drops messages without a word. That one is missing shows with the next; after the last one
// there is none. One that is not connected may have said that it is, or not have heard that it has to.
void exchange::ask_the_silent(clock::time_point now) {
  asks_next_ = now + settings_.ask_again / 4;
  v1::ToManager who;
  who.mutable_whoisthere();
  for (const auto &[id, each] : by_id_) {
    if (now - each->asked_at < settings_.ask_again) continue;
    const bool is_silent =
        each->waiting_count > 0 && each->confirmed_at && now - *each->confirmed_at >= settings_.ask_again;
    if (each->is_connected && !is_silent) continue;
    if (each->is_connected && ++each->unanswered > most_unanswered) put_lost(each);
    each->asked_at = now;
    who.set_session(each->session);
    say(each->topic, who);
  }
}

// One a second: whoever reaches the broker could fill the log.
void exchange::warn(const std::string &line) {
  const clock::time_point now = clock::now();
  if (now - last_warning_ < 1s) {
    ++left_out_;
    return;
  }
  last_warning_ = now;
  const size_t more = std::exchange(left_out_, 0);
  host_.log(TENON_LOG_WARNING, more == 0 ? line : line + " (and " + std::to_string(more) + " more warnings)");
}

// The thread that enters RMs.

void exchange::enter_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !registrations_.empty(); });
    if (stopping_) return;
    const std::shared_ptr<registration> one = registrations_.front();
    is_entering_ = true;
    lock.unlock();
    enter(*one);
    lock.lock();
    is_entering_ = false;
    registration_bytes_ -= one->message->registration().size();
    registrations_.pop_front();
  }
}

void exchange::refuse(const registration &one, const std::string &reason, bool later) {
  v1::ToManager answer;
  answer.set_session(one.message->session());
  answer.mutable_refused()->set_reason(utf8_of(reason, "?"));
  answer.mutable_refused()->set_later(later);
  say(topics_.to_rm(one.rm), answer, of_a_stranger);
}

void exchange::enter(registration &one) {
  static const wire::schema &schema = wire::schema_of(wire::dialect::later, "RegisterResourceManagerRequest");
  wire::arena arena;
  wire::batch batch;
  std::string refusal;
  size_t config_bytes = 0;
  const std::string &bytes = one.message->registration();
  bool is_read = wire::is_moderate_registration(bytes, config_bytes, refusal) &&
                 wire::read(schema, bytes, arena, batch, refusal) && batch.messages.size() == 1;
  const tenon_rm_registration *said =
      is_read ? reinterpret_cast<const tenon_rm_registration *>(batch.messages.front()) : nullptr;
  if (is_read && sdk::view(said->rm) != one.rm) {
    is_read = false;
    refusal = "want the registration of RM \"" + one.rm + "\" on its topic, have that of \"" +
              std::string(sdk::view(said->rm)) + "\"; each RM has a topic of its own";
  }
  transports::outcome outcome{TENON_INVALID_CONFIG, refusal};
  {
    const std::lock_guard lock(mutex_);
    if (is_read && by_rm_.size() >= settings_.rms && !by_rm_.contains(one.rm)) {
      is_read = false;
      outcome = {TENON_EXHAUSTED,
                 "want " + std::to_string(settings_.rms) + " RMs at most, have as many already; raise max_rms"};
    }
  }
  const auto made = std::make_shared<manager>();
  if (is_read) {
    const uint32_t wants = one.message->checksplacements() ? TENON_RM_WANTS_PROPOSALS : 0;
    outcome = host_.enter(transport_, *said, wants, made->id);
  }
  const std::lock_guard lock(mutex_);
  if (outcome.status != TENON_OK) {
    refuse(one, outcome.message, outcome.status == TENON_RETRY || outcome.status == TENON_EXHAUSTED);
    return;
  }
  if (const auto at = by_rm_.find(one.rm); at != by_rm_.end()) {
    const shared_manager older = at->second;
    say_ended(*older, v1::Ended::REPLACED);
    remove(older);
  }
  made->rm = one.rm;
  made->topic = topics_.to_rm(one.rm);
  made->session = one.message->session();
  made->connection = one.connection;
  by_rm_[made->rm] = made;
  by_id_[made->id] = made;
  v1::ToManager answer;
  answer.set_session(made->session);
  answer.mutable_entered();
  say(made->topic, answer);
  if (one.is_gone) put_lost(made);
}

// The thread that works.

void exchange::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const clock::time_point now = clock::now();
    while (!to_retry_.empty() && to_retry_.front().first <= now) {
      ready_.push_back(to_retry_.front().second);
      to_retry_.pop_front();
    }
    if (stopping_) return;
    if (now >= asks_next_) ask_the_silent(now);
    if (ready_.empty()) {
      changed_.wait_until(lock, to_retry_.empty() ? asks_next_ : std::min(asks_next_, to_retry_.front().first));
      continue;
    }
    const shared_manager one = ready_.front();
    ready_.pop_front();
    occurrence next;
    const bool has_next = one->in_hand == nullptr && !one->inbox.empty();
    if (has_next) {
      next = std::move(one->inbox.front());
      one->inbox.pop_front();
      one->inbox_bytes -= next.bytes;
    }
    lock.unlock();
    const bool is_done = has_next ? handle(one, std::move(next)) : one->in_hand == nullptr || submit_rest(one);
    lock.lock();
    if (!is_done) {
      to_retry_.emplace_back(clock::now() + again, one);
    } else if (!one->inbox.empty() && !one->is_over) {
      ready_.push_back(one);
    } else {
      one->is_queued = false;
      const bool dropped = std::exchange(one->dropped_some, false);
      if (one->is_over || (!dropped && one->taken_told == one->taken)) continue;
      tell_taken(one, dropped);
    }
  }
}

bool exchange::handle(const shared_manager &one, occurrence what) {
  switch (what.what) {
    case occurrence::of::said:
      return handle_said(one, std::move(what.message));
    case occurrence::of::came_or_went:
      look_at_connection(one);
      return true;
    case occurrence::of::arrived_at_broker:
      host_.sent(one->id, what.partition, what.number);
      return true;
    case occurrence::of::too_large:
      break;
  }
  const auto number = static_cast<uint64_t>(what.message->number());
  if (number != one->taken + 1) return true;
  is_taken(one, "want a message of " + std::to_string(settings_.message_bytes) + " bytes at most, have " +
                    std::to_string(what.number) + "; make it smaller, or raise max_message_bytes");
  return true;
}

bool exchange::handle_said(const shared_manager &one, std::unique_ptr<v1::FromManager> message) {
  take_arrived(one, *message);
  kind of{};
  const std::string *bytes = nullptr;
  return !is_request(*message, of, bytes) || begin_request(one, of, std::move(message), *bytes);
}

void exchange::look_at_connection(const shared_manager &one) {
  bool present = false, goodbye = false, lost = false;
  {
    const std::lock_guard lock(mutex_);
    one->came_or_went = false;
    present = std::exchange(one->says_present, false);
    goodbye = one->says_goodbye;
    lost = one->is_lost;
  }
  if (goodbye) {
    host_.signal(one->id, TENON_RM_SHUTDOWN);
    is_ended(one, v1::Ended::GOODBYE);
  } else if (lost) {
    if (!std::exchange(one->host_knows_lost, true) && host_.signal(one->id, TENON_RM_LOST) == TENON_DECLINED)
      is_ended(one, v1::Ended::TIMEOUT);
  } else if (present) {
    is_present(one);
  }
}

void exchange::take_arrived(const shared_manager &one, const v1::FromManager &message) {
  for (const v1::Arrived &each : message.arrived()) {
    uint64_t last = 0;
    {
      const std::lock_guard lock(mutex_);
      if (each.number() > 0) last = one->arrived(each.partitionname(), static_cast<uint64_t>(each.number()));
      if (last != 0) one->confirmed_at = clock::now();
    }
    if (last != 0) host_.acknowledge(one->id, each.partitionname(), last);
  }
}

bool exchange::begin_request(const shared_manager &one, kind what, std::unique_ptr<v1::FromManager> message,
                             const std::string &bytes) {
  const auto number = static_cast<uint64_t>(message->number());
  if (number != one->taken + 1) {
    // One that came before is only confirmed. After a gap all that follow come again, once.
    const bool is_gap = message->number() > 0 && number > one->taken;
    if (is_gap && std::exchange(one->asked_again, true)) return true;
    const std::lock_guard lock(mutex_);
    tell_taken(one, is_gap);
    return true;
  }
  one->asked_again = false;
  auto in_hand = std::make_unique<request_in_hand>(what, std::move(message), bytes);
  std::string refusal;
  if (!in_hand->begin(one->rm, refusal)) {
    is_taken(one, refusal);
    return true;
  }
  if (!in_hand->ignored.empty()) {
    const std::lock_guard lock(mutex_);
    warn("request of RM \"" + one->rm + "\": " + in_hand->ignored);
  }
  one->in_hand = std::move(in_hand);
  return submit_rest(one);
}

bool exchange::submit_rest(const shared_manager &one) {
  request_in_hand &in_hand = *one->in_hand;
  transports::outcome said;
  do {
    const std::span<const tenon_rm_message *const> all(in_hand.batch.messages);
    if (in_hand.submitted == all.size()) continue;
    uint64_t accepted = 0;
    said = host_.submit(one->id, all.subspan(in_hand.submitted), accepted);
    in_hand.submitted += accepted;
  } while (said.status == TENON_OK && in_hand.next_piece());
  if (said.status == TENON_RETRY) return false;
  one->in_hand.reset();
  if (said.status == TENON_DECLINED) {
    is_ended(one, v1::Ended::TIMEOUT);
  } else {
    is_taken(one, said.status == TENON_OK ? "" : said.message);
  }
  return true;
}

void exchange::is_taken(const shared_manager &one, const std::string &refusal) {
  ++one->taken;
  const std::lock_guard lock(mutex_);
  if (!refusal.empty()) {
    v1::ToManager answer;
    answer.set_session(one->session);
    answer.mutable_refused()->set_number(static_cast<int64_t>(one->taken));
    answer.mutable_refused()->set_reason(utf8_of(refusal, "?"));
    say(one->topic, answer);
  }
  if (one->taken - one->taken_told >= requests_of_word) tell_taken(one, false);
}

void exchange::tell_taken(const shared_manager &one, bool send_again) {
  v1::ToManager answer;
  answer.set_session(one->session);
  answer.mutable_taken()->set_number(static_cast<int64_t>(one->taken));
  answer.mutable_taken()->set_again(send_again);
  say(one->topic, answer);
  one->taken_told = one->taken;
}

// What was told before is told again where the RM does not have it: so the scheduler hears of a loss first.
void exchange::is_present(const shared_manager &one) {
  {
    const std::lock_guard lock(mutex_);
    one->is_connected = false;
    one->forget_told();
  }
  tenon_status status = TENON_OK;
  if (!one->host_knows_lost) status = host_.signal(one->id, TENON_RM_LOST);
  {
    const std::lock_guard lock(mutex_);
    one->is_connected = !one->is_over && !one->is_lost;
    if (!one->is_over) tell_taken(one, true);
  }
  one->asked_again = one->host_knows_lost = false;
  if (status != TENON_DECLINED) status = host_.signal(one->id, TENON_RM_BACK);
  if (status == TENON_DECLINED) is_ended(one, v1::Ended::TIMEOUT);
}

void exchange::is_ended(const shared_manager &one, v1::Ended::Reason why) {
  const std::lock_guard lock(mutex_);
  if (one->is_over) return;
  say_ended(*one, why);
  remove(one);
}

// What the scheduler says.

tenon_status exchange::deliver(const tenon_transport_deliver_in &in, uint64_t &taken) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return TENON_DECLINED;
  const auto at = by_id_.find(in.session);
  if (at == by_id_.end()) return is_entering_ ? TENON_RETRY : TENON_DECLINED;
  manager &to = *at->second;
  const letters from(to, in);
  v1::ToManager message;
  while (taken < in.message_count) {
    if (!to.is_connected) return TENON_DECLINED;
    if (!to.has_room(settings_.queue_bytes)) return TENON_RETRY;
    if (is_broker_behind(of_answers)) return TENON_RETRY;
    uint64_t checks = 0;
    const uint64_t count = from.next(taken, message, checks);
    const std::string bytes = message.SerializeAsString();
    if (!send(to.topic, bytes, {0, at->second, message.partitionname(), checks}))
      return taken == 0 ? TENON_DECLINED : TENON_RETRY;
    if (to.waiting_count == 0) to.confirmed_at.reset();
    to.waiting[message.partitionname()].push_back({static_cast<uint64_t>(message.lastnumber()), bytes.size()});
    uint64_t &last = to.last_told[message.partitionname()];
    last = std::max(last, static_cast<uint64_t>(message.lastnumber()));
    to.waiting_bytes += bytes.size();
    ++to.waiting_count;
    taken += count;
  }
  return TENON_OK;
}

void exchange::ended(tenon_rm_session id, uint32_t why) {
  const std::lock_guard lock(mutex_);
  const auto at = by_id_.find(id);
  if (at == by_id_.end()) return;
  const shared_manager one = at->second;
  say_ended(*one, reason_of(why));
  remove(one);
}

}  // namespace tenon::mqtt
