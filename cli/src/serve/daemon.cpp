// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/daemon.hpp"

#include <dlfcn.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "run/try_modules.hpp"
#include "serve/audit_file.hpp"
#include "serve/control_server.hpp"
#include "serve/control_socket.hpp"
#include "serve/open_files.hpp"
#include "serve/recording.hpp"
#include "serve/reload.hpp"
#include "serve/service_notice.hpp"
#include "serve/spare_memory.hpp"
#include "serve/try_daemon.hpp"
#include "tenon/host/module_fault_record.hpp"
#include "tenon/observe/scheduler_access.hpp"

namespace tenon::cli {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds last_wait{2000};  // for recordings, of whoever ends at once; 64 MiB at most wait to be written
constexpr milliseconds tick{500};        // between heartbeats, and until what is recorded is written out
constexpr uint64_t ticks_of_spare = 4;   // between looks at memory that could be given back

int64_t now_unix_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Whoever may send the daemon a signal is its user or root.
observe::caller signal_sender() {
  observe::caller out;
  out.user = "SIGHUP";
  out.all = true;
  return out;
}

// Ends the process another way than exit() does, while a daemon runs in it.
std::atomic<std::function<void()> *> instead_of_exit{nullptr};

void end_instead() {
  if (auto *instead = instead_of_exit.exchange(nullptr)) (*instead)();
}

// For calls that do not go through exit() below: quick_exit(), and exit() from within the C library.
void notice_exit() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::atexit(end_instead);
    std::at_quick_exit(end_instead);
  });
}

}  // namespace

struct daemon_process::impl {
  impl(serve_options o, host::deployment p, std::shared_ptr<spdlog::logger> l)
      : options(std::move(o)), plan(std::move(p)), log(std::move(l)) {}

  std::optional<refusal> open();
  std::optional<refusal> open_recordings(service::scheduler_options &to);
  std::optional<refusal> open_audit();
  void note(const observe::audited &what);
  std::vector<observe::health_check> own_checks();
  std::optional<refusal> run(exit_code &code);
  void wait_for_signal();
  void wait_for_tick();
  void tell_alive();
  void stop(exit_code code);
  void while_signals_count(std::function<void()> work_to_do);
  void write_out_in_time();
  void end_at_once();
  void end_unasked();
  void end_over(const host::long_call &call);
  [[nodiscard]] std::optional<refusal> prepare_records();

  const serve_options options;
  const host::deployment plan;
  const std::shared_ptr<spdlog::logger> log;
  asio::io_context io{1};
  asio::signal_set signals{io};
  asio::steady_timer timer{io};
  std::optional<control_socket> socket;
  std::vector<std::unique_ptr<recording>> recordings;
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
  exit_code ended = exit_code::ok;
  std::function<void()> when_exit_is_called = [this] { end_unasked(); };
};

