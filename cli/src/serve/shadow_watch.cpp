// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/shadow_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "run/exit_code.hpp"
#include "tenon/config/problems.hpp"

extern char **environ;

namespace tenon::cli {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr milliseconds looked_every{100};
constexpr milliseconds long_silence{3'000};                      // after which people are told
constexpr milliseconds longest_end{2'000};                       // a stop waits for one that was killed
constexpr milliseconds long_life{10'000};                        // after which the next start does not wait
constexpr milliseconds first_pause{100}, longest_pause{30'000};  // between short lives
constexpr size_t most_shown = 10, most_line = size_t{1} << 20, most_complaint = size_t{4} << 10, most_marks = 10'000;

// Its output and its complaints are one pipe; everything else of the daemon stays the daemon's.
int spawn(pid_t &child, const std::vector<std::string> &words, int to) {
  std::vector<char *> arguments;
  for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, to, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &files, &how, arguments.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

std::string how_it_ended(int status) {
  return WIFEXITED(status) ? "status " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::string(::strsignal(WTERMSIG(status)));
}

uint64_t number(const json::object &of, std::string_view key) { return of.at(key).to_number<uint64_t>(); }

}  // namespace

std::optional<refusal> refusal_of_shadow(const host::deployment &plan) {
  if (!plan.shadow || plan.shadow->deployment.empty()) return std::nullopt;
  config::problems report(plan.shadow->deployment.string());
  if (host::read_deployment(plan.shadow->deployment, report)) return std::nullopt;
  return report.refusals().front();
}

void shadow_watch::tally::add(const tally &more) {
  compared += more.compared;
  same += more.same;
  other += more.other;
  refused += more.refused;
  passed_over += more.passed_over;
  faults += more.faults;
}

shadow_watch::shadow_watch(const host::world_shadow_use &how, std::vector<std::string> command, spdlog::logger &log,
                           std::function<void(const std::string &)> tell)
    : how_(how), command_(std::move(command)), log_(log), tell_(std::move(tell)) {}

shadow_watch::~shadow_watch() { stop(); }

void shadow_watch::start() {
  thread_ = std::thread([this] { watch(); });
}

void shadow_watch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    given_up_at_ = clock::now() + longest_end;
    if (child_ > 0) ::kill(child_, SIGKILL);
  }
  if (thread_.joinable()) thread_.join();
}

bool shadow_watch::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

// The thread lives as long as the daemon serves, since its children end with it.
void shadow_watch::watch() {
  pthread_setname_np(pthread_self(), "tenon-shadow");
  uint64_t from = 0;
  while (!is_stopping()) {
    live(from);
    if (!waits_before_next()) return;
    const std::lock_guard lock(mutex_);
    from = std::max(from, next_);
    before_.add(std::exchange(now_, {}));
    commands_ = decisions_ = checked_ = unequal_ = 0;
  }
}

void shadow_watch::live(uint64_t from) {
  int hears = -1;
  if (begin(from, hears)) listen(hears);
  if (hears >= 0) ::close(hears);
}

bool shadow_watch::begin(uint64_t from, int &hears) {
  std::vector<std::string> words{"tenon"};
  words.insert(words.end(), command_.begin(), command_.end());
  words.insert(words.end(), {"--from", std::to_string(from), "--first", std::to_string(most_shown)});
  std::array<int, 2> ends{-1, -1};
  int failed = ::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
  hears = ends[0];
  const std::lock_guard lock(mutex_);
  if (stopping_) failed = ECANCELED;
  if (failed == 0) failed = spawn(child_, words, ends[1]);
  if (ends[1] >= 0) ::close(ends[1]);
  line_.clear();
  complaint_.clear();
  was_killed_ = false;
  begun_at_ = heard_at_ = clock::now();
  state_ = failed == 0 ? state::starts : state::waits;
  if (failed == 0) return true;
  child_ = -1;
  message_ = std::string("no process for it: ") + std::strerror(failed);
  return false;
}

void shadow_watch::listen(int hears) {
  bool is_open = true;
  for (;;) {
    pollfd ear{hears, POLLIN, 0};
    const int ready = ::poll(&ear, is_open ? 1 : 0, static_cast<int>(looked_every.count()));
    bool is_drained = true;
    if (ready > 0) {
      std::array<char, 65'536> some{};
      const ssize_t got = ::read(hears, some.data(), some.size());
      if (got == 0) is_open = false;
      for (ssize_t i = 0; i < got; ++i) {
        if (some[static_cast<size_t>(i)] != '\n') {
          if (line_.size() < most_line) line_ += some[static_cast<size_t>(i)];
          continue;
        }
        take_line(std::exchange(line_, {}));
      }
      is_drained = got <= 0;
    }
    look_at_lag();
    if (is_given_up()) return;
    if (!is_drained) continue;
    if (const auto status = status_of_child()) return end_child(*status);
  }
}

// What the system holds on to, as in a call of a file system that does not answer, ends without the daemon.
bool shadow_watch::is_given_up() const {
  const std::lock_guard lock(mutex_);
  return stopping_ && clock::now() >= given_up_at_;
}

// Nobody signals a process whose number may be another's by now. Where the daemon was started with its children's ends
// ignored, none is told: it has ended when it is no child any more.
std::optional<int> shadow_watch::status_of_child() {
  const std::lock_guard lock(mutex_);
  int status = 0;
  const pid_t got = ::waitpid(child_, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
  if (got < 0) status = 0;
  child_ = -1;
  return status;
}

// What is no object is a complaint.
void shadow_watch::take_line(const std::string &line) {
  boost::system::error_code broken;
  const json::value said = json::parse(line, broken);
  if (!broken && said.is_object()) {
    try {
      return take(said.as_object());
    } catch (const std::exception &) {
      return;  // of another build
    }
  }
  if (complaint_.size() < most_complaint) complaint_ += (complaint_.empty() ? "" : "\n") + line;
}

void shadow_watch::take(const json::object &said) {
  std::string told;
  {
    const std::lock_guard lock(mutex_);
    heard_at_ = clock::now();
    if (state_ == state::silent) log_.info("shadow: it speaks again");
    state_ = state::follows;
    if (const json::value *settings = said.if_contains("settings")) settings_ = settings->as_object();
    if (const json::value *counts = said.if_contains("counts")) {
      const json::object &c = counts->as_object();
      now_ = {number(c, "compared"), number(c, "same"),        number(c, "other"),
              number(c, "refused"),  number(c, "passed_over"), number(c, "faults")};
      commands_ = number(c, "commands");
      decisions_ = number(c, "decisions");
      checked_ = number(c, "checked");
      unequal_ = number(c, "unequal");
      next_ = number(c, "next");
    }
    if (const json::value *other = said.if_contains("other"); other != nullptr && first_.size() < most_shown) {
      const json::object &one = other->as_object();
      const auto side = [&](const char *name) {
        const json::value &line = one.at(name).as_object().at("decision");
        return line.is_null() ? std::string("nothing") : std::string(line.as_string());
      };
      told = "before decision " + std::to_string(number(one, "decision")) + " it decides otherwise: the daemon " +
             side("a") + "; the shadow " + side("b");
      first_.push_back(one);
    }
    if (const json::value *fault = said.if_contains("fault"); fault != nullptr && is_new(fault->as_object())) {
      const json::object &one = fault->as_object();
      told = "a module failed in its " + std::string(one.at("where").as_string()) + ": " +
             std::string(one.at("module").as_string()) + ", " + std::string(one.at("text").as_string());
      first_faults_.push_back(one);
    }
    if (const json::value *unequal = said.if_contains("unequal"); unequal != nullptr && first_unequal_.is_null()) {
      first_unequal_ = *unequal;
      const json::object &one = unequal->as_object();
      told = "a replay of the journal is not what the daemon did: decision " + std::to_string(number(one, "decision")) +
             " is " + std::string(one.at("daemon").as_string()) + ", replayed " +
             std::string(one.at("replay").as_string());
    }
  }
  if (!told.empty()) tell_(told);
}

// A life plays again what the ones before it played, and what failed there may fail again.
bool shadow_watch::is_new(const json::object &fault) const {
  const auto is_same = [&](const json::value &one) {
    return one.at("module") == fault.at("module") && one.at("where") == fault.at("where");
  };
  return first_faults_.size() < most_shown && std::none_of(first_faults_.begin(), first_faults_.end(), is_same);
}

void shadow_watch::look_at_lag() {
  std::string told;
  {
    const std::lock_guard lock(mutex_);
    const auto now = clock::now();
    const int64_t written = written_.load(std::memory_order_relaxed);
    if (written_at_.empty() ? written > static_cast<int64_t>(commands_) : written_at_.back().commands < written) {
      if (written_at_.size() < most_marks) written_at_.push_back({now, written});
    }
    while (!written_at_.empty() && written_at_.front().commands <= static_cast<int64_t>(commands_))
      written_at_.pop_front();
    const auto silence = std::chrono::duration_cast<milliseconds>(now - heard_at_);
    if (silence >= long_silence && (state_ == state::follows || state_ == state::starts)) {
      state_ = state::silent;
      told = "it has said nothing for " + std::to_string(silence.count()) + " ms; the daemon does not wait for it";
    }
    if (silence >= how_.hang && child_ > 0) {
      message_ = "it said nothing for " + std::to_string(silence.count()) + " ms, and was killed";
      ::kill(child_, SIGKILL);
      was_killed_ = true;
      heard_at_ = now;
    }
  }
  if (!told.empty()) log_.warn("shadow: {}", told);
}

void shadow_watch::end_child(int status) {
  if (!line_.empty()) take_line(std::exchange(line_, {}));
  std::string told;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const bool is_refused = WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(exit_code::bad_input);
    if (is_refused) {
      state_ = state::refused;
      message_ = std::exchange(complaint_, {});
      told = "it cannot be had: " + message_;
    } else {
      if (!was_killed_) message_ = "it ended with " + how_it_ended(status);
      state_ = restarts_ >= how_.restarts ? state::stopped : state::waits;
      told = "it ended with " + how_it_ended(status) +
             (state_ == state::stopped ? ", and is not started again: it was " + std::to_string(restarts_) + " times"
                                       : ": it is started again");
    }
  }
  tell_(told);
}

// False: there is no next one.
bool shadow_watch::waits_before_next() {
  clock::time_point until;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || state_ == state::refused || state_ == state::stopped) return false;
    if (restarts_ >= how_.restarts) {
      state_ = state::stopped;
      return false;
    }
    ++restarts_;
    const bool was_long = clock::now() - begun_at_ >= long_life;
    pause_ = was_long ? milliseconds(0) : std::clamp(pause_ * 2, first_pause, longest_pause);
    until = clock::now() + pause_;
  }
  while (clock::now() < until) {
    if (is_stopping()) return false;
    std::this_thread::sleep_for(std::min(looked_every, pause_));
  }
  return true;
}

shadow_watch::tally shadow_watch::sum() const {
  tally out = before_;
  out.add(now_);
  return out;
}

int64_t shadow_watch::commands_behind() const {
  return std::max<int64_t>(0, written_.load(std::memory_order_relaxed) - static_cast<int64_t>(commands_));
}

int64_t shadow_watch::ms_behind() const {
  if (written_at_.empty() || commands_behind() == 0) return 0;
  return std::chrono::duration_cast<milliseconds>(clock::now() - written_at_.front().at).count();
}

std::string_view shadow_watch::word(state of) {
  constexpr std::array<std::string_view, 6> words{"starts", "follows", "silent", "waits", "stopped", "refused"};
  return words[static_cast<size_t>(of)];
}

json::object shadow_watch::look() const {
  const std::lock_guard lock(mutex_);
  const tally all = sum();
  return {{"state", word(state_)},
          {"settings", settings_},
          {"every", how_.every},
          {"process", child_ > 0 ? json::value(child_) : json::value(nullptr)},
          {"compared", all.compared},
          {"same", all.same},
          {"other", all.other},
          {"refused", all.refused},
          {"passed_over", all.passed_over},
          {"commands", commands_},
          {"decisions", decisions_},
          {"checked", checked_},
          {"unequal", unequal_},
          {"commands_behind", commands_behind()},
          {"behind_ms", ms_behind()},
          {"restarts", restarts_},
          {"most_restarts", how_.restarts},
          {"message", message_},
          {"faults", all.faults},
          {"first_faults", first_faults_},
          {"first", first_},
          {"first_unequal", first_unequal_}};
}

std::vector<observe::figure> shadow_watch::figures() const {
  const std::lock_guard lock(mutex_);
  const tally all = sum();
  std::vector<observe::figure> out;
  for (const auto &[outcome, count] :
       {std::pair{"same", all.same}, {"other", all.other}, {"refused", all.refused}, {"passed_over", all.passed_over}})
    out.push_back({"tenon_world_shadow_decisions_total",
                   "Decisions that the shadow was asked for, by what came of it.",
                   true,
                   {{"outcome", outcome}},
                   static_cast<double>(count)});
  const auto one = [&](const char *name, const char *help, bool counter, double value) {
    out.push_back({name, help, counter, {}, value});
  };
  one("tenon_world_shadow_unequal", "Decisions of the daemon that its shadow's replay did not make.", false,
      static_cast<double>(unequal_));
  one("tenon_world_shadow_behind_commands", "Commands of the journal that the shadow has not played.", false,
      static_cast<double>(commands_behind()));
  one("tenon_world_shadow_behind_seconds", "Since when the oldest of them is written.", false,
      static_cast<double>(ms_behind()) / 1e3);
  one("tenon_world_shadow_restarts_total", "How often the shadow was started again.", true,
      static_cast<double>(restarts_));
  one("tenon_world_shadow_follows", "Whether the shadow follows the journal: 1 or 0.", false,
      state_ == state::follows ? 1.0 : 0.0);
  return out;
}

observe::health_check shadow_watch::check() const {
  const std::lock_guard lock(mutex_);
  std::string found;
  if (state_ == state::silent) found = "it says nothing";
  if (state_ == state::waits || state_ == state::stopped || state_ == state::refused)
    found = std::string(word(state_)) + ": " + message_;
  if (unequal_ != 0) found += (found.empty() ? "" : "; ") + std::string("a replay is not what the daemon did");
  return observe::check_of("Shadow", "Check that the shadow follows the journal", observe::health_check::state::warns,
                           std::move(found));
}

}  // namespace tenon::cli
