// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/daemon.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "run/try_modules.hpp"
#include "serve/audit_file.hpp"
#include "serve/control_server.hpp"
#include "serve/control_socket.hpp"
#include "serve/open_files.hpp"
#include "serve/own_signals.hpp"
#include "serve/recording.hpp"
#include "serve/reload.hpp"
#include "serve/service_notice.hpp"
#include "serve/shadow_watch.hpp"
#include "serve/spare_memory.hpp"
#include "serve/try_daemon.hpp"
#include "serve/verified_build.hpp"
#include "tenon/host/journal_tail.hpp"
#include "tenon/host/module_fault_record.hpp"
#include "tenon/host/unasked_end.hpp"
#include "tenon/observe/scheduler_access.hpp"

namespace tenon::cli {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds last_wait{2000};   // for recordings, of whoever ends at once; 64 MiB at most wait to be written
constexpr milliseconds tick_length{500};  // between heartbeats, and until what is recorded is written out
constexpr milliseconds most_silence{20'000};  // beyond it a supervisor starts the daemon again
constexpr uint64_t ticks_of_spare = 4;        // between looks at memory that could be given back

int64_t now_unix_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Whoever may send the daemon a signal is its user or root.
observe::caller signal_sender() { return {"SIGHUP", {}, {}, true}; }

std::string reason_of(const std::optional<refusal> &failed) {
  return failed ? failed->where + ": " + failed->have : std::string();
}

// Makes a file in the folder and removes it. Returns why that failed, if it did.
std::error_code why_not_written_in(const std::filesystem::path &folder) {
  const std::string file = (folder / ("try." + std::to_string(::getpid()))).string();
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (made < 0) return {errno, std::generic_category()};
  ::close(made);
  ::unlink(file.c_str());
  return {};
}

// Returns the ids of modules of others that the deployment has in the scheduler's process, joined by commas.
std::string modules_in_this_process(const host::deployment &plan, const host::module_catalog &catalog) {
  std::string out;
  for (const host::module_use &use : plan.modules) {
    const host::catalogued_module *module = catalog.find(use.id);
    if (use.isolation == host::isolation_mode::none && module != nullptr && !module->own &&
        !module->manifest.provides_kind(module_kind::transport))
      out += (out.empty() ? "" : ", ") + use.id;
  }
  return out;
}

}  // namespace

struct daemon_process::impl {
  // What was said of a shadow.
  struct told_shadow {
    bool differs = false;
    std::string off;
  };

  impl(serve_options o, host::deployment p, std::shared_ptr<spdlog::logger> l)
      : options(std::move(o)), plan(std::move(p)), log(std::move(l)) {}

  std::optional<refusal> open_recordings(service::scheduler_options &to) {
    const auto add = [&](const std::string &file, service::byte_sink &sink) -> std::optional<refusal> {
      if (file.empty()) return std::nullopt;
      auto made = recording::create(file, options.record_at_once);
      if (!made) return made.why();
      sink = [this, into = made->get(), is_journal = &sink == &to.journal](std::string_view bytes) {
        if (is_journal) host::remember_journal(bytes);
        if (is_journal && shadow) shadow->one_more_command();
        into->append(bytes);
      };
      recordings.push_back(std::move(*made));
      return std::nullopt;
    };
    if (options.check) return std::nullopt;
    if (auto why = add(options.record, to.journal)) return why;
    std::error_code none;
    if (!options.record.empty() && std::filesystem::equivalent(options.record, options.decisions, none))
      return refusal{options.decisions, "another file than that of --record", "the same one", "name two files"};
    return add(options.decisions, to.decisions);
  }

  // The shadow reads on its own: of a pipe it would take what is another reader's.
  [[nodiscard]] std::optional<refusal> refusal_of_what_it_reads() const {
    if (!shadow) return std::nullopt;
    std::error_code failed;
    for (const std::string &file : {options.record, options.decisions}) {
      if (!file.empty() && !std::filesystem::is_regular_file(file, failed))
        return refusal{file, "a plain file, which the shadow reads", "something else", "record to a file"};
    }
    return std::nullopt;
  }

