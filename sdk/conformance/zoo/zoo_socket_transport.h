/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The transport of the zoo that has a protocol: packets on a Unix socket, each a word and what it is about. An RM says
 * "enter NAME", "app ID" and "bye"; it is told "ok", "no WORDS", "verdict TYPE ID" and "ended WHY". client/zoo_client.c
 * speaks it. Included by zoo.h where a module defines ZOO_SOCKET. */
#ifndef TENON_ZOO_SOCKET_TRANSPORT_H
#define TENON_ZOO_SOCKET_TRANSPORT_H

#ifndef ZOO_SEND_FLAGS /* of an answer */
#define ZOO_SEND_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL)
#endif
#ifndef ZOO_LOST /* the session of a connection that broke */
#define ZOO_LOST zoo_signal(self, rm->session, TENON_RM_LOST);
#endif
#ifndef ZOO_GIVES_UP /* does a request that is not taken end with stop? */
#define ZOO_GIVES_UP self->stopping
#endif

static void zoo_signal(tenon_instance *self, tenon_rm_session session, uint32_t what) {
  const tenon_rm_signal_in signal = {sizeof signal, what, session};
  self->rm->signal(self->host, &signal);
}

static int zoo_sends(struct zoo_connection *to, const char *words, const char *about, size_t length, int flags) {
  char packet[1024];
  const int begin = snprintf(packet, 64, "%s", words);
  if (length > sizeof packet - 64) length = sizeof packet - 64;
  if (length != 0) memcpy(packet + begin, about, length);
  return send(to->socket, packet, (size_t)begin + length, flags) >= 0;
}

static void zoo_enters(tenon_instance *self, struct zoo_connection *rm, const char *name, size_t length) {
  char words[256];
  tenon_message error = {sizeof error, sizeof words, words, 0};
  tenon_rm_registration registration;
  tenon_rm_enter_in in = {sizeof in, 0, self->transport, &registration, 0, 0};
  tenon_rm_enter_out out = {sizeof out, 0, 0, &error};
  memset(&registration, 0, sizeof registration);
  registration.size = sizeof registration;
  registration.type = TENON_RM_REGISTRATION;
  registration.rm.data = name, registration.rm.length = length;
  if (self->rm->enter(self->host, &in, &out) == TENON_OK) {
    pthread_mutex_lock(&self->mutex);
    rm->session = out.session;
    pthread_mutex_unlock(&self->mutex);
    zoo_sends(rm, "ok", NULL, 0, MSG_NOSIGNAL);
  } else {
    zoo_sends(rm, "no ", words, (size_t)error.length, MSG_NOSIGNAL);
  }
}

static void zoo_submits(tenon_instance *self, struct zoo_connection *rm, const char *id, size_t length) {
  tenon_rm_application application;
  const tenon_rm_message *message = (const tenon_rm_message *)(const void *)&application;
  const tenon_rm_submit_in in = {sizeof in, 0, rm->session, &message, 1};
  tenon_status status;
  memset(&application, 0, sizeof application);
  application.size = sizeof application;
  application.type = TENON_RM_APPLICATION;
  application.application.data = id, application.application.length = length;
  do {
    tenon_rm_submit_out out = {sizeof out, 0, 0, NULL};
    status = self->rm->submit(self->host, &in, &out);
    if (status == TENON_RETRY) usleep(500);
  } while (status == TENON_RETRY && !(ZOO_GIVES_UP));
}

static void *zoo_serves(void *argument) {
  struct zoo_connection *rm = (struct zoo_connection *)argument;
  tenon_instance *self = rm->owner;
  char packet[1024];
  int goodbye = 0;
  while (!goodbye) {
    const ssize_t got = recv(rm->socket, packet, sizeof packet, 0);
    if (got <= 0) break;
    if (got > 6 && memcmp(packet, "enter ", 6) == 0 && rm->session == 0)
      zoo_enters(self, rm, packet + 6, (size_t)got - 6);
    else if (got > 4 && memcmp(packet, "app ", 4) == 0 && rm->session != 0)
      zoo_submits(self, rm, packet + 4, (size_t)got - 4);
    else if (got == 3 && memcmp(packet, "bye", 3) == 0)
      goodbye = 1;
    else
      break;
  }
  if (rm->session != 0 && goodbye) zoo_signal(self, rm->session, TENON_RM_SHUTDOWN);
  if (rm->session != 0 && !goodbye && !self->stopping) {
    ZOO_LOST
  }
  pthread_mutex_lock(&self->mutex);
  rm->session = 0;
  shutdown(rm->socket, SHUT_RDWR);
  pthread_mutex_unlock(&self->mutex);
  return NULL;
}

