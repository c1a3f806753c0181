// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Requests of RMs on the cycle thread: each in its RM's order.
#include <algorithm>
#include <utility>

#include "cycle_thread.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/service/ignored_settings.hpp"

namespace tenon::service {
namespace {

constexpr uint32_t most_in_a_row = 4'096;  // of an RM that is alone

}  // namespace

bool cycle::pump(rm_session &from) {
  from.take(from.open);
  uint32_t left = serves_several() ? most_beside_others : most_in_a_row;
  while (!from.open.empty()) {
    request_batch &first = *from.open.front();
    for (; first.next < first.requests.size(); ++first.next) {
      if (from.ended) return false;
      if (left-- == 0) return true;
      const progress made = apply(from, first, first.requests[first.next]);
      if (made != progress::done) return made == progress::in_parts;
    }
    from.waiting_requests -= first.requests.size();
    from.waiting_bytes -= first.bytes;
    shared_.request_batches.give(std::move(from.open.front()));
    from.open.pop_front();
  }
  return false;
}

cycle::progress cycle::apply(rm_session &from, request_batch &of, request &one) {
  if (one.recovery_report) {
    if (one.recovery_done) from.held = false;
    answer_recovery(from);
    ++shared_.counters.answers;
    return progress::done;
  }
  if (!one.names_partition && from.partitions.size() == 1) {
    // The name lives as long as the request, which may wait for groups while the partition goes.
    const std::string &only = from.partitions.front()->full_name;
    const auto go_to_its_only_one = [&](auto &what) {
      if constexpr (requires { what.partition; }) {
        if (what.partition != only) what.partition = of.memory.copy(only);
      }
    };
    std::visit(go_to_its_only_one, one.what);
  }
  if (serves_several() && release_a_part(one)) return progress::in_parts;
  if (auto *application = std::get_if<add_application>(&one.what)) {
    if (one.wants_groups && resolve(from, of, one, *application) == progress::stalled) return progress::stalled;
    if (application->partition.empty()) return progress::done;  // refused above
  } else if (const auto *let_go = std::get_if<release>(&one.what)) {
    apply_release(from, from.find_partition(let_go->partition), one, *let_go);
    return progress::done;
  } else if (std::holds_alternative<tenon::configure>(one.what)) {
    apply_own_configuration(from, of.configurations[one.attachment - 1]);
    return progress::done;
  } else if (std::holds_alternative<put_ask>(one.what)) {
    from.asks_by_allocations = one.as_allocation;
  } else if (auto *update = std::get_if<update_node>(&one.what)) {
    update->partition = partition_of_node(from, update->partition, update->node);
  } else if (auto *change = std::get_if<change_node>(&one.what)) {
    change->partition = partition_of_node(from, change->partition, change->node);
    apply_change(*change);
    return progress::done;
  }
  if (const auto *said = std::get_if<check_answer>(&one.what);
      said != nullptr && said->number >= reservation_question::first_number) {
    answer_question(from, *said);
    return progress::done;
  }
  if (auto *reported = std::get_if<put_allocation>(&one.what)) find_reported(from, one, *reported);
  if (is_beyond_bounds(from, one.what)) return progress::done;
  existing_ = one.uuids.empty() ? nullptr : &one;
  next_existing_ = 0;
  apply(one.what);
  existing_ = nullptr;
  const auto *reported = std::get_if<put_allocation>(&one.what);
  const rm_partition *where = reported == nullptr ? nullptr : from.find_partition(reported->partition);
  if (from.who.hold && where != nullptr && reported->allocation.foreign && !report_refused_) {
    answer_foreign(*where->answers, *reported, one.uuids.front());
    ++shared_.counters.answers;
  }
  return progress::done;
}

// A node is where it was created, whatever a later message says or leaves out.
std::string_view cycle::partition_of_node(const rm_session &from, std::string_view said, std::string_view node) const {
  const auto has_it = [&](const auto &one) { return kernel_.state_of_node(one->id, node).has_value(); };
  const rm_partition *named = from.find_partition(said);
  if (from.partitions.size() == 1 || (named != nullptr && has_it(named))) return said;
  const auto found = std::find_if(from.partitions.begin(), from.partitions.end(), has_it);
  return found == from.partitions.end() ? said : std::string_view((*found)->full_name);
}

// Which allocation an RM means that gives a UUID: one that has it, or one more of its ask.
void cycle::find_reported(const rm_session &from, const request &one, put_allocation &c) {
  const rm_partition *where = from.find_partition(c.partition);
  if (where == nullptr || one.uuids.front().empty() || c.allocation.foreign) return;
  const auto known = where->named.find(hash_of(one.uuids.front()));
  c.allocation.apart = known == where->named.end();
  if (!c.allocation.apart) c.allocation.sequence = known->second.sequence;
}

bool cycle::is_beyond_bounds(rm_session &from, command &c) {
  kept_amounts more = growth_by(c);
  if (more == kept_amounts{}) return false;
  kept_amounts kept = kernel_.kept_for(from.who.rm);
  if (rm_bounds::has_room(kept, more, shared_.limits)) return false;
  if (auto *checked = std::get_if<check_answer>(&c)) {
    checked->reason = {};  // for people alone
    return false;
  }
  const kept_amounts instead = kernel_.kept_instead_of(c);
  const auto replace = [](uint64_t &has, uint64_t &comes, uint64_t goes) {
    // What is replaced stays within what it was.
    if (comes <= goes) {
      comes = 0;
    } else {
      has -= goes;
    }
  };
  replace(kept.applications, more.applications, instead.applications);
  replace(kept.asks, more.asks, instead.asks);
  replace(kept.nodes, more.nodes, instead.nodes);
  replace(kept.bytes, more.bytes, instead.bytes);
  const std::string_view partition = std::visit(
      [](const auto &of) -> std::string_view {
        if constexpr (requires { of.partition; }) return of.partition;
        return {};
      },
      c);
  rm_partition *where = from.find_partition(partition);
  if (where == nullptr) return false;  // the kernel refuses it
  const std::string why = from.bounds.refuse(kept, more, shared_.limits);
  if (why.empty()) return false;
  if (from.bounds.is_news()) shared_.warn("RM '" + from.who.rm + "' keeps as much as it may: " + why);
  shared_.counters.answers += answer_beyond_bounds(from, *where, c, why);
  return true;
}

uint32_t cycle::answer_beyond_bounds(const rm_session &from, const rm_partition &where, const command &c,
                                     const std::string &why) {
  if (const auto *ask = std::get_if<put_ask>(&c)) {
    answer_refused_ask(*where.answers, *ask, why, from.asks_by_allocations);
  } else if (const auto *allocation = std::get_if<put_allocation>(&c)) {
    answer_refused_ask(*where.answers, allocation->allocation.ask, why, true);
  } else if (const auto *application = std::get_if<add_application>(&c)) {
    answer_refused_application(*where.answers, application->application, why);
  } else if (const auto *node = std::get_if<add_node>(&c)) {
    answer_refused_node(*where.answers, node->node, why);
  } else if (const auto *update = std::get_if<update_node>(&c)) {
    note_refused_change(update->node, update->partition,
                        from.who.rm + ": node '" + std::string(update->node) + "' is not changed: " + why);
    return 0;  // no dialect has an answer for it
  }
  return 1;
}

// Shims say of every node at their start that it takes work. The refusal of what is so already is an event alone: a
// warning is for what is not as it was wished.
void cycle::apply_change(const change_node &c) {
  const bool undrains = c.event == static_cast<uint8_t>(node_event::undrain);
  as_wished_ =
      undrains && kernel_.state_of_node(kernel_.find_partition(c.partition), c.node) == node_state::schedulable;
  apply(c);
  as_wished_ = false;
}

// Groups of the user. Stalls the RM's requests behind it while its source is asked; other RMs go on.
cycle::progress cycle::resolve(rm_session &from, request_batch &of, request &one, add_application &c) {
  const rm_partition *where = from.find_partition(c.partition);
  if (where == nullptr || where->identities == nullptr) {
    const auto alone = of.memory.array<std::string_view>(1);
    alone[0] = c.user;
    c.groups = alone;
    return progress::done;
  }
  if (one.attachment == 0) {
    auto pending = std::make_shared<pending_identity>();
    of.identities.push_back(pending);
    one.attachment = static_cast<uint32_t>(of.identities.size());
    where->identities->resolve({c.user, {}, one.forced},
                               [pending, wake = shared_.wake](const host::group_answer &answer) {
                                 pending->answer = answer;
                                 pending->known.store(true, std::memory_order_release);
                                 wake();
                               });
  }
  const pending_identity &asked = *of.identities[one.attachment - 1];
  if (!asked.known.load(std::memory_order_acquire)) return progress::stalled;
  if (!asked.answer.problem.empty()) {
    answer_refused_application(*where->answers, c.application, asked.answer.problem);
    ++shared_.counters.answers;
    c.partition = {};
    return progress::done;
  }
  const auto groups = of.memory.array<std::string_view>(asked.answer.groups.size());
  std::copy(asked.answer.groups.begin(), asked.answer.groups.end(), groups.begin());
  c.groups = groups;
  return progress::done;
}

bool cycle::release_a_part(request &one) {
  release part;
  part.why = termination::stopped_by_rm;
  if (const auto *goes = std::get_if<remove_application>(&one.what)) {
    part.partition = goes->partition;
    part.application = goes->application;
  } else if (const auto *wish = std::get_if<release>(&one.what); wish != nullptr && one.uuid.empty()) {
    part = *wish;
    if (part.what != release_what::both || !part.key.empty()) return false;
  } else {
    return false;
  }
  const partition_id where = kernel_.find_partition(part.partition);
  const auto allocations = [&] {
    return kernel_.place_of(where, part.application).value_or(application_place()).allocations;
  };
  const size_t before = allocations();
  if (before <= most_ends_beside_others) return false;
  if (!std::exchange(one.in_parts, true)) {  // nothing more of it may begin meanwhile
    part.what = release_what::asks;
    apply(part);
  }
  part.what = release_what::allocations;
  part.limit = most_ends_beside_others;
  apply(part);
  return allocations() < before;
}

void cycle::apply_release(const rm_session &from, rm_partition *where, const request &one, release c) {
  if (where == nullptr) {
    // All that was in one that has drained and gone was released.
    if (from.find_answer_queue(plain_partition(c.partition)) != nullptr) return;
    return refuse_release(from, one, c, "the resource manager has no such partition");
  }
  if (one.uuid.empty()) return apply_release_of_all(from, *where, c);
  const auto known = where->named.find(hash_of(one.uuid));
  if (known == where->named.end()) {
    const auto has_it = [&](const auto &other) { return other->named.find(hash_of(one.uuid)) != other->named.end(); };
    const auto other = std::find_if(from.partitions.begin(), from.partitions.end(), has_it);
    // Else it is not there any more, or never was.
    if (other != from.partitions.end())
      refuse_release(from, one, c, "the allocation is in partition " + (*other)->full_name);
    return;
  }
  const named_allocation it = known->second;
  const bool of_another = (!c.application.empty() && hash_of_name(c.application) != it.application) ||
                          (!c.key.empty() && hash_of_name(c.key) != it.key);
  if (of_another) return refuse_release(from, one, c, "the allocation is another one's");
  c.allocation_sequence = it.sequence;
  apply(c);
  where->forget(it.sequence, hash_of(one.uuid));
}

// The kernel makes no decision about an allocation of which the RM says that it has ended by itself.
void cycle::apply_release_of_all(const rm_session &from, rm_partition &where, const release &c) {
  const bool is_wish = c.why == termination::stopped_by_rm || c.why == termination::unknown;
  std::vector<std::pair<uint64_t, uuid_hash>> ended;
  if (!is_wish) {
    decision_view d;
    d.partition = where.full_name;
    d.epoch = from.who.epoch;
    each_allocation_of(kernel_, c, [&](std::string_view application, std::string_view key, uint64_t sequence) {
      d.application = application;
      d.key = key;
      d.allocation_sequence = sequence;
      ended.emplace_back(sequence, hash_of(allocation_uuid(d)));
    });
  }
  apply(c);
  for (const auto &[sequence, uuid] : ended) where.forget(sequence, uuid);
}

void cycle::refuse_release(const rm_session &from, const request &one, const release &c, const std::string &why) {
  shared_.note_event({"tenon",
                      "release refused",
                      std::string(one.uuid),
                      "RM '" + from.who.rm + "' releases allocation " + std::string(one.uuid) + " in partition " +
                          std::string(c.partition) + " of application '" + std::string(c.application) + "' with key '" +
                          std::string(c.key) + "', but " + why + "; nothing is released",
                      std::string(c.partition),
                      std::string(c.application),
                      {},
                      {}});
}

void cycle::apply_own_configuration(rm_session &from, const sent_configuration &sent) {
  const std::string before = from.in_force->text;
  outcome out{false, sent.reason};
  if (sent.config != nullptr) {
    group_config wanted;
    wanted.text = sent.text;
    wanted.config = sent.config;
    wanted.file = "the configuration that was sent";
    const auto why = configure(from, wanted, false);
    out = {!why, why ? why->text() : std::string()};
    if (out.good) shared_.drop_of_rm(from.who.rm);
  }
  answer_configuration(from, out.good, out.good ? ignored_settings(sent.ignored) : out.message, before);
  ++shared_.counters.answers;
}

}  // namespace tenon::service
