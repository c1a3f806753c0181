// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/conformance/verify.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "catalogue.hpp"
#include "guarded_memory.hpp"
#include "probe_table.hpp"
#include "switches.hpp"
#include "tenon/config/yaml.hpp"
#include "tenon/host/expression.hpp"
#include "tenon/host/module_configuration.hpp"

namespace tenon::conformance {
namespace {

constexpr const char *usual_switches = "tenon-verify.yaml";

// The current folder of checks: where a module that writes may do so, or one that is there, where it finds its files.
class own_folder {
 public:
  explicit own_folder(std::filesystem::path there) : path_(std::move(there)), made_(path_.empty()) {
    if (!made_) return;
    std::string path = (std::filesystem::temp_directory_path() / "tenon-verify-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~own_folder() {
    std::error_code ignored;
    if (!before_.empty()) std::filesystem::current_path(before_, ignored);
    if (made_ && !path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  own_folder(const own_folder &) = delete;
  own_folder &operator=(const own_folder &) = delete;

  void enter() {
    std::error_code ignored;
    before_ = std::filesystem::current_path(ignored);
    if (!path_.empty()) std::filesystem::current_path(path_, ignored);
  }

 private:
  std::filesystem::path path_, before_;
  bool made_;
};

using page_owner = std::unique_ptr<shared_page, void (*)(shared_page *)>;

// Runs the check here; its verdict goes to the page.
void run_here(const check &c, const target &of, uint64_t seed, bool long_run, shared_page &page) {
  probe p(of, seed, long_run, page);
  try {
    c.run(p);
    page.finish(shared_page::passed, "");
  } catch (const check_failed &no) {
    page.finish(shared_page::failed, no.text);
  } catch (const check_skipped &no) {
    page.finish(shared_page::skipped, no.text);
  } catch (const std::exception &e) {
    page.finish(shared_page::failed, std::string("the check itself gave up: ") + e.what());
  }
}

std::string signal_text(int number) {
  const char *name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

std::string during(const shared_page &page) {
  return page.step().empty() ? std::string(" while the module was not called") : " during " + std::string(page.step());
}

// One line of what the process said last.
std::string said(const std::string &output) {
  if (output.empty()) return {};
  std::string line = output.substr(output.size() > 200 ? output.size() - 200 : 0);
  for (char &ch : line) {
    if (static_cast<unsigned char>(ch) < 0x20) ch = ' ';
  }
  return "; it said: " + line;
}

void conclude(const shared_page &page, const sandbox_outcome &end, std::chrono::milliseconds limit, check_result &to) {
  const std::string note = page.note().empty() ? "" : ": " + std::string(page.note());
  switch (end.how) {
    case sandbox_outcome::end::verdict:
      to.text = page.text();
      to.how = page.how() == shared_page::passed    ? outcome::passed
               : page.how() == shared_page::skipped ? outcome::skipped
                                                    : outcome::failed;
      return;
    case sandbox_outcome::end::killed:
      to.how = outcome::crashed;
      to.text = "killed by " + signal_text(end.code) + during(page) + note + said(end.output);
      return;
    case sandbox_outcome::end::exited:
      to.how = outcome::crashed;
      to.text = "the process ended with status " + std::to_string(end.code) + during(page) + said(end.output);
      return;
    case sandbox_outcome::end::timed_out:
      to.how = outcome::timed_out;
      to.text = "still busy after " + std::to_string(limit.count()) + " ms" + during(page) + said(end.output);
      return;
    case sandbox_outcome::end::not_started:
      to.how = outcome::crashed;
      to.text = end.code != 0 ? std::string("no process could be started: ") + std::strerror(end.code)
                              : "the process that watches the test was killed" + during(page);
      return;
  }
}

std::string again_with(const verify_options &options) {
  std::string out;
  if (!options.client.empty()) out += " --client " + options.client.string();
  if (!options.configuration.empty()) out += " --config " + options.configuration.string();
  for (const std::string &user : options.users) out += " --user " + user;
  return out;
}

class session {
 public:
  session(const verify_options &options, reasons_by_id off) : options_(options), off_(std::move(off)) {}

  std::optional<refusal> choose();
  std::optional<refusal> read();
  verify_report run();

 private:
  void run_one(const check &c, const target &of, const std::string &subject);
  std::optional<refusal> configure(const std::filesystem::path &file);
  [[nodiscard]] std::string missing(const check &c, const std::string &subject) const;
  void add(check_result one) {
    if (options_.on_result) options_.on_result(one);
    ended_[{std::string(one.check.id), one.subject}] = one.how;
    report_.results.push_back(std::move(one));
  }

  const verify_options &options_;
  reasons_by_id off_;
  std::optional<host::expression> filter_;
  std::optional<uint64_t> seed_;  // that very one
  std::string only_;              // that very check
  std::optional<host::module_manifest> manifest_;
  std::map<std::pair<std::string, std::string>, outcome> ended_;
  verify_report report_;
};

std::optional<refusal> session::choose() {
  auto filter = host::expression::compile(options_.filter);
  if (!filter) return refusal{"--filter", filter.why().want, filter.why().have, filter.why().fix};
  filter_ = *filter;
  if (!options_.reproduce.empty()) {
    const auto at = options_.reproduce.find('@');
    only_ = options_.reproduce.substr(0, at);
    uint64_t seed = 0;
    const char *first = options_.reproduce.data() + (at == std::string::npos ? options_.reproduce.size() : at + 1);
    const char *last = options_.reproduce.data() + options_.reproduce.size();
    const auto [end, wrong] = std::from_chars(first, last, seed);
    if (at == std::string::npos || wrong != std::errc() || end != last)
      return refusal{"--reproduce", "ID@SEED, as a report prints it", "'" + options_.reproduce + "'",
                     "copy it from the report"};
    seed_ = seed;
    if (find_check(only_) == nullptr)
      return refusal{"--reproduce", "the id of a check", "'" + only_ + "'", "`tenon plugin verify --list` names them"};
  }
  const auto chosen = [&](const check &c) { return filter_->found_in(c.id); };
  if (std::none_of(catalogue().begin(), catalogue().end(), chosen))
    return refusal{"--filter", "the id of a check", "'" + options_.filter + "', which is in none",
                   "`tenon plugin verify --list` names them"};
  return std::nullopt;
}

// What the file says stands where the schema's own defaults and examples stood.
std::optional<refusal> session::configure(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    return refusal{file.string(), "a file with a configuration", "it cannot be read", "correct the name"};
  config::problems problems(file.string());
  const auto root = config::read_yaml(text.str(), problems);
  if (problems.refused()) return problems.refusals().front();
  boost::json::value values = root ? host::to_json(*root) : boost::json::value();
  if (!values.is_object())
    return refusal{file.string(), "keys of the module's configuration", "something else", "write KEY: VALUE lines"};
  boost::json::object &schema = manifest_->configuration;
  const auto whole = host::complete_configuration(schema, {values.get_object(), file.string(), *root});
  if (!whole) return whole.why();
  boost::json::value &properties = schema["properties"];
  if (!properties.is_object()) properties.emplace_object();
  for (const auto &[key, value] : values.get_object()) {
    boost::json::value &of = properties.get_object()[key];
    if (!of.is_object()) of.emplace_object();
    of.get_object().erase("examples");
    of.get_object()["default"] = value;
  }
  return std::nullopt;
}

std::optional<refusal> session::read() {
  report_.manifest = options_.manifest;
  report_.seed = options_.seed;
  config::problems problems(options_.manifest.string());
  manifest_ = host::read_manifest(std::filesystem::absolute(options_.manifest), problems);
  if (!manifest_) return std::nullopt;
  report_.module = manifest_->id;
  report_.version = manifest_->version;
  return options_.configuration.empty() ? std::nullopt : configure(options_.configuration);
}

// The needed check that did not pass, if any.
std::string session::missing(const check &c, const std::string &subject) const {
  if (c.needs.empty()) return {};
  for (const std::string &about : {subject, std::string()}) {
    const auto found = ended_.find({std::string(c.needs), about});
    if (found != ended_.end()) return found->second == outcome::passed ? std::string() : std::string(c.needs);
  }
  return {};
}

void session::run_one(const check &c, const target &of, const std::string &subject) {
  check_result one{entry_of(c), subject, outcome::passed, {}, 0, {}, again_with(options_)};
  one.seed = seed_ ? *seed_ : mixed(mixed(options_.seed, hash_of(c.id)), hash_of(subject));
  if (const auto off = off_.find(c.id); off != off_.end()) {
    one.how = outcome::switched_off;
    one.text = off->second;
    return add(std::move(one));
  }
  if (const std::string need = missing(c, subject); !need.empty()) {
    one.how = outcome::skipped;
    one.text = "it says nothing without " + need;
    return add(std::move(one));
  }
  const page_owner page(shared_page::make(), shared_page::free);
  const auto start = std::chrono::steady_clock::now();
  std::optional<own_folder> folder;
  if (of.kind == about::identity && !options_.configuration.empty()) {
    folder.emplace(std::filesystem::absolute(options_.configuration).parent_path());
  } else if ((of.kind & (about::event_sink | about::transport | about::identity)) != 0) {
    folder.emplace(std::filesystem::path());
  }
  const auto run = [&] {
    if (folder) folder->enter();
    run_here(c, of, one.seed, options_.long_run, *page);
  };
  if (options_.in_process || seed_) {
    run();
    conclude(*page, {sandbox_outcome::end::verdict, 0, {}}, options_.limit, one);
  } else {
    const auto limit = c.long_run ? options_.limit * 30 : options_.limit;
    const sandbox_outcome end = run_in_sandbox(*page, limit, [&] {
      watch_faults(*page);
      run();
    });
    conclude(*page, end, limit, one);
  }
  one.took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  add(std::move(one));
}

verify_report session::run() {
  struct subject {
    target of;
    std::string name;
  };
  std::vector<subject> subjects{
      {{options_.manifest, manifest_ ? &*manifest_ : nullptr, nullptr, about::module, {}, {}, {}}, {}}};
  if (manifest_) {
    for (const host::provided_interface &one : manifest_->provides) {
      const kind_name kind = kind_of(one.interface);
      if (kind.kind == 0) continue;
      subjects.push_back(
          {{options_.manifest, &*manifest_, &one, kind.kind, one.interface,
            options_.client.empty() ? std::filesystem::path() : std::filesystem::absolute(options_.client),
            options_.users},
           std::string(kind.name) + " " + one.name});
    }
  }
  for (const subject &s : subjects) {
    for (const check &c : catalogue()) {
      if ((c.about & s.of.kind) == 0) continue;
      if (!only_.empty() ? c.id != only_ : !filter_->found_in(c.id)) continue;
      if (c.long_run && !options_.long_run && only_.empty()) continue;
      run_one(c, s.of, s.name);
    }
  }
  return std::move(report_);
}

}  // namespace

std::vector<check_entry> all_checks() {
  std::vector<check_entry> out;
  for (const check &c : catalogue()) out.push_back(entry_of(c));
  return out;
}

result<verify_report> verify(const verify_options &options) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(options.manifest, failed))
    return refusal{options.manifest.string(), "a module manifest", "there is no such file", "correct the name"};
  if (!options.client.empty() && !std::filesystem::is_regular_file(options.client, failed))
    return refusal{options.client.string(), "the client side of a transport", "there is no such file",
                   "correct the name"};
  reasons_by_id off;
  std::filesystem::path file = options.switches;
  if (file.empty()) {
    file = options.manifest.parent_path() / usual_switches;
    if (!std::filesystem::exists(file, failed)) file.clear();
  }
  if (!file.empty()) {
    auto read = read_switches(file);
    if (!read) return read.why();
    off = std::move(*read);
  }
  session all(options, std::move(off));
  if (auto no = all.choose()) return *no;
  if (auto no = all.read()) return *no;
  return all.run();
}

}  // namespace tenon::conformance
