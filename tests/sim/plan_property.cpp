// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// plan-property: random states and configurations. Each configuration is planned, then the same scheduler is reloaded
// with it: it must refuse what was said to be refused, in the same words, and what was said to be lost must be lost. On
// a copy for another thread, which serves others too, the plan must be the same.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "break_config.hpp"
#include "load.hpp"
#include "make_config.hpp"
#include "seed_options.hpp"
#include "tenon/builtin/policy_source.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/observe/config_plan.hpp"

namespace tenon::sim {
namespace {

using observe::config_plan;
using observe::loss_kind;
using observe::planned_loss;
using observe::submission;

const profile &profile_of(uint64_t seed) {
  static constexpr std::string_view names[] = {"plain", "placement", "limits",     "quotas",       "whole",
                                               "gangs", "reloads",   "everything", "reservations", "preemption"};
  return *find_profile(std::string(names[seed % std::size(names)]));
}

struct figures {
  uint64_t plans = 0, wrong = 0, refused = 0, empty = 0, moves = 0, submissions = 0;
  std::map<loss_kind, uint64_t> losses;
};

int64_t amount_in(const amount_map &amounts, const std::string &type) {
  const auto found = amounts.find(type);
  return found == amounts.end() ? 0 : found->second;
}

const partition_snapshot *find(const kernel_snapshot &in, const std::string &name) {
  for (const partition_snapshot &p : in.partitions)
    if (p.name == name) return &p;
  return nullptr;
}

const queue_snapshot *find_queue(const kernel_snapshot &in, const std::string &partition, const std::string &path) {
  const partition_snapshot *p = find(in, partition);
  if (p == nullptr) return nullptr;
  for (const queue_snapshot &q : p->queues)
    if (q.path == path) return &q;
  return nullptr;
}

queue_config &some_queue(random &r, queue_config &root) {
  queue_config *q = &root;
  while (!q->queues.empty() && (q == &root || r.percent(40))) {
    q = &q->queues[static_cast<size_t>(r.between(0, static_cast<int64_t>(q->queues.size()) - 1))];
  }
  return *q;
}

// What people do to a configuration: one thing of it.
void change(random &r, cluster_config &c) {
  partition_config &p = c.partitions[static_cast<size_t>(r.between(0, static_cast<int64_t>(c.partitions.size()) - 1))];
  queue_config &q = some_queue(r, p.root);
  switch (r.between(0, 8)) {
    case 0: {
      auto &all = r.percent(60) ? p.root.queues : q.queues;
      if (!all.empty()) all.erase(all.begin() + r.between(0, static_cast<int64_t>(all.size()) - 1));
      break;
    }
    case 1:
      if (&q != &p.root) q.max["vcore"] = r.between(1, 3);
      break;
    case 2:
      if (&q != &p.root) q.max_applications = 1;
      break;
    case 3: {
      limit_config limit;
      limit.users = {r.one_of({"ann", "bob", "*"})};
      limit.max_resources = {{"vcore", r.between(1, 3)}};
      if (r.percent(50)) limit.max_applications = 1;
      q.limits = {limit};
      break;
    }
    case 4:
      p.root.submit_acl = r.one_of({"ann", "", " dev"});
      break;
    case 5:
      p.placement_rules.clear();
      p.placement_rules.emplace_back().name = "fixed";
      p.placement_rules.back().value = r.one_of({"a", "b", "made"});
      p.placement_rules.back().create = r.percent(60);
      break;
    case 6:
      if (c.partitions.size() > 1) c.partitions.erase(c.partitions.begin() + (&p - c.partitions.data()));
      break;
    case 7: {
      queue_config made;
      made.name = r.one_of({"a", "b", "fresh"});
      const auto same = [&](const queue_config &one) { return one.name == made.name; };
      if (std::none_of(q.queues.begin(), q.queues.end(), same)) q.queues.push_back(made);
      break;
    }
    default:
      q.properties["application.sort.policy"] = r.one_of({"fair", "fifo", "stateaware"});
  }
}

class planner {
 public:
  planner(uint64_t seed, figures &to) : seed_(seed), to_(to), load_(seed, &profile_of(seed)), random_(~seed) {}

