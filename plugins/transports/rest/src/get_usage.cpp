// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What users and groups use.
#include <map>

#include "handlers.hpp"
#include "json_objects.hpp"
#include "paging.hpp"
#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

using rows_of = std::map<std::string_view, std::vector<const tenon_view_usage *>>;

rows_of by_name(const tenon_view_list &list) {
  rows_of out;
  for (const auto &row : listed<tenon_view_usage>(list)) out[view(row.name)].push_back(&row);
  return out;
}

json::object user_json(const tenon_view_partition &p, std::string_view name,
                       const std::vector<const tenon_view_usage *> &rows) {
  object_writer out;
  out.always("userName", name);
  json::object groups;  // application -> the group that its limits are of
  for (const tenon_view_usage *row : rows) {
    for (uint64_t i = 0; i < row->running.count; ++i) {
      const std::string_view app = view(row->running.texts[i]);
      for (const auto &g : listed<tenon_view_usage>(p.groups)) {
        for (uint64_t k = 0; k < g.running.count; ++k)
          if (view(g.running.texts[k]) == app) groups[app] = view(g.name);
      }
    }
  }
  out.put("groups", std::move(groups));
  out.always("queues", usage_tree_json(rows));
  return out.take();
}

json::object group_json(std::string_view name, const std::vector<const tenon_view_usage *> &rows) {
  object_writer out;
  out.always("groupName", name);
  for (const tenon_view_usage *row : rows)
    if (view(row->queue) == "root") out.put("applications", row->running);
  out.always("queues", usage_tree_json(rows));
  return out.take();
}

// The rows of the name, or refused with the most similar one that has some.
const std::vector<const tenon_view_usage *> &rows_of_name(const rows_of &all, const std::string &name,
                                                          std::string_view object) {
  if (const auto found = all.find(name); found != all.end()) return found->second;
  nearest_name near(name);
  for (const auto &[known, rows] : all) near.look_at(known);
  throw near.not_found(object);
}

template <class Make>
answer all_of(const tenon_view_list &list, page &out, Make &&make) {
  for (const auto &[name, rows] : by_name(list)) {
    if (out.wants(name)) out.add(make(name, rows));
    if (out.full()) break;
  }
  return out.take();
}

}  // namespace

answer get_users(const context &c) {
  page out(c.asked, "UserUsage");
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_USAGE);
  return all_of(p->users, out, [&](std::string_view name, const auto &rows) { return user_json(*p, name, rows); });
}

answer get_user(const context &c) {
  const std::string &name = c.asked.parameter("user");
  check_user_name(name);
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_USAGE);
  return json_answer(user_json(*p, name, rows_of_name(by_name(p->users), name, "User")));
}

answer get_groups(const context &c) {
  page out(c.asked, "GroupUsage");
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_USAGE);
  return all_of(p->groups, out, [](std::string_view name, const auto &rows) { return group_json(name, rows); });
}

answer get_group(const context &c) {
  const std::string &name = c.asked.parameter("group");
  check_group_name(name);
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_USAGE);
  return json_answer(group_json(name, rows_of_name(by_name(p->groups), name, "Group")));
}

}  // namespace tenon::rest
