// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether all is well: sums that must agree, and what the host says of itself. Every check is of now.
#include <map>
#include <set>

#include "handlers.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;
using sums = std::map<std::string, int64_t, std::less<>>;

void add(sums &to, const tenon_rm_amounts &amounts, int sign = 1) {
  for (uint32_t i = 0; i < amounts.count; ++i) to[std::string(view(amounts.types[i]))] += sign * amounts.values[i];
}

bool all_zero(const sums &s) {
  for (const auto &[type, amount] : s)
    if (amount != 0) return false;
  return true;
}

bool negative(const tenon_rm_amounts &amounts) {
  for (uint32_t i = 0; i < amounts.count; ++i)
    if (amounts.values[i] < 0) return true;
  return false;
}

// What one check found: names of what is not as it should be.
struct finding {
  std::vector<std::string> names;
  void add(std::string name) { names.push_back(std::move(name)); }
  [[nodiscard]] std::string words(std::string_view what) const {
    if (names.empty()) return {};
    std::string out(what);
    for (size_t i = 0; i < names.size() && i < 10; ++i) out += (i == 0 ? ": " : ", ") + names[i];
    if (names.size() > 10) out += " and " + std::to_string(names.size() - 10) + " more";
    return out;
  }
};

json::object outcome(std::string_view name, bool well, std::string_view description, std::string_view diagnosis) {
  object_writer out;
  out.put("Name", name);
  out.always("Succeeded", well);
  out.put("Description", description);
  out.put("DiagnosisMessage", diagnosis);
  return out.take();
}

json::object check(std::string_view name, std::string_view description, const finding &f, std::string_view what) {
  return outcome(name, f.names.empty(), description, f.words(what));
}

struct findings {
  finding partitions, nodes, totals, sums_of_nodes, off_node, off_application;

  void look(const tenon_view_partition &p) {
    if (negative(p.capacity) || negative(p.used)) partitions.add(std::string(view(p.name)));
    sums left;
    add(left, p.capacity);
    std::set<std::pair<std::string_view, uint64_t>> on_nodes, of_applications;
    for (const auto &n : listed<tenon_view_node>(p.nodes)) {
      if (negative(n.capacity) || negative(n.allocated) || negative(n.occupied)) nodes.add(std::string(view(n.id)));
      add(left, n.capacity, -1);
      sums whole;
      add(whole, n.capacity);
      add(whole, n.allocated, -1);
      add(whole, n.occupied, -1);
      add(whole, n.available, -1);
      if (!all_zero(whole)) sums_of_nodes.add(std::string(view(n.id)));
      for (uint64_t i = 0; i < n.allocation_count; ++i) {
        const tenon_view_allocation &a = *n.allocations[i];
        if ((a.flags & TENON_VIEW_FOREIGN) == 0) on_nodes.emplace(view(a.key), a.sequence);
      }
    }
    if (!all_zero(left)) totals.add(std::string(view(p.name)));
    for (const auto &app : listed<tenon_view_application>(p.active)) {
      for (const auto &a : listed<tenon_view_allocation>(app.allocations)) {
        of_applications.emplace(view(a.key), a.sequence);
        if (!on_nodes.contains({view(a.key), a.sequence})) off_node.add(std::string(view(a.key)));
      }
    }
    for (const auto &[key, sequence] : on_nodes)
      if (!of_applications.contains({key, sequence})) off_application.add(std::string(key));
  }
};

}  // namespace

answer get_health(const context &c) {
  json::array checks;
  bool healthy = true;
  const auto add_check = [&](json::object one) {
    healthy = healthy && one["Succeeded"].as_bool();
    checks.push_back(std::move(one));
  };
  if (c.use.metrics != nullptr) {
    const reading now(c.use, TENON_METRICS_HEALTH);
    for (const auto &h : listed<tenon_health>(now->health)) {
      add_check(outcome(view(h.name), h.well != 0, view(h.meaning), view(h.diagnosis)));
    }
  }
  const snapshot all(c.use, TENON_READ_NODES | TENON_READ_APPLICATIONS | TENON_READ_ALLOCATIONS);
  findings f;
  for (const auto &p : listed<tenon_view_partition>(all->partitions)) f.look(p);
  add_check(check("Negative resources", "Check for negative resources in the partitions", f.partitions,
                  "Partitions with negative resources"));
  add_check(check("Negative resources", "Check for negative resources in the nodes", f.nodes,
                  "Nodes with negative resources"));
  add_check(check("Consistency of data", "Check if a partition's total resource <= sum of the node resources", f.totals,
                  "Partitions with inconsistent data"));
  add_check(check("Consistency of data", "Check if a node's total resource = allocated + occupied + available resource",
                  f.sums_of_nodes, "Nodes with inconsistent data"));
  add_check(check("Reservation check", "Check the reservation nr compared to the number of nodes", {}, {}));
  add_check(check("Orphan allocation on node check", "Check if there are orphan allocations on the nodes",
                  f.off_application, "Orphan allocations on nodes"));
  add_check(check("Orphan allocation on app check", "Check if there are orphan allocations on the applications",
                  f.off_node, "Orphan allocations of applications"));
  return json_answer(json::object{{"Healthy", healthy}, {"HealthChecks", std::move(checks)}});
}

}  // namespace tenon::rest