  std::optional<refusal> open_shadow() {
    if (!plan.shadow) return std::nullopt;
    if (options.record.empty() && !options.check)
      return refusal{plan.file, "a daemon that records its journal, which the shadow follows",
                     "`shadow` without --record",
                     "start it with --record FILE, or take the shadow out of the deployment"};
    if (auto why = refusal_of_shadow(plan)) return why;
    if (options.check) return std::nullopt;
    std::vector<std::string> command{"shadow", options.record, "-c", options.deployment, "--follow"};
    if (!options.decisions.empty()) command.insert(command.end(), {"--decisions", options.decisions});
    if (!options.module_path.empty()) command.insert(command.end(), {"--module-path", options.module_path});
    shadow = std::make_unique<shadow_watch>(*plan.shadow, std::move(command), *log,
                                            [this](const std::string &what) { tell_of_shadow(what); });
    return std::nullopt;
  }

  void tell_of_shadow(const std::string &what) {
    log->warn("shadow: {}", what);
    put_event("Shadow", "shadow", what);
  }

  // An event of the daemon itself, where somebody takes events.
  void put_event(const char *reason, const std::string &object, const std::string &what) {
    if (events::event_hub *hub = scheduler->events(); hub != nullptr)
      hub->audit({"tenon", reason, object, what, {}, {}, {}, {}}, now_unix_ms());
  }

  // A check leaves nothing behind: it looks at paths alone.
  std::optional<refusal> open_audit() {
    const std::filesystem::path path = audit_path(plan);
    if (path.empty() || options.check) return std::nullopt;
    auto made = audit_file::open(path);
    if (!made) return made.why();
    audit = std::move(*made);
    return std::nullopt;
  }

  // Empty while all can be written.
  [[nodiscard]] std::string lost_recordings() const {
    std::string out;
    for (const auto &one : recordings)
      if (const std::string failed = reason_of(one->failure()); !failed.empty())
        out += (out.empty() ? "" : "; ") + failed;
    return out;
  }

  [[nodiscard]] std::string lost_audit() const { return audit ? reason_of(audit->failure()) : std::string(); }

  // Whoever looks at the log alone hears of it when it begins, not when the daemon stops.
  void tell_lost() {
    const auto tell = [&](std::string &told, std::string now, std::string_view what) {
      if (now == told) return;
      if (now.empty())
        log->info("{} can be written again", what);
      else
        log->error("{} cannot be written: {}", what, now);
      told = std::move(now);
    };
    tell(told_recordings, lost_recordings(), "the recording");
    tell(told_audit, lost_audit(), "the audit file");
  }

  // Once when it begins, once when it is over.
  void tell_findings() {
    const auto tell = [&](const std::string &object, const std::string &what) {
      log->warn("{}: {}", object, what);
      put_event("Finding", object, object + ": " + what);
    };
    std::map<std::pair<std::string, observe::outcome_finding::kind>, std::string> now;
    for (const observe::outcome_finding &one : people->all().health().findings()) {
      const bool is_new = now.emplace(std::pair(one.object, one.what), one.over).second;
      if (is_new && !told_findings.contains({one.object, one.what})) tell(one.object, one.text);
    }
    for (const auto &[what, over] : told_findings)
      if (!now.contains(what)) tell(what.first, over);
    told_findings = std::move(now);
  }

  // The first difference, and that it is switched off: once each. The host has logged them.
  void tell_shadows() {
    for (const host::call_shadow_status &one : scheduler->modules().shadows()) {
      const std::string of = one.kind + " " + one.name + " of " + one.module;
      told_shadow &told = told_shadows[of];
      const auto tell = [&](const char *reason, const std::string &what) {
        put_event(reason, one.shadow, one.shadow + ", shadow of " + of + ": " + what);
      };
      if (!one.first_differences.empty() && !std::exchange(told.differs, true))
        tell("ShadowDiffers", "differs first: " + words_of(one.first_differences.front()));
      if (!one.off.empty() && told.off != one.off) tell("ShadowOff", "is switched off: " + one.off);
      told.off = one.off;
    }
  }

