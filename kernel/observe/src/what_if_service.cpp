// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What-if questions to a running scheduler, of the host and of modules.
#include <memory>

#include "services_impl.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/host/offered_service.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/observe/what_if_json.hpp"

namespace tenon::observe {
namespace {

namespace json = boost::json;

json::object with_user(json::object question, std::string_view user) {
  json::value *applications = question.if_contains("applications");
  if (applications == nullptr || !applications->is_array() || user.empty()) return question;
  for (json::value &one : applications->as_array())
    if (one.is_object()) one.as_object().emplace("user", user);
  return question;
}

// On the thread of whoever asks, in a turn of the scheduler.
what_if_said answered_here(kernel_access &to, const what_if_question &question, what_if_answer &into) {
  what_if_said out{TENON_RETRY, {"", "a scheduler that runs", "one that stops", "ask another time"}, {}};
  to.call([&](kernel &k, const kernel_access::applier &) {
    const auto said = answer_what_if(k, question);
    out = {};
    if (said) {
      into = *said;
    } else {
      out = {TENON_UNRESOLVABLE, said.why(), {}};
    }
  });
  return out;
}

what_if_said not_in_time() {
  return {TENON_RETRY, {"", "a scheduler with time to answer", "one that is busy or stops", "try again"}, {}};
}

class question_on_copy final : public copy_question {
 public:
  question_on_copy(const what_if_question &asked, what_if_answer &to) : asked_(asked), to_(to) {}

  std::optional<copied_part> look(kernel &live) override {
    const auto where = partition_meant(live, asked_.partition);
    if (!where) {
      said = {TENON_UNRESOLVABLE, where.why(), {}};
      return std::nullopt;
    }
    where_ = *where;
    return copied_part{where_.id, where_.name,
                       "ask `tenon whatif JOURNAL` about the journal that the daemon records with --record"};
  }

  void go_without(kernel &, const refusal &why) override { said = {TENON_UNSCHEDULABLE, why, {}}; }

  void answer(shared_copy &on, const std::atomic<bool> &stops) override {
    to_ = try_on(*on.copy(where_.id), asked_, where_, {on.has_checks(where_.id), &stops});
    said = {};
  }

  what_if_said said;

 private:
  const what_if_question &asked_;
  what_if_answer &to_;
  named_partition where_;
};

what_if_said answered_apart(copy_worker &copies, const what_if_question &question,
                            snapshot_keeper::clock::time_point until, what_if_answer &into) {
  question_on_copy asked(question, into);
  return copies.ask(asked, until) ? std::move(asked.said) : not_in_time();
}

}  // namespace

std::string held_up_in(const std::vector<rm_record> &rms, const std::string &partition) {
  const auto of = read_partition_name(partition);
  for (const rm_record &one : rms)
    if (of && of->rm == one.id) return held_up(one.id, one.held, one.throttled);
  return {};
}

std::string held_up(std::string_view rm, bool held, bool throttled) {
  const std::string nothing = "nothing is placed for RM " + config::in_quotes(rm) + " until ";
  if (held) return nothing + "its recovery is declared done, as by `tenon ctl recovery done " + std::string(rm) + "`\n";
  if (throttled) return nothing + "it has read more of its answers\n";
  return {};
}

what_if_said services::what_if(const json::object &question, std::string_view user, std::chrono::milliseconds within,
                               what_if_cost cost) {
  return impl_->what_if(question, user, within, cost);
}

what_if_said services::impl::what_if(const json::object &given, std::string_view user, std::chrono::milliseconds within,
                                     what_if_cost cost) {
  auto question = read_question(with_user(given, user));
  if (!question) return {TENON_INVALID_CONFIG, question.why(), {}};
  if (auto why = problem_of(*question)) return {TENON_INVALID_CONFIG, *why, {}};
  if (!to.is_manual()) question->now_ms = now_unix_ms();
  what_if_answer answer;
  what_if_said out = cost == what_if_cost::in_turn
                         ? answered_apart(copies, *question, snapshot_keeper::clock::now() + within, answer)
                         : answered_here(to, *question, answer);
  if (out.status != TENON_OK) return out;
  answer.text.insert(0, held_up_in(to.rms(), answer.partition));
  out.answer = answer_json(answer);
  return out;
}

tenon_status what_if_of(const tenon_host *host, const tenon_what_if_in *in, tenon_what_if_out *out) {
  auto *s = static_cast<services::impl *>(host::service_context(host, TENON_HOST_EXPLAIN));
  if (s == nullptr || in == nullptr || out == nullptr || !TENON_COVERS(in, tenon_what_if_in, question) ||
      !TENON_COVERS(out, tenon_what_if_out, error)) {
    return TENON_UNSUPPORTED;
  }
  auto question = parse_question(view_of(in->question), "question");
  if (question && in->partition.length != 0 && question->contains("partition"))
    question = refusal{"partition", "none in a question whose partition is named beside it", "one", "leave it out"};
  if (!question) {
    say(out->error, question.why().text());
    return TENON_INVALID_CONFIG;
  }
  if (in->partition.length != 0) (*question)["partition"] = view_of(in->partition);
  const std::chrono::milliseconds within(in->timeout_ms == 0 ? 10'000 : in->timeout_ms);
  const what_if_said said = s->what_if(*question, view_of(in->user), within);
  if (said.status != TENON_OK) {
    say(out->error, said.why.text());
    return said.status;
  }
  auto kept = std::make_shared<const std::string>(json::serialize(said.answer));
  out->answer = {kept->data(), kept->size()};
  out->id = s->explanations.keep(std::move(kept));
  if (out->id != 0) return TENON_OK;
  out->answer = {};
  say(out->error, "too many explanations are open");
  return TENON_EXHAUSTED;
}

}  // namespace tenon::observe
