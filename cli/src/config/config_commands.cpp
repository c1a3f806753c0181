// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "config/config_commands.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>

#include "run/complain.hpp"
#include "run/quiet_log.hpp"
#include "run/refusal_json.hpp"
#include "run/try_modules.hpp"
#include "tenon/config/schema.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/host/module_catalog.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::cli {

namespace {

namespace json = boost::json;

constexpr int accepted_exit = 0;
constexpr int refused_exit = 2;
constexpr std::string_view standard_input = "-";
constexpr std::string_view formats[] = {"queues", "deployment", "module"};

// What is to be said of one file.
struct verdict {
  std::string file;
  std::string_view format;
  std::vector<refusal> refusals;
  std::vector<refusal> warnings;
  size_t refused = 0;
  std::optional<cluster_config> queues;  // an accepted queues.yaml
};

result<std::string> read_all(const std::string &file, std::istream &in) {
  // One byte more than the parser takes is enough for it to say so.
  constexpr size_t most = config::yaml_limits{}.bytes + 1;
  const auto read = [](std::istream &from) {
    std::string out(most, '\0');
    from.read(out.data(), static_cast<std::streamsize>(most));
    out.resize(static_cast<size_t>(from.gcount()));
    return out;
  };
  if (file == standard_input) return read(in);
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed))
    return refusal{file, "a file that can be read", "a folder", "name a file in it"};
  errno = 0;
  std::ifstream from(file, std::ios::binary);
  std::string text = from ? read(from) : std::string();
  if (from.is_open() && !from.bad()) return text;
  return refusal{file, "a file that can be read",
                 std::string("it cannot be opened or read: ") + (errno != 0 ? std::strerror(errno) : "no reason given"),
                 "correct the name or the file's access"};
}

// What a text says it is; queues.yaml says nothing.
std::string_view format_of(std::string_view text) {
  config::problems unheard("");
  const auto root = config::read_yaml(text, unheard);
  const std::string version = root ? config::text_of(*root, "apiVersion") : std::string();
  if (version.starts_with("tenon.module/")) return formats[2];
  if (version.starts_with("tenon/")) return formats[1];
  return formats[0];
}

size_t count_queues(const queue_config &queue) {
  size_t out = 1;
  for (const queue_config &child : queue.queues) out += count_queues(child);
  return out;
}

// What the queues.yaml files of a deployment may name: read from manifests, nothing is opened.
config::known_policies known_by(const host::deployment &plan) {
  const auto catalog =
      host::module_catalog::scan(host::module_folders(plan.module_path, host::default_module_folder()));
  if (!catalog) return {};
  config::known_policies out;
  for (const kind_entry &kind : module_kinds) {
    if (config::named_by_queues(kind)) out[kind.kind].emplace();
  }
  for (const host::catalogued_module &module : catalog->modules()) {
    const auto used = [&](const host::interface_use &use) { return use.use == module.manifest.id; };
    if (!module.built_in && plan.find(module.manifest.id) == nullptr &&
        std::none_of(plan.predicates.begin(), plan.predicates.end(), used)) {
      host::add_unlisted(module, out);
      continue;
    }
    for (const host::provided_interface &one : module.manifest.provides) {
      const kind_entry *kind = find_kind(one.interface);
      if (kind != nullptr && out[kind->kind]) out[kind->kind]->push_back(one.name);
    }
  }
  return out;
}

// With all modules that the deployment names, or why there is none: a module is missing or damaged, or does not take
// its configuration. Nothing is started.
result<std::unique_ptr<host::module_host>> open_modules(const host::deployment &plan) {
  host::host_options how;
  how.log = quiet_log();
  auto opened = host::open_host(plan, std::move(how));
  if (!opened) return opened;
  if (auto why = refusal_of_modules(**opened)) return *std::move(why);
  return opened;
}

// As whoever opens the deployment reads it; of standard input there is none.
void read_lock_of(const std::string &file, host::deployment &plan, config::problems &report) {
  const std::filesystem::path lock = host::lock_file_of(file);
  std::error_code failed;
  if (file == standard_input || !std::filesystem::exists(lock, failed)) return;
  config::problems of_lock(lock.string());
  plan.lock = host::read_lock(lock, of_lock);
  if (plan.lock) return;
  const refusal &why = of_lock.refusals().front();
  report.refuse({}, "its lock cannot be used: " + why.where + ": " + why.have, why.want, why.fix);
}

class checker {
 public:
  checker(const config_check_options &options, std::istream &in) : options_(options), known_(options.known), in_(in) {}

  std::vector<verdict> check_all() {
    for (const std::string &file : options_.files) check(file);
    return std::move(verdicts_);
  }

