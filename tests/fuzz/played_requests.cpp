// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "played_requests.hpp"

#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "tenon/abi/transport.h"
#include "tenon/service/scheduler.hpp"
#include "tenon/si/v1later/si.pb.h"
#include "through_codec.hpp"

namespace tenon::fuzz {
namespace {

namespace pb = google::protobuf;

constexpr const char *queues_yaml = R"(
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: default
          - name: small
            resources: { max: { vcore: 2 } }
          - name: guarded
            resources: { guaranteed: { vcore: 4 } }
    limits:
      - limit: few
        users: [ bob ]
        maxapplications: 1
)";

constexpr const char *other_queues =
    "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: only } ] } ] } ]";

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

struct stream_of {
  wire::dialect spoken;
  const char *request;
  const char *response;
};
constexpr std::array<stream_of, 8> streams{{
    {wire::dialect::first, "UpdateRequest", "UpdateResponse"},
    {wire::dialect::later, "AllocationRequest", "AllocationResponse"},
    {wire::dialect::later, "ApplicationRequest", "ApplicationResponse"},
    {wire::dialect::later, "NodeRequest", "NodeResponse"},
    {wire::dialect::later, "CheckPlacementsRequest", "CheckPlacementsResponse"},
    {wire::dialect::later, "RecoveryRequest", "RecoveryResponse"},
    {wire::dialect::later, "ReportRequest", "ReportResponse"},
    {wire::dialect::later, "ConfigurationRequest", "ConfigurationResponse"},
}};

std::unique_ptr<pb::Message> new_message(const stream_of &stream, const std::string &name) {
  const pb::DescriptorPool &pool = *si::v1later::Quantity::descriptor()->file()->pool();
  const pb::Descriptor *type =
      pool.FindMessageTypeByName((stream.spoken == wire::dialect::first ? "si.v1." : "tenon.si.v1later.") + name);
  if (type == nullptr) type = pool.FindMessageTypeByName("tenon.v1." + name);
  return std::unique_ptr<pb::Message>(pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// The codec takes what protobuf's parser takes, and says the same.
bool read_as_protobuf(const stream_of &stream, std::string_view bytes, wire::arena &arena, wire::batch &batch) {
  if (const std::string how = testing::difference(bytes, *new_message(stream, stream.request)); !how.empty()) fail(how);
  std::string refusal;
  return wire::read(wire::schema_of(stream.spoken, stream.request), bytes, arena, batch, refusal);
}

// A scheduler whose one transport is here: answers become bytes in both dialects, and are gone.
class world {
 public:
  explicit world(observed *seen) : seen_(seen) {
    host::host_options how;
    how.preflight = false;
    auto host = host::open_deployment({}, how);
    if (!host) fail(host.why().text());
    service::scheduler_options options;
    options.manual = true;
    options.manual_start_ms = now_ms_;
    options.policy_groups = {{"default", queues_yaml}, {"other", other_queues}};
    if (seen_ != nullptr) options.decisions = [this](std::string_view line) { note(line); };
    auto made = service::scheduler::open(std::move(*host), std::move(options));
    if (!made) fail(made.why().text());
    service_ = std::move(*made);
    service_->attach("fuzz", &table, reinterpret_cast<tenon_instance *>(this));
    if (const auto why = service_->start()) fail(why->text());
  }
  ~world() { service_->stop(); }
  world(const world &) = delete;
  world &operator=(const world &) = delete;

  bool enter(std::string_view bytes) {
    const uint32_t wants = bytes.empty() ? 0 : static_cast<uint8_t>(bytes.front()) & 31U;
    if (!bytes.empty()) bytes.remove_prefix(1);
    const si::v1later::RegisterResourceManagerRequest type;
    if (const std::string how = testing::difference(bytes, type); !how.empty()) fail(how);
    wire::arena arena;
    wire::batch batch;
    std::string refusal;
    if (!wire::read(testing::schema_of(type), bytes, arena, batch, refusal)) return false;
    const auto &registration = *reinterpret_cast<const tenon_rm_registration *>(batch.messages.front());
    if (registration.rm.length == 0) return false;
    std::array<char, 4096> buffer;
    tenon_message said{sizeof said, buffer.size(), buffer.data(), 0};
    const tenon_rm_enter_in in{sizeof in, 0, transport_, &registration, wants, 0};
    tenon_rm_enter_out out{sizeof out, 0, 0, &said};
    const tenon_status status = rm_->enter(service_->linked_host(), &in, &out);
    if (status != TENON_OK && status != TENON_INVALID_CONFIG && status != TENON_EXHAUSTED)
      fail("a registration ends with status " + std::to_string(status));
    note("entered " + std::to_string(status) + std::string(buffer.data(), said.length));
    if (status == TENON_OK) session_ = out.session;
    return status == TENON_OK;
  }
  [[nodiscard]] bool entered() const { return session_ != 0; }

  uint64_t submit(const wire::batch &batch) {
    std::array<char, 4096> buffer;
    tenon_message said{sizeof said, buffer.size(), buffer.data(), 0};
    const tenon_rm_submit_in in{sizeof in, 0, session_, batch.messages.data(), batch.messages.size()};
    tenon_rm_submit_out out{sizeof out, 0, 0, &said};
    const tenon_status status = rm_->submit(service_->linked_host(), &in, &out);
    if (status != TENON_OK && status != TENON_INVALID_CONFIG && status != TENON_RETRY && status != TENON_DECLINED)
      fail("requests end with status " + std::to_string(status));
    note("submitted " + std::to_string(status) + std::string(buffer.data(), said.length));
    if (status == TENON_INVALID_CONFIG && said.length == 0) fail("a refusal without buffer");
    return out.accepted;
  }

  void wait(int64_t ms) {
    now_ms_ += ms;
    for (int i = 0; i < 4 && service_->step(64, now_ms_) != 0; ++i) {
    }
  }

  void hang_up() {
    for (const uint32_t signal : {TENON_RM_LOST, TENON_RM_BACK}) {
      const tenon_rm_signal_in in{sizeof in, signal, session_};
      rm_->signal(service_->linked_host(), &in);
      wait(1);
    }
  }

  [[nodiscard]] uint64_t answers() const { return answers_; }

 private:
  static world &of(tenon_instance *self) { return *reinterpret_cast<world *>(self); }
  static tenon_status start(tenon_instance *self, const tenon_transport_start_in *in, tenon_message *) {
    of(self).transport_ = in->transport;
    return TENON_OK;
  }
  static tenon_status stop(tenon_instance *, const tenon_transport_stop_in *, tenon_message *) { return TENON_OK; }

  static tenon_status deliver(tenon_instance *self, const tenon_transport_deliver_in *in,
                              tenon_transport_deliver_out *out) {
    world &to = of(self);
    for (uint64_t i = 0; i < in->message_count; ++i) {
      for (const stream_of &stream : streams) {
        const wire::schema &schema = wire::schema_of(stream.spoken, stream.response);
        if (wire::rank_of(schema, in->messages[i]->type) < 0) continue;
        std::string bytes, refusal;
        if (!wire::append(schema, in->messages[i], bytes, refusal) && refusal.empty())
          fail("an answer that is not written, without words");
        if (to.seen_ != nullptr) to.note_answer({in->partition.data, in->partition.length}, stream, bytes);
      }
      ++to.answers_;
    }
    out->taken = in->message_count;
    const tenon_rm_acknowledge_in has{sizeof has, 0, in->session, in->partition, in->first_number + out->taken - 1};
    rm_->sent(to.service_->linked_host(), &has);
    rm_->acknowledge(to.service_->linked_host(), &has);
    return TENON_OK;
  }

  void note(std::string_view line) {
    if (seen_ == nullptr) return;
    const std::lock_guard lock(mutex_);
    seen_->text.append(line).push_back('\n');
  }

  void note_answer(const std::string &partition, const stream_of &stream, const std::string &bytes) {
    const std::unique_ptr<pb::Message> message(new_message(stream, stream.response));
    message->ParsePartialFromString(bytes);
    const std::lock_guard lock(mutex_);
    seen_->answers[partition] += message->ShortDebugString() + '\n';
    note_fields(*message);
  }

  void note_fields(const pb::Message &message) {
    const pb::Reflection &look = *message.GetReflection();
    std::vector<const pb::FieldDescriptor *> fields;
    look.ListFields(message, &fields);
    for (const pb::FieldDescriptor *field : fields) {
      seen_->told.insert(field);
      if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
      if (!field->is_repeated()) note_fields(look.GetMessage(message, field));
      for (int i = 0; field->is_repeated() && i < look.FieldSize(message, field); ++i)
        note_fields(look.GetRepeatedMessage(message, field, i));
    }
  }

  static constexpr tenon_transport_v1 table{sizeof(tenon_transport_v1), 0, start, stop, deliver, nullptr, nullptr};
  static inline const tenon_host_rm *const rm_ = service::scheduler::rm_service();

  observed *const seen_;
  std::mutex mutex_;  // guards what it points to
  std::unique_ptr<service::scheduler> service_;
  uint64_t transport_ = 0;
  tenon_rm_session session_ = 0;
  int64_t now_ms_ = 1'000;
  std::atomic<uint64_t> answers_ = 0;
};

}  // namespace

std::string frame_of(frame_kind kind, std::string_view bytes) {
  std::string out{static_cast<char>(kind), static_cast<char>(bytes.size() & 255), static_cast<char>(bytes.size() >> 8)};
  return out.append(bytes);
}

played play(std::string_view bytes, observed *seen) {
  static const bool quiet = (pb::SetLogHandler(nullptr), true);
  static_cast<void>(quiet);
  played out;
  world in(seen);
  for (; bytes.size() >= 3 && out.frames < 64; ++out.frames) {
    const auto kind = static_cast<frame_kind>(static_cast<uint8_t>(bytes[0]) % frame_kinds);
    const size_t length = static_cast<uint8_t>(bytes[1]) | static_cast<size_t>(static_cast<uint8_t>(bytes[2])) << 8;
    const std::string_view inside = bytes.substr(3, length);
    bytes.remove_prefix(std::min(bytes.size(), 3 + length));
    if (kind == frame_kind::registration) {
      out.refused += in.enter(inside) ? 0 : 1;
      continue;
    }
    if (!in.entered() && !in.enter({"\0\x0a\x02rm", 5})) fail("a plain registration is refused");
    if (kind == frame_kind::wait) {
      int64_t ms = 0;
      for (size_t i = std::min<size_t>(inside.size(), 4); i-- > 0;) ms = ms << 8 | static_cast<uint8_t>(inside[i]);
      in.wait(ms);
    } else if (kind == frame_kind::hang_up) {
      in.hang_up();
    } else {
      wire::arena arena;
      wire::batch batch;
      if (!read_as_protobuf(streams[static_cast<size_t>(kind) - 1], inside, arena, batch)) {
        ++out.refused;
        continue;
      }
      out.taken += in.submit(batch);
      in.wait(1);
    }
  }
  out.answers = in.answers();
  return out;
}

}  // namespace tenon::fuzz

// What libFuzzer calls; it brings main().
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  tenon::fuzz::play({reinterpret_cast<const char *>(bytes), count});
  return 0;
}
