/* A resource manager that speaks the transport's protocol, for `tenon plugin verify --client`. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <tenon/conformance/client.h>

#define MOST_FIELDS 16
#define LONGEST_PACKET 8192

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

struct packet {
  char bytes[LONGEST_PACKET];
  size_t length;
};
static void add(struct packet *to, const char *data, uint64_t length) {
  if (to->length + length > sizeof to->bytes) return;
  if (length != 0) memcpy(to->bytes + to->length, data, (size_t)length);
  to->length += (size_t)length;
}
static void add_field(struct packet *to, tenon_text text) {
  add(to, "\t", 1);
  add(to, text.data, text.length);
}
static void add_amounts(struct packet *to, tenon_rm_amounts amounts) {
  char number[32];
  uint32_t i;
  for (i = 0; i < amounts.count; ++i) {
    add_field(to, amounts.types[i]);
    add(to, number, (uint64_t)snprintf(number, sizeof number, "=%lld", (long long)amounts.values[i]));
  }
}
static int sent(struct client *self, const struct packet *what) {
  return send(self->socket, what->bytes, what->length, MSG_NOSIGNAL) >= 0;
}

/* Fields of a packet, the last of which goes on to its end. */
static size_t split(const char *bytes, size_t length, tenon_text *fields, size_t most) {
  size_t count = 0, begin = 0, i;
  for (i = 0; i <= length; ++i) {
    if (i != length && (bytes[i] != '\t' || count + 1 == most)) continue;
    fields[count].data = bytes + begin;
    fields[count++].length = i - begin;
    begin = i + 1;
  }
  return count;
}
static int is(tenon_text text, const char *word) {
  return text.length == strlen(word) && memcmp(text.data, word, (size_t)text.length) == 0;
}

static void told(struct client *self, const void *message) {
  const tenon_rm_message *one = (const tenon_rm_message *)message;
  const tenon_rm_answers_in in = {sizeof in, 0, &one, 1};
  self->callbacks.answers(self->callbacks.context, &in);
}

static void hear_verdict(struct client *self, uint32_t type, const tenon_text *fields, size_t count) {
  tenon_rm_verdict verdict;
  memset(&verdict, 0, sizeof verdict);
  verdict.size = sizeof verdict;
  verdict.type = type;
  verdict.id = fields[1];
  if (count > 2) verdict.reason = fields[2];
  told(self, &verdict);
}

static void hear(struct client *self, const char *bytes, size_t length) {
  tenon_text fields[4];
  const size_t count = split(bytes, length, fields, 4);
  if (is(fields[0], "node-accepted") && count > 1) hear_verdict(self, TENON_RM_ACCEPTED_NODE, fields, count);
  if (is(fields[0], "node-rejected") && count > 1) hear_verdict(self, TENON_RM_REJECTED_NODE, fields, count);
  if (is(fields[0], "app-accepted") && count > 1) hear_verdict(self, TENON_RM_ACCEPTED_APPLICATION, fields, count);
  if (is(fields[0], "app-rejected") && count > 1) hear_verdict(self, TENON_RM_REJECTED_APPLICATION, fields, count);
  if (is(fields[0], "placed") && count == 4) {
    tenon_rm_allocation one;
    memset(&one, 0, sizeof one);
    one.size = sizeof one;
    one.type = TENON_RM_ALLOCATION;
    one.application = fields[1], one.key = fields[2], one.node = fields[3];
    told(self, &one);
  }
  if ((is(fields[0], "ask-rejected") || is(fields[0], "allocation-rejected")) && count == 4) {
    tenon_rm_rejected_ask one;
    memset(&one, 0, sizeof one);
    one.size = sizeof one;
    one.type = is(fields[0], "ask-rejected") ? TENON_RM_REJECTED_ASK : TENON_RM_REJECTED_ALLOCATION;
    one.application = fields[1], one.key = fields[2], one.reason = fields[3];
    told(self, &one);
  }
  if (is(fields[0], "ended") && count == 2) {
    const tenon_rm_ended_in why = {sizeof why, (uint32_t)strtoul(fields[1].data, NULL, 10)};
    self->callbacks.ended(self->callbacks.context, &why);
  }
}

static void *reads(void *argument) {
  struct client *self = (struct client *)argument;
  char bytes[LONGEST_PACKET + 1];
  ssize_t got;
  while ((got = recv(self->socket, bytes, sizeof bytes - 1, 0)) > 0) {
    bytes[got] = '\0';
    hear(self, bytes, (size_t)got);
  }
  return NULL;
}

