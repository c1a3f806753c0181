// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/unasked_end.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <fstream>
#include <new>

#include "containment/call_page.hpp"
#include "flight/call_writer.hpp"
#include "flight/recorded_now.hpp"
#include "src/descriptor.hpp"
#include "tenon/host/long_call.hpp"

namespace tenon::host {
namespace {

// Not a record: those have no extension.
constexpr char page_file[] = "under-way.calls";

// Written before the first call, and never after.
char page_path[PATH_MAX] = "";  // empty: there is no file

std::atomic<bool> ends_unasked{false};

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
  write_record(record, page.folder(), call.key);
  if (is_here) write_flight_record(record.text(), *seen, page.folder());
}

// What a process before left in the file that this one is to write. It was killed, or ended by a way that only its
// parent could see, so what it says is no proof.
std::string left_words(const call_page &page) {
  const call_page::line *at = page.suspect(0);
  if (at == nullptr || !page.is_on_trial(*at)) return {};
  return "process " + std::to_string(page.process()) + ", which served before, ended without a word in " +
         words_of(page.recorded(*at)) +
         ". Somebody may have killed it, so the module is not in quarantine; where it ends the daemon again, "
         "`tenon serve --supervise` sees by what";
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
    left = left_words(*before);
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
  call_page::publish_in(*page);
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

bool is_ending_unasked() { return ends_unasked; }

bool record_unasked_end(std::string_view how, unasked_by whom) {
  if (!is_end_unknown()) return false;
  const call_page &page = *call_page::of_process();
  const call_page::line *at = page.suspect(::gettid());
  if (at == nullptr && whom == unasked_by::any_thread) at = page.suspect(0);
  if (at == nullptr) return false;
  ends_unasked = true;
  record_call(page, *at, how);
  end_is_known();
  return true;
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
  if (page_ != nullptr) call_page::publish_in(*page_);
}

bool shared_calls::is_known() const { return page_ == nullptr || page_->state() != call_page::life::runs; }

std::string shared_calls::suspect() const {
  const call_page::line *at = is_known() ? nullptr : page_->suspect(0);
  return at == nullptr ? std::string() : words_of(page_->recorded(*at));
}

void shared_calls::record(std::string_view how) const {
  if (const call_page::line *at = is_known() ? nullptr : page_->suspect(0); at != nullptr)
    record_call(*page_, *at, how);
}

}  // namespace tenon::host
