// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One instance of a policy and the process that it lives in. A process that ends or is late is killed and replaced by
// another one, later each time; until that one is ready every call fails at once.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "isolation/batch_writer.hpp"
#include "isolation/isolated_module.hpp"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/sort.h"

namespace tenon::host::isolation {

class isolated_instance {
 public:
  // `request` is what the process makes it of, in bytes.
  isolated_instance(const isolated_module &of, std::string request) : of_(of), request_(std::move(request)) {}

  static isolated_instance &of(tenon_instance *self) { return *reinterpret_cast<isolated_instance *>(self); }
  tenon_instance *handle() { return reinterpret_cast<tenon_instance *>(this); }
  [[nodiscard]] const isolated_module &module() const { return of_; }
  [[nodiscard]] const std::string &request() const { return request_; }

  // Starts its first process and waits for it. What the process could not be brought to say is an INTERNAL.
  const instance_report &start();
  // The same in steps: begin() starts the process, is_starting() waits so long for it and returns false once report()
  // holds.
  void begin();
  [[nodiscard]] bool is_starting(std::chrono::nanoseconds patience);
  [[nodiscard]] const instance_report &report() const { return report_; }
  [[nodiscard]] const std::string &cause() const { return cause_; }
  // Of the last call, or of start(): how the process was lost in it.
  [[nodiscard]] const process_loss &loss() const { return loss_; }
  void end();
  // The same, and waits that long for its end: loss() says how it was, where it was not as it should be.
  void end_and_look(std::chrono::milliseconds limit);

  tenon_status keys(call_kind what, const tenon_batch *in, tenon_keys_out *out);
  tenon_status prepare(const tenon_prepare_in *in, tenon_prepare_out *out);
  tenon_status filter(const tenon_batch *in, tenon_filter_out *out);
  tenon_status signature(const tenon_batch *in, tenon_signature_out *out);
  tenon_status filter_prefix(const tenon_filter_prefix_in *in, tenon_filter_prefix_out *out);
  tenon_status place(const tenon_place_in *in, tenon_place_out *out);
  tenon_status resolve(const tenon_resolve_in *in, tenon_resolve_out *out);
  tenon_status emit(const tenon_event_emit_in *in, tenon_event_emit_out *out);
  tenon_status query(const tenon_event_query_in *in, tenon_event_query_out *out);

 private:
  enum class state : uint8_t { down, opening, creating, active };
  struct addresses {
    uint64_t input, output;
  };
  // Room for the words of a status, as the caller gave it.
  struct sent_message {
    placed<tenon_message> head;
    placed<char> words;

    // nullptr where the caller gave none.
    tenon_message *send(const tenon_message *from, region_writer &to);
    void take(tenon_message *to) const;
  };

  template <class Put, class Take>
  tenon_status call(call_kind what, Put &&put, Take &&take);
  bool is_ready();
  [[nodiscard]] bool is_under_way() const { return state_ == state::opening || state_ == state::creating; }
  void step(std::chrono::nanoseconds patience);
  void opened();
  void created();
  bool answered(std::chrono::nanoseconds patience, std::chrono::nanoseconds limit);
  bool call_answered(std::chrono::nanoseconds limit);
  bool is_there(module_process::outcome how, std::chrono::nanoseconds limit, std::string_view waited = {});
  void lose(std::string why, const process_loss &how);

  const isolated_module &of_;
  std::string request_;
  state state_ = state::down;
  bool has_been_active_ = false;
  std::unique_ptr<module_process> process_;
  std::optional<batch_writer> batches_;
  instance_report report_;
  std::string cause_;
  process_loss loss_;
  // What it was lost for, and when it is tried again.
  uint32_t losses_ = 0;
  uint64_t calls_ = 0;  // of this process
  std::chrono::steady_clock::time_point asked_at_, not_before_;
};

}  // namespace tenon::host::isolation
