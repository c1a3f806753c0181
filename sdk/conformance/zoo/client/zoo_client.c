/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The client side of zoo_socket_transport.h, as a vendor writes one: an RM on a connection of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tenon/conformance/client.h"

struct client {
  tenon_local_port port;
  int socket;
  int reads; /* it has a thread */
  pthread_t thread;
  tenon_rm_callbacks callbacks;
};

static tenon_status words_of(tenon_message *error, tenon_status status, const char *words, size_t length) {
  if (error != NULL) {
    error->length = length < error->capacity ? length : error->capacity;
    memcpy(error->data, words, (size_t)error->length);
  }
  return status;
}

static int says(struct client *self, const char *word, tenon_text about) {
  char packet[1024];
  const size_t begin = strlen(word), length = (size_t)about.length;
  if (begin + length > sizeof packet) return 0;
  memcpy(packet, word, begin);
  if (length != 0) memcpy(packet + begin, about.data, length);
  return send(self->socket, packet, begin + length, MSG_NOSIGNAL) >= 0;
}

/* "verdict 36 app-1" */
static void hear_verdict(struct client *self, char *packet) {
  char *id = NULL;
  tenon_rm_verdict verdict;
  const tenon_rm_message *message = (const tenon_rm_message *)(const void *)&verdict;
  const tenon_rm_answers_in in = {sizeof in, 0, &message, 1};
  memset(&verdict, 0, sizeof verdict);
  verdict.size = sizeof verdict;
  verdict.type = (uint32_t)strtoul(packet + 8, &id, 10);
  verdict.id.data = id + 1, verdict.id.length = strlen(id + 1);
  self->callbacks.answers(self->callbacks.context, &in);
}

static void *reads(void *argument) {
  struct client *self = (struct client *)argument;
  char packet[1025];
  ssize_t got;
  while ((got = recv(self->socket, packet, sizeof packet - 1, 0)) > 0) {
    packet[got] = '\0';
    if (memcmp(packet, "verdict ", 8) == 0) {
      hear_verdict(self, packet);
    } else if (memcmp(packet, "ended ", 6) == 0) {
      const tenon_rm_ended_in why = {sizeof why, (uint32_t)strtoul(packet + 6, NULL, 10)};
      self->callbacks.ended(self->callbacks.context, &why);
    }
  }
  return NULL;
}

static tenon_status enter(void *context, const tenon_local_enter_in *in, tenon_local_enter_out *out) {
  struct client *self = (struct client *)context;
  char packet[1024];
  ssize_t got;
  if (!says(self, "enter ", in->registration->rm)) return words_of(out->error, TENON_RETRY, "no connection", 13);
  got = recv(self->socket, packet, sizeof packet, 0);
  if (got >= 3 && memcmp(packet, "no ", 3) == 0)
    return words_of(out->error, TENON_INVALID_CONFIG, packet + 3, (size_t)got - 3);
  if (got != 2) return words_of(out->error, TENON_RETRY, "no answer", 9);
  self->callbacks = *in->callbacks;
  out->session = 1;
  self->reads = pthread_create(&self->thread, NULL, reads, self) == 0;
  return TENON_OK;
}

static tenon_status submit(void *context, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
  struct client *self = (struct client *)context;
  for (out->accepted = 0; out->accepted < in->message_count; ++out->accepted) {
    const tenon_rm_message *message = in->messages[out->accepted];
    if (message->type != TENON_RM_APPLICATION) return words_of(out->error, TENON_INVALID_CONFIG, "no word for it", 14);
    if (!says(self, "app ", ((const tenon_rm_application *)(const void *)message)->application))
      return words_of(out->error, TENON_DECLINED, "no connection", 13);
  }
  return TENON_OK;
}

static tenon_status leave(void *context, const tenon_local_leave_in *in) {
  static const tenon_text nothing = {NULL, 0};
  (void)in;
  return says((struct client *)context, "bye", nothing) ? TENON_OK : TENON_DECLINED;
}

static tenon_status dump(void *context, void (*take)(void *, tenon_rm_session, tenon_text), void *taker) {
  (void)context, (void)take, (void)taker;
  return TENON_OK;
}

static tenon_status connect_to(const tenon_conformance_connect_in *in, const tenon_local_port **port,
                               tenon_message *error) {
  struct sockaddr_un name;
  struct client *self = (struct client *)calloc(1, sizeof *self);
  memset(&name, 0, sizeof name);
  name.sun_family = AF_UNIX;
  if (self == NULL || in->address_count == 0 || in->addresses[0].length <= 5 ||
      in->addresses[0].length - 5 >= sizeof name.sun_path) {
    free(self);
    return words_of(error, TENON_INVALID_CONFIG, "no address", 10);
  }
  memcpy(name.sun_path, in->addresses[0].data + 5, (size_t)in->addresses[0].length - 5); /* behind "unix:" */
  self->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connect(self->socket, (const struct sockaddr *)&name, sizeof name) != 0) {
    close(self->socket);
    free(self);
    return words_of(error, TENON_RETRY, "nobody listens", 14);
  }
  self->port.size = sizeof self->port;
  self->port.context = self;
  self->port.enter = enter, self->port.submit = submit, self->port.leave = leave, self->port.dump = dump;
  *port = &self->port;
  return TENON_OK;
}

static void close_port(const tenon_local_port *port) {
  struct client *self = (struct client *)port->context;
  shutdown(self->socket, SHUT_RDWR);
  if (self->reads) pthread_join(self->thread, NULL);
  close(self->socket);
  free(self);
}

static const char *const lacks[] = {"tenon_rm_registration.version",
                                    "tenon_rm_registration.policy_group",
                                    "tenon_rm_registration.build_info",
                                    "tenon_rm_registration.config",
                                    "tenon_rm_registration.extra_config",
                                    "tenon_rm_registration.detail",
                                    "tenon_rm_configuration",
                                    "tenon_rm_application.queue",
                                    "tenon_rm_application.partition",
                                    "tenon_rm_application.user",
                                    "tenon_rm_application.user_present",
                                    "tenon_rm_application.groups",
                                    "tenon_rm_application.tags",
                                    "tenon_rm_application.execution_timeout_ms",
                                    "tenon_rm_application.placeholder_ask",
                                    "tenon_rm_application.gang_style",
                                    "tenon_rm_application.detail",
                                    "tenon_rm_application_removal",
                                    "tenon_rm_node",
                                    "tenon_rm_ask",
                                    "tenon_rm_check_answer",
                                    "tenon_rm_check_again",
                                    "tenon_rm_recovery_report",
                                    "tenon_rm_allocation",
                                    "tenon_rm_release",
                                    "tenon_rm_ask_release",
                                    "tenon_rm_rejected_ask",
                                    "tenon_rm_verdict.reason",
                                    "tenon_rm_verdict.detail",
                                    "tenon_rm_updated_application",
                                    "tenon_rm_assumption",
                                    "tenon_rm_scheduling_state",
                                    "tenon_rm_configuration_answer",
                                    "tenon_rm_event",
                                    "tenon_rm_check",
                                    "tenon_rm_check_over",
                                    "tenon_rm_recovery_state"};

extern TENON_EXPORT const tenon_conformance_client tenon_conformance_client_v1;
const tenon_conformance_client tenon_conformance_client_v1 = {
    sizeof(tenon_conformance_client), 0, lacks, sizeof lacks / sizeof lacks[0], NULL, 0, connect_to, close_port};
