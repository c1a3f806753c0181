// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A daemon's control socket, when what the daemon left behind still runs.
#include "serve/control_socket.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace tenon::cli {
namespace {

TEST(ControlSocket, AChildOfADaemonThatIsGoneKeepsNeitherLockNorSocket) {
  const auto folder = std::filesystem::temp_directory_path() / ("tenon-lock-" + std::to_string(::getpid()));
  const auto path = folder / "control.sock";
  int said[2];
  ASSERT_EQ(::pipe(said), 0);
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    auto mine = control_socket::claim(path);
    if (!mine) ::_exit(1);
    const pid_t child = ::fork();  // as a module may
    if (child == 0) {
      const pid_t self = ::getpid();
      if (::write(said[1], &self, sizeof self) != sizeof self) ::_exit(1);
      for (;;) ::pause();
    }
    for (;;) ::pause();
  }
  pid_t child = 0;
  ASSERT_EQ(::read(said[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_FALSE(control_socket::claim(path));  // while the daemon lives
  ::kill(daemon, SIGKILL);
  ASSERT_EQ(::waitpid(daemon, nullptr, 0), daemon);
  const auto next = control_socket::claim(path);
  EXPECT_TRUE(next) << (next ? "" : next.why().text());
  ::kill(child, SIGKILL);
  ::close(said[0]);
  ::close(said[1]);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tenon::cli