  void play() {
    kernel_snapshot seen = kernel_.snapshot();
    const int64_t end = random_.between(120, 240);
    for (int64_t i = 1; i <= end && to_.wrong == 0; ++i) {
      const timed_command c = load_.next(seen);
      tell(c.what, c.now_ms);
      seen = kernel_.snapshot();
      if (i % 40 == 0 && to_.wrong == 0) plan_and_reload(i, false);
      seen = kernel_.snapshot();
    }
    if (to_.wrong == 0) plan_and_reload(end, true);
  }

 private:
  std::string tell(const command &c, int64_t now_ms = 0) {
    std::string why;
    placed_.clear();
    bool registered = false, configured = false;
    (void)kernel_.apply(std::max(now_ms, kernel_.now_ms()), c);
    kernel_.drain([&](const decision_view &d) {
      if (const auto *no = d.as<decided::configuration_rejected>()) why = no->message;
      if (const auto *no = d.as<decided::application_rejected>()) why = no->message;
      registered |= d.is(decision_kind::rm_registered);
      configured |= d.is(decision_kind::configured);
      if (d.is(decision_kind::allocated)) placed_.insert(std::string(d.application) + "/" + std::string(d.key));
    });
    if (const auto *in = std::get_if<register_rm>(&c); in != nullptr && registered && in->rm == "rm")
      in_force_ = *in->config;
    if (const auto *in = std::get_if<configure>(&c); in != nullptr && configured && in->rm == "rm")
      in_force_ = *in->config;
    if (const auto *app = std::get_if<add_application>(&c)) keep(*app);
    return why;
  }

  void keep(const add_application &c) {
    submission one = observe::submission_of(c);
    if (std::find(samples_.begin(), samples_.end(), one) == samples_.end()) samples_.push_back(std::move(one));
  }

  cluster_config another() {
    if (random_.percent(25)) {
      cluster_config out = make_config(random_, load_.about());
      if (random_.percent(40)) break_config(random_, out);
      return out;
    }
    cluster_config out = in_force_;
    if (out.partitions.empty()) return out;
    if (random_.percent(2)) {
      out.partitions.clear();
      return out;
    }
    const int64_t changes = random_.between(0, 3);
    for (int64_t i = 0; i < changes; ++i) change(random_, out);
    if (random_.percent(10)) break_config(random_, out);
    return out;
  }

  void plan_and_reload(int64_t step, bool to_the_end) {
    if (kernel_.partitions().empty() || in_force_.partitions.empty()) return;
    const cluster_config before = in_force_, wanted = another();
    const kernel_snapshot state = kernel_.snapshot();
    const auto due = kernel_.next_due();
    step_ = step;
    plan_ = observe::plan_configuration(kernel_, "rm", before, wanted, samples_);
    ++to_.plans;
    to_.refused += plan_.refused.empty() ? 0 : 1;
    to_.empty += plan_.is_empty() ? 1 : 0;
    for (const planned_loss &loss : plan_.losses) ++to_.losses[loss.what];
    to_.moves += plan_.moves.size();
    if (kernel_.snapshot() != state || kernel_.next_due() != due) return wrong("the plan changed something");
    if (const std::string why = differs_elsewhere(before, wanted); !why.empty()) return wrong(why);
    // The scheduler's service refuses this one, before a kernel hears of it.
    if (wanted.partitions.empty())
      return plan_.refused.empty() ? wrong("a configuration without partitions is not refused") : void();
    const std::vector<std::string> queues = queues_of_submissions();
    const std::string refused = tell(configure{"rm", &wanted, {}});
    if (refused != plan_.refused) return wrong("the reload says: " + (refused.empty() ? "done" : refused));
    if (!refused.empty()) return plan_.losses.empty() ? void() : wrong("refused, and yet something is lost");
    const kernel_snapshot then = kernel_.snapshot();
    if (plan_.is_empty() && (then.partitions.size() != state.partitions.size() || !alike(state, then)))
      return wrong("it changes something");
    for (const planned_loss &loss : plan_.losses) look_at(loss, state, then);
    look_for_more(state, then);
    try_submissions(queues);
    if (to_the_end && to_.wrong == 0) play_on();
  }