 private:
  void check(const std::string &file) {
    const auto text = read_all(file, in_);
    const std::string_view format = text ? format_of(*text) : formats[0];
    if (format == formats[0]) return check_queues(file, text);
    config::problems report(file == standard_input ? "standard input" : file);
    if (format == formats[2]) {
      (void)host::parse_manifest(*text, file, report);
      return add(file, format, report);
    }
    auto deployment = host::parse_deployment(*text, file, report);
    if (deployment) read_lock_of(file, *deployment, report);
    add(file, format, report);
    if (!deployment) return;
    const size_t own = verdicts_.size() - 1;
    const auto refuse = [&](const refusal &why) {
      verdicts_[own].refusals.push_back(why);
      ++verdicts_[own].refused;
    };
    auto modules = open_modules(*deployment);
    if (!modules) refuse(modules.why());
    known_ = known_by(*deployment);
    // The file of a policy group is read as queues, whatever it is: a deployment that names itself would never end.
    for (const auto &[group, queues] : deployment->policy_groups) {
      check_queues(queues.string(), read_all(queues.string(), in_));
    }
    known_ = options_.known;
    // It says only the first thing that is wrong; of queues all has been said.
    const auto bad = std::find_if(verdicts_.begin() + static_cast<std::ptrdiff_t>(own), verdicts_.end(),
                                  [](const verdict &v) { return v.refused != 0; });
    if (!options_.daemon || bad != verdicts_.end()) return;
    if (const auto why = options_.daemon(*deployment, std::move(*modules))) refuse(*why);
  }

  void check_queues(const std::string &file, const result<std::string> &text) {
    if (!text) {
      verdicts_.push_back({file, formats[0], {text.why()}, {}, 1, std::nullopt});
      return;
    }
    config::parse_options how;
    how.known = known_;
    auto parsed = config::parse_queues(*text, file == standard_input ? "standard input" : file, how);
    verdicts_.push_back({file, formats[0], std::move(parsed.refusals), std::move(parsed.warnings), parsed.refused,
                         std::move(parsed.config)});
  }

  void add(const std::string &file, std::string_view format, const config::problems &report) {
    verdicts_.push_back({file, format, report.refusals(), report.warnings(), report.refused_count(), std::nullopt});
  }

  const config_check_options &options_;
  config::known_policies known_;  // of the file at hand
  std::istream &in_;
  std::vector<verdict> verdicts_;
};

std::string plural(size_t count, const std::string &one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

void print_for_people(const verdict &v, std::ostream &out, std::ostream &err) {
  for (const refusal &why : v.refusals) remark(err, "", why);
  for (const refusal &why : v.warnings) remark(err, "warning: ", why);
  out << v.file << ": ";
  if (v.refused != 0) {
    out << "refused, " << plural(v.refused, "reason");
    if (v.refused > v.refusals.size()) out << " (the first " << v.refusals.size() << " are shown)";
  } else {
    out << "good";
  }
  if (v.queues) {
    size_t queues = 0;
    for (const partition_config &p : v.queues->partitions) queues += count_queues(p.root);
    out << ", " << plural(v.queues->partitions.size(), "partition") << ", " << plural(queues, "queue");
  }
  if (!v.warnings.empty()) out << ", " << plural(v.warnings.size(), "warning");
  out << '\n';
}

json::object verdict_json(const verdict &v) {
  json::object out{{"file", v.file},
                   {"format", v.format},
                   {"accepted", v.refused == 0},
                   {"refused", v.refused},
                   {"refusals", refusals_json(v.refusals)},
                   {"warnings", refusals_json(v.warnings)}};
  if (!v.queues) return out;
  out["checksum"] = v.queues->checksum;
  json::array partitions;
  for (const partition_config &p : v.queues->partitions) {
    partitions.push_back(json::object{{"name", p.name}, {"queues", count_queues(p.root)}});
  }
  out["partitions"] = std::move(partitions);
  return out;
}

}  // namespace

int run_config_check(const config_check_options &options, std::istream &in, std::ostream &out, std::ostream &err) {
  const std::vector<verdict> verdicts = checker(options, in).check_all();
  bool accepted = true;
  json::array files;
  for (const verdict &v : verdicts) {
    accepted = accepted && v.refused == 0 && (!options.strict || v.warnings.empty());
    if (options.json) {
      files.push_back(verdict_json(v));
    } else {
      print_for_people(v, out, err);
    }
  }
  if (options.json) {
    out << json::serialize(json::object{{"accepted", accepted}, {"files", std::move(files)}}) << '\n';
  }
  return accepted ? accepted_exit : refused_exit;
}

int run_config_schema(std::string_view format, std::ostream &out, std::ostream &err) {
  if (format.empty() || format == formats[0]) {
    out << config::queues_json_schema();
  } else if (format == formats[1]) {
    out << config::json_schema(host::deployment_spec(), "Tenon deployment");
  } else if (format == formats[2]) {
    out << config::json_schema(host::manifest_spec(), "Tenon module manifest");
  } else {
    err << "tenon config schema: no format " << config::in_quotes(format) << "; " << config::suggestion(format, formats)
        << '\n';
    return refused_exit;
  }
  return accepted_exit;
}

}  // namespace tenon::cli
