// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which text is in force for which policy group or RM: those of files, and those that people sent in their place.
#include <algorithm>
#include <chrono>

#include "left_out.hpp"
#include "scheduler_impl.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/text_file.hpp"
#include "tenon/text/utc.hpp"

namespace tenon::service {
namespace {

constexpr const char *nothing_changed = "nothing was changed; ";

int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// "revision 3, which olga (rest 127.0.0.1) sent at 2026-11-21T17:00:00Z for policy group 'default'"
std::string sent_as_text(const group_config &one, const std::string &policy_group, const std::string &rm) {
  return "revision " + std::to_string(one.revision) + ", which " + one.by + " sent at " +
         utc_text_in_seconds(one.since_ms) + " for " +
         (rm.empty() ? "policy group " + config::in_quotes(policy_group) : "RM " + config::in_quotes(rm));
}

// An empty file is what a reader sees of one that is being written, and never what somebody wants to change to.
std::optional<refusal> refuse_change_to_nothing(const group_config &to, const group_config *in_force) {
  if (to.has_content || in_force == nullptr || !in_force->has_content) return std::nullopt;
  return refusal{to.file, "queues, as those that are in force", "a text without content",
                 std::string(nothing_changed) +
                     "write the whole text, a file by renaming a complete one to its name, and try again"};
}

void add_left_out(const cluster_config &before, const cluster_config &now, std::vector<std::string> &notes) {
  for (std::string &line : left_out(before, now)) notes.push_back(std::move(line));
}

// The file is as it was when people sent another text: whoever reloads may not know of that.
configured older_than(const group_config &sent, const std::string &policy_group, const std::string &rm,
                      const std::string &file) {
  configured out;
  out.is_older = true;
  out.why = refusal{file, "a file that was changed since",
                    sent_as_text(sent, policy_group, rm) + " is in force, and the file is as it was in revision " +
                        std::to_string(sent.instead_of_revision),
                    std::string(nothing_changed) + "write the file anew, or force the reload, which throws revision " +
                        std::to_string(sent.revision) + " away"};
  return out;
}

}  // namespace

std::vector<std::string> scheduler::impl::group_names() const {
  std::vector<std::string> out;
  for (const auto &[name, text] : options.policy_groups) out.push_back(name);
  if (out.empty())
    for (const auto &[name, file] : modules->plan().policy_groups) out.push_back(name);
  if (out.empty()) out.emplace_back("default");
  return out;
}

std::string scheduler::impl::place_of(const std::string &policy_group) const {
  if (options.policy_groups.contains(policy_group)) return "policy group '" + policy_group + "'";
  const auto &files = modules->plan().policy_groups;
  const auto file = files.find(policy_group);
  if (file == files.end() || !options.policy_groups.empty()) return "the built-in configuration";
  return file->second.string();
}

result<scheduler::configuration_source> scheduler::impl::source_of(const std::string &policy_group) const {
  scheduler::configuration_source out{place_of(policy_group), std::string(config::default_queues_yaml())};
  if (const auto text = options.policy_groups.find(policy_group); text != options.policy_groups.end()) {
    out.text = text->second;
  } else if (const auto file = modules->plan().policy_groups.find(policy_group);
             file != modules->plan().policy_groups.end() && options.policy_groups.empty()) {
    auto text_of_file = host::read_text_file(file->second);
    if (!text_of_file) return text_of_file.why();
    out.text = std::move(*text_of_file);
  }
  return out;
}

result<group_config> scheduler::impl::read_source(const std::string &policy_group) const {
  const auto source = source_of(policy_group);
  if (!source) return source.why();
  return shared.read(source->text, source->place);
}

std::optional<refusal> scheduler::impl::open_configurations() {
  groups_by_name groups;
  for (const std::string &name : group_names()) {
    auto config = read_source(name);
    if (!config) return config.why();
    config->since_ms = unix_ms();
    groups.insert_or_assign(name, std::move(*config));
  }
  std::vector<stored_configuration> kept;
  if (const auto &folder = modules->plan().configuration_store; !folder.empty() && options.policy_groups.empty()) {
    auto store = configuration_store::open(folder);
    if (!store) return store.why();
    store_.emplace(std::move(*store));
    auto found = store_->read();
    if (!found) return found.why();
    kept = std::move(*found);
  }
  for (const stored_configuration &one : kept) last_revision_ = std::max(last_revision_, one.revision);
  for (auto &[name, group] : groups) group.revision = ++last_revision_;
  if (auto why = use_kept(kept, groups)) return why;
  for (const auto &[name, group] : groups) shared.warn_of(group);
  shared.set_groups(std::move(groups));
  return std::nullopt;
}

// As a reload would: what people sent stays in force until the file changes.
std::optional<refusal> scheduler::impl::use_kept(const std::vector<stored_configuration> &kept,
                                                 groups_by_name &groups) {
  for (const stored_configuration &one : kept) {
    const auto group = groups.find(one.policy_group);
    auto config = shared.read(one.text, one.file.string());
    if (!config) return config.why();
    config->revision = one.revision;
    config->since_ms = one.since_ms;
    config->by = one.by;
    config->instead_of = one.instead_of;
    config->instead_of_revision = one.instead_of_revision;
    const std::string words = sent_as_text(*config, one.policy_group, one.rm);
    const bool changed = group == groups.end() ||
                         (group->second.by.empty() && group->second.config->checksum != one.instead_of) ||
                         (!group->second.by.empty() && group->second.instead_of != one.instead_of);
    if (changed) {
      found_at_start_.push_back((group == groups.end()
                                     ? "policy group " + config::in_quotes(one.policy_group) + " is gone"
                                     : place_of(one.policy_group) + " has changed") +
                                " and replaces " + words);
      continue;
    }
    found_at_start_.push_back("in force is " + words + ", in place of " + place_of(one.policy_group));
    if (one.rm.empty()) {
      group->second = std::move(*config);
    } else {
      config->policy_group = one.policy_group;
      shared.set_of_rm(one.rm, std::move(*config));
    }
  }
  return std::nullopt;
}

// Opening alone changes nothing on the disk, so that a daemon can be checked beside one that runs.
void scheduler::impl::tell_of_start() {
  const std::lock_guard lock(configuring_);
  for (const std::string &line : found_at_start_) {
    shared.warn(line);
    if (hub == nullptr) continue;
    events::audit_note note;
    note.who = "tenon";
    note.action = "start";
    note.message = "tenon: start: " + line;
    hub->audit(note, unix_ms());
  }
  clean_store();
}

// What is not in force any more is not kept either: also where an RM sent a configuration of its own.
void scheduler::impl::clean_store() {
  if (!store_) return;
  const auto found = store_->read();
  if (!found) return;
  const auto groups = shared.groups(), rms = shared.of_rms();
  for (const stored_configuration &one : *found) {
    const auto &all = one.rm.empty() ? groups : rms;
    const auto in_force = all.find(one.rm.empty() ? one.policy_group : one.rm);
    if (in_force == all.end() || in_force->second.revision != one.revision) store_->forget(one.policy_group, one.rm);
  }
}

std::optional<refusal> scheduler::impl::put_in_force(groups_by_name groups, const std::set<std::string> &dropped_rms,
                                                     bool only_tried) {
  std::optional<refusal> out;
  const bool ran = call([&](cycle &on) { out = on.reload(groups, dropped_rms, only_tried); });
  if (started_ && !ran) return refusal{"", "a scheduler that runs", "one that stops", ""};
  if (out || only_tried) return out;
  for (const auto &[name, group] : groups) shared.warn_of(group);
  for (const std::string &rm : dropped_rms) shared.drop_of_rm(rm);
  shared.set_groups(std::move(groups));
  return std::nullopt;
}

void scheduler::impl::keep(const group_config &one, const std::string &policy_group, const std::string &rm,
                           configured &told) {
  if (!store_) {
    told.notes.push_back("revision " + std::to_string(one.revision) + " is kept in memory alone: after a restart " +
                         place_of(policy_group) +
                         " is in force again; a folder in configuration.store of the deployment keeps it");
    return;
  }
  const auto why = store_->keep(
      {policy_group, rm, one.text, one.by, one.revision, one.since_ms, one.instead_of, one.instead_of_revision, {}});
  if (why)
    told.notes.push_back("revision " + std::to_string(one.revision) + " is in force and not kept: " + why->text());
}

configured scheduler::impl::configure(const people_configuration &sent) {
  const std::lock_guard lock(configuring_);
  configured out;
  auto config = shared.read(
      sent.text, sent.rm.empty() ? "policy group '" + sent.policy_group + "'" : "the configuration of " + sent.rm);
  if (!config) {
    out.why = config.why();
    return out;
  }
  config->revision = last_revision_ + 1;
  config->since_ms = unix_ms();
  config->by = sent.by;
  const std::string checksum = config->config->checksum;
  out = sent.rm.empty() ? configure_group(sent, std::move(*config)) : configure_rm(sent, std::move(*config));
  if (out.why) return out;
  out.checksum = checksum;
  if (!sent.only_tried) out.revision = ++last_revision_;
  return out;
}

configured scheduler::impl::configure_group(const people_configuration &sent, group_config config) {
  configured out;
  groups_by_name groups = shared.groups();
  const group_config before = groups[sent.policy_group];
  out.why = refuse_change_to_nothing(config, &before);
  if (out.why) return out;
  config.instead_of = before.by.empty() ? before.config->checksum : before.instead_of;
  config.instead_of_revision = before.by.empty() ? before.revision : before.instead_of_revision;
  groups[sent.policy_group] = config;
  out.why = put_in_force(std::move(groups), {}, sent.only_tried);
  if (out.why) return out;
  if (!before.by.empty()) out.notes.push_back("replaced " + sent_as_text(before, sent.policy_group, {}));
  if (before.config != nullptr) add_left_out(*before.config, *config.config, out.notes);
  if (sent.only_tried) return out;
  keep(config, sent.policy_group, {}, out);
  return out;
}

configured scheduler::impl::configure_rm(const people_configuration &sent, group_config config) {
  configured out;
  if (!config.has_content) {
    out.why = refusal{config.file, "queues", "a text without content", "nothing was changed; send the whole text"};
    return out;
  }
  const groups_by_name groups = shared.groups(), rms = shared.of_rms();
  const auto group = groups.find(sent.policy_group);
  const auto before = rms.find(sent.rm);
  if (group != groups.end()) {
    const group_config &file = group->second;
    config.instead_of = file.by.empty() ? file.config->checksum : file.instead_of;
    config.instead_of_revision = file.by.empty() ? file.revision : file.instead_of_revision;
  }
  config.policy_group = sent.policy_group;
  const bool ran = call([&](cycle &on) { out.why = on.configure(sent.rm, config, sent.only_tried); });
  if (!ran) out.why = refusal{"", "a scheduler that runs", "one that stops", ""};
  if (out.why) return out;
  if (!sent.only_tried) shared.warn_of(config);
  if (before != rms.end()) out.notes.push_back("replaced " + sent_as_text(before->second, sent.policy_group, sent.rm));
  if (sent.only_tried) return out;
  keep(config, sent.policy_group, sent.rm, out);
  shared.set_of_rm(sent.rm, std::move(config));
  return out;
}

configured scheduler::impl::reload_files(const reload_wish &wish) {
  const std::lock_guard lock(configuring_);
  configured out;
  groups_by_name groups = shared.groups();
  std::set<std::string> dropped_rms;
  uint64_t next_revision = last_revision_;
  for (const std::string &name : group_names()) {
    if (!wish.policy_group.empty() && name != wish.policy_group) continue;
    auto config = read_source(name);
    if (!config) {
      out.why = config.why();
      return out;
    }
    const auto before = groups.find(name);
    const group_config *in_force = before == groups.end() ? nullptr : &before->second;
    if ((out.why = refuse_change_to_nothing(*config, in_force))) return out;
    for (const auto &[rm, sent] : shared.of_rms()) {
      if (sent.policy_group != name) continue;
      if (!wish.forced && sent.instead_of == config->config->checksum) return older_than(sent, name, rm, config->file);
      out.notes.push_back("replaced " + sent_as_text(sent, name, rm));
      dropped_rms.insert(rm);
    }
    if (in_force != nullptr && !in_force->by.empty()) {
      if (!wish.forced && in_force->instead_of == config->config->checksum)
        return older_than(*in_force, name, {}, config->file);
      out.notes.push_back("replaced " + sent_as_text(*in_force, name, {}));
    }
    if (in_force != nullptr) add_left_out(*in_force->config, *config->config, out.notes);
    const bool same = in_force != nullptr && in_force->by.empty() && in_force->text == config->text;
    config->revision = same ? in_force->revision : ++next_revision;
    config->since_ms = same ? in_force->since_ms : unix_ms();
    if (name == wish.policy_group || out.revision == 0) {
      out.revision = config->revision;
      out.checksum = config->config->checksum;
    }
    groups.insert_or_assign(name, std::move(*config));
  }
  out.why = put_in_force(std::move(groups), dropped_rms, wish.only_tried);
  if (out.why) {
    out.notes.clear();
    return out;
  }
  if (wish.only_tried) {
    out.revision = 0;
    return out;
  }
  last_revision_ = next_revision;
  clean_store();
  return out;
}

void scheduler::impl::forget_sent_for(const std::string &rm) {
  if (!shared.drop_of_rm(rm)) return;
  const std::lock_guard lock(configuring_);
  clean_store();
}

std::optional<refusal> scheduler::impl::reload_texts(const std::map<std::string, std::string> &texts) {
  const std::lock_guard lock(configuring_);
  groups_by_name groups = shared.groups();
  uint64_t next_revision = last_revision_;
  for (const auto &[name, text] : texts) {
    auto config = shared.read(text, "policy group '" + name + "'");
    if (!config) return config.why();
    const auto before = groups.find(name);
    if (auto why = refuse_change_to_nothing(*config, before == groups.end() ? nullptr : &before->second)) return why;
    config->revision = ++next_revision;
    config->since_ms = unix_ms();
    groups.insert_or_assign(name, std::move(*config));
  }
  auto why = put_in_force(std::move(groups), {}, false);
  if (!why) last_revision_ = next_revision;
  return why;
}

std::vector<configuration_revision> scheduler::impl::revisions() const {
  const std::lock_guard lock(configuring_);
  std::vector<configuration_revision> out;
  const auto add = [&](const group_config &one, const std::string &policy_group, const std::string &rm) {
    configuration_revision made;
    made.number = one.revision;
    made.policy_group = policy_group;
    made.rm = rm;
    made.by = one.by;
    made.source = place_of(policy_group);
    made.since_ms = one.since_ms;
    made.checksum = one.config->checksum;
    made.text = one.text;
    made.of_file = one.by.empty() ? one.config->checksum : one.instead_of;
    made.instead_of = one.instead_of_revision;
    made.kept = !one.by.empty() && store_.has_value();
    out.push_back(std::move(made));
  };
  const auto rms = shared.of_rms();
  for (const auto &[name, group] : shared.groups()) {
    add(group, name, {});
    for (const auto &[rm, sent] : rms)
      if (sent.policy_group == name) add(sent, name, rm);
  }
  return out;
}

}  // namespace tenon::service
