// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The process in which modules are tried: what it inherits, how its end is told, what stays of it.
#include "base/child_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "base/descriptor.hpp"

namespace tenon::host {
namespace {

using ::testing::HasSubstr;
using end = child_outcome::end;
using std::chrono::milliseconds;

child_outcome shell(const std::string &script, milliseconds timeout = milliseconds(10'000)) {
  return run_child("/bin/sh", {"-c", script}, 3, timeout);
}

TEST(ChildProcess, EndsWithItsStatus) {
  const child_outcome child = shell("exit 7");
  EXPECT_EQ(child.how, end::exited);
  EXPECT_EQ(child.code, 7);
}

TEST(ChildProcess, KilledBySignalIsTold) {
  const child_outcome child = shell("kill -KILL $$");
  EXPECT_EQ(child.how, end::killed_by_signal);
  EXPECT_EQ(child.code, SIGKILL);
}

TEST(ChildProcess, LinesAndOutputComeApart) {
  const child_outcome child = shell("echo a line >&3; echo words; echo complaints >&2; cat");
  EXPECT_EQ(child.how, end::exited);
  EXPECT_EQ(child.lines, "a line\n");
  EXPECT_EQ(child.output, "words\ncomplaints\n");
}

TEST(ChildProcess, InheritsNoDescriptorOfTheHost) {
  const descriptor secret(::fcntl(STDERR_FILENO, F_DUPFD, 40));  // without close-on-exec
  ASSERT_EQ(secret.get(), 40);
  EXPECT_EQ(shell("test -e /proc/self/fd/40").code, 1);
  EXPECT_EQ(shell("test -e /proc/self/fd/3").code, 0);
}

TEST(ChildProcess, InheritsNoSignalHandling) {
  sigset_t blocked, former;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &former);
  const auto ignored = signal(SIGTERM, SIG_IGN);
  const child_outcome child = shell("kill -TERM $$; exit 0");
  signal(SIGTERM, ignored);
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
  EXPECT_EQ(child.how, end::killed_by_signal);
  EXPECT_EQ(child.code, SIGTERM);
}

TEST(ChildProcess, TooLateIsKilledWithItsChildren) {
  // The inner one keeps the pipes open, and would write a line later.
  const child_outcome child = shell("(sleep 2; echo late >&3) & sleep 60", milliseconds(200));
  EXPECT_EQ(child.how, end::timed_out);
  EXPECT_EQ(child.lines, "");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, ChildrenThatOutliveItAreNotWaitedForAndKilled) {
  const child_outcome child = shell("sleep 60 & echo $! >&3");
  EXPECT_EQ(child.how, end::exited);
  const auto orphan = static_cast<pid_t>(std::stol(child.lines));
  // It belongs to init now, which collects it in its own time: gone, or a process without a command line.
  for (int i = 0; i < 1000 && ::kill(orphan, 0) == 0; ++i) {
    std::ifstream line("/proc/" + std::to_string(orphan) + "/cmdline");
    if (line.peek() == std::ifstream::traits_type::eof()) return;
    ::usleep(10'000);
  }
  EXPECT_NE(::kill(orphan, 0), 0);
}

TEST(ChildProcess, EndlessOutputIsCutToItsEnd) {
  const child_outcome child = shell("yes words | head -c 1000000; echo the end");
  EXPECT_EQ(child.how, end::exited);
  EXPECT_LE(child.output.size(), 2048);
  EXPECT_THAT(child.output, HasSubstr("the end"));
}

TEST(ChildProcess, EndlessLinesEndIt) { EXPECT_EQ(shell("yes >&3").how, end::timed_out); }

TEST(ChildProcess, ProgramThatIsNotThereIsNotStarted) {
  const child_outcome child = run_child("/nowhere/at-all", {}, 3, milliseconds(1000));
  EXPECT_EQ(child.how, end::not_started);
  EXPECT_EQ(child.code, ENOENT);
}

TEST(ChildProcess, HostThatIgnoresItsChildrenStillHearsThem) {
  const auto former = signal(SIGCHLD, SIG_IGN);
  const child_outcome child = shell("echo a line >&3");
  signal(SIGCHLD, former);
  EXPECT_EQ(child.how, end::exited);
  EXPECT_EQ(child.lines, "a line\n");
}

}  // namespace
}  // namespace tenon::host
