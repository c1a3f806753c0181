// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "broker_link.hpp"

#include <mosquitto.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "tenon/sdk/unavailable.hpp"

namespace tenon::mqtt {
namespace {

using namespace std::chrono_literals;

constexpr int once_at_least = 1;                          // quality of service
constexpr auto goodbye = std::chrono::milliseconds(500);  // for what is said at the end

// The library is begun once in a process, however many instances there are.
struct library {
  library() { mosquitto_lib_init(); }
  ~library() { mosquitto_lib_cleanup(); }
  library(const library &) = delete;
  library &operator=(const library &) = delete;
};

std::string words_of(int error) { return error == MOSQ_ERR_ERRNO ? std::strerror(errno) : mosquitto_strerror(error); }

std::string first_line(const std::string &path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line))
    throw sdk::invalid_config("password_file: want a file with a line, have " + path +
                              ", which has none or cannot be read; write it, or name another");
  return line;
}

void want_done(const char *key, int error) {
  if (error == MOSQ_ERR_SUCCESS) return;
  throw sdk::invalid_config(std::string(key) + ": want what Mosquitto's client library takes, have what it refuses: " +
                            words_of(error) + "; write another");
}

const char *or_null(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

broker_link::broker_link(const settings &with, link_listener &listener, std::string subscription, std::string state)
    : settings_(with),
      listener_(listener),
      subscription_(std::move(subscription)),
      state_(std::move(state)),
      client_(nullptr, mosquitto_destroy) {}

broker_link::~broker_link() { stop(0ms); }

void broker_link::set_up() {
  static const library begun;
  client_.reset(mosquitto_new(settings_.client_id.c_str(), true, this));
  if (client_ == nullptr) throw sdk::unavailable("want a client of the broker, have: " + words_of(MOSQ_ERR_ERRNO));
  mosquitto *client = client_.get();
  mosquitto_threaded_set(client, true);
  want_done("topics", mosquitto_will_set(client, state_.c_str(), 0, nullptr, once_at_least, true));
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  if (!settings_.user.empty()) {
    const std::string password = settings_.password_file.empty() ? "" : first_line(settings_.password_file);
    want_done("user", mosquitto_username_pw_set(client, settings_.user.c_str(), or_null(password)));
  }
  if (!settings_.ca.empty()) {
    const int error = mosquitto_tls_set(client, settings_.ca.c_str(), nullptr, or_null(settings_.certificate),
                                        or_null(settings_.key), nullptr);
    if (error != MOSQ_ERR_SUCCESS)
      throw sdk::invalid_config("tls_ca: want files in PEM that can be read, have " + settings_.ca + ": " +
                                words_of(error) + "; look at tls_ca, tls_certificate and tls_key");
  }
  mosquitto_connect_callback_set(client, [](mosquitto *, void *self, int code) { of(self).connected(code); });
  mosquitto_disconnect_callback_set(client, [](mosquitto *, void *self, int code) { of(self).disconnected(code); });
  // Before it is heard that the broker grants it nothing is said to be there.
  mosquitto_subscribe_callback_set(client, [](mosquitto *, void *self, int, int count, const int *granted) {
    of(self).subscribed(count > 0 && granted[0] <= 2);
  });
  mosquitto_publish_callback_set(client, [](mosquitto *, void *self, int number) {
    broker_link &link = of(self);
    {
      const std::lock_guard lock(link.mutex_);
      if (link.unpublished_ > 0) --link.unpublished_;
    }
    link.changed_.notify_all();
    link.listener_.published(number);
  });
  mosquitto_message_callback_set(client, [](mosquitto *, void *self, const mosquitto_message *message) {
    // What a topic retains was said to somebody before.
    if (message->retain) return;
    const auto *bytes = static_cast<const char *>(message->payload);
    of(self).listener_.hear(message->topic, {bytes, static_cast<size_t>(message->payloadlen)});
  });
}

void broker_link::start() {
  set_up();
  const auto seconds = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(settings_.keepalive).count());
  const int error = mosquitto_connect_async(client_.get(), settings_.host.c_str(), settings_.port, seconds);
  if (error != MOSQ_ERR_SUCCESS) refusal_ = words_of(error);
  is_refused_ = false;
  stopping_ = ends_ = false;
  thread_ = std::thread([this] { run(); });
  {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, settings_.connect_timeout, [this] { return up_; })) return;
  }
  stop(0ms);
  throw sdk::unavailable("want an MQTT broker at " + settings_.host + ":" + std::to_string(settings_.port) +
                         ", have none within " + std::to_string(settings_.connect_timeout.count()) +
                         " ms: " + (refusal_.empty() ? "no answer" : refusal_) + "; start it, or mend `broker`");
}

