// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/unasked_end.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <fstream>
#include <new>

#include "base/descriptor.hpp"
#include "calls/call_page.hpp"
#include "flight/call_writer.hpp"
#include "flight/recorded_now.hpp"
#include "tenon/host/long_call.hpp"

namespace tenon::host {
namespace {

// Not a record: those have no extension.
constexpr char page_file[] = "under-way.calls";

// Written before the first call, and never after.
char page_path[PATH_MAX] = "";  // empty: there is no file

std::string boot_of_the_machine() {
  std::string out;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), out);
  return out;
}

void *map_page(int fd) {
  void *const out = ::mmap(nullptr, sizeof(call_page), PROT_READ | PROT_WRITE,
                           fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
  return out == MAP_FAILED ? nullptr : out;
}

// Longer than a daemon that works is silent: it shows twice a second that it is alive.
constexpr int64_t silent_ms = 10'000;

int64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

std::string words_of(const recorded_call &call) {
  long_call out;
  out.module = call.module;
  out.version = call.version;
  out.interface = call.interface;
  out.name = call.name;
  out.slot = call.slot;
  out.items = call.items;
  return out.place();
}

// With what the slot was given, where this thread is in it.
void record_call(const call_page &page, const call_page::line &at, std::string_view how) {
  const recorded_call call = page.recorded(at);
  const call_place *place = call_place::of_this_thread_if_any();
  const auto seen = place == nullptr ? std::nullopt : place->look();
  const bool is_here = seen && has_flight_record(*seen, page.folder()) && call.process == ::getpid() &&
                       seen->thread == call.thread && seen->subject->key == call.key;
  fault_text record;
  describe(call, how, unix_now_ms(), is_here ? call_file_ending : "", record);
  record_file(page.folder(), call.key).write(record);
  if (is_here) write_flight_record(record.text(), *seen, page.folder());
}

// How it is known that a module ended the process.
enum class proof {
  of_thread,   // this thread did
  of_process,  // one of its threads did
  none         // it is gone: somebody may have killed it
};

// The call that is suspected: null if there is none, or if there are several.
const call_page::line *suspected_call(const call_page &page, proof how) {
  if (how == proof::of_thread) return page.suspect(::gettid());
  const call_page::line *at = page.suspect(0);
  return at != nullptr && how == proof::none && !page.is_on_trial(*at) ? nullptr : at;
}

// Calls `use(recorded_call)` for every module that is suspected without a call. From a signal handler, too.
template <class Use>
void for_each_on_trial(const call_page &page, Use &&use) {
  for (uint32_t i = 1; i <= page.entry_count(); ++i)
    if (page.is_on_trial(i)) use(page.recorded(i));
}

// Returns who is suspected, in words. Empty: nobody.
std::string suspects_in_words(const call_page &page, proof how) {
  if (const call_page::line *at = suspected_call(page, how)) return "in " + words_of(page.recorded(*at));
  std::string out;
  for_each_on_trial(page, [&](const recorded_call &one) {
    out += (out.empty() ? "while on trial were " : ", ") + std::string(one.module) + " " + std::string(one.version);
  });
  return out;
}

// Writes a record of the call that is suspected, or else of every module on trial. Returns false if nobody is
// suspected. From a signal handler, too.
bool record_suspects(const call_page &page, proof known, std::string_view how) {
  if (const call_page::line *at = suspected_call(page, known)) {
    record_call(page, *at, how);
    return true;
  }
  bool out = false;
  for_each_on_trial(page, [&](const recorded_call &one) {
    fault_text record;
    describe(one, how, unix_now_ms(), "", record);
    record_file(page.folder(), one.key).write(record);
    out = true;
  });
  return out;
}

// Puts whoever a process before suspects into quarantine: it wrote the file that this one is to write, and ended
// without a word. Returns that for the log; empty: it suspects nobody.
std::string account_for_lost(const call_page &page) {
  const std::string who = suspects_in_words(page, proof::none);
  if (who.empty()) return {};
  record_suspects(page, proof::none, "its process ended without a word");
  return "process " + std::to_string(page.process()) + ", which served before, ended without a word, " + who;
}

// Nothing: there is no such file, or another daemon has it.
call_page *page_in(const std::filesystem::path &folder, std::string &left) {
  const std::string path = (folder / page_file).string();
  if (path.size() >= sizeof page_path) return nullptr;
  // Kept for as long as the process lives: it is its lock.
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  descriptor file(fd);
  if (!file || ::flock(fd, LOCK_EX | LOCK_NB) != 0) return nullptr;
  struct stat about {};
  if (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return nullptr;
  // Room on the disk first: to write where there is none would be a fatal signal.
  if (::posix_fallocate(fd, 0, sizeof(call_page)) != 0) return nullptr;
  void *const memory = map_page(fd);
  if (memory == nullptr) return nullptr;
  static descriptor lock;
  lock = std::move(file);
  if (const auto *before = static_cast<const call_page *>(memory); before->is_of_a_lost_process(boot_of_the_machine()))
    left = account_for_lost(*before);
  path.copy(page_path, sizeof page_path - 1);
  return new (memory) call_page();
}

}  // namespace

std::string publish_calls(const std::filesystem::path &folder) {
  std::string left;
  call_page *page = call_page::of_process();
  if (page == nullptr && !folder.empty()) page = page_in(folder, left);
  if (page == nullptr)
    if (void *const memory = map_page(-1); memory != nullptr) page = new (memory) call_page();
  if (page == nullptr) return left;
  page->begin(folder.native(), boot_of_the_machine());
  call_page::publish_in(page);
  return left;
}

bool is_end_unknown() {
  const call_page *page = call_page::of_process();
  return page != nullptr && page->process() == ::getpid() && page->state() == call_page::life::runs;
}

void end_is_known() {
  if (!is_end_unknown() || !call_page::of_process()->end()) return;
  if (page_path[0] != '\0') ::unlink(page_path);
}

bool record_unasked_end(std::string_view how, unasked_by whom) {
  if (!is_end_unknown()) return false;
  const call_page &page = *call_page::of_process();
  const bool is_here = whom == unasked_by::this_thread || suspected_call(page, proof::of_thread) != nullptr;
  if (!record_suspects(page, is_here ? proof::of_thread : proof::of_process, how)) return false;
  end_is_known();
  return true;
}

void show_alive(std::chrono::milliseconds most_silence) {
  if (is_end_unknown()) call_page::of_process()->show_alive(most_silence);
}

bool has_been_silent() {
  const call_page *page = call_page::of_process();
  return page != nullptr && page->most_silence().count() != 0 && monotonic_ms() - page->alive_ms() > silent_ms;
}

shared_calls::shared_calls() {
  if (void *const memory = map_page(-1); memory != nullptr) page_ = new (memory) call_page();
}

shared_calls::~shared_calls() {
  if (page_ != nullptr) ::munmap(page_, sizeof *page_);
}

void shared_calls::empty() {
  if (page_ != nullptr) page_ = new (page_) call_page();
}

void shared_calls::use() const {
  if (page_ != nullptr) call_page::publish_in(page_);
}

bool shared_calls::is_known() const { return page_ == nullptr || page_->state() != call_page::life::runs; }

std::string shared_calls::suspects(bool killed) const {
  return is_known() ? std::string() : suspects_in_words(*page_, killed ? proof::none : proof::of_process);
}

void shared_calls::record(std::string_view how, bool killed) const {
  if (!is_known()) record_suspects(*page_, killed ? proof::none : proof::of_process, how);
}

int64_t shared_calls::alive_ms() const { return page_ == nullptr ? 0 : page_->alive_ms(); }

std::chrono::milliseconds shared_calls::most_silence() const {
  return is_known() ? std::chrono::milliseconds(0) : page_->most_silence();
}

}  // namespace tenon::host
