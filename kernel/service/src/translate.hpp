// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages of the scheduler interface as the kernel's commands, checked and copied into a batch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "request_batch.hpp"
#include "tenon/abi/rm_requests.h"
#include "tenon/host/running_limits.hpp"

namespace tenon::service {

// Reads the configuration of a tenon_rm_configuration.
using configuration_reader = std::function<sent_configuration(std::string_view policy_group, std::string_view text)>;

// Of one RM, for one request_batch.
class translator {
 public:
  translator(request_batch &to, std::string_view rm, const host::running_limits &limits,
             const configuration_reader &read)
      : to_(to), rm_(rm), limits_(limits), read_(read) {}

  // Appends the requests that the message means; what is wrong with it, and then nothing is appended.
  [[nodiscard]] std::optional<std::string> add(const tenon_rm_message *message);

 private:
  struct problem {
    std::string text;
  };

  template <class Message>
  const Message &as(const tenon_rm_message &message) const;
  [[nodiscard]] std::string subject(const tenon_rm_message &message) const;
  std::string_view text(const tenon_text &from, std::string_view what);
  std::string_view name(const tenon_text &from, std::string_view what);
  std::string_view partition(std::string_view plain);
  amounts amounts_of(const tenon_rm_amounts &from, std::string_view what);
  texts pairs_of(const tenon_rm_pairs &from, std::string_view what);

  void application(const tenon_rm_application &m);
  void removal(const tenon_rm_application_removal &m);
  void node(const tenon_rm_node &m);
  void ask(const tenon_rm_ask &m);
  void allocation(const tenon_rm_allocation &m);
  void release(const tenon_rm_release &m);
  void ask_release(const tenon_rm_ask_release &m);
  void configuration(const tenon_rm_configuration &m);
  void check_answered(const tenon_rm_check_answer &m);
  void check_anew(const tenon_rm_check_again &m);
  void recovery(const tenon_rm_recovery_report &m);
  void priority(const tenon_rm_priority &from, put_ask &to);
  void from_tags(put_ask &to, const tenon_rm_preemption &preemption);
  existing_allocation existing(const tenon_rm_allocation &m, std::string_view partition_name);

  request_batch &to_;
  std::string_view rm_;
  const host::running_limits &limits_;
  const configuration_reader &read_;
  // Memory of the batch, which counts.
  template <class T>
  std::span<T> array_of(size_t count) {
    to_.bytes += count * sizeof(T);
    return to_.memory.array<T>(count);
  }

  bool names_partition_ = false;  // the message does
  std::string_view last_plain_, last_partition_;
};

// Tags of allocations with a meaning for the scheduler alone.
inline constexpr std::string_view devices_tag = "tenon/devices";      // both ways: the devices that it holds
inline constexpr std::string_view recovered_tag = "tenon/recovered";  // to the RM: it reported this one itself
inline constexpr std::string_view bind_time_tag = "tenon/bindTime";   // to the scheduler: Unix milliseconds
inline constexpr std::string_view preempt_other_tag = "tenon/allowPreemptOther";

[[nodiscard]] inline std::string_view view_of(const tenon_text &text) {
  return text.length == 0 ? std::string_view() : std::string_view(text.data, text.length);
}

}  // namespace tenon::service
