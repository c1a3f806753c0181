// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Names, structure, access lists and numbers of applications.
#include <map>

#include "queues_source.hpp"
#include "tenon/kernel/acl.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"
#include "tenon/kernel/partition_name.hpp"

namespace tenon::config {

namespace {

class queue_checker {
 public:
  queue_checker(const parse_options &options, problems &report) : options_(options), report_(report) {}

  void check(const queue_source &queue, int level) {
    check_acl(queue, "adminacl", queue.admin_acl);
    check_acl(queue, "submitacl", queue.submit_acl);
    check_limits(queue, report_);
    check_children(queue, level);
    if (static_cast<uint32_t>(level) > options_.max_queue_depth) {
      report_.refuse(queue.at, "queue " + queue.name + " at level " + std::to_string(level),
                     "at most " + std::to_string(options_.max_queue_depth) + " levels of queues", {});
      return;
    }
    for (const queue_source &child : queue.queues) check(child, level + 1);
  }

 private:
  void check_acl(const queue_source &queue, std::string_view key, const std::string &text) {
    const auto list = parse_acl(text);
    if (!list) {
      report_.refuse(queue.place_of(key), list.why().have, list.why().want, list.why().fix);
      return;
    }
    const size_t blank = text.find(' ');
    const bool is_behind_comma = blank != std::string::npos && blank != 0 && text[blank - 1] == ',';
    const bool is_before_comma = blank != std::string::npos && blank + 1 < text.size() && text[blank + 1] == ',';
    if (!list->all && (is_behind_comma || is_before_comma)) {
      std::string without = text;
      without.erase(blank, 1);
      report_.warn(queue.place_of(key), "names behind the blank in " + in_quotes(text) + " are groups",
                   "users and groups, separated by one blank: user1,user2 group1,group2",
                   "write " + in_quotes(without) + " where they are users");
    }
    for (const std::string &name : list->ignored) {
      report_.warn(queue.place_of(key), in_quotes(name) + " in an ACL is no name and is ignored",
                   "names of users and groups, separated by ','");
    }
  }

  void check_children(const queue_source &queue, int level) {
    std::map<std::string, const queue_source *> seen;
    for (const queue_source &child : queue.queues) {
      if (!is_queue_name(child.name)) {
        report_.refuse(
            child.name_at, messages::queue_name_invalid() + ": " + in_quotes(child.name),
            "the queue's own name, of at most 64 letters, digits and - _ # @ / :", remedy_for_name(child.name));
        continue;
      }
      if (level == 1 && lower_case(child.name) == recovery_queue_name) {
        report_.warn(child.name_at, "queue root.@recovery@", "another name",
                     "the queue of this name is for applications that are recovered and have no other");
      }
      const auto [first, added] = seen.emplace(lower_case(child.name), &child);
      if (!added) {
        report_.refuse(child.name_at,
                       "duplicate child name found with name '" + child.name + "', level " + std::to_string(level),
                       "names that differ in more than letter case",
                       "rename it, or merge it with the queue at line " + std::to_string(first->second->at.line));
      }
    }
  }

  static std::string remedy_for_name(const std::string &name) {
    if (name.empty()) return "give the queue a name";
    if (name.size() > longest_queue_name) return "shorten it by " + std::to_string(name.size() - longest_queue_name);
    if (name.find('.') != std::string::npos) return "write the queue below its parent, without the parent's path";
    std::string allowed = name;
    for (char &c : allowed) {
      if (!is_queue_name(std::string_view(&c, 1))) c = '-';
    }
    return "replace the other characters, as " + in_quotes(allowed);
  }

  const parse_options &options_;
  problems &report_;
};

}  // namespace

void check_partition_names(const file_source &file, problems &report) {
  std::map<std::string, text_position> seen;
  for (const partition_source &partition : file.partitions) {
    const text_position at = partition.place_of("name");
    const auto [first, added] = seen.emplace(lower_case(plain_partition(partition.name)), at);
    if (added) continue;
    report.refuse(at, "duplicate partition name found with name " + partition.name,
                  "names that differ in more than letter case",
                  "rename it, or merge it with the partition at line " + std::to_string(first->second.line));
  }
}

void check_structure(const partition_source &partition, problems &report) {
  if (!partition.has_queues) {
    report.refuse(partition.node->at, "queue config is not set in partition " + partition.name, "the key 'queues'",
                  "add 'queues: [{name: root}]'");
    return;
  }
  const queue_source &root = partition.root;
  for (const quantities_source *resources : {&root.guaranteed, &root.max}) {
    if (!resources->written()) continue;
    report.refuse(resources->node->at, "root queue must not have resource limits set", "limits on the queues below",
                  "remove 'resources': root has what the nodes have");
    break;
  }
  if (partition.limits.empty() || root.limits.empty()) return;
  const auto values = [](const std::vector<limit_source> &limits) {
    std::vector<limit_config> out;
    out.reserve(limits.size());
    for (const limit_source &limit : limits) out.push_back(limit.value());
    return out;
  };
  if (values(partition.limits) != values(root.limits)) {
    report.refuse(partition.place_of("limits"), "partition limits and root queue limits are not equivalent",
                  "limits in one of the two places",
                  "remove one of the lists; the other is at line " + std::to_string(root.place_of("limits").line));
  }
}

void check_queues(const queue_source &root, const parse_options &options, problems &report) {
  queue_checker(options, report).check(root, 1);
}

void check_max_applications(const queue_source &queue, problems &report) {
  const uint64_t limit = queue.max_applications;
  for (const queue_source &child : queue.queues) {
    const std::string of_parent = " that of queue " + queue.name + " at line " + std::to_string(queue.at.line) +
                                  ", which has " + std::to_string(limit);
    if (limit != 0 && child.max_applications == 0) {
      report.refuse(child.max_applications_at,
                    "maxApplications is either undefined or zero, which is not allowed when parent queue's "
                    "maxApplications is defined",
                    "maxapplications of queue " + child.name + " from 1 to " + std::to_string(limit),
                    "write it here, or remove" + of_parent);
    } else if (limit != 0 && limit < child.max_applications) {
      report.refuse(child.max_applications_at, "parent maxApplications must be larger than child maxApplications",
                    "maxapplications of queue " + child.name + " from 1 to " + std::to_string(limit),
                    "lower it, or raise" + of_parent);
    }
    check_max_applications(child, report);
  }
}

}  // namespace tenon::config
