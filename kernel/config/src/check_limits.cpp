// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Limits of users and groups: each by itself, and against those of the queues above.
#include <algorithm>
#include <map>
#include <optional>

#include "queues_source.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::config {

namespace {

using messages::amounts;

// Users and groups have the same rules under other names.
struct name_kind {
  std::string_view word;
  bool (*is_name)(std::string_view);
  std::string_view duplicate_end;
  std::string_view pattern;
};
constexpr name_kind user_kind{"user", is_user_name, "', already exists",
                              "a letter or '_', then letters, digits and : # / _ . @ -"};
constexpr name_kind group_kind{"group", is_group_name, "'", "a letter or '_', then letters, digits and : _ . -"};

class limit_checker {
 public:
  limit_checker(const queue_source &queue, problems &report) : queue_(queue), report_(report) {}

  void check(const limit_source &limit) {
    if (limit.users.empty() && limit.groups.empty()) {
      report_.refuse(limit.at, "empty user and group lists defined in limit " + in_quotes(limit.description),
                     "'users' or 'groups'", "add 'users: [\"*\"]' for everybody");
      return;
    }
    check_names(limit.users, user_kind, users_);
    check_names(limit.groups, group_kind, groups_);
    check_wildcard_group(limit);
    check_amounts(limit);
  }

 private:
  using seen_names = std::map<std::string, text_position>;

  void check_names(const std::vector<name_source> &names, const name_kind &kind, seen_names &seen) {
    const std::string word(kind.word);
    for (const name_source &name : names) {
      if (name.text != wildcard && !kind.is_name(name.text)) {
        report_.refuse(name.at, "invalid limit " + word + " name '" + name.text + "' in limit definition",
                       "'*', or " + std::string(kind.pattern), {});
        continue;
      }
      const auto [first, added] = seen.emplace(name.text, name.at);
      if (!added) {
        report_.refuse(name.at, "duplicated " + word + " name '" + name.text + std::string(kind.duplicate_end),
                       "each name once in the limits of a queue",
                       "remove it; it is at line " + std::to_string(first->second.line) + " already");
      } else if (name.text != wildcard && seen.contains(std::string(wildcard))) {
        report_.refuse(name.at,
                       "should not set no wildcard " + word + " " + name.text + " after wildcard " + word + " limit",
                       "'*' behind all names",
                       "move the limit above the one at line " + std::to_string(seen.at(std::string(wildcard)).line));
      }
    }
  }

  void check_wildcard_group(const limit_source &limit) {
    const auto found = std::find_if(limit.groups.begin(), limit.groups.end(),
                                    [](const name_source &group) { return group.text == wildcard; });
    if (found == limit.groups.end() || groups_.size() != 1) return;
    report_.refuse(found->at,
                   "should not specify only one group limit that is using the wildcard. There must be at least one "
                   "limit with a group name defined",
                   "a limit of a named group before",
                   "for all users together use 'maxapplications' and 'resources' of the queue");
  }

  void check_amounts(const limit_source &limit) {
    limit.max.report_bad(report_);
    const bool no_resources = !limit.max.written() || limit.max.node->entries.empty();
    if (!no_resources && limit.max.good() && all_zero(limit.max.amounts)) {
      report_.refuse(limit.max.node->at,
                     "MaxResources should be greater than zero in '" + limit.description + "' limit",
                     "at least one amount above 0", "remove 'maxresources', or name a type with an amount");
    }
    if (limit.max_applications == 0 && no_resources) {
      report_.refuse(limit.at,
                     "invalid resource combination for limit " + limit.description + " all resource limits are null",
                     "'maxapplications' or 'maxresources'", "add one of them, or remove the limit");
    }
    if (queue_.max_applications != 0 && queue_.max_applications < limit.max_applications) {
      report_.refuse(limit.max_applications_at,
                     "invalid MaxApplications settings for limit " + limit.description +
                         " exceed current the queue MaxApplications",
                     "at most " + std::to_string(queue_.max_applications) + ", as queue " + queue_.name,
                     "lower " + std::to_string(limit.max_applications) + ", or raise maxapplications of the queue");
    }
    // By name, as in the field: another queue of the root's name is let off, too.
    if (queue_.name != root_queue_name && !fits(queue_.max.amounts, limit.max.amounts)) {
      report_.refuse(
          limit.max.place_of(first_too_large(queue_.max.amounts, limit.max.amounts)),
          "invalid MaxResources settings for limit " + limit.description + " exeecd current the queue MaxResources",
          "no more than max of queue " + queue_.name + ": " + amounts(queue_.max.amounts),
          "lower " + amounts(limit.max.amounts) + ", or raise max of the queue");
    }
  }

