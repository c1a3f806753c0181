// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The canary of a partition.
#include <algorithm>

#include "policy_names.hpp"
#include "queues_source.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::config {
namespace {

bool is_in(const queue_source &queue, const std::string &path, const std::string &wanted) {
  return path == wanted || std::any_of(queue.queues.begin(), queue.queues.end(), [&](const queue_source &child) {
           return is_in(child, path + "." + lower_case(child.name), wanted);
         });
}

void check_queues_of(const yaml_node &queues, const queue_source &root, problems &report) {
  for (const yaml_node &item : queues.items) {
    if (item.type() == scalar_type::null) continue;
    const std::string path = lower_case(item.text);
    const bool whole = path == root_queue_name || path.starts_with(std::string(root_queue_name) + ".");
    if (!whole) {
      report.refuse(item.at, in_quotes(item.text) + " is no path of a queue", "a path from the root, as root.team-a",
                    "write root." + path);
    } else if (!is_in(root, std::string(root_queue_name), path)) {
      report.warn(item.at, "there is no queue " + path + " for the canary", "a queue of the partition",
                  "leave it as it is where a placement rule creates the queue");
    }
  }
}

void check_predicate(const yaml_node &node, const parse_options &options, problems &report) {
  if (node.text.empty()) {
    report.refuse(node.at, "a canary of a predicate without a name", "the name of a predicate",
                  "write predicate: NAME");
  } else if (!provides(options.known, module_kind::predicate, node.text)) {
    report.refuse(node.at, "undefined predicate: " + node.text,
                  "a predicate that is built in, or that a module of the deployment provides",
                  suggest(options.known, module_kind::predicate, node.text));
  }
}

void check_back(const yaml_node &back, problems &report) {
  const yaml_node *p99 = back.find("waitingp99");
  if (p99 != nullptr && duration_ms_of(back, "waitingp99", 0) <= 0) {
    report.refuse(p99->at, "waitingp99 of " + p99->text, "a duration of 1ms or more", "leave it out for no bound");
  }
}

// It brings one thing: what goes back, and what brought it back, is then known.
void check_what(const yaml_node &node, const canary_config &canary, const parse_options &options, problems &report) {
  const yaml_node *sort = node.find("nodesortpolicy"), *predicate = node.find("predicate");
  if (sort != nullptr && predicate != nullptr) {
    report.refuse(predicate->at, "a canary of an order of nodes and of a predicate", "one of them",
                  "try one after the other");
  } else if (predicate != nullptr) {
    check_predicate(*predicate, options, report);
  } else if (sort == nullptr || sort->find("type") == nullptr || sort->find("type")->text.empty()) {
    report.refuse(node.at, "a canary without an order of nodes or a predicate",
                  "nodesortpolicy with its type, or predicate",
                  "write nodesortpolicy: {type: NAME} or predicate: NAME, or leave the canary out");
  } else {
    check_node_sort(*sort, canary.node_sort, options, report);
  }
}

}  // namespace

void check_canary(const partition_source &partition, const parse_options &options, problems &report) {
  const yaml_node *node = partition.node->find("canary");
  if (node == nullptr) return;
  check_what(*node, partition.canary.front(), options, report);
  const yaml_node *queues = node->find("queues"), *share = node->find("share");
  if (queues == nullptr && share == nullptr) {
    report.refuse(node->at, "a canary for all applications", "queues or a share of 1000",
                  "write whom it is for, or give it to the whole partition");
  }
  if (queues != nullptr && partition.canary.front().queues.empty()) {
    report.refuse(queues->at, "a canary for no queue", "at least one queue",
                  "write whose applications it is for, or leave queues out where a share of all is meant");
  }
  if (queues != nullptr) check_queues_of(*queues, partition.root, report);
  if (const yaml_node *back = node->find("back")) check_back(*back, report);
}

}  // namespace tenon::config