  // The copy is one for many questions: planning on it twice says the same twice, and leaves it as it was.
  std::string differs_elsewhere(const cluster_config &before, const cluster_config &wanted) {
    auto apart = kernel_.copy_apart(policies_);
    if (!apart) return "not copied: " + apart.why().text();
    const std::string said = boost::json::serialize(observe::plan_json(plan_));
    std::string differs;
    std::thread other([&] {
      const kernel_snapshot copied = (*apart)->snapshot();
      const auto due = (*apart)->next_due();
      for (int i = 0; i < 2 && differs.empty(); ++i) {
        const config_plan again = observe::plan_configuration(**apart, "rm", before, wanted, samples_);
        if (boost::json::serialize(observe::plan_json(again)) != said)
          differs = "on another thread's copy it is\n" + observe::in_words(again);
      }
      if ((*apart)->snapshot() != copied || (*apart)->next_due() != due) differs += "the plan changed the copy";
      apart->reset();
    });
    other.join();
    return differs;
  }

  // The queues as they were.
  static bool alike(const kernel_snapshot &a, const kernel_snapshot &b) {
    for (size_t i = 0; i < a.partitions.size(); ++i)
      if (a.partitions[i].queues != b.partitions[i].queues || a.partitions[i].state != b.partitions[i].state)
        return false;
    return true;
  }

  static const usage_snapshot *find_usage(const kernel_snapshot &in, const planned_loss &loss) {
    const partition_snapshot *p = find(in, loss.partition);
    if (p == nullptr) return nullptr;
    for (const usage_snapshot &u : loss.group ? p->groups : p->users)
      if (u.name == loss.subject && u.queue == loss.queue) return &u;
    return nullptr;
  }

  // What is so as soon as the reload is done.
  void look_at(const planned_loss &loss, const kernel_snapshot &before, const kernel_snapshot &then) {
    const queue_snapshot *q = find_queue(then, loss.partition, loss.queue);
    const queue_snapshot *was = find_queue(before, loss.partition, loss.queue);
    const partition_snapshot *p = find(then, loss.partition);
    const usage_snapshot *u = find_usage(then, loss);
    bool good = true;
    switch (loss.what) {
      case loss_kind::partition:
        good = p != nullptr && p->state == object_state::draining &&
               p->applications.size() == static_cast<size_t>(loss.has);
        break;
      case loss_kind::draining:
        good = q != nullptr && q->state == object_state::draining && was->state != object_state::draining;
        break;
      case loss_kind::over_max:
        good = q != nullptr && q->max && amount_in(q->allocated, loss.resource) > q->max->at(loss.resource) &&
               q->max->at(loss.resource) == loss.may;
        break;
      case loss_kind::over_applications:
        good = q != nullptr && q->running_apps > q->max_running_apps;
        break;
      case loss_kind::over_limit:
        good = u != nullptr && (loss.resource.empty() ? u->running.size() > u->max_applications
                                                      : amount_in(u->usage, loss.resource) > loss.may);
        break;
      case loss_kind::ask:
      case loss_kind::submission:
        break;
    }
    if (!good) wrong("not so: " + loss.text);
  }

  // What drains with somebody in it was foretold, each once.
  void look_for_more(const kernel_snapshot &before, const kernel_snapshot &then) {
    for (const partition_snapshot &p : then.partitions) {
      for (const queue_snapshot &q : p.queues) {
        const queue_snapshot *was = find_queue(before, p.name, q.path);
        if (was == nullptr || was->state == object_state::draining || q.state != object_state::draining) continue;
        if (p.state == object_state::draining) continue;
        const auto in_it = [&](const auto &app) { return app.queue == q.path; };
        const bool holds = std::any_of(p.applications.begin(), p.applications.end(), in_it);
        const auto told = std::count_if(plan_.losses.begin(), plan_.losses.end(), [&](const planned_loss &loss) {
          return loss.what == loss_kind::draining && loss.partition == p.name && loss.queue == q.path;
        });
        if (told != (holds ? 1 : 0)) wrong("it drains with applications, or without: " + q.path);
      }
    }
  }

  // Where a copy of the scheduler puts each of the samples; empty: it refuses it.
  std::vector<std::string> queues_of_submissions() {
    const std::unique_ptr<kernel> copy = kernel_.copy();
    std::vector<std::string> out;
    for (const submission &one : samples_) {
      const bool is_of_it = one.partition.starts_with(partition_prefix("rm"));
      out.push_back(is_of_it ? submit(*copy, one).first : std::string());
    }
    return out;
  }

