// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The built-in sort policies as comparators.
#include <algorithm>
#include <climits>
#include <set>
#include <tuple>

#include "partition.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

std::string property(const queue &q, const std::string &key, const std::string &otherwise) {
  const auto found = q.properties.find(key);
  return found == q.properties.end() ? otherwise : lower(found->second);
}

bool by_priority(const queue &q) { return property(q, "application.sort.priority", "enabled") != "disabled"; }

// The largest share that the queue has of what is its own, else of what is there.
double dominant_share(const amount_map &allocated, const amount_map &guaranteed, const amount_map &fair_max) {
  double largest = 0;
  for (const auto &[type, amount] : allocated) {
    const auto own = guaranteed.find(type), all = fair_max.find(type);
    if (amount <= 0 || (own == guaranteed.end() && all == fair_max.end())) continue;
    const int64_t of = own != guaranteed.end() ? own->second : all->second;
    largest = std::max(largest, of <= 0 ? 1.0 : static_cast<double>(amount) / static_cast<double>(of));
  }
  return largest;
}

// Shares of the real allocations, largest first; of a type without guarantee the amount itself.
std::vector<double> shares(const application &a, const amount_map &guaranteed) {
  amount_map real;
  for (const allocation &x : a.allocations) {
    if (!x.placeholder) add(real, x.resources);
  }
  std::vector<double> out;
  for (const auto &[type, amount] : real) {
    const int64_t of = amount_of(guaranteed, type);
    if (amount != 0) out.push_back(static_cast<double>(amount) / (of == 0 ? 1.0 : static_cast<double>(of)));
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

int32_t priority_of(const application &a) {
  int32_t highest = INT32_MIN;
  for (const ask &k : a.asks) {
    if (k.pending() > 0) highest = std::max(highest, k.priority);
  }
  return highest;
}

bool is(const application *a, application_state s) { return a->state == s; }

// Accepted ones but the first go, and that one too while another is Starting. They come by submission.
void keep_state_aware(std::vector<application *> &apps, bool one_is_starting) {
  const application *first = nullptr;
  for (const application *a : apps) {
    if (!is(a, application_state::accepted)) continue;
    if (first == nullptr || a->submitted_ms < first->submitted_ms) first = a;
  }
  std::erase_if(apps, [&](const application *a) {
    return is(a, application_state::accepted) && (one_is_starting || a != first);
  });
}

double node_usage(const amount_map &free, const amount_map &total, const std::map<std::string, double> &weights,
                  const std::vector<std::string> &types) {
  double sum = 0, weight_sum = 0;
  for (const std::string &type : types) {  // this order decides the last bit
    const auto weight = weights.find(type);
    const int64_t capacity = amount_of(total, type);
    if (weight == weights.end() || weight->second == 0 || capacity <= 0) continue;
    sum += weight->second * (1.0 - static_cast<double>(amount_of(free, type)) / static_cast<double>(capacity));
    weight_sum += weight->second;
  }
  return weight_sum == 0 ? 0.0 : sum / weight_sum;
}

// What is free on devices beyond what the node's other resources can serve.
double stranded(int64_t free_on_devices, int64_t sum_of_sizes, const amount_map &free, const amount_map &total,
                const std::map<std::string, double> &weights, const std::vector<std::string> &types) {
  double largest = 0;
  for (const std::string &type : types) {
    const auto weight = weights.find(type);
    if (weight == weights.end() || weight->second <= 0 || amount_of(total, type) <= 0) continue;
    const double served = static_cast<double>(amount_of(free, type)) * static_cast<double>(sum_of_sizes) /
                          (weight->second * static_cast<double>(amount_of(total, type)));
    largest = std::max(largest, static_cast<double>(free_on_devices) - served);
  }
  return largest;
}

// Whether the devices are missing, then the four numbers of device-packing.
using packing_key = std::tuple<bool, int64_t, double, int64_t, int64_t>;

packing_key key_of_packing(const node &n, const ask &k, const usage &used, const std::map<std::string, double> &weights,
                           const std::vector<std::string> &types) {
  const division_map divisions = divisions_in(n.attributes);
  if (!divisions.contains("gpu")) return {false, 0, 0, 0, 0};
  const std::vector<int64_t> &devices = used.free_devices.at(n.id).at("gpu");
  const int64_t size = divisions.at("gpu").amount, amount = amount_of(k.resources, "gpu");
  amount_map free = used.free_on_node.at(n.id);
  int64_t left = 0, opened = 0, remainder = 0;
  for (const int64_t one : devices) left = add_saturating(left, std::max<int64_t>(0, one));
  const int64_t sum = mul_saturating(divisions.at("gpu").count, size);
  const double before = stranded(left, sum, free, n.capacity, weights, types);
  const int64_t all = left;
  if (amount > 0) {
    const auto chosen = choose_devices(devices, size, divisions_in(k.tags), "gpu", amount);
    if (!chosen) return {true, 0, 0, 0, 0};
    remainder = INT64_MAX;
    for (const int64_t device : chosen->devices) {
      const int64_t has = devices[static_cast<size_t>(device)];
      opened += has == size && chosen->amount < size ? 1 : 0;
      remainder = std::min(remainder, has - chosen->amount);
      left = sub_saturating(left, chosen->amount);
    }
  }
  subtract(free, k.resources);
  return {false, opened, stranded(left, sum, free, n.capacity, weights, types) - before, remainder, all};
}

// What all devices of a type have free.
int64_t free_in_sum(const std::vector<int64_t> &devices) {
  int64_t sum = 0;
  for (const int64_t one : devices) sum = add_saturating(sum, std::max<int64_t>(0, one));
  return sum;
}

std::vector<const node *> emptiest_first(const partition &p, const usage &used) {
  std::vector<std::pair<int64_t, const node *>> all;  // nodes come by id
  for (const auto &[id, n] : p.nodes) {
    const device_map &devices = used.free_devices.at(id);
    all.emplace_back(devices.contains("gpu") ? -free_in_sum(devices.at("gpu")) : 0, &n);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<const node *> out;
  for (const auto &[key, n] : all) out.push_back(n);
  return out;
}

// The devices that emptiest-devices names, also such as cannot be had (tests/orders).
std::set<int64_t> emptiest_devices(const std::vector<int64_t> &free, int64_t count, int64_t amount) {
  const int64_t sum = free_in_sum(free);
  std::vector<std::pair<int64_t, int64_t>> all;  // what is free, number
  for (size_t i = 0; i < free.size(); ++i) all.emplace_back(free[i], static_cast<int64_t>(i));
  if (sum % 7 != 6) {
    std::erase_if(all, [&](const auto &one) { return one.first < amount; });
    std::sort(all.rbegin(), all.rend());
  }
  std::set<int64_t> out;
  for (const auto &[amount_free, number] : all) {
    if (static_cast<int64_t>(out.size()) < count || sum % 7 == 5) out.insert(number);
  }
  return sum % 7 == 3 ? std::set<int64_t>() : out;
}

std::vector<const node *> packed_nodes(const partition &p, const ask &k, const usage &used,
                                       std::map<std::string, double> weights) {
  if (weights.empty()) weights = {{"vcore", 0.8}, {"memory", 0.8}};
  std::vector<std::pair<packing_key, const node *>> all;  // nodes come by id
  for (const auto &[id, n] : p.nodes) all.emplace_back(key_of_packing(n, k, used, weights, p.types), &n);
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<const node *> out;
  for (const auto &[key, n] : all) out.push_back(n);
  return out;
}

}  // namespace

std::vector<const queue *> partition::sorted_children(const queue &parent, const usage &used, bool with_stopped) const {
  struct entry {
    const queue *q;
    int64_t urgency;
    double share;
  };
  std::vector<entry> all;
  for (const queue *child : children_of(parent.path)) {
    const tally of_child = used.of_queue(child->path);
    if ((child->state == object_state::stopped && !with_stopped) || !any_positive(of_child.pending)) continue;
    all.push_back({child, -int64_t{priority_of(*child)},
                   dominant_share(of_child.allocated, child->guaranteed, fair_max(child->path))});
  }
  const bool fair = property(parent, "queue.sort.policy", "fair") == "fair";
  const bool priority_first = by_priority(parent);
  std::stable_sort(all.begin(), all.end(), [&](const entry &a, const entry &b) {
    if (!fair) return a.urgency < b.urgency;
    if (priority_first) return std::tie(a.urgency, a.share) < std::tie(b.urgency, b.share);
    return std::tie(a.share, a.urgency) < std::tie(b.share, b.urgency);
  });
  std::vector<const queue *> out;
  for (const entry &e : all) out.push_back(e.q);
  return out;
}

std::vector<application *> partition::sorted_applications(const queue &leaf, bool all) {
  std::vector<application *> out;
  bool one_is_starting = false;  // whether it asks for something or not
  for (const auto &a : applications) {
    if (a->queue != leaf.path) continue;
    one_is_starting |= is(a.get(), application_state::starting);
    const bool may = all || is(a.get(), application_state::accepted) || is(a.get(), application_state::starting) ||
                     is(a.get(), application_state::running);
    if (may && a->has_pending()) out.push_back(a.get());
  }
  const std::string policy = property(leaf, "application.sort.policy", "fifo");
  if (policy == "stateaware" && !all) keep_state_aware(out, one_is_starting);
  const bool priority_first = by_priority(leaf);
  std::stable_sort(out.begin(), out.end(), [&](const application *a, const application *b) {
    const int32_t of_a = naive::priority_of(*a), of_b = naive::priority_of(*b);
    if (priority_first && of_a != of_b) return of_a > of_b;
    if (policy == "fair") {
      const auto shares_a = shares(*a, leaf.guaranteed), shares_b = shares(*b, leaf.guaranteed);
      if (shares_a != shares_b) return shares_a < shares_b;
    } else if (a->submitted_ms != b->submitted_ms) {
      return a->submitted_ms < b->submitted_ms;
    }
    return of_a > of_b;
  });
  return out;
}

std::vector<ask *> partition::sorted_asks(application &a) {
  std::vector<ask *> out;
  for (ask &k : a.asks) {
    if (k.pending() > 0) out.push_back(&k);
  }
  std::sort(out.begin(), out.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
  return out;
}

bool partition::chose_an_order(const application &a) const {
  static const std::set<std::string> known{"fair", "binpacking", "device-packing", "gpu-pack", "emptiest-devices"};
  return known.contains(tag_of(a.tags, "tenon/node-sort"));
}

node_sort_config partition::node_order_of(const application &a) const {
  if (chose_an_order(a)) return {tag_of(a.tags, "tenon/node-sort"), config.node_sort.resource_weights};
  if (!is_canary_of_nodes() || !has_canary(a)) return config.node_sort;
  return canary_fails ? node_sort_config{} : config.canary[0].node_sort;
}

detail_map partition::chosen_by_order(const application &a, const ask &k, const node &n, const usage &used) const {
  const std::string type = "gpu";
  const device_map &devices = used.free_devices.at(n.id);
  const int64_t amount = amount_of(k.resources, type);
  if (!reservations_on(n.id).empty()) return {};
  if (node_order_of(a).type != "emptiest-devices" || !k.required_node.empty() || amount <= 0 ||
      !devices.contains(type)) {
    return {};
  }
  const std::vector<int64_t> &free = devices.at(type);
  const int64_t size = divisions_in(n.attributes).at(type).amount;
  const auto usual = choose_devices(free, size, divisions_in(k.tags), type, amount);
  if (!usual) return {};
  const auto count = static_cast<int64_t>(usual->devices.size());
  const std::set<int64_t> wanted = emptiest_devices(free, count, usual->amount);
  const bool can_be_had =
      static_cast<int64_t>(wanted.size()) == count && std::all_of(wanted.begin(), wanted.end(), [&](int64_t number) {
        return free[static_cast<size_t>(number)] >= usual->amount;
      });
  return can_be_had ? detail_map{{type, {usual->amount, wanted}}} : detail_map{};
}

std::vector<const node *> partition::sorted_nodes(const application &a, const ask &k, const usage &used) const {
  auto [order, weights] = node_order_of(a);
  if (order == "emptiest-devices") return emptiest_first(*this, used);
  if (order == "gpu-pack") return nodes_for_what_comes(k, used, weights);
  if (order == "device-packing") return packed_nodes(*this, k, used, weights);
  if (weights.empty()) weights = {{"vcore", 1}, {"memory", 1}};
  std::vector<std::pair<double, const node *>> all;  // nodes come by id
  for (const auto &[id, n] : nodes) {
    const double share = node_usage(used.free_on_node.at(id), n.capacity, weights, types);
    all.emplace_back(order == "binpacking" ? 1.0 - share : share, &n);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
  std::vector<const node *> out;
  for (const auto &[score, n] : all) out.push_back(n);
  return out;
}

}  // namespace tenon::naive