  const queue_source &queue_;
  problems &report_;
  seen_names users_;
  seen_names groups_;
};

// The limits of one kind of name that hold in a queue: its own ones in front of those above.
template <class T>
class limit_scope {
 public:
  struct found_limit {
    const T *limit = nullptr;
    bool by_wildcard = false;
  };

  explicit limit_scope(const limit_scope *above) : above_(above) {}

  void set(const std::string &name, T limit) { own_[name] = std::move(limit); }

  // What holds above for `name`: a limit of its own, else the wildcard's.
  [[nodiscard]] found_limit find_above(const std::string &name) const {
    if (const T *own = above(name)) return {own, false};
    if (name == wildcard) return {};
    return {above(std::string(wildcard)), true};
  }

 private:
  [[nodiscard]] const T *above(const std::string &name) const {
    for (const limit_scope *scope = above_; scope != nullptr; scope = scope->above_) {
      if (const auto found = scope->own_.find(name); found != scope->own_.end()) return &found->second;
    }
    return nullptr;
  }

  const limit_scope *above_;
  std::map<std::string, T> own_;
};

// One limit of a queue, for one name, against what holds above.
struct limit_place {
  const queue_source &queue;
  const limit_source &limit;
  const std::string &name;
  std::string_view word;

  [[nodiscard]] std::string start(std::string_view of, const std::string &own) const {
    return std::string(word) + " " + name + " max " + std::string(of) + " " + own + " of queue " + queue.name +
           " is greater than ";
  }
};

amount_map lower_resources(const limit_place &place, const limit_scope<amount_map>::found_limit &above,
                           problems &report) {
  const amount_map &own = place.limit.max.amounts;
  if (above.limit == nullptr) return own;
  if (!fits(*above.limit, own)) {
    const std::string start = place.start("resource", amounts(own));
    const std::string theirs = amounts(*above.limit);
    report.refuse(place.limit.max.place_of(first_too_large(*above.limit, own)),
                  above.by_wildcard
                      ? start + "wildcard maximum resource " + theirs + " of immediate or ancestor parent queue"
                      : start + "immediate or ancestor parent maximum resource " + theirs,
                  "no more than in the queues above", "lower it here, or raise it there");
  }
  return above.by_wildcard ? own : component_min(own, *above.limit);
}

uint64_t lower_applications(const limit_place &place, const limit_scope<uint64_t>::found_limit &above,
                            problems &report) {
  const uint64_t own = place.limit.max_applications;
  // 0 is no limit, which is more than any.
  if (above.limit == nullptr || *above.limit == 0 || (own != 0 && own <= *above.limit)) return own;
  const std::string start = place.start("applications", std::to_string(own));
  const std::string theirs = std::to_string(*above.limit);
  report.refuse(place.limit.max_applications_at,
                above.by_wildcard
                    ? start + "wildcard max applications " + theirs + " of immediate or ancestor parent queue"
                    : start + "immediate or ancestor parent max applications " + theirs,
                "from 1 to " + theirs, own == 0 ? "0, or nothing, is no limit" : "lower it here, or raise it above");
  return own;
}

// Walks down the tree; `lower` checks a limit against what holds above and says what holds from there on.
template <class T>
class hierarchy_checker {
 public:
  using found_limit = typename limit_scope<T>::found_limit;
  using rule = T (*)(const limit_place &, const found_limit &, problems &);

  hierarchy_checker(rule lower, problems &report) : lower_(lower), report_(report) {}

  void check(const queue_source &queue, const limit_scope<T> *users, const limit_scope<T> *groups) {
    limit_scope<T> users_here(users), groups_here(groups);
    for (const limit_source &limit : queue.limits) {
      for (const name_source &user : limit.users) check_name({queue, limit, user.text, "user"}, users_here);
      for (const name_source &group : limit.groups) check_name({queue, limit, group.text, "group"}, groups_here);
    }
    for (const queue_source &child : queue.queues) check(child, &users_here, &groups_here);
  }

 private:
  void check_name(const limit_place &place, limit_scope<T> &here) {
    here.set(place.name, lower_(place, here.find_above(place.name), report_));
  }

  rule lower_;
  problems &report_;
};

}  // namespace

void check_limits(const queue_source &queue, problems &report) {
  limit_checker checker(queue, report);
  for (const limit_source &limit : queue.limits) checker.check(limit);
}

void check_limit_hierarchy(const queue_source &root, problems &report) {
  hierarchy_checker<amount_map>(lower_resources, report).check(root, nullptr, nullptr);
  hierarchy_checker<uint64_t>(lower_applications, report).check(root, nullptr, nullptr);
}

}  // namespace tenon::config
