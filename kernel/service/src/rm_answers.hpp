// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Decisions as answers to RMs: which message, for whom.
#pragma once

#include <cstdint>
#include <string_view>

#include "rm_session.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/kernel/kernel.hpp"

namespace tenon::service {

// The messages that a decision of this kind becomes, TENON_RM_*; none: 0. To an RM that asks by allocations, what is
// said of asks is said as of allocations.
struct answer_rule {
  decision_kind kind;
  uint32_t message = 0;
  uint32_t wanted = 0;       // a second message, for RMs that ...
  uint32_t wants = 0;        // ... want it: TENON_RM_WANTS_*
  const char *else_to = "";  // where it goes that no RM hears: for the documents
};
[[nodiscard]] const answer_rule &answer_rule_of(decision_kind kind);

// Writes answers into answer queues. Of one cycle thread; keeps its memory.
class answer_writer {
 public:
  // The number of answers. While kernel::drain() hands the decision over. `uuid` is the scheduler's own, of decisions
  // about allocations; where the RM reported the allocation under another one, it hears that.
  uint32_t write(const decision_view &d, const kernel &state, rm_session &to, rm_partition &where,
                 std::string_view uuid);
  void question(const reservation_question &asked, const kernel &state, rm_partition &where);
  static void question_over(const reservation_question &asked, std::string_view reason, const rm_partition &where);

 private:
  void allocation(const decision_view &d, const kernel &state, const rm_partition &where, std::string_view uuid);
  void release(const decision_view &d, const rm_partition &where, std::string_view uuid);
  void ask_release(const decision_view &d, const rm_partition &where);
  void rejected_ask(const decision_view &d, const rm_partition &where, uint32_t type);
  void verdict(const decision_view &d, const rm_partition &where, uint32_t type);
  void application_state(const decision_view &d, const rm_partition &where);
  void scheduling_state(const decision_view &d, const rm_partition &where);
  void check(const decision_view &d, const kernel &state, rm_partition &where);
  void check_over(const decision_view &d, const rm_partition &where);
  void assumption(const decision_view &d, const rm_partition &where, uint32_t type);

  placement_view placement_;
  std::string words_;
};

// The request's outcome, to the RM that asked for a configuration of its own.
void answer_configuration(rm_session &to, bool success, std::string_view reason, std::string_view old_config);
void answer_event(rm_session &to, const tenon_rm_event &event);
// A foreign allocation that the RM reported counts: the kernel says nothing of these.
void answer_foreign(answer_queue &to, const put_allocation &reported, std::string_view uuid);
// Whether the RM is held, to its report.
void answer_recovery(rm_session &to);
// What is refused before it reaches the kernel.
void answer_refused_application(answer_queue &to, std::string_view application, std::string_view reason);
void answer_refused_ask(answer_queue &to, const put_ask &ask, std::string_view reason, bool as_allocation);
void answer_refused_node(answer_queue &to, std::string_view node, std::string_view reason);
// TENON_TERMINATION_*
[[nodiscard]] uint32_t number_of(termination why);

}  // namespace tenon::service
