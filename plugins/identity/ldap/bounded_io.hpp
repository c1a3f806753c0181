// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads and writes of a connection that end in time: a TLS handshake of libldap over GnuTLS waits for ever, whatever
// time limits its options name.
#pragma once

#include <ldap.h>

#include <chrono>

namespace tenon::identity_ldap {

class bounded_io {
 public:
  bounded_io() = default;
  bounded_io(const bounded_io &) = delete;
  bounded_io &operator=(const bounded_io &) = delete;

  // For each connection that this handle makes, which ends before this object. An LDAP_* code.
  [[nodiscard]] int watch(LDAP *handle);
  // What is read and written from now on has so long altogether; with another connection, which a step makes where the
  // address before it did not answer, it has as long again.
  void allow(std::chrono::milliseconds time) {
    time_ = time;
    begin();
  }

 private:
  using clock = std::chrono::steady_clock;

  static int connected(LDAP *, Sockbuf *connection, LDAPURLDesc *, sockaddr *, ldap_conncb *of);
  static void closed(LDAP *, Sockbuf *, ldap_conncb *) {}
  static ber_slen_t read(Sockbuf_IO_Desc *from, void *to, ber_len_t bytes);
  static ber_slen_t write(Sockbuf_IO_Desc *to, void *from, ber_len_t bytes);
  static int control(Sockbuf_IO_Desc *of, int option, void *value);
  static int set_up(Sockbuf_IO_Desc *of, void *self);

  void begin() { until_ = clock::now() + time_; }
  // The descriptor, once it can; -1 with errno where the time is over.
  [[nodiscard]] static int when_it_can(short event, Sockbuf_IO_Desc *of);

  ldap_conncb callbacks_{connected, closed, this};
  std::chrono::milliseconds time_{0};
  clock::time_point until_;
};

}  // namespace tenon::identity_ldap