std::optional<refusal> daemon_process::impl::open_recordings(service::scheduler_options &to) {
  const auto add = [&](const std::string &file, service::byte_sink &sink) -> std::optional<refusal> {
    if (file.empty()) return std::nullopt;
    auto made = recording::create(file, options.record_at_once);
    if (!made) return made.why();
    sink = [into = made->get()](std::string_view bytes) { into->append(bytes); };
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

// A check leaves nothing behind: it looks at paths alone.
std::optional<refusal> daemon_process::impl::open_audit() {
  const std::filesystem::path path = audit_path(plan);
  if (path.empty() || options.check) return std::nullopt;
  auto made = audit_file::open(path);
  if (!made) return made.why();
  audit = std::move(*made);
  return std::nullopt;
}

std::vector<observe::health_check> daemon_process::impl::own_checks() {
  const auto reason_of = [](const std::optional<refusal> &failed) {
    return failed ? failed->where + ": " + failed->have : std::string();
  };
  std::string lost;
  for (const auto &one : recordings)
    if (const std::string failed = reason_of(one->failure()); !failed.empty())
      lost += (lost.empty() ? "" : "; ") + failed;
  using state = observe::health_check::state;
  return {
      observe::check_of("Recordings", "Check that the journal and the decisions can be written", state::fails, lost),
      observe::check_of("Audit", "Check that what people do can be written", state::fails,
                        audit ? reason_of(audit->failure()) : std::string()),
      observe::check_of("Open files", "Check that connections can be accepted", state::fails, files_run_out())};
}

void daemon_process::impl::note(const observe::audited &what) {
  const std::string line = what.caller + ": " + what.action + (what.object.empty() ? "" : " " + what.object) +
                           (what.partition.empty() ? "" : " of " + what.partition) +
                           (what.done ? ": done" : ": refused") + (what.words.empty() ? "" : ", " + what.words);
  log->log(what.done ? spdlog::level::info : spdlog::level::warn, "{}", line);
  if (audit) audit->append(what);
}

// Where a module ends the process, when that may be too late.
std::optional<refusal> daemon_process::impl::prepare_records() {
  if (options.check) return std::nullopt;
  fault_records = {records_path(plan), static_cast<int>(exit_code::contained)};
  std::error_code failed;
  if (!fault_records.folder.empty()) std::filesystem::create_directories(fault_records.folder, failed);
  if (failed)
    return refusal{fault_records.folder.string(), "a folder for records of modules that end the process",
                   failed.message(), "correct containment.records, or who may write there"};
  host::end_with_record_on_fatal_signals(fault_records);
  return std::nullopt;
}

std::optional<refusal> daemon_process::impl::open() {
  if (auto why = prepare_records()) return why;
  host::host_options how;
  how.log = log;
  how.fault_records = fault_records.folder;
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
  service::scheduler_options of_scheduler;
  of_scheduler.manual = plan.running.manual;
  of_scheduler.manual_start_ms = now_unix_ms();
  if (auto why = open_recordings(of_scheduler)) return why;
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
  of_people.step_clock_ms = now_unix_ms;
  people = observe::open_to_people(*scheduler, std::move(of_people));
  people->all().health().add([this] { return own_checks(); });
  return std::nullopt;
}

// Connections are descriptors, and a listener that runs out of them does not always listen again.
static void raise_descriptors(spdlog::logger &log) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0)
    log.info("may open {} files, as the hard limit says; the soft one said {}", limit.rlim_max, before);
  else
    log.warn("may open {} files only: the soft limit cannot be raised", before);
}

std::optional<refusal> daemon_process::impl::run(exit_code &code) {
  raise_descriptors(*log);
  const std::filesystem::path path = control_path(plan, options.control);
  auto claimed = control_socket::claim(path);
  if (!claimed) return claimed.why();
  socket.emplace(std::move(*claimed));
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is a full disk
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) signals.add(number);  // what comes now is told to run()
  if (auto why = scheduler->start()) return why;
  reloads = std::make_unique<reloading>(people->all().admin(), plan, *log);
  handler = std::make_unique<control_handler>(
      *scheduler, control_handler::surroundings{
                      [this](const auto &who, const auto &what) { return reloads->reload(who, what); }, people->all()});
  control = std::make_unique<control_server>(io, *socket, *handler);
  wait_for_signal();
  wait_for_tick();
  tell_alive();
  notice_exit();
  instead_of_exit = &when_exit_is_called;
  log->info("ready: {} transports, control socket {}, process {}", scheduler->transports().size(), path.string(),
            ::getpid());
  if (scheduler->is_manual()) log->warn("cycle.manual: nothing moves but by steps, as of tenon ctl step");
  if (plan.transports.empty()) log->warn("the deployment lists no transports: no resource manager can register");
  tell_ready();
  io.run();
  stopper.join();
  control.reset();
  while_signals_count([this] {
    work.join();
    scheduler.reset();
    for (const auto &one : recordings) one->flush();
  });
  instead_of_exit = nullptr;
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

