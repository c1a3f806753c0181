// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "run/complain.hpp"
#include "serve/daemon.hpp"
#include "serve/log.hpp"
#include "serve/serve_command.hpp"
#include "serve/supervise.hpp"
#include "tenon/config/problems.hpp"

namespace tenon::cli {
namespace {

exit_code serve_once(const serve_options &options, std::ostream &out, std::ostream &err) {
  const auto refuse = [&](const refusal &why) {
    complain(err, why);
    return exit_code::bad_input;
  };
  config::problems report(options.deployment);
  auto plan = host::read_deployment(options.deployment, report);
  if (!plan) {
    complain(err, report.refusals());
    return exit_code::bad_input;
  }
  daemon_process daemon(options, std::move(*plan), daemon_log(options.log_json, options.log_level));
  if (auto why = daemon.open()) return refuse(*why);
  if (options.check) {
    if (auto why = daemon.check()) return refuse(*why);
    out << options.deployment << ": can be served\n";
    return exit_code::ok;
  }
  auto ended = exit_code::ok;
  if (auto why = daemon.run(ended)) return refuse(*why);
  return ended;
}

// What is recorded of a life is not written over by the next one.
serve_options of_life(serve_options options, uint32_t lives_before) {
  if (lives_before == 0) return options;
  for (std::string *file : {&options.record, &options.decisions})
    if (!file->empty()) *file += "." + std::to_string(lives_before);
  return options;
}

// A folder for records that lasts as long as the supervisor, so that what ended one life is not loaded in the next one.
class passing_folder {
 public:
  passing_folder() {
    std::error_code failed;
    std::string name = (std::filesystem::temp_directory_path(failed) / "tenon-XXXXXX").string();
    if (!failed && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~passing_folder() {
    std::error_code failed;
    if (!path_.empty()) std::filesystem::remove_all(path_, failed);
  }
  passing_folder(const passing_folder &) = delete;
  passing_folder &operator=(const passing_folder &) = delete;

  // Empty if the system gave none.
  [[nodiscard]] std::string records() const { return path_.empty() ? path_ : path_ + "/module-faults"; }

 private:
  std::string path_;
};

}  // namespace

exit_code serve(const serve_options &options, std::ostream &out, std::ostream &err) {
  if (!options.supervise || options.check) return serve_once(options, out, err);
  const auto log = daemon_log(options.log_json, options.log_level);
  const passing_folder folder;
  return supervise(*log, [&](uint32_t lives_before) {
    serve_options life = of_life(options, lives_before);
    life.records = folder.records();
    const exit_code code = serve_once(life, out, err);
    out.flush();
    err.flush();
    return code;
  });
}

}  // namespace tenon::cli