static void *zoo_accepts(void *argument) {
  tenon_instance *self = (tenon_instance *)argument;
  for (;;) {
    struct zoo_connection *rm;
    const int socket = accept(self->listening, NULL, NULL);
    if (socket < 0) return NULL;
    pthread_mutex_lock(&self->mutex);
    rm = self->connection_count < ZOO_RMS ? &self->connections[self->connection_count++] : NULL;
    if (rm != NULL) {
      rm->owner = self, rm->socket = socket, rm->session = 0;
      pthread_create(&rm->thread, NULL, zoo_serves, rm);
    } else {
      close(socket);
    }
    pthread_mutex_unlock(&self->mutex);
  }
}

static tenon_status zoo_start(tenon_instance *self, const tenon_transport_start_in *in, tenon_message *error) {
  struct sockaddr_un name;
  (void)error;
  self->rm = (const tenon_host_rm *)zoo_service(self->host, TENON_HOST_RM);
  if (self->rm == NULL) {
    zoo_say(error, "the host has no RMs");
    return TENON_INVALID_CONFIG;
  }
  memset(&name, 0, sizeof name);
  name.sun_family = AF_UNIX;
  strcpy(name.sun_path, "zoo.sock");
  unlink(name.sun_path);
  self->transport = in->transport;
  self->stopping = 0;
  self->connection_count = 0;
  self->listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (bind(self->listening, (const struct sockaddr *)&name, sizeof name) != 0 || listen(self->listening, 64) != 0 ||
      pthread_create(&self->thread, NULL, zoo_accepts, self) != 0) {
    close(self->listening);
    zoo_say(error, "the socket cannot be opened");
    return TENON_RETRY;
  }
  self->open = 1;
  return TENON_OK;
}

static tenon_status zoo_stop(tenon_instance *self, const tenon_transport_stop_in *in, tenon_message *error) {
  size_t i;
  (void)in, (void)error;
  if (!self->open) return TENON_OK;
  self->open = 0;
  self->stopping = 1;
  shutdown(self->listening, SHUT_RDWR);
  pthread_join(self->thread, NULL);
  for (i = 0; i < self->connection_count; ++i) shutdown(self->connections[i].socket, SHUT_RDWR);
  for (i = 0; i < self->connection_count; ++i) {
    pthread_join(self->connections[i].thread, NULL);
    close(self->connections[i].socket);
  }
  self->connection_count = 0;
  close(self->listening);
  unlink("zoo.sock");
  return TENON_OK;
}

static struct zoo_connection *zoo_connected(tenon_instance *self, tenon_rm_session session) {
  size_t i;
  for (i = 0; i < self->connection_count; ++i)
    if (session != 0 && self->connections[i].session == session) return &self->connections[i];
  return NULL;
}

static tenon_status zoo_deliver(tenon_instance *self, const tenon_transport_deliver_in *in,
                                tenon_transport_deliver_out *out) {
  struct zoo_connection *to;
  tenon_status status = TENON_OK;
  uint64_t i;
  pthread_mutex_lock(&self->mutex);
  to = zoo_connected(self, in->session);
  if (to == NULL) status = TENON_DECLINED;
  for (i = 0; i < in->message_count && status == TENON_OK; ++i) {
    const tenon_rm_verdict *verdict = (const tenon_rm_verdict *)(const void *)in->messages[i];
    char words[32];
    snprintf(words, sizeof words, "verdict %u ", verdict->type);
    if (zoo_sends(to, words, verdict->id.data, (size_t)verdict->id.length, ZOO_SEND_FLAGS))
      out->taken = i + 1;
    else
      status = TENON_RETRY;
  }
  pthread_mutex_unlock(&self->mutex);
  if (out->taken != 0) {
    const tenon_rm_acknowledge_in has = {sizeof has, 0, in->session, in->partition, in->first_number + out->taken - 1};
    self->rm->acknowledge(self->host, &has);
  }
  return status;
}

static tenon_status zoo_ended(tenon_instance *self, const tenon_transport_ended_in *in) {
  struct zoo_connection *to;
  pthread_mutex_lock(&self->mutex);
  to = zoo_connected(self, in->session);
  if (to != NULL) {
    char words[32];
    snprintf(words, sizeof words, "ended %u", in->why);
    zoo_sends(to, words, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
    to->session = 0;
    shutdown(to->socket, SHUT_RDWR);
  }
  pthread_mutex_unlock(&self->mutex);
  return TENON_OK;
}

static const tenon_transport_v1 zoo_table = {
    sizeof(tenon_transport_v1), 0, zoo_start, zoo_stop, zoo_deliver, zoo_ended, NULL};

#endif
