// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "health.hpp"

#include <algorithm>
#include <utility>

#include "bytes.hpp"
#include "status.hpp"
#include "tenon/v1/standard.pb.h"
#include "unary.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr char kHealth[] = "/grpc.health.v1.Health/";

std::string said(v1::HealthCheckResponse::ServingStatus status) {
  v1::HealthCheckResponse out;
  out.set_status(status);
  return out.SerializeAsString();
}

grpc::Status not_a_request() {
  return {grpc::StatusCode::INVALID_ARGUMENT, "want a HealthCheckRequest, have bytes that are none"};
}

}  // namespace

// A call that hears of changes. There is one: from serving to not.
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
    const bool has_heard_all = !asked_ || (told_ && !serving_told_);
    if (is_over_ || (!of_.serving_ && has_heard_all)) {
      finished_ = true;
      finish(is_over_ ? problem_ : grpc::Status(grpc::StatusCode::UNAVAILABLE, "the scheduler shuts down"));
    } else if (asked_ && (!told_ || (known_ && of_.serving_ != serving_told_))) {
      told_ = writing_ = true;
      serving_told_ = known_ && of_.serving_;
      response_ = buffer_of(said(!known_         ? v1::HealthCheckResponse::SERVICE_UNKNOWN
                                 : serving_told_ ? v1::HealthCheckResponse::SERVING
                                                 : v1::HealthCheckResponse::NOT_SERVING));
      write(&response_);
    }
  }

 private:
  void on_read(bool ok) override {
    v1::HealthCheckRequest request;
    const bool parsed = ok && parse(request_, request);
    const std::lock_guard lock(of_.mutex_);
    asked_ = true;
    known_ = of_.knows(request.service());
    if (!parsed) end(not_a_request());
    change();
  }
  void on_written(bool ok) override {
    const std::lock_guard lock(of_.mutex_);
    writing_ = false;
    if (!ok) end({grpc::StatusCode::CANCELLED, "the connection is gone"});
    change();
  }
  void on_cancel() override {
    const std::lock_guard lock(of_.mutex_);
    asked_ = true;
    end({grpc::StatusCode::CANCELLED, "the client left"});
    change();
  }
  void on_done() override {
    {
      const std::lock_guard lock(of_.mutex_);
      of_.watches_.erase(this);
    }
    delete this;
  }
  void end(grpc::Status why) {
    is_over_ = true;
    problem_ = std::move(why);
  }

  health &of_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  grpc::Status problem_;
  bool asked_ = false;
  bool known_ = false;
  bool told_ = false;
  bool serving_told_ = false;
  bool writing_ = false;
  bool is_over_ = false;
  bool finished_ = false;
};

health::health(std::vector<std::string> names) : names_(std::move(names)) {
  methods_.add(std::string(kHealth) + "Check", [this](std::unique_ptr<incoming> opened) {
    begin_unary(nullptr, std::move(opened),
                [this](const grpc::ServerContext &, std::string_view request, std::string &response) {
                  return check(request, response);
                });
  });
  methods_.add(std::string(kHealth) + "Watch", [this](std::unique_ptr<incoming> opened) {
    auto *const made = new watch(*this, std::move(opened));  // NOLINT(cppcoreguidelines-owning-memory): see on_done
    made->begin();
  });
}

bool health::knows(const std::string &name) const {
  return name.empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
}

grpc::Status health::check(std::string_view request, std::string &response) {
  v1::HealthCheckRequest asked;
  if (!asked.ParseFromArray(request.data(), static_cast<int>(request.size()))) return not_a_request();
  if (!knows(asked.service())) {
    return status_of(grpc::StatusCode::NOT_FOUND, "want a service of this server, have \"" + asked.service() +
                                                      "\"; leave it empty to ask about all");
  }
  const std::lock_guard lock(mutex_);
  response = said(serving_ ? v1::HealthCheckResponse::SERVING : v1::HealthCheckResponse::NOT_SERVING);
  return grpc::Status::OK;
}

void health::stop_serving() {
  const std::lock_guard lock(mutex_);
  serving_ = false;
  for (watch *each : watches_) each->change();
}

}  // namespace tenon::grpc_transport