void daemon_process::impl::wait_for_signal() {
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

void daemon_process::impl::write_out_in_time() {
  // Into a pipe that nobody reads, or a disk that is gone, writing never ends.
  const auto written = std::make_shared<std::promise<void>>();
  std::thread([this, written] {
    for (const auto &one : recordings) one->finish();
    written->set_value();
  }).detach();
  if (written->get_future().wait_for(last_wait) != std::future_status::ready)
    log->error("the recordings are not whole: what they are written to takes nothing");
}

void daemon_process::impl::end_at_once() {
  log->warn("a second signal: stops at once; what resource managers and event sinks have not taken is lost");
  write_out_in_time();
  socket.reset();
  log->flush();
  ::_exit(static_cast<int>(exit_code::failed));
}

// Somebody called exit(), which would end the process with that one's status, and its threads at any place.
void daemon_process::impl::end_unasked() {
  const auto call = host::call_of_this_thread();
  log->error("exit() was called, which nobody asked for, {}",
             call ? "in " + call->place() : "on a thread that is in no call of a module");
  write_out_in_time();
  socket.reset();
  log->flush();
  ::_exit(static_cast<int>(exit_code::unasked));
}

// The thread that a call does not return to cannot be ended, and what it holds cannot be given to another one.
void daemon_process::impl::end_over(const host::long_call &call) {
  if (stopping) {
    log->error("{}: the daemon ends without it", call.text());
  } else {
    log->error("{}: the process ends, since nothing else ends that call", call.text());
    host::record_fault(fault_records, call, "has not returned for " + std::to_string(call.lasts.count()) + " ms");
  }
  write_out_in_time();
  socket.reset();
  log->flush();
  ::_exit(static_cast<int>(stopping ? exit_code::failed : exit_code::contained));
}

// A module may take its time to end.
void daemon_process::impl::while_signals_count(std::function<void()> work_to_do) {
  io.restart();
  std::thread other([&] {
    work_to_do();
    asio::post(io, [this] { io.stop(); });
  });
  io.run();
  other.join();
}

void daemon_process::impl::wait_for_tick() {
  timer.expires_after(tick);
  timer.async_wait([this](error_code cancelled) {
    if (cancelled || stopping) return;
    tell_alive();
    if (!recordings.empty())
      asio::post(work, [this] {
        for (const auto &one : recordings) one->flush();
      });
    if (++ticks % ticks_of_spare == 0) asio::post(work, [this] { spare.look(); });
    wait_for_tick();
  });
}

// A daemon whose cycle thread is held up lets its service manager know by saying nothing.
void daemon_process::impl::tell_alive() {
  observe::health_checks &health = people->all().health();
  health.beat();
  const bool healthy = health.silence() < observe::health_checks::slow;
  if (healthy && watchdog_period()) tell_service_manager("WATCHDOG=1\n");
  if (healthy != was_healthy) {
    if (healthy)
      log->info("the cycle thread runs again");
    else
      log->error("the cycle thread does not answer");
  }
  was_healthy = healthy;
}

void daemon_process::impl::stop(exit_code code) {
  if (stopping) return;
  stopping = true;
  ended = code;
  scheduler->modules().limit_last_calls(plan.containment.stop + milliseconds(plan.running.drain_ms));
  tell_stopping();
  timer.cancel();
  control->close();
  stopper = std::thread([this] {
    scheduler->stop();
    asio::post(io, [this] { io.stop(); });
  });
}

daemon_process::daemon_process(serve_options options, host::deployment plan, std::shared_ptr<spdlog::logger> log)
    : impl_(std::make_unique<impl>(std::move(options), std::move(plan), std::move(log))) {}

daemon_process::~daemon_process() {
  if (impl_->scheduler) impl_->scheduler->stop();
  impl_->control.reset();
  impl_->work.join();
}

std::optional<refusal> daemon_process::open() { return impl_->open(); }

std::optional<refusal> daemon_process::check() {
  if (auto why = refusal_of_modules(impl_->scheduler->modules())) return why;
  return refusal_of_paths(impl_->plan, impl_->options.control);
}

std::optional<refusal> daemon_process::run(exit_code &ended) { return impl_->run(ended); }

}  // namespace tenon::cli

// The exit() that a module finds first. The C library's would run the destructors of libraries that other threads still
// use; the first of those threads that crashes would then be taken for the cause.
extern "C" [[noreturn]] __attribute__((visibility("default"))) void exit(int status) noexcept {
  tenon::cli::end_instead();
  static auto *const next = reinterpret_cast<void (*)(int)>(::dlsym(RTLD_NEXT, "exit"));
  for (;;) next(status);
}
