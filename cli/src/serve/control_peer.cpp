// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/control_peer.hpp"

#include <pwd.h>
#include <sys/socket.h>

#include <string>
#include <vector>

namespace tenon::cli {
namespace {

std::string name_of(uid_t user) {
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd *found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) return found->pw_name;
  return "uid " + std::to_string(user);
}

}  // namespace

observe::caller peer_of(int descriptor) {
  observe::caller out;
  out.all = true;
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
    out.user = "somebody";
    out.origin = "control socket";
    return out;
  }
  out.user = name_of(who.uid);
  out.origin = "control socket, process " + std::to_string(who.pid);
  return out;
}

}  // namespace tenon::cli
