// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "runner/sandbox.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "isolation/shared_pages.hpp"

namespace tenon::host::runner {
namespace {

using namespace isolation;

bool limit(__rlimit_resource what, uint64_t most) {
  const rlimit both{most, most};
  return ::setrlimit(what, &both) == 0;
}

// Shadow memory of a sanitizer is beyond every limit.
constexpr bool limits_memory =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    false;
#else
    true;
#endif

// Pages of this process are the first that the system takes back where it runs out of memory, not the scheduler's.
void volunteer_for_the_system() {
  constexpr std::string_view badness = "500";
  const int to = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (to < 0) return;
  (void)!::write(to, badness.data(), badness.size());
  ::close(to);
}

// Bytes, with what is shared and what nothing was written to.
uint64_t mapped_bytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Memory that can be written at this moment, and all that is mapped: what was written and is only read now, stacks, and
// what grows by itself. Addresses that a library sets aside count for the second alone, and so does its code.
bool limit_memory(uint64_t memory, uint64_t mapped) {
  constexpr uint64_t libraries = uint64_t{128} << 20;
  constexpr uint64_t most = RLIM_INFINITY / 4;
  return limit(RLIMIT_DATA, memory) && limit(RLIMIT_AS, mapped + 2 * std::min(memory, most) + libraries);
}

uint32_t set_limits(uint64_t memory, uint64_t mapped, uint64_t descriptors, bool writes) {
  uint32_t out = 0;
  const bool set = limit(RLIMIT_CORE, 0) && (writes || limit(RLIMIT_FSIZE, 0)) && limit(RLIMIT_MEMLOCK, 0) &&
                   limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_NOFILE, descriptors);
  if (set) out |= in_force_limits;
  // What is shared seccomp refuses.
  if (limits_memory && limit_memory(memory, mapped)) out |= in_force_memory;
  return out;
}

// Landlock has no library in the distribution, and three calls.
class landlock_rules {
 public:
  // Of everything about files that the kernel's version knows, and of signals to others, by whatever way.
  explicit landlock_rules(uint32_t version) : truncate_(version >= 3 ? access_truncate : 0) {
    ruleset handled{(LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1, 0, 0};
    if (version >= 2) handled.files |= LANDLOCK_ACCESS_FS_REFER;
    handled.files |= truncate_;
    if (version >= 6) handled.scoped = scope_signal;
    fd_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
  }
  ~landlock_rules() {
    if (fd_ >= 0) ::close(fd_);
  }
  landlock_rules(const landlock_rules &) = delete;
  landlock_rules &operator=(const landlock_rules &) = delete;

  void may_read(const std::string &path) { allow(path, of_files, LANDLOCK_ACCESS_FS_READ_DIR); }
  void may_write(const std::string &path) {
    allow(path, of_files | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_,
          LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR);
  }
  bool enter() const { return fd_ >= 0 && ::syscall(SYS_landlock_restrict_self, fd_, 0) == 0; }

 private:
  static constexpr uint64_t of_files = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
  // Younger than the headers of the distribution. What a kernel does not know of a ruleset must be 0.
  static constexpr uint64_t access_truncate = 1 << 14, scope_signal = 1 << 1;
  struct ruleset {
    uint64_t files, network, scoped;
  };

  void allow(const std::string &path, uint64_t files, uint64_t folders) {
    const int at = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (at < 0) return;
    std::error_code failed;
    const bool folder = std::filesystem::is_directory(path, failed);
    const landlock_path_beneath_attr rule{folder ? files | folders : files, at};
    ::syscall(SYS_landlock_add_rule, fd_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(at);
  }

  const uint64_t truncate_;
  int fd_;
};

uint32_t landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<uint32_t>(version);
}

// Where the dynamic linker looks.
void add_library_folders(landlock_rules &rules, const std::string &library) {
  for (const char *each : {"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
                           "/etc/ld.so.preload"})
    rules.may_read(each);
  rules.may_read(std::filesystem::path(library).parent_path().string());
  const char *more = std::getenv("LD_LIBRARY_PATH");
  for (std::string_view left = more == nullptr ? "" : more; !left.empty();) {
    const size_t end = std::min(left.find(':'), left.size());
    if (end != 0) rules.may_read(std::string(left.substr(0, end)));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
}

void add_permitted(landlock_rules &rules, const permissions &permitted) {
  for (const std::string &each : permitted.read) rules.may_read(each);
  for (const std::string &each : permitted.write) rules.may_write(each);
  if (!permitted.network) return;
  // How names become addresses, and whom TLS believes.
  for (const char *each : {"/etc/resolv.conf", "/run/systemd/resolve", "/etc/hosts", "/etc/host.conf",
                           "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/ssl",
                           "/etc/pki", "/usr/share/ca-certificates", "/dev/urandom"})
    rules.may_read(each);
}

struct release_filter {
  void operator()(void *filter) const { seccomp_release(filter); }
};
using system_call_filter = std::unique_ptr<void, release_filter>;

// What is refused with EPERM; what no list names looks as if this kernel did not have it, which libraries expect.
constexpr std::array refused{"socket",
                             "socketpair",
                             "connect",
                             "bind",
                             "listen",
                             "accept",
                             "accept4",
                             "sendto",
                             "sendmsg",
                             "execve",
                             "execveat",
                             "fork",
                             "vfork",
                             "kill",
                             "tkill",
                             "ptrace",
                             "process_vm_readv",
                             "process_vm_writev",
                             "pidfd_open",
                             "pidfd_send_signal",
                             "mount",
                             "unshare",
                             "setns",
                             "chroot",
                             "bpf",
                             "perf_event_open",
                             "setuid",
                             "setgid",
                             "shmget",
                             "shmat",
                             "memfd_create",
                             "mkdir",
                             "mkdirat",
                             "unlink",
                             "unlinkat",
                             "rename",
                             "renameat",
                             "renameat2",
                             "chmod",
                             "fchmod",
                             "fchmodat",
                             "utimensat",
                             "truncate",
                             "ftruncate",
                             "sched_setaffinity"};

constexpr std::array allowed{
    "brk", "munmap", "mremap", "madvise", "mprotect", "read", "readv", "pread64", "write", "writev", "close", "lseek",
    "fstat", "newfstatat", "stat", "lstat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getcwd", "getdents64", "dup", "futex", "membarrier", "rseq", "set_robust_list", "get_robust_list", "sched_yield",
    "sched_getaffinity", "getcpu", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday",
    "time", "times", "getrusage", "sysinfo", "uname", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid",
    "getegid", "getrandom", "getrlimit", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
    "restart_syscall", "poll", "ppoll", "select", "pselect6", "exit", "exit_group", "arch_prctl",
    // What close_files() still needs.
    "prctl", "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"};

// Landlock governs all of them, or the file was open to be written. It does not govern who may do what with a file and
// its times.
constexpr std::array for_writing{"mkdir",    "mkdirat",   "unlink",    "unlinkat",  "rmdir",    "rename",
                                 "renameat", "renameat2", "ftruncate", "fallocate", "pwrite64", "pwritev",
                                 "pwritev2", "fsync",     "fdatasync", "flock",     "umask"};
// The rest would let the system send signals for the process, to whom it likes.
constexpr std::array file_commands{F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,     F_GETFL,     F_GETLK,
                                   F_SETLK, F_SETLKW,        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW};
constexpr std::array for_network{"connect",       "sendto",     "sendmsg",    "sendmmsg",    "recvfrom",    "recvmsg",
                                 "recvmmsg",      "setsockopt", "getsockopt", "getsockname", "getpeername", "shutdown",
                                 "epoll_create1", "epoll_ctl",  "epoll_wait", "epoll_pwait", "eventfd2",    "pipe2"};

bool is_one_of(std::string_view name, std::span<const char *const> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add(const system_call_filter &filter, uint32_t action, const char *name,
         std::initializer_list<scmp_arg_cmp> conditions = {}) {
  const int call = seccomp_syscall_resolve_name(name);
  // What this processor does not have cannot be called.
  if (call >= 0)
    (void)seccomp_rule_add_array(filter.get(), action, call, static_cast<unsigned>(conditions.size()),
                                 conditions.begin());
}

scmp_arg_cmp equal(unsigned argument, uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp masked(unsigned argument, uint64_t mask, uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

void add_network(const system_call_filter &filter) {
  for (const char *name : for_network) add(filter, SCMP_ACT_ALLOW, name);
  constexpr scmp_datum_t kind_of_socket = 0xf;
  for (const scmp_datum_t family : {AF_INET, AF_INET6})
    for (const scmp_datum_t kind : {SOCK_STREAM, SOCK_DGRAM})
      add(filter, SCMP_ACT_ALLOW, "socket", {equal(0, family), masked(1, kind_of_socket, kind)});
  for (const scmp_datum_t request : {FIONREAD, FIONBIO}) add(filter, SCMP_ACT_ALLOW, "ioctl", {equal(1, request)});
}

// Of threads that the module has already, too.
bool load(const system_call_filter &filter, const permissions &permitted) {
  if (permitted.threads) (void)seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  return seccomp_load(filter.get()) == 0;
}

// Without its lifeline the process would outlive the host. The system looks at 32 bits of a descriptor.
bool keep_lifeline() {
  const system_call_filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (filter == nullptr) return false;
  for (const char *name : {"close", "dup", "fcntl", "ioctl"})
    add(filter, SCMP_ACT_ERRNO(EPERM), name, {masked(0, UINT32_MAX, lifeline_fd)});
  return seccomp_load(filter.get()) == 0;
}

void add_file_commands(const system_call_filter &filter) {
  for (const int command : file_commands)
    add(filter, SCMP_ACT_ALLOW, "fcntl", {equal(1, static_cast<scmp_datum_t>(command))});
  add(filter, SCMP_ACT_ALLOW, "fcntl", {equal(1, F_SETFL), masked(2, O_ASYNC, 0)});
}

// Memory that is shared would be beyond the limit, and so would a mapping that grows by itself.
void add_mappings(const system_call_filter &filter, bool writes) {
  add(filter, SCMP_ACT_ALLOW, "mmap", {masked(3, MAP_SHARED | MAP_PRIVATE | MAP_GROWSDOWN, MAP_PRIVATE)});
  if (writes)
    add(filter, SCMP_ACT_ALLOW, "mmap", {masked(3, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, MAP_SHARED)});
  else
    add(filter, SCMP_ACT_ERRNO(EPERM), "mmap", {masked(3, MAP_SHARED, MAP_SHARED)});
}

void add_opening(const system_call_filter &filter, bool writes) {
  const auto allow = [&](scmp_datum_t mask, scmp_datum_t flags) {
    add(filter, SCMP_ACT_ALLOW, "open", {masked(1, mask, flags)});
    add(filter, SCMP_ACT_ALLOW, "openat", {masked(2, mask, flags)});
  };
  if (!writes) return allow(O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY);
  // What is opened to be read alone would be emptied without a right to write it.
  allow(O_ACCMODE | O_TRUNC, O_RDONLY);
  for (const scmp_datum_t way : {O_WRONLY, O_RDWR}) allow(O_ACCMODE, way);
}

bool enter_first_filter(const permissions &permitted) {
  const system_call_filter filter(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)));
  if (filter == nullptr) return false;
  const bool writes = !permitted.write.empty();
  for (const char *name : refused) {
    const bool is_permitted =
        (writes && is_one_of(name, for_writing)) ||
        (permitted.network && (is_one_of(name, for_network) || name == std::string_view("socket")));
    if (!is_permitted) add(filter, SCMP_ACT_ERRNO(EPERM), name);
  }
  for (const char *name : allowed) add(filter, SCMP_ACT_ALLOW, name);
  if (permitted.network) add_network(filter);
  const auto itself = static_cast<scmp_datum_t>(::getpid());
  // Its own death by abort(), and nobody else's.
  add(filter, SCMP_ACT_ALLOW, "tgkill", {equal(0, itself)});
  add_file_commands(filter);
  add_mappings(filter, writes);
  add_opening(filter, writes);
  add(filter, permitted.threads ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM), "clone",
      {masked(0, CLONE_THREAD, CLONE_THREAD)});
  add(filter, SCMP_ACT_ERRNO(EPERM), "clone", {masked(0, CLONE_THREAD, 0)});
  if (writes)
    for (const char *name : for_writing) add(filter, SCMP_ACT_ALLOW, name);
  // Its own limits, to read.
  add(filter, SCMP_ACT_ALLOW, "prlimit64", {equal(0, 0), equal(2, 0)});
  return load(filter, permitted);
}

void enter_second_filter(const permissions &permitted) {
  const system_call_filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (filter == nullptr) return;
  if (permitted.read.empty() && permitted.write.empty() && !permitted.network)
    for (const char *name : {"open", "openat"}) add(filter, SCMP_ACT_ERRNO(EPERM), name);
  for (const char *name :
       {"prctl", "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"})
    add(filter, SCMP_ACT_ERRNO(EPERM), name);
  for (const char *name : {"mmap", "mprotect"})
    add(filter, SCMP_ACT_ERRNO(EPERM), name, {masked(2, PROT_EXEC, PROT_EXEC)});
  (void)load(filter, permitted);
}

}  // namespace

confinement confine(const std::string &library, uint64_t memory, uint64_t descriptors, const permissions &permitted) {
  confinement out;
  volunteer_for_the_system();
  const uint64_t mapped = mapped_bytes();
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  (void)!::chdir("/");
  out.landlock = landlock_version();
  if (out.landlock != 0) {
    landlock_rules rules(out.landlock);
    add_library_folders(rules, library);
    add_permitted(rules, permitted);
    if (rules.enter()) out.in_force |= in_force_landlock;
  }
  out.in_force |= set_limits(memory, mapped, descriptors, !permitted.write.empty());
  if (keep_lifeline() && enter_first_filter(permitted)) out.in_force |= in_force_seccomp;
  return out;
}

void close_files(const confinement &already, const permissions &permitted) {
  if ((already.in_force & in_force_landlock) != 0) {
    landlock_rules rules(already.landlock);
    add_permitted(rules, permitted);
    (void)rules.enter();
  }
  if ((already.in_force & in_force_seccomp) != 0) enter_second_filter(permitted);
}

}  // namespace tenon::host::runner
