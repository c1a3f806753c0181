// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "transport_at_work.hpp"

#include <exception>
#include <thread>
#include <vector>

#include "configurations.hpp"
#include "guarded_memory.hpp"

namespace tenon::conformance {
namespace {

using clock = std::chrono::steady_clock;

std::string milliseconds_of(clock::duration time) {
  return number(static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count())) + " ms";
}

}  // namespace

transport_at_work::transport_at_work(const opened_module &module, test_host::services given)
    : one_(instance::active(module, given)) {}

transport_at_work::~transport_at_work() {
  if (!started_ || one_ == nullptr || one_->raw() == nullptr || std::uncaught_exceptions() != 0) return;
  try {
    stop();
  } catch (const check_failed &) {  // the checks of stop say this
  }
}

tenon_status transport_at_work::try_start(std::string &why) {
  test_host::be(TENON_THREAD_IO);
  scheduler_.may_be_called(true);
  error_buffer said;
  const tenon_transport_start_in in{sizeof in, 0, transport_name};
  const tenon_status status =
      one_->asker().call("start", [&] { return one_->transport().start(one_->raw(), &in, said.message()); });
  if (auto problem = said.problem(); !problem.empty()) probe::fail("start: " + problem);
  why = said.text();
  started_ = status == TENON_OK;
  return status;
}

void transport_at_work::start() {
  std::string why;
  tenon_status status = try_start(why);
  for (int tries = 0; status == TENON_RETRY && tries < 20; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    status = try_start(why);
  }
  if (status == TENON_OK) return;
  const std::string outside = outside_of(one_->asker().manifest());
  if (status == TENON_RETRY && !outside.empty()) probe::skip("it wants " + outside + why);
  probe::fail("start gave " + status_name(status) + why);
}

void transport_at_work::stop(std::chrono::milliseconds drain) {
  test_host::be(TENON_THREAD_IO);
  error_buffer said;
  const tenon_transport_stop_in in{sizeof in, static_cast<uint32_t>(drain.count())};
  const auto began = clock::now();
  const tenon_status status =
      one_->asker().call("stop", [&] { return one_->transport().stop(one_->raw(), &in, said.message()); });
  const auto took = clock::now() - began;
  started_ = false;
  scheduler_.may_be_called(false);
  if (status != TENON_OK) probe::fail("stop gave " + status_name(status) + said.text());
  if (took > drain + stop_grace)
    probe::fail("stop took " + milliseconds_of(took) + " where it was given " + milliseconds_of(drain));
}

delivered transport_at_work::deliver(const tenon_transport_deliver_in &in, uint32_t out_bytes) {
  test_host::be(TENON_THREAD_IO);
  guarded_memory memory(true);
  auto *out =
      memory.structure("the output of deliver", tenon_transport_deliver_out{out_bytes, 0, 0}, out_bytes, false, 0);
  const tenon_status status =
      one_->asker().call("deliver", [&] { return one_->transport().deliver(one_->raw(), &in, out); });
  if (out->size != out_bytes) probe::fail("deliver changed the size of its output");
  return {status, out->taken};
}

delivered transport_at_work::offer_some(tenon_rm_session session, std::string_view partition, uint64_t first,
                                        std::span<const made_message> answers) {
  std::vector<const tenon_rm_message *> messages;
  for (const made_message &one : answers) messages.push_back(one.get());
  scheduler_.offers(session, partition, first + answers.size() - 1);
  const tenon_transport_deliver_in in{
      sizeof in, 0, session, {partition.data(), partition.size()}, first, messages.data(), messages.size()};
  const delivered out = deliver(in);
  if (out.taken > answers.size())
    probe::fail("deliver took " + number(out.taken) + " answers where " + number(answers.size()) + " were given");
  return out;
}

delivered transport_at_work::offer(tenon_rm_session session, std::string_view partition, uint64_t first,
                                   const std::vector<made_message> &answers) {
  return offer_some(session, partition, first, answers);
}

void transport_at_work::tell(tenon_rm_session session, std::string_view partition, uint64_t first,
                             const std::vector<made_message> &all) {
  std::span<const made_message> answers = all;
  const auto until = clock::now() + std::chrono::seconds(5);
  while (!answers.empty()) {
    const delivered told = offer_some(session, partition, first, answers);
    if (told.status != TENON_OK && told.status != TENON_RETRY && told.status != TENON_DECLINED)
      probe::fail("deliver gave " + status_name(told.status) + " for an RM that is connected");
    first += told.taken;
    answers = answers.subspan(told.taken);
    if (clock::now() > until)
      probe::fail("deliver gives " + status_name(told.status) + " for five seconds, and " + number(answers.size()) +
                  " answers for an RM that is connected are left");
    if (told.taken == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void transport_at_work::ended(tenon_rm_session session, uint32_t why) {
  if (one_->transport().ended == nullptr) return;
  test_host::be(TENON_THREAD_IO);
  const tenon_transport_ended_in in{sizeof in, why, session};
  one_->asker().call("ended", [&] { return one_->transport().ended(one_->raw(), &in); });
}

void transport_at_work::destroy() {
  test_host::be(TENON_THREAD_MAIN);
  one_->deactivate();
  one_->destroy();
}

void transport_at_work::want_no_complaint() {
  if (const auto wrong = scheduler_.complaints(); !wrong.empty()) probe::fail(wrong.front());
}

}  // namespace tenon::conformance