  // Each of those that it took is sent to the reloaded one.
  void try_submissions(const std::vector<std::string> &queues) {
    std::map<std::pair<std::string, std::string>, uint64_t> moved;
    uint64_t tried = 0, refused = 0;
    for (size_t i = 0; i < queues.size(); ++i) {
      const submission &one = samples_[i];
      const std::string &was = queues[i];
      if (!one.partition.starts_with(partition_prefix("rm"))) continue;
      const auto [is, why] = submit(kernel_, one);  // a refused one may leave queues that others are placed in
      if (was.empty()) continue;
      ++tried;
      if (is.empty()) {
        ++refused;
        const bool told = std::any_of(plan_.losses.begin(), plan_.losses.end(), [&](const auto &loss) {
          return loss.what == loss_kind::submission && loss.queue == was;
        });
        if (!told) wrong("nobody said that it is refused: " + why);
      } else if (is != was) {
        ++moved[{was, is}];
      }
    }
    to_.submissions += tried;
    uint64_t told_refused = 0;
    std::map<std::pair<std::string, std::string>, uint64_t> told_moved;
    for (const planned_loss &loss : plan_.losses) told_refused += loss.what == loss_kind::submission ? loss.count : 0;
    for (const auto &move : plan_.moves) told_moved[{move.from, move.to}] += move.count;
    const bool good =
        plan_.is_empty() || (tried == plan_.submissions && refused == told_refused && moved == told_moved);
    if (!good)
      wrong(std::to_string(tried) + " submissions, " + std::to_string(refused) + " are refused, " +
            std::to_string(moved.size()) + " moves; the plan has " + std::to_string(plan_.submissions) +
            " submissions, " + std::to_string(told_refused) + " refused, " + std::to_string(told_moved.size()) +
            " moves");
  }

  // Its queue, or why it is refused. It goes again.
  std::pair<std::string, std::string> submit(kernel &to, const submission &one) {
    testing::arena own;
    add_application c;
    c.partition = one.partition;
    c.application = own.text("tried-" + std::to_string(++last_));
    c.queue = one.queue;
    c.user = one.user;
    c.groups = own.list(one.groups);
    c.tags = own.tags(one.tags);
    c.placeholder_ask = own.resources(one.placeholder_ask);
    c.hard_gang = one.hard_gang;
    std::string why;
    (void)to.apply(to.now_ms(), c);
    to.drain([&](const decision_view &d) {
      if (const auto *no = d.as<decided::application_rejected>()) why = no->message;
    });
    if (!why.empty()) return {std::string(), why};
    const std::string queue =
        to.place_of(to.find_partition(one.partition), c.application).value_or(application_place()).queue;
    (void)to.apply(to.now_ms(), remove_application{one.partition, c.application, {}});
    to.drain([](const decision_view &) {});
    return {queue, why};
  }

