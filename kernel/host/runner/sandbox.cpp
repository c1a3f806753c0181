// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "sandbox.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
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

uint32_t set_limits(uint64_t memory, uint64_t descriptors) {
  uint32_t out = 0;
  const bool set = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_MEMLOCK, 0) &&
                   limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_NOFILE, descriptors);
  if (set) out |= in_force_limits;
  // Private memory; what is shared seccomp refuses.
  if (limits_memory && limit(RLIMIT_DATA, memory)) out |= in_force_memory;
  return out;
}

// Landlock has no library in the distribution, and three calls.
class landlock_rules {
 public:
  // Of everything that the kernel's version knows and these headers name.
  explicit landlock_rules(uint32_t version) {
    uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    if (version >= 2) all |= LANDLOCK_ACCESS_FS_REFER;
    const landlock_ruleset_attr handled{all};
    fd_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
  }
  ~landlock_rules() {
    if (fd_ >= 0) ::close(fd_);
  }
  landlock_rules(const landlock_rules &) = delete;
  landlock_rules &operator=(const landlock_rules &) = delete;

  void may_read(const std::string &path) {
    const int at = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (at < 0) return;
    std::error_code failed;
    const uint64_t of_files = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
    const bool folder = std::filesystem::is_directory(path, failed);
    const landlock_path_beneath_attr rule{folder ? of_files | LANDLOCK_ACCESS_FS_READ_DIR : of_files, at};
    ::syscall(SYS_landlock_add_rule, fd_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(at);
  }
  bool enter() const { return fd_ >= 0 && ::syscall(SYS_landlock_restrict_self, fd_, 0) == 0; }

 private:
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
                             "truncate",
                             "ftruncate",
                             "sched_setaffinity"};

constexpr std::array allowed{
    "brk", "munmap", "mremap", "madvise", "mprotect", "read", "readv", "pread64", "write", "writev", "close", "lseek",
    "fstat", "newfstatat", "stat", "lstat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getcwd", "getdents64", "fcntl", "dup", "futex", "membarrier", "rseq", "set_robust_list", "get_robust_list",
    "sched_yield", "sched_getaffinity", "getcpu", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep",
    "gettimeofday", "time", "times", "getrusage", "sysinfo", "uname", "getpid", "getppid", "gettid", "getuid",
    "geteuid", "getgid", "getegid", "getrandom", "getrlimit", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
    "sigaltstack", "restart_syscall", "poll", "ppoll", "select", "pselect6", "exit", "exit_group", "arch_prctl",
    // What close_files() still needs.
    "prctl", "seccomp", "landlock_create_ruleset", "landlock_restrict_self"};

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

bool enter_first_filter() {
  const system_call_filter filter(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)));
  if (filter == nullptr) return false;
  for (const char *name : refused) add(filter, SCMP_ACT_ERRNO(EPERM), name);
  for (const char *name : allowed) add(filter, SCMP_ACT_ALLOW, name);
  const auto itself = static_cast<scmp_datum_t>(::getpid());
  // Its own death by abort(), and nobody else's.
  add(filter, SCMP_ACT_ALLOW, "tgkill", {equal(0, itself)});
  // Memory that is shared would be beyond the limit.
  add(filter, SCMP_ACT_ALLOW, "mmap", {masked(3, MAP_SHARED | MAP_PRIVATE, MAP_PRIVATE)});
  add(filter, SCMP_ACT_ERRNO(EPERM), "mmap", {masked(3, MAP_SHARED, MAP_SHARED)});
  add(filter, SCMP_ACT_ERRNO(EPERM), "clone");
  constexpr scmp_datum_t writing = O_ACCMODE | O_CREAT | O_TRUNC;
  add(filter, SCMP_ACT_ALLOW, "open", {masked(1, writing, O_RDONLY)});
  add(filter, SCMP_ACT_ALLOW, "openat", {masked(2, writing, O_RDONLY)});
  // Its own limits, to read.
  add(filter, SCMP_ACT_ALLOW, "prlimit64", {equal(0, 0), equal(2, 0)});
  return seccomp_load(filter.get()) == 0;
}

void enter_second_filter() {
  const system_call_filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (filter == nullptr) return;
  for (const char *name : {"open", "openat", "prctl", "seccomp", "landlock_create_ruleset", "landlock_restrict_self"})
    add(filter, SCMP_ACT_ERRNO(EPERM), name);
  for (const char *name : {"mmap", "mprotect"})
    add(filter, SCMP_ACT_ERRNO(EPERM), name, {masked(2, PROT_EXEC, PROT_EXEC)});
  (void)seccomp_load(filter.get());
}

}  // namespace

confinement confine(const std::string &library, uint64_t memory, uint64_t descriptors) {
  confinement out;
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  (void)!::chdir("/");
  out.landlock = landlock_version();
  if (out.landlock != 0) {
    landlock_rules rules(out.landlock);
    add_library_folders(rules, library);
    if (rules.enter()) out.in_force |= in_force_landlock;
  }
  out.in_force |= set_limits(memory, descriptors);
  if (enter_first_filter()) out.in_force |= in_force_seccomp;
  return out;
}

void close_files(const confinement &already) {
  if ((already.in_force & in_force_landlock) != 0) (void)landlock_rules(already.landlock).enter();
  if ((already.in_force & in_force_seccomp) != 0) enter_second_filter();
}

}  // namespace tenon::host::runner