  std::vector<observe::health_check> own_checks() {
    using state = observe::health_check::state;
    std::vector<observe::health_check> out{
        observe::check_of("Recordings", "Check that the journal and the decisions can be written", state::fails,
                          lost_recordings()),
        observe::check_of("Audit", "Check that what people do can be written", state::fails, lost_audit()),
        observe::check_of("Open files", "Check that connections can be accepted", state::fails, files_run_out())};
    if (shadow) out.push_back(shadow->check());
    if (!trusted.empty())
      out.push_back(observe::check_of("Trusted modules", "Check that modules of others have processes of their own",
                                      state::warns, trusted + " may end the daemon: isolation: none"));
    return out;
  }

  void note(const observe::audited &what) {
    const std::string line = what.caller + ": " + what.action + (what.object.empty() ? "" : " " + what.object) +
                             (what.partition.empty() || what.partition == what.object ? "" : " of " + what.partition) +
                             (what.done ? ": done" : ": refused") + (what.message.empty() ? "" : ", " + what.message);
    log->log(what.done ? spdlog::level::info : spdlog::level::warn, "{}", line);
    if (audit) audit->append(what);
  }

  // Where a module ends the process, when that may be too late.
  [[nodiscard]] std::optional<refusal> prepare_records() {
    if (options.check) return std::nullopt;
    const std::filesystem::path records = records_path(plan);
    fault_records = {records.empty() ? std::filesystem::path(options.records) : std::filesystem::absolute(records),
                     static_cast<int>(exit_code::contained), static_cast<int>(exit_code::unasked)};
    std::error_code failed;
    if (!fault_records.folder.empty()) std::filesystem::create_directories(fault_records.folder, failed);
    if (!failed && !fault_records.folder.empty()) failed = why_not_written_in(fault_records.folder);
    if (failed)
      return refusal{fault_records.folder.string(), "a folder for records of modules that end the process",
                     failed.message(), "correct containment.records, or who may write there"};
    if (const std::string left = host::publish_calls(fault_records.folder); !left.empty()) log->warn("{}", left);
    host::end_with_record_on_fatal_signals(fault_records);
    return std::nullopt;
  }

  std::optional<refusal> open() {
    if (auto why = prepare_records()) return why;
    host::host_options how;
    how.log = log;
    how.fault_records = how.call_records = fault_records.folder;
    how.watch_calls = !options.check;
    how.on_hang = [this](const host::long_call &call) { end_over(call); };
    if (!options.module_path.empty()) how.module_path.emplace_back(options.module_path);
    how.on_fault = [this](const host::module_fault &fault) {
      if (fault.action != host::fault_action::stop) return;
      asio::post(io, [this, module = fault.module] {
        log->error("{} is at fault, and the deployment says that the daemon stops then", module);
        stop(exit_code::failed);
      });
    };
    auto host = host::open_host(plan, std::move(how));
    if (!host) return host.why();
    trusted = modules_in_this_process(plan, (*host)->catalog());
    service::scheduler_options of_scheduler;
    of_scheduler.manual = plan.running.manual;
    of_scheduler.manual_start_ms = now_unix_ms();
    if (auto why = open_shadow()) return why;
    if (auto why = open_recordings(of_scheduler)) return why;
    if (auto why = refusal_of_what_it_reads()) return why;
    auto opened = service::scheduler::open(std::move(*host), std::move(of_scheduler));
    if (!opened) return opened.why();
    scheduler = std::move(*opened);
    if (auto why = open_audit()) return why;
    observe::people_options of_people;
    of_people.audit = [this](const observe::audited &what) { note(what); };
    of_people.log_level = [log = log](std::string_view level) {
      const auto wanted = spdlog::level::from_str(std::string(level));
      if (wanted == spdlog::level::off) return false;  // which it says of every word that it does not know
      log->set_level(wanted);
      return true;
    };
    of_people.step_clock_ms = [clock = service::running_clock()] { return clock.now_ms(); };
    of_people.verify_build = verified_build;
    if (shadow) {
      of_people.figures = [this] { return shadow->figures(); };
      of_people.world_shadow = [this] { return boost::json::serialize(shadow->look()); };
    }
    people = observe::open_to_people(*scheduler, std::move(of_people));
    people->all().health().add([this] { return own_checks(); });
    return std::nullopt;
  }