static tenon_status enter(void *context, const tenon_local_enter_in *in, tenon_local_enter_out *out) {
  struct client *self = (struct client *)context;
  struct packet packet = {"enter", 5};
  ssize_t got;
  add_field(&packet, in->registration->rm);
  if (!sent(self, &packet)) return words_of(out->error, TENON_RETRY, "no connection", 13);
  got = recv(self->socket, packet.bytes, sizeof packet.bytes, 0);
  if (got >= 3 && memcmp(packet.bytes, "no\t", 3) == 0)
    return words_of(out->error, TENON_INVALID_CONFIG, packet.bytes + 3, (size_t)got - 3);
  if (got != 2) return words_of(out->error, TENON_RETRY, "no answer", 9);
  self->callbacks = *in->callbacks;
  out->session = 1;
  self->reads = pthread_create(&self->thread, NULL, reads, self) == 0;
  return TENON_OK;
}

static int says(struct client *self, const tenon_rm_message *message) {
  struct packet packet = {{0}, 0};
  if (message->type == TENON_RM_APPLICATION) {
    const tenon_rm_application *one = (const tenon_rm_application *)(const void *)message;
    add(&packet, "app", 3);
    add_field(&packet, one->application);
    if (one->queue.length != 0) add_field(&packet, one->queue);
  } else if (message->type == TENON_RM_NODE) {
    const tenon_rm_node *one = (const tenon_rm_node *)(const void *)message;
    add(&packet, "node", 4);
    add_field(&packet, one->node);
    add_amounts(&packet, one->schedulable);
  } else if (message->type == TENON_RM_ASK) {
    const tenon_rm_ask *one = (const tenon_rm_ask *)(const void *)message;
    add(&packet, "ask", 3);
    add_field(&packet, one->application), add_field(&packet, one->key);
    add_amounts(&packet, one->resources);
  } else if (message->type == TENON_RM_ALLOCATION) {
    const tenon_rm_allocation *one = (const tenon_rm_allocation *)(const void *)message;
    add(&packet, "placed", 6);
    add_field(&packet, one->application), add_field(&packet, one->key), add_field(&packet, one->node);
  }
  return packet.length != 0 && sent(self, &packet);
}

static tenon_status submit(void *context, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
  struct client *self = (struct client *)context;
  for (out->accepted = 0; out->accepted < in->message_count; ++out->accepted) {
    if (!says(self, in->messages[out->accepted]))
      return words_of(out->error, TENON_DECLINED, "no connection, or no word for it", 32);
  }
  return TENON_OK;
}

static tenon_status leave(void *context, const tenon_local_leave_in *in) {
  const struct packet packet = {"bye", 3};
  (void)in;
  return sent((struct client *)context, &packet) ? TENON_OK : TENON_DECLINED;
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

/* What the protocol has no place for. A member that gets one goes from this list, and the checks look for it. */
static const char *const lacks[] = {"tenon_rm_registration.version",
                                    "tenon_rm_registration.policy_group",
                                    "tenon_rm_registration.build_info",
                                    "tenon_rm_registration.config",
                                    "tenon_rm_registration.extra_config",
                                    "tenon_rm_registration.detail",
                                    "tenon_rm_configuration",
                                    "tenon_rm_application.user",
                                    "tenon_rm_application.user_present",
                                    "tenon_rm_application.groups",
                                    "tenon_rm_application.tags",
                                    "tenon_rm_application.execution_timeout_ms",
                                    "tenon_rm_application.placeholder_ask",
                                    "tenon_rm_application.gang_style",
                                    "tenon_rm_application.detail",
                                    "tenon_rm_application_removal",
                                    "tenon_rm_node.action",
                                    "tenon_rm_node.attributes",
                                    "tenon_rm_node.occupied",
                                    "tenon_rm_node.existing",
                                    "tenon_rm_node.detail",
                                    "tenon_rm_ask.priority",
                                    "tenon_rm_ask.execution_timeout_ms",
                                    "tenon_rm_ask.tags",
                                    "tenon_rm_ask.task_group",
                                    "tenon_rm_ask.max_allocations",
                                    "tenon_rm_ask.placeholder",
                                    "tenon_rm_ask.originator",
                                    "tenon_rm_ask.preemption",
                                    "tenon_rm_ask.detail",
                                    "tenon_rm_check_answer",
                                    "tenon_rm_check_again",
                                    "tenon_rm_recovery_report",
                                    "tenon_rm_allocation.uuid",
                                    "tenon_rm_allocation.id",
                                    "tenon_rm_allocation.partition",
                                    "tenon_rm_allocation.queue",
                                    "tenon_rm_allocation.resources",
                                    "tenon_rm_allocation.priority",
                                    "tenon_rm_allocation.tags",
                                    "tenon_rm_allocation.task_group",
                                    "tenon_rm_allocation.placeholder",
                                    "tenon_rm_allocation.originator",
                                    "tenon_rm_allocation.preemption",
                                    "tenon_rm_allocation.detail",
                                    "tenon_rm_allocation.recovered",
                                    "tenon_rm_release",
                                    "tenon_rm_ask_release",
                                    "tenon_rm_rejected_ask.detail",
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
