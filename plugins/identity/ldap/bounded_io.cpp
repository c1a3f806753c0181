// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "bounded_io.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace tenon::identity_ldap {
namespace {

// Above the socket, below TLS.
constexpr int level = (LBER_SBIOD_LEVEL_PROVIDER + LBER_SBIOD_LEVEL_TRANSPORT) / 2;

}  // namespace

int bounded_io::watch(LDAP *handle) { return ldap_set_option(handle, LDAP_OPT_CONNECT_CB, &callbacks_); }

int bounded_io::connected(LDAP *, Sockbuf *connection, LDAPURLDesc *, sockaddr *, ldap_conncb *of) {
  static Sockbuf_IO slots{set_up, nullptr, control, read, write, nullptr};
  static_cast<bounded_io *>(of->lc_arg)->begin();
  return ber_sockbuf_add_io(connection, &slots, level, of->lc_arg);
}

int bounded_io::set_up(Sockbuf_IO_Desc *of, void *self) {
  of->sbiod_pvt = self;
  return 0;
}

int bounded_io::control(Sockbuf_IO_Desc *of, int option, void *value) {
  return LBER_SBIOD_CTRL_NEXT(of, option, value);
}

int bounded_io::when_it_can(short event, Sockbuf_IO_Desc *of) {
  int descriptor = -1;
  ber_sockbuf_ctrl(of->sbiod_sb, LBER_SB_OPT_GET_FD, &descriptor);
  const clock::time_point until = static_cast<bounded_io *>(of->sbiod_pvt)->until_;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    pollfd one{descriptor, event, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready > 0) return descriptor;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) errno = ETIMEDOUT;
    return -1;
  }
}

ber_slen_t bounded_io::read(Sockbuf_IO_Desc *from, void *to, ber_len_t bytes) {
  const int descriptor = when_it_can(POLLIN, from);
  return descriptor < 0 ? -1 : ::recv(descriptor, to, bytes, 0);
}

// Without a signal where the other side has gone.
ber_slen_t bounded_io::write(Sockbuf_IO_Desc *to, void *from, ber_len_t bytes) {
  const int descriptor = when_it_can(POLLOUT, to);
  return descriptor < 0 ? -1 : ::send(descriptor, from, bytes, MSG_NOSIGNAL);
}

}  // namespace tenon::identity_ldap