  // Room for everybody, and many decisions: whoever is over what it may gets nothing, and what can never run does not.
  void play_on() {
    testing::arena own;
    for (const auto &[id, name] : kernel_.partitions()) {
      for (int i = 0; i < 3; ++i) {
        add_node c;
        c.partition = own.text(name);
        c.node = own.text("room-" + std::to_string(++last_));
        c.capacity = own.resources({{"vcore", 200}, {"memory", 2'000}, {"gpu", 20}});
        tell(c);
      }
    }
    std::set<std::string> ran;
    kernel_snapshot last = kernel_.snapshot();
    for (int i = 0; i < 60 && to_.wrong == 0; ++i) {
      tell(step{{}, 1, {}});
      ran.insert(placed_.begin(), placed_.end());
      const kernel_snapshot now = kernel_.snapshot();
      for (const planned_loss &loss : plan_.losses) look_at_step(loss, last, now);
      last = now;
    }
    for (const planned_loss &loss : plan_.losses)
      if (loss.what == loss_kind::ask && ran.contains(loss.subject)) wrong("it runs: " + loss.text);
    end_all();
  }

  void look_at_step(const planned_loss &loss, const kernel_snapshot &last, const kernel_snapshot &now) {
    int64_t had = 0, has = 0;
    if (loss.what == loss_kind::over_max || loss.what == loss_kind::over_applications) {
      const queue_snapshot *was = find_queue(last, loss.partition, loss.queue);
      const queue_snapshot *is = find_queue(now, loss.partition, loss.queue);
      if (was == nullptr || is == nullptr) return;
      const bool applications = loss.what == loss_kind::over_applications;
      had = applications ? static_cast<int64_t>(was->running_apps) : amount_in(was->allocated, loss.resource);
      has = applications ? static_cast<int64_t>(is->running_apps) : amount_in(is->allocated, loss.resource);
    } else if (loss.what == loss_kind::over_limit) {
      const usage_snapshot *was = find_usage(last, loss), *is = find_usage(now, loss);
      if (was == nullptr || is == nullptr) return;
      const bool applications = loss.resource.empty();
      had = applications ? static_cast<int64_t>(was->running.size()) : amount_in(was->usage, loss.resource);
      has = applications ? static_cast<int64_t>(is->running.size()) : amount_in(is->usage, loss.resource);
    }
    if (had > loss.may && has > had) wrong("it gets more: " + loss.text);
  }

  // What drains is gone when the last application of it is, or when its time is over.
  void end_all() {
    const auto drains = [](const planned_loss &loss) {
      return loss.what == loss_kind::draining || loss.what == loss_kind::partition;
    };
    if (std::none_of(plan_.losses.begin(), plan_.losses.end(), drains)) return;
    for (const partition_snapshot &p : kernel_.snapshot().partitions) {
      for (const application_snapshot &app : p.applications) {
        const bool goes = std::any_of(plan_.losses.begin(), plan_.losses.end(), [&](const planned_loss &loss) {
          return loss.what == loss_kind::draining && loss.partition == p.name && app.queue == loss.queue;
        });
        if (goes) tell(remove_application{p.name, app.id, {}});
      }
    }
    for (int i = 0; i < 20; ++i) tell(advance{}, kernel_.now_ms() + 60'000);
    const kernel_snapshot now = kernel_.snapshot();
    for (const planned_loss &loss : plan_.losses) {
      if (loss.what == loss_kind::partition && find(now, loss.partition) != nullptr) wrong("still there: " + loss.text);
      if (loss.what != loss_kind::draining) continue;
      const queue_snapshot *q = find_queue(now, loss.partition, loss.queue);
      if (q != nullptr) wrong("still there: " + loss.text);
    }
  }

  void wrong(const std::string &how) {
    ++to_.wrong;
    std::cout << "seed " << seed_ << " (" << load_.about().name << "), after command " << step_ << ":\n  " << how
              << "\nthe plan was:\n"
              << observe::in_words(plan_) << std::endl;
  }

  uint64_t seed_;
  figures &to_;
  load load_;
  random random_;
  int64_t step_ = 0;
  int last_ = 0;
  cluster_config in_force_;
  config_plan plan_;
  std::vector<submission> samples_;
  std::set<std::string> placed_;  // by the last command
  builtin_policy_source policies_{std::vector<builtin_policy_source::predicate_use>{{"node-attributes"}}};
  kernel kernel_{policies_};
};

int run(uint64_t first, uint64_t seeds) {
  figures f;
  uint64_t seed = first;
  for (; seed < first + seeds && f.wrong == 0; ++seed) planner(seed, f).play();
  std::cout << f.plans << " plans of seeds " << first << " to " << seed - 1 << ", " << f.wrong << " wrong; "
            << f.refused << " refused, " << f.empty << " empty, " << f.moves << " moves, " << f.submissions
            << " submissions; losses:";
  for (const auto &[what, count] : f.losses) std::cout << ' ' << count << ' ' << observe::name(what);
  std::cout << std::endl;
  if (f.wrong != 0) return 1;
  if (seeds < 50) return 0;
  for (int what = 0; what <= static_cast<int>(loss_kind::submission); ++what) {
    if (f.losses[static_cast<loss_kind>(what)] >= 5) continue;
    std::cout << "fewer than five losses: " << observe::name(static_cast<loss_kind>(what)) << std::endl;
    return 1;
  }
  if (f.plans >= 200 && f.refused * 20 >= f.plans && f.moves >= 5) return 0;
  std::cout << "want 200 plans, a twentieth of them refused, and five moves" << std::endl;
  return 1;
}

}  // namespace
}  // namespace tenon::sim

int main(int argc, char **argv) {
  const auto which = tenon::sim::read_seeds(argc, argv);
  if (which) return tenon::sim::run(which->first, which->count);
  std::cerr << "usage: plan-property --seeds N [--first SEED]" << std::endl;
  return 3;
}