  std::optional<refusal> run(exit_code &code) {
    raise_open_files(*log);
    const std::filesystem::path path = control_path(plan, options.control);
    auto claimed = control_socket::claim(path);
    if (!claimed) return claimed.why();
    socket.emplace(std::move(*claimed));
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is a full disk
    for (const int number : {SIGHUP, SIGINT, SIGTERM}) signals.add(number);  // what comes now is told to run()
    look_at_senders();
    accept_own_signals();
    if (auto why = scheduler->start()) return why;
    reloads = std::make_unique<reloading>(people->all().admin(), plan, *log);
    handler = std::make_unique<control_handler>(
        *scheduler, control_handler::surroundings{
                        [this](const auto &who, const auto &what) { return reloads->reload(who, what); }, people->all(),
                        shadow ? [this] { return shadow->look(); } : std::function<boost::json::object()>()});
    control = std::make_unique<control_server>(io, *socket, *handler);
    wait_for_signal();
    wait_for_tick();
    tell_alive();
    log->info("ready: {} transports, control socket {}, process {}", scheduler->transports().size(), path.string(),
              ::getpid());
    if (scheduler->is_manual()) log->warn("cycle.manual: nothing moves but by steps, as of tenon ctl step");
    if (plan.transports.empty()) log->warn("the deployment lists no transports: no resource manager can register");
    if (shadow) shadow->start();
    tell_ready();
    io.run();
    stopper.join();
    if (shadow) shadow->stop();
    control.reset();
    while_signals_count([this] {
      work.join();
      scheduler.reset();
      for (const auto &one : recordings) one->flush();
    });
    socket.reset();
    for (const auto &one : recordings) {
      if (const auto failed = one->failure()) {
        log->error("{}", failed->text());
        ended = exit_code::failed;
      }
    }
    log->info("stopped");
    code = ended;
    return std::nullopt;
  }

  void wait_for_signal() {
    signals.async_wait([this](error_code failed, int number) {
      if (failed) return;
      if (number == SIGHUP && !stopping) {
        asio::post(work, [this] { static_cast<void>(reloads->reload(signal_sender())); });
      } else if (number != SIGHUP && !stopping) {
        log->info("{}: stops once answers have gone out; a second signal stops it at once",
                  number == SIGTERM ? "SIGTERM" : "SIGINT");
        stop(exit_code::ok);
      } else if (number != SIGHUP) {
        end_at_once();
      }
      wait_for_signal();
    });
  }

  void write_out_in_time() {
    // Into a pipe that nobody reads, or a disk that is gone, writing never ends.
    const auto written = std::make_shared<std::promise<void>>();
    std::thread([this, written] {
      for (const auto &one : recordings) one->finish();
      written->set_value();
    }).detach();
    if (written->get_future().wait_for(last_wait) != std::future_status::ready)
      log->error("the recordings are not whole: what they are written to takes nothing");
  }

  [[noreturn]] void end(exit_code code) {
    write_out_in_time();
    socket.reset();
    log->flush();
    host::end_is_known();
    ::_exit(static_cast<int>(code));
  }

  void end_at_once() {
    log->warn("a second signal: stops at once; what resource managers and event sinks have not taken is lost");
    end(exit_code::failed);
  }

  // The thread that a call does not return to cannot be ended, and what it holds cannot be given to another one.
  void end_over(const host::long_call &call) {
    if (stopping) {
      log->error("{}: the daemon ends without it", call.text());
    } else {
      log->error("{}: the process ends, since nothing else ends that call", call.text());
      host::record_fault(fault_records, call, "has not returned for " + std::to_string(call.lasts.count()) + " ms");
    }
    end(stopping ? exit_code::failed : exit_code::contained);
  }

  // A module may take its time to end.
  void while_signals_count(std::function<void()> work_to_do) {
    io.restart();
    std::thread other([&] {
      work_to_do();
      asio::post(io, [this] { io.stop(); });
    });
    io.run();
    other.join();
  }

