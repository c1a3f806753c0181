// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "grpc_health.hpp"

#include <algorithm>
#include <utility>

#include "http2/status.hpp"
#include "tenon/v1/standard.pb.h"
#include "unary.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr char health_service[] = "/grpc.health.v1.Health/";
constexpr std::chrono::seconds look_every{1};  // for those who watch

std::string said(v1::HealthCheckResponse::ServingStatus status) {
  v1::HealthCheckResponse out;
  out.set_status(status);
  return out.SerializeAsString();
}

rpc_status not_a_request() {
  return {status_code::invalid_argument, "want a HealthCheckRequest, have bytes that are none"};
}

}  // namespace

// A call that hears of changes.
class health::watch final : public call {
 public:
  watch(health &of, std::unique_ptr<incoming> opened) : call(std::move(opened)), of_(of) {}

  void begin() {
    {
      const std::lock_guard lock(of_.mutex_);
      of_.watches_.insert(this);
    }
    read(&request_);
  }

  // The lock is held.
  void change() {
    if (writing_ || finished_) return;
    const bool serves = known_ && of_.serves(whole_);
    const bool has_heard_all = !asked_ || (told_ && !serving_told_);
    if (is_over_ || (!of_.serving_ && has_heard_all)) {
      finished_ = true;
      finish(is_over_ ? problem_ : rpc_status{status_code::unavailable, "the scheduler shuts down"});
    } else if (asked_ && (!told_ || serves != serving_told_)) {
      told_ = writing_ = true;
      serving_told_ = serves;
      write(said(!known_         ? v1::HealthCheckResponse::SERVICE_UNKNOWN
                 : serving_told_ ? v1::HealthCheckResponse::SERVING
                                 : v1::HealthCheckResponse::NOT_SERVING));
    }
  }

 private:
  void on_read(bool ok) override {
    v1::HealthCheckRequest request;
    const bool parsed = ok && request.ParseFromString(request_);
    const bool whole = request.service().empty();
    const bool well = !whole || !of_.ask_ || of_.ask_();
    const std::lock_guard lock(of_.mutex_);
    asked_ = true;
    known_ = of_.knows(request.service());
    whole_ = whole;
    if (whole) of_.well_ = well;
    if (!parsed) end(not_a_request());
    change();
  }
  void on_written(bool ok) override {
    const std::lock_guard lock(of_.mutex_);
    writing_ = false;
    if (!ok) end({status_code::cancelled, "the connection is gone"});
    change();
  }
  void on_cancel() override {
    const std::lock_guard lock(of_.mutex_);
    asked_ = true;
    end({status_code::cancelled, "the client left"});
    change();
  }
  void on_done() override {
    {
      const std::lock_guard lock(of_.mutex_);
      of_.watches_.erase(this);
    }
    delete this;
  }
  void end(rpc_status why) {
    is_over_ = true;
    problem_ = std::move(why);
  }

  health &of_;
  std::string request_;
  rpc_status problem_;
  bool asked_ = false;
  bool known_ = false;
  bool whole_ = false;
  bool told_ = false;
  bool serving_told_ = false;
  bool writing_ = false;
  bool is_over_ = false;
  bool finished_ = false;
};

health::health(std::vector<std::string> names, std::function<bool()> well)
    : names_(std::move(names)), ask_(std::move(well)) {
  methods_.add(std::string(health_service) + "Check", question, [this](std::unique_ptr<incoming> opened) {
    begin_unary(nullptr, std::move(opened), {}, [this](const call &, std::string_view request, std::string &response) {
      return check(request, response);
    });
  });
  methods_.add(std::string(health_service) + "Watch", question, [this](std::unique_ptr<incoming> opened) {
    auto *const made = new watch(*this, std::move(opened));  // NOLINT(cppcoreguidelines-owning-memory): see on_done
    made->begin();
  });
  if (ask_) looking_.emplace(look_every, [this] { look(); });
}

void health::look() {
  {
    const std::lock_guard lock(mutex_);
    if (watches_.empty()) return;
  }
  const bool well = ask_();
  const std::lock_guard lock(mutex_);
  well_ = well;
  for (watch *each : watches_) each->change();
}

bool health::knows(const std::string &name) const {
  return name.empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
}

rpc_status health::check(std::string_view request, std::string &response) {
  v1::HealthCheckRequest asked;
  if (!asked.ParseFromArray(request.data(), static_cast<int>(request.size()))) return not_a_request();
  if (!knows(asked.service())) {
    return status_of(status_code::not_found, "want a service of this server, have \"" + asked.service() +
                                                 "\"; leave it empty to ask about all");
  }
  const bool whole = asked.service().empty();
  const bool well = !whole || !ask_ || ask_();
  const std::lock_guard lock(mutex_);
  if (whole) well_ = well;
  response = said(serves(whole) ? v1::HealthCheckResponse::SERVING : v1::HealthCheckResponse::NOT_SERVING);
  return rpc_status{};
}

void health::stop_serving() {
  const std::lock_guard lock(mutex_);
  serving_ = false;
  for (watch *each : watches_) each->change();
}

}  // namespace tenon::grpc_transport
