// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/module_process.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/spawn_plan.hpp"
#include "isolation/spin.hpp"
#include "services/host_services.hpp"

namespace tenon::host::isolation {
namespace {

using std::chrono::steady_clock;

refusal no_process(std::string want, int error) {
  return {"", std::move(want), std::generic_category().message(error),
          "install tenon-module-runner beside the tenon executable, or write isolation: none"};
}

// Of the host's environment only what decides how a library is found and how texts are read; nothing secret is there.
std::vector<std::string> environment() {
  std::vector<std::string> out;
  constexpr std::array kept{"LD_LIBRARY_PATH", "LANG", "LC_ALL",       "LC_CTYPE",     "LC_NUMERIC",
                            "LC_COLLATE",      "TZ",   "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"};
  for (const char *name : kept)
    if (const char *value = ::getenv(name); value != nullptr) out.push_back(std::string(name) + "=" + value);
  return out;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (std::string &text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Above those that the process will have, so that giving it one cannot close another.
descriptor out_of_the_way(int fd) {
  const descriptor low(fd);
  return descriptor(::fcntl(low.get(), F_DUPFD_CLOEXEC, lifeline_fd + 1));
}

struct pipe_ends {
  descriptor reading, writing;
};
pipe_ends open_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {};
  return {out_of_the_way(ends[0]), out_of_the_way(ends[1])};
}

// What the process may change between two looks is looked at once.
template <class T>
T once(const T &from) {
  return *static_cast<const volatile T *>(&from);
}

// Sees every ring of the bell and never touches it: a read would wait where the process, which has the same open file,
// says so.
descriptor listen_to(const descriptor &bell) {
  descriptor out(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event rings{};
  rings.events = EPOLLIN | EPOLLET;
  if (out && ::epoll_ctl(out.get(), EPOLL_CTL_ADD, bell.get(), &rings) != 0) out.reset();
  return out;
}

}  // namespace

module_process::module_process(shared_memory request_region, shared_memory answer_region, process_accounts &accounts,
                               log_line log)
    : request_region_(std::move(request_region)),
      answer_region_(std::move(answer_region)),
      requests_(request_region_, page_bytes),
      answers_(answer_region_, answer_room),
      accounts_(accounts),
      spins_(may_spin()),
      log_(std::move(log)) {}

result<std::unique_ptr<module_process>> module_process::start(const process_start &how, log_line log) {
  auto requests = shared_memory::make("tenon requests", page_bytes, request_bytes, writers::this_process);
  if (!requests) return requests.why();
  auto answers = shared_memory::make("tenon answers", answer_room + reply_bytes, answer_bytes, writers::both);
  if (!answers) return answers.why();
  std::unique_ptr<module_process> out(
      new module_process(std::move(*requests), std::move(*answers), *how.accounts, std::move(log)));
  out->ask(call_kind::open, how.opening);
  if (auto why = out->spawn(how)) return *why;
  return out;
}

std::optional<refusal> module_process::spawn(const process_start &how) {
  pipe_ends life = open_pipe(), words = open_pipe();
  answer_bell_ = out_of_the_way(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  rings_ = listen_to(answer_bell_);
  const descriptor request_file = out_of_the_way(::fcntl(request_region_.file().get(), F_DUPFD_CLOEXEC, 0));
  const descriptor answer_file = out_of_the_way(::fcntl(answer_region_.file().get(), F_DUPFD_CLOEXEC, 0));
  if (!life.writing || !words.writing || !answer_bell_ || !rings_ || !request_file || !answer_file)
    return no_process("descriptors for a process of its own", errno);

  spawn_plan plan;
  plan.empty_input();
  plan.empty_output();
  plan.give(words.writing, STDERR_FILENO);
  plan.give(request_file, request_memory_fd);
  plan.give(answer_file, answer_memory_fd);
  plan.give(answer_bell_, answer_bell_fd);
  plan.give(life.reading, lifeline_fd);
  plan.close_from(lifeline_fd + 1);
  std::vector<std::string> arguments{how.program.string(), how.id}, variables = environment();
  pid_t pid = -1;
  const int failed = plan.start(pid, how.program.c_str(), pointers(arguments).data(), pointers(variables).data());
  if (failed != 0) return no_process("the program " + how.program.string(), failed);
  pid_ = descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pid_) {
    const int error = errno;
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return no_process("a descriptor of a process (Linux 5.4 or newer)", error);
  }
  number_of_process_ = pid;
  accounts_.open(pid);
  lifeline_ = std::move(life.writing);
  words_ = std::move(words.reading);
  return std::nullopt;
}

module_process::~module_process() {
  if (!pid_) return;
  ::syscall(SYS_pidfd_send_signal, pid_.get(), SIGKILL, nullptr, 0);
  // Longer only where the system itself holds it, and then nobody collects it before this process ends.
  if (!has_ended(std::chrono::seconds(1))) accounts_.close(number_of_process_);
}

void module_process::ask(call_kind what, std::string_view bytes) {
  requests_.rewind(page_bytes);
  const placed<char> room = requests_.room<char>(bytes.size());
  bytes.copy(room.here, bytes.size());
  request().input = bytes.size();
  request().output = 0;
  send(what);
}

void module_process::ask(call_kind what, uint64_t input, uint64_t output) {
  request().input = input;
  request().output = output;
  send(what);
}

void module_process::send(call_kind what) {
  request_page &page = request();
  page.what = static_cast<uint32_t>(what);
  page.number.store(++number_, std::memory_order_seq_cst);
  wake();
}

// The process sleeps on a page that it cannot write: nothing that it does makes this wait.
void module_process::wake() {
  if (answer().waits.load(std::memory_order_seq_cst) == 0) return;
  std::atomic<uint32_t> &wakes = request().wakes;
  wakes.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, &wakes, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool module_process::is_answered() const { return answer().number.load(std::memory_order_acquire) == number_; }

bool module_process::asks() const { return answer().question.load(std::memory_order_acquire) != questions_; }

void module_process::answer_question() {
  const answer_page &asked = answer();
  questions_ = asked.question.load(std::memory_order_acquire);
  const size_t length = std::min<uint64_t>(once(asked.question_length), question_bytes);
  const std::string path(reinterpret_cast<const char *>(answer_region_.base()) + question_room, length);
  request_page &page = request();
  page.answer = lookup_ ? lookup_(once(asked.question_world), path) : queue_answer{TENON_UNSUPPORTED, 0, 0, 0};
  page.reply.store(questions_, std::memory_order_seq_cst);
  wake();
}

template <class Ready>
bool module_process::spin(Ready &&is_due) {
  const auto since = steady_clock::now();
  const bool out = spin_until(is_due);
  accounts_.add_waiting(steady_clock::now() - since);
  return out;
}

module_process::outcome module_process::wait(std::chrono::nanoseconds at_most) {
  const auto is_due = [&] { return is_answered() || asks(); };
  if (is_due() || (spins_ && at_most > spin_time && spin(is_due)))
    if (is_answered()) return take();
  request_page &page = request();
  page.waits.store(1, std::memory_order_seq_cst);
  const auto end = steady_clock::now() + at_most;
  outcome out = outcome::late;
  for (;;) {
    if (answer().number.load(std::memory_order_seq_cst) == number_) {
      out = outcome::answered;
      break;
    }
    const auto left = end - steady_clock::now();
    if (answer().question.load(std::memory_order_seq_cst) != questions_) {
      answer_question();
      if (spins_) (void)spin(is_due);
      // A process that asks without end is late as any other.
      if (left.count() > 0) continue;
    }
    // Once without waiting, too: whether the process has ended is to be known.
    const auto time_left = std::max(left, steady_clock::duration::zero());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time_left);
    const timespec time{seconds.count(), std::chrono::nanoseconds(time_left - seconds).count()};
    std::array<pollfd, 2> events{pollfd{rings_.get(), POLLIN, 0}, pollfd{pid_.get(), POLLIN, 0}};
    if (::ppoll(events.data(), events.size(), &time, nullptr) < 0 && errno != EINTR) break;
    epoll_event rung{};
    if (events[0].revents != 0) (void)::epoll_wait(rings_.get(), &rung, 1, 0);
    if (events[1].revents != 0 && !is_answered()) {
      out = outcome::ended;
      break;
    }
    if (left.count() <= 0) break;
  }
  page.waits.store(0, std::memory_order_relaxed);
  return out == outcome::answered ? take() : out;
}

std::chrono::nanoseconds module_process::processor_time() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(number_of_process_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

bool module_process::could_run() const {
  std::error_code failed;
  const std::string folder = "/proc/" + std::to_string(number_of_process_) + "/task";
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::string line;
    std::getline(std::ifstream(at->path() / "stat"), line);
    // The state stands behind the name, which may have anything in it.
    const size_t name_end = line.rfind(')');
    const char state = name_end == std::string::npos || name_end + 2 >= line.size() ? '?' : line[name_end + 2];
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

module_process::outcome module_process::take() {
  drain_log();
  const answer_page &page = answer();
  requests_.mapped_at(once(page.request_base));
  answers_.mapped_at(once(page.answer_base));
  status_ = once(page.status);
  return outcome::answered;
}

// Lines as the process put them: level, length, bytes.
void module_process::drain_log() {
  const size_t used = std::min<size_t>(once(answer().log_used), log_bytes);
  if (used == 0) return;
  const std::string lines(reinterpret_cast<const char *>(answer_region_.base()) + page_bytes, used);
  std::string_view left = lines;
  struct {
    uint32_t level, length;
  } head;
  while (left.size() >= sizeof head) {
    std::memcpy(&head, left.data(), sizeof head);
    left.remove_prefix(sizeof head);
    if (const auto left_out = accounts_.lines().admit(steady_clock::now())) {
      if (*left_out != 0) log_(TENON_LOG_WARNING, std::to_string(*left_out) + " lines left out: it logs too much");
      log_(head.level, left.substr(0, head.length));
    }
    left.remove_prefix(std::min<size_t>(head.length, left.size()));
  }
}

std::string module_process::reply() const {
  const size_t length = std::min<size_t>(once(answer().length), reply_bytes);
  return {reinterpret_cast<const char *>(answer_region_.base()) + answer_room, length};
}

std::string module_process::bytes_in(const placed<std::byte> &room, size_t most) const {
  const size_t length = std::min<size_t>(once(answer().length), most);
  return {reinterpret_cast<const char *>(room.here), length};
}

// Waits for its end so long, and collects it.
bool module_process::has_ended(std::chrono::milliseconds wait) {
  pollfd ended{pid_.get(), POLLIN, 0};
  while (::poll(&ended, 1, static_cast<int>(wait.count())) < 0 && errno == EINTR) {
  }
  if (ended.revents == 0) return false;
  accounts_.close(number_of_process_);
  siginfo_t about{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(pid_.get()), &about, WEXITED | WNOHANG);
  return true;
}

process_loss module_process::loss() {
  process_loss out{process_loss::how::ended};
  // What was seen of its end may be before it can be collected.
  pollfd ended{pid_.get(), POLLIN, 0};
  (void)::poll(&ended, 1, 1'000);
  siginfo_t about{};
  if (::waitid(P_PIDFD, static_cast<id_t>(pid_.get()), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == 0)
    out.status = -1;
  else
    (about.si_code == CLD_EXITED ? out.status : out.signal) = about.si_status;
  return out;
}

std::string module_process::how_it_ended() {
  const process_loss end = loss();
  if (end.status < 0) return "ended its process" + last_words();
  if (end.signal == 0) return "ended its process with status " + std::to_string(end.status) + last_words();
  const char *name = sigabbrev_np(end.signal);
  return "ended its process by " +
         (name == nullptr ? "signal " + std::to_string(end.signal) : "SIG" + std::string(name)) + last_words();
}

std::string module_process::last_words() {
  constexpr size_t longest = 1'200;
  std::string said;
  std::array<char, 4096> buffer;
  // No more than a pipe holds: who writes may never stop.
  for (int rounds = 0; rounds < 16; ++rounds) {
    const ssize_t got = ::read(words_.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    said.append(buffer.data(), static_cast<size_t>(got));
  }
  if (said.size() > longest) said.erase(0, said.size() - longest);
  said = one_line(said, longest);
  const size_t first = said.find_first_not_of(' '), last = said.find_last_not_of(' ');
  return first == std::string::npos ? std::string{} : "; it said: " + said.substr(first, last - first + 1);
}

void module_process::end(std::chrono::milliseconds at_most) {
  ask(call_kind::end, {});
  (void)has_ended(at_most);
}

}  // namespace tenon::host::isolation