  void wait_for_tick() {
    timer.expires_after(tick_length);
    timer.async_wait([this](error_code cancelled) {
      if (cancelled || stopping) return;
      tell_alive();
      tell_lost();
      tell_findings();
      tell_shadows();
      if (!scheduler->is_manual()) ask_modules_again();
      if (!recordings.empty())
        asio::post(work, [this] {
          for (const auto &one : recordings) one->flush();
        });
      if (++ticks % ticks_of_spare == 0) asio::post(work, [this] { spare.look(); });
      wait_for_tick();
    });
  }

  void ask_modules_again() {
    for (const std::string &module : scheduler->modules().due_again(std::chrono::steady_clock::now()))
      asio::post(work, [this, module] {
        if (stopping) return;
        const auto done = scheduler->swap_module({module, host::swap_to::again, "containment.retry", {}});
        if (!done) log->warn("{} cannot decide again yet: {}", module, done.why().text());
      });
  }

  // A daemon whose cycle thread is held up lets its service manager know by saying nothing.
  void tell_alive() {
    observe::health_checks &health = people->all().health();
    health.beat();
    const bool healthy = health.silence() < observe::health_checks::slow;
    if (healthy && watchdog_period()) tell_service_manager("WATCHDOG=1\n");
    if (healthy) host::show_alive(most_silence);
    if (healthy != was_healthy) {
      if (healthy)
        log->info("the cycle thread runs again");
      else
        log->error("the cycle thread does not answer");
    }
    was_healthy = healthy;
  }

  void stop(exit_code code) {
    if (stopping) return;
    stopping = true;
    ended = code;
    scheduler->modules().limit_last_calls(plan.containment.stop + milliseconds(plan.running.drain_ms));
    tell_stopping();
    host::show_alive(milliseconds(0));
    timer.cancel();
    control->close();
    stopper = std::thread([this] {
      scheduler->stop();
      asio::post(io, [this] { io.stop(); });
    });
  }

  const serve_options options;
  const host::deployment plan;
  const std::shared_ptr<spdlog::logger> log;
  asio::io_context io{1};
  asio::signal_set signals{io};
  asio::steady_timer timer{io};
  std::optional<control_socket> socket;
  std::vector<std::unique_ptr<recording>> recordings;
  std::unique_ptr<shadow_watch> shadow;
  std::unique_ptr<audit_file> audit;
  std::shared_ptr<observe::people_services> people;  // outlives the scheduler's modules, which use them
  std::unique_ptr<service::scheduler> scheduler;
  std::unique_ptr<reloading> reloads;
  std::unique_ptr<control_handler> handler;
  std::unique_ptr<control_server> control;
  std::thread stopper;
  asio::thread_pool work{1};  // reloads that a signal asked for, writing out
  spare_memory spare;         // the thread of `work`
  uint64_t ticks = 0;
  host::fault_records fault_records;
  std::atomic<bool> stopping = false;
  bool was_healthy = true;
  // What is said when it is over, by what it is about.
  std::map<std::pair<std::string, observe::outcome_finding::kind>, std::string> told_findings;
  std::map<std::string, told_shadow> told_shadows;  // by the policy that they are of
  std::string trusted;                              // modules of others in this process, whose operator wrote that
  std::string told_recordings, told_audit;          // what the log has said of files that cannot be written
  exit_code ended = exit_code::ok;
};

daemon_process::daemon_process(serve_options options, host::deployment plan, std::shared_ptr<spdlog::logger> log)
    : impl_(std::make_unique<impl>(std::move(options), std::move(plan), std::move(log))) {}

daemon_process::~daemon_process() {
  if (impl_->scheduler) impl_->scheduler->stop();
  impl_->control.reset();
  impl_->work.join();
  impl_.reset();
  host::end_is_known();
}

std::optional<refusal> daemon_process::open() { return impl_->open(); }

std::optional<refusal> daemon_process::check() {
  if (auto why = refusal_of_modules(impl_->scheduler->modules())) return why;
  if (auto why = refusal_of_registering(*impl_->scheduler)) return why;
  return refusal_of_paths(impl_->plan, impl_->options.control);
}

std::optional<refusal> daemon_process::run(exit_code &ended) { return impl_->run(ended); }

}  // namespace tenon::cli