void broker_link::connected(int code) {
  if (code != 0) {
    const std::lock_guard lock(mutex_);
    refuse(mosquitto_connack_string(code));
    return;
  }
  const int error = mosquitto_subscribe(client_.get(), nullptr, subscription_.c_str(), once_at_least);
  if (error == MOSQ_ERR_SUCCESS) return;
  const std::lock_guard lock(mutex_);
  refuse("subscription to " + subscription_ + ": " + words_of(error));
}

void broker_link::subscribed(bool is_granted) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_granted) {
      refuse("it grants no subscription to " + subscription_);
      return;
    }
    up_ = true;
    refusal_.clear();
  }
  listener_.is_up();
  changed_.notify_all();
}

void broker_link::refuse(std::string why) {
  refusal_ = std::move(why);
  is_refused_ = true;
}

void broker_link::disconnected(int code) {
  std::string why = mosquitto_strerror(code);
  bool was_up = false;
  {
    const std::lock_guard lock(mutex_);
    was_up = std::exchange(up_, false);
    changed_.notify_all();
    if (stopping_) return;
    if (!is_refused_) refusal_ = why;
  }
  if (was_up) listener_.is_down(why);
}

void broker_link::wait_to_retry() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, settings_.retry, [this] { return ends_; });
}

void broker_link::run() {
  for (;;) {
    // What others publish wakes it.
    const int error = mosquitto_loop(client_.get(), 100, 1);
    {
      const std::lock_guard lock(mutex_);
      if (ends_) return;
    }
    if (error == MOSQ_ERR_SUCCESS) continue;
    disconnected(error);
    wait_to_retry();
    {
      const std::lock_guard lock(mutex_);
      if (ends_) return;
      is_refused_ = false;
    }
    const int again = mosquitto_reconnect_async(client_.get());
    if (again == MOSQ_ERR_SUCCESS) continue;
    const std::lock_guard lock(mutex_);
    refusal_ = words_of(again);
  }
}

void broker_link::stop(std::chrono::milliseconds drain) {
  if (!thread_.joinable()) return;
  bool was_up = false;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.wait_for(lock, std::max(drain, goodbye), [this] { return unpublished_ == 0 || !up_; });
    was_up = up_;
  }
  if (was_up) mosquitto_disconnect(client_.get());
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, goodbye, [this] { return !up_; });
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  client_.reset();
}

bool broker_link::publish(const std::string &topic, std::string_view payload, int &number, bool retained) {
  {
    const std::lock_guard lock(mutex_);
    if (!up_) return false;
    ++unpublished_;
  }
  const int error = mosquitto_publish(client_.get(), &number, topic.c_str(), static_cast<int>(payload.size()),
                                      payload.data(), once_at_least, retained);
  // Without a connection the library keeps it, and sends it when there is one again.
  if (error == MOSQ_ERR_SUCCESS || error == MOSQ_ERR_NO_CONN) return true;
  const std::lock_guard lock(mutex_);
  --unpublished_;
  return false;
}

}  // namespace tenon::mqtt
