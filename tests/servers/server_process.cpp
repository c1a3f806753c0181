// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "server_process.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tenon::testing {
namespace {

std::string said(const std::filesystem::path &log) {
  std::ifstream in(log, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

pid_t spawned(const std::vector<std::string> &command, const std::filesystem::path &log, uid_t user) {
  std::vector<char *> words;
  for (const std::string &word : command) words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::setpgid(0, 0);
  const bool changed = user == 0 || (::setgid(user) == 0 && ::setuid(user) == 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the change of user, which clears it
  if (changed) ::execv(words[0], words.data());
  ::_exit(127);
}

}  // namespace

void server_process::start(const std::vector<std::string> &command, const std::filesystem::path &log,
                           const std::function<bool()> &ready, uid_t user) {
  end(SIGKILL);
  owner_ = ::getpid();
  child_ = spawned(command, log, user);
  for (int tries = 0; tries < 2'000; ++tries) {
    if (ready()) return;
    if (::waitpid(child_, nullptr, WNOHANG) == child_) {
      child_ = 0;
      throw std::runtime_error(command[0] + " ended: " + said(log));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error(command[0] + " is not ready: " + said(log));
}

void server_process::end(int signal) {
  if (child_ <= 0 || owner_ != ::getpid()) return;  // in a process that the test forked nothing ends
  go_on();
  // What a server started ends with it where it is killed.
  ::kill(signal == SIGKILL ? -child_ : child_, signal);
  ::waitpid(child_, nullptr, 0);
  child_ = 0;
}

// Until all of its threads have stopped: one that runs on may still answer.
void server_process::pause() const {
  ::kill(-child_, SIGSTOP);
  siginfo_t stopped{};
  ::waitid(P_PID, static_cast<id_t>(child_), &stopped, WSTOPPED | WEXITED | WNOWAIT);
}

void server_process::go_on() const { ::kill(-child_, SIGCONT); }

silent_server::silent_server() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(descriptor_, reinterpret_cast<sockaddr *>(&address), size) != 0 || ::listen(descriptor_, 8) != 0 ||
      ::getsockname(descriptor_, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    throw std::runtime_error("no port is free");
  port_ = ntohs(address.sin_port);
}

std::string installed_server(const std::string &name, const std::vector<std::string> &folders) {
  std::vector<std::string> all = folders;
  const char *given = std::getenv("PATH");
  std::stringstream path(std::string(given == nullptr ? "" : given) + ":/usr/sbin:/usr/lib/openldap");
  for (std::string folder; std::getline(path, folder, ':');) all.push_back(folder);
  for (const std::string &folder : all) {
    const std::string program = folder + "/" + name;
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

void run_program(const std::vector<std::string> &command, const std::filesystem::path &log, uid_t user) {
  const pid_t child = spawned(command, log, user);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error(command[0] + " failed: " + said(log));
}

bool accepts_connections(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool accepted = ::connect(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
  ::close(descriptor);
  return accepted;
}

}  // namespace tenon::testing
