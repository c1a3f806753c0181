/* Connects resource managers by packets on a Unix socket. A packet is a word and what it is about, with tabs between:
 *
 *   an RM says                     and is told
 *   ----------                     -----------
 *   enter NAME                     ok; no WORDS
 *   node ID TYPE=AMOUNT...         node-accepted ID; node-rejected ID WORDS
 *   app ID QUEUE                   app-accepted ID; app-rejected ID WORDS
 *   ask APP KEY TYPE=AMOUNT...     placed APP KEY NODE; ask-rejected APP KEY WORDS
 *   placed APP KEY NODE            allocation-rejected APP KEY WORDS
 *   bye                            ended WHY
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <tenon/abi/module.h>
#include <tenon/abi/transport.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }
#define SOCKET_NAME "@name@.sock"
#define MOST_RMS 64
#define MOST_FIELDS 16
#define LONGEST_PACKET 8192

struct connection {
  tenon_instance *owner;
  int socket; /* -1: the entry is free */
  int over;   /* its thread is about to end, and can be joined */
  pthread_t thread;
  tenon_rm_session session; /* 0: none has entered, or it has ended */
};

struct tenon_instance {
  const tenon_host *host;
  const tenon_host_rm *rm;
  uint64_t transport;
  pthread_mutex_t mutex; /* of what follows */
  int started, stopping, listening;
  pthread_t thread;
  struct connection connections[MOST_RMS];
};

static void say(tenon_message *error, const char *words) {
  const size_t length = strlen(words);
  if (error == NULL) return;
  error->length = length < error->capacity ? length : error->capacity;
  memcpy(error->data, words, (size_t)error->length);
}

/* A packet under way. What does not fit is left out. */
struct packet {
  char bytes[LONGEST_PACKET];
  size_t length;
};
static void add(struct packet *to, const char *data, uint64_t length) {
  const size_t room = sizeof to->bytes - to->length;
  const size_t part = length < room ? (size_t)length : room;
  if (part != 0) memcpy(to->bytes + to->length, data, part);
  to->length += part;
}
static void add_word(struct packet *to, const char *word) { add(to, word, strlen(word)); }
static void add_field(struct packet *to, tenon_text text) {
  add_word(to, "\t");
  add(to, text.data, text.length);
}

/* What an RM said, in parts. */
struct said {
  tenon_text fields[MOST_FIELDS];
  size_t count;
};
static int split(const char *bytes, size_t length, struct said *to) {
  size_t begin = 0, i;
  to->count = 0;
  for (i = 0; i <= length; ++i) {
    if (i != length && bytes[i] != '\t') continue;
    if (to->count == MOST_FIELDS) return 0;
    to->fields[to->count].data = bytes + begin;
    to->fields[to->count++].length = i - begin;
    begin = i + 1;
  }
  return 1;
}
static int begins(const struct said *what, const char *word, size_t least) {
  const tenon_text first = what->fields[0];
  return what->count >= least && first.length == strlen(word) && memcmp(first.data, word, (size_t)first.length) == 0;
}

static void signal_host(tenon_instance *self, tenon_rm_session session, uint32_t what) {
  const tenon_rm_signal_in signal = {sizeof signal, what, session};
  self->rm->signal(self->host, &signal);
}

/* `ended` may make it 0 at any time. */
static tenon_rm_session session_of(struct connection *rm) {
  tenon_rm_session session;
  pthread_mutex_lock(&rm->owner->mutex);
  session = rm->session;
  pthread_mutex_unlock(&rm->owner->mutex);
  return session;
}

static void enter(struct connection *to, tenon_text name) {
  tenon_instance *self = to->owner;
  char words[512];
  struct packet answer = {{0}, 0};
  tenon_message error = {sizeof error, sizeof words, words, 0};
  tenon_rm_registration registration;
  tenon_rm_enter_in in = {sizeof in, 0, self->transport, &registration, 0, 0};
  tenon_rm_enter_out out = {sizeof out, 0, 0, &error};
  memset(&registration, 0, sizeof registration);
  registration.size = sizeof registration;
  registration.type = TENON_RM_REGISTRATION;
  registration.rm = name;
  if (self->rm->enter(self->host, &in, &out) == TENON_OK) {
    pthread_mutex_lock(&self->mutex);
    to->session = out.session; /* answers are taken from now on */
    add_word(&answer, "ok");
    send(to->socket, answer.bytes, answer.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    pthread_mutex_unlock(&self->mutex);
  } else {
    const tenon_text why = {words, error.length};
    add_word(&answer, "no");
    add_field(&answer, why);
    send(to->socket, answer.bytes, answer.length, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

/* Again and again while the scheduler has no room for it: the RM's next packet waits meanwhile. */
static int submit(struct connection *from, const void *message) {
  tenon_instance *self = from->owner;
  const tenon_rm_message *one = (const tenon_rm_message *)message;
  const tenon_rm_submit_in in = {sizeof in, 0, session_of(from), &one, 1};
  for (;;) {
    tenon_rm_submit_out out = {sizeof out, 0, 0, NULL};
    const tenon_status status = self->rm->submit(self->host, &in, &out);
    int stopping;
    if (status != TENON_RETRY) return status == TENON_OK;
    usleep(1000);
    pthread_mutex_lock(&self->mutex);
    stopping = self->stopping;
    pthread_mutex_unlock(&self->mutex);
    if (stopping) return 0;
  }
}

/* "vcore=8000", from field `first` on. */
static int amounts_of(const struct said *what, size_t first, tenon_text *types, int64_t *values, tenon_rm_amounts *to) {
  size_t i;
  to->types = types, to->values = values;
  to->count = 0, to->present = what->count > first;
  for (i = first; i < what->count; ++i) {
    const tenon_text field = what->fields[i];
    const char *equals = (const char *)memchr(field.data, '=', (size_t)field.length);
    char number[32];
    char *end = NULL;
    const size_t digits = equals == NULL ? 0 : (size_t)(field.data + field.length - equals) - 1;
    if (digits == 0 || digits >= sizeof number) return 0;
    memcpy(number, equals + 1, digits);
    number[digits] = '\0';
    types[to->count].data = field.data;
    types[to->count].length = (uint64_t)(equals - field.data);
    values[to->count++] = strtoll(number, &end, 10);
    if (end != number + digits) return 0;
  }
  return 1;
}

static const tenon_text the_partition = TEXT("default");

static int hear_node(struct connection *from, const struct said *what) {
  tenon_text types[MOST_FIELDS];
  int64_t values[MOST_FIELDS];
  tenon_rm_node node;
  memset(&node, 0, sizeof node);
  node.size = sizeof node;
  node.type = TENON_RM_NODE;
  node.action = TENON_NODE_CREATE;
  node.node = what->fields[1];
  return amounts_of(what, 2, types, values, &node.schedulable) && submit(from, &node);
}

static int hear_app(struct connection *from, const struct said *what) {
  tenon_rm_application application;
  memset(&application, 0, sizeof application);
  application.size = sizeof application;
  application.type = TENON_RM_APPLICATION;
  application.partition = the_partition;
  application.application = what->fields[1];
  if (what->count > 2) application.queue = what->fields[2];
  return submit(from, &application);
}

static int hear_ask(struct connection *from, const struct said *what) {
  tenon_text types[MOST_FIELDS];
  int64_t values[MOST_FIELDS];
  tenon_rm_ask ask;
  memset(&ask, 0, sizeof ask);
  ask.size = sizeof ask;
  ask.type = TENON_RM_ASK;
  ask.partition = the_partition;
  ask.application = what->fields[1];
  ask.key = what->fields[2];
  ask.max_allocations = 1;
  return amounts_of(what, 3, types, values, &ask.resources) && submit(from, &ask);
}

/* What runs already. */
static int hear_placed(struct connection *from, const struct said *what) {
  tenon_rm_allocation one;
  memset(&one, 0, sizeof one);
  one.size = sizeof one;
  one.type = TENON_RM_ALLOCATION;
  one.partition = the_partition;
  one.application = what->fields[1];
  one.key = what->fields[2];
  one.node = what->fields[3];
  return submit(from, &one);
}

/* 0: the connection ends. */
static int hear(struct connection *from, const struct said *what) {
  if (session_of(from) == 0) {
    if (!begins(what, "enter", 2)) return 0;
    enter(from, what->fields[1]);
    return 1;
  }
  if (begins(what, "node", 2)) return hear_node(from, what);
  if (begins(what, "app", 2)) return hear_app(from, what);
  if (begins(what, "placed", 4)) return hear_placed(from, what);
  return begins(what, "ask", 3) && hear_ask(from, what);
}

static void *serve(void *argument) {
  struct connection *rm = (struct connection *)argument;
  tenon_instance *self = rm->owner;
  char bytes[LONGEST_PACKET];
  struct said what;
  tenon_rm_session session;
  int goodbye = 0, stopping;
  while (!goodbye) {
    const ssize_t got = recv(rm->socket, bytes, sizeof bytes, 0);
    if (got <= 0 || !split(bytes, (size_t)got, &what)) break;
    goodbye = session_of(rm) != 0 && begins(&what, "bye", 1);
    if (!goodbye && !hear(rm, &what)) break;
  }
  pthread_mutex_lock(&self->mutex);
  session = rm->session;
  stopping = self->stopping;
  rm->session = 0;
  rm->over = 1;
  shutdown(rm->socket, SHUT_RDWR);
  pthread_mutex_unlock(&self->mutex);
  if (session != 0 && (goodbye || !stopping)) signal_host(self, session, goodbye ? TENON_RM_SHUTDOWN : TENON_RM_LOST);
  return NULL;
}

/* An entry that is free, or whose thread is over. With the mutex. */
static struct connection *free_entry(tenon_instance *self) {
  size_t i;
  for (i = 0; i < MOST_RMS; ++i) {
    struct connection *one = &self->connections[i];
    if (one->socket >= 0 && !one->over) continue;
    if (one->socket < 0) return one;
    pthread_mutex_unlock(&self->mutex); /* its last call of the host may still be under way */
    pthread_join(one->thread, NULL);
    pthread_mutex_lock(&self->mutex);
    close(one->socket);
    one->socket = -1;
    return one;
  }
  return NULL;
}

static void *listen_for_rms(void *argument) {
  tenon_instance *self = (tenon_instance *)argument;
  for (;;) {
    struct connection *rm;
    const int socket = accept(self->listening, NULL, NULL);
    if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (socket < 0) return NULL;
    pthread_mutex_lock(&self->mutex);
    rm = free_entry(self);
    if (rm != NULL) {
      rm->owner = self, rm->socket = socket, rm->session = 0, rm->over = 0;
      if (pthread_create(&rm->thread, NULL, serve, rm) != 0) {
        rm->socket = -1;
        rm = NULL;
      }
    }
    if (rm == NULL) close(socket);
    pthread_mutex_unlock(&self->mutex);
  }
}

/* [io] RMs may enter from here on, also before it returns. */
static tenon_status start(tenon_instance *self, const tenon_transport_start_in *in, tenon_message *error) {
  const tenon_get_service_in wanted = {sizeof wanted, 0, TEXT(TENON_HOST_RM)};
  tenon_get_service_out found = {sizeof found, 0, NULL};
  struct sockaddr_un name;
  if (self->host->get_service(self->host, &wanted, &found) != TENON_OK) {
    say(error, "the host has no " TENON_HOST_RM);
    return TENON_INVALID_CONFIG;
  }
  self->rm = (const tenon_host_rm *)found.service;
  self->transport = in->transport;
  self->stopping = 0;
  memset(&name, 0, sizeof name);
  name.sun_family = AF_UNIX;
  memcpy(name.sun_path, SOCKET_NAME, sizeof SOCKET_NAME);
  unlink(SOCKET_NAME);
  self->listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (self->listening >= 0 && bind(self->listening, (const struct sockaddr *)&name, sizeof name) == 0 &&
      listen(self->listening, MOST_RMS) == 0 && pthread_create(&self->thread, NULL, listen_for_rms, self) == 0) {
    self->started = 1;
    return TENON_OK;
  }
  if (self->listening >= 0) close(self->listening);
  say(error, "cannot listen on " SOCKET_NAME);
  return TENON_RETRY;
}

/* [io] Nothing of the host is called once it returned. */
static tenon_status stop(tenon_instance *self, const tenon_transport_stop_in *in, tenon_message *error) {
  size_t i;
  (void)in, (void)error; /* answers go out when they are delivered: there is nothing to wait for */
  if (!self->started) return TENON_OK;
  self->started = 0;
  pthread_mutex_lock(&self->mutex);
  self->stopping = 1;
  pthread_mutex_unlock(&self->mutex);
  shutdown(self->listening, SHUT_RDWR);
  pthread_join(self->thread, NULL);
  close(self->listening);
  unlink(SOCKET_NAME);
  for (i = 0; i < MOST_RMS; ++i) {
    struct connection *one = &self->connections[i];
    if (one->socket < 0) continue;
    shutdown(one->socket, SHUT_RDWR);
    pthread_join(one->thread, NULL);
    close(one->socket);
    one->socket = -1;
  }
  return TENON_OK;
}

static void write_verdict(struct packet *to, const char *word, const tenon_rm_message *message) {
  const tenon_rm_verdict *verdict = (const tenon_rm_verdict *)(const void *)message;
  add_word(to, word);
  add_field(to, verdict->id);
  add_field(to, verdict->reason);
}

/* What the protocol has no word for is left out. */
static void write_answer(struct packet *to, const tenon_rm_message *message) {
  to->length = 0;
  if (message->type == TENON_RM_ACCEPTED_NODE) write_verdict(to, "node-accepted", message);
  if (message->type == TENON_RM_REJECTED_NODE) write_verdict(to, "node-rejected", message);
  if (message->type == TENON_RM_ACCEPTED_APPLICATION) write_verdict(to, "app-accepted", message);
  if (message->type == TENON_RM_REJECTED_APPLICATION) write_verdict(to, "app-rejected", message);
  if (message->type == TENON_RM_ALLOCATION) {
    const tenon_rm_allocation *one = (const tenon_rm_allocation *)(const void *)message;
    add_word(to, "placed");
    add_field(to, one->application), add_field(to, one->key), add_field(to, one->node);
  }
  if (message->type == TENON_RM_REJECTED_ASK || message->type == TENON_RM_REJECTED_ALLOCATION) {
    const tenon_rm_rejected_ask *one = (const tenon_rm_rejected_ask *)(const void *)message;
    add_word(to, message->type == TENON_RM_REJECTED_ASK ? "ask-rejected" : "allocation-rejected");
    add_field(to, one->application), add_field(to, one->key), add_field(to, one->reason);
  }
}

static struct connection *find(tenon_instance *self, tenon_rm_session session) {
  size_t i;
  for (i = 0; i < MOST_RMS; ++i) {
    struct connection *one = &self->connections[i];
    if (session != 0 && one->socket >= 0 && one->session == session) return one;
  }
  return NULL;
}

/* [io] Waits for nobody: what the socket does not take is delivered again, later. */
static tenon_status deliver(tenon_instance *self, const tenon_transport_deliver_in *in,
                            tenon_transport_deliver_out *out) {
  struct packet packet;
  struct connection *to;
  tenon_status status = TENON_OK;
  uint64_t taken = 0;
  pthread_mutex_lock(&self->mutex);
  to = find(self, in->session);
  if (to == NULL) status = TENON_DECLINED;
  for (; status == TENON_OK && taken < in->message_count; ++taken) {
    write_answer(&packet, in->messages[taken]);
    if (packet.length == 0) continue;
    if (send(to->socket, packet.bytes, packet.length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
      status = TENON_RETRY;
      break;
    }
  }
  pthread_mutex_unlock(&self->mutex);
  out->taken = taken;
  if (taken != 0) {
    const tenon_rm_acknowledge_in has = {sizeof has, 0, in->session, in->partition, in->first_number + taken - 1};
    self->rm->acknowledge(self->host, &has);
  }
  return status;
}

/* [io] The session is void: its RM registered again, was away too long, or the scheduler stops. */
static tenon_status ended(tenon_instance *self, const tenon_transport_ended_in *in) {
  struct connection *to;
  pthread_mutex_lock(&self->mutex);
  to = find(self, in->session);
  if (to != NULL) {
    char words[32];
    const int length = snprintf(words, sizeof words, "ended\t%u", in->why);
    send(to->socket, words, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
    to->session = 0;
    shutdown(to->socket, SHUT_RDWR);
  }
  pthread_mutex_unlock(&self->mutex);
  return TENON_OK;
}

static const tenon_transport_v1 slots = {sizeof slots, 0, start, stop, deliver, ended, NULL};

/* What follows is the same for every module with instances of its own. */
static tenon_status nothing_to_do(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)self, (void)in, (void)error;
  return TENON_OK;
}
static tenon_status destroy(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)in, (void)error;
  pthread_mutex_destroy(&self->mutex);
  free(self);
  return TENON_OK;
}
static const tenon_lifecycle lifecycle = {sizeof lifecycle, 0, nothing_to_do, nothing_to_do, nothing_to_do, destroy};

static tenon_status describe(const tenon_factory *self, const tenon_describe_in *in, tenon_description *out) {
  static const tenon_text name = TEXT("@name@"), version = TEXT(TENON_MODULE_VERSION);
  tenon_description d;
  (void)self;
  if (in->index != 0) return TENON_UNSUPPORTED;
  memset(&d, 0, sizeof d);
  d.name = name;
  d.version = version;
  d.order_rev = 1;
  d.size = out->size; /* the caller's, who may know fewer fields, or more */
  memcpy(out, &d, out->size < sizeof d ? out->size : sizeof d);
  return TENON_OK;
}

static tenon_status create(const tenon_factory *self, const tenon_create_in *in, tenon_create_out *out) {
  tenon_instance *made;
  size_t i;
  (void)self;
  if (in->index != 0 || !TENON_COVERS(out, tenon_create_out, interface_table)) return TENON_UNSUPPORTED;
  made = (tenon_instance *)calloc(1, sizeof *made);
  if (made == NULL) return TENON_EXHAUSTED;
  made->host = in->host;
  pthread_mutex_init(&made->mutex, NULL);
  for (i = 0; i < MOST_RMS; ++i) made->connections[i].socket = -1;
  out->instance = made;
  out->lifecycle = &lifecycle;
  out->interface_table = &slots;
  return TENON_OK;
}

static const tenon_factory factory = {sizeof factory, 0, describe, create};

static tenon_status init(const tenon_module_init_in *in, tenon_message *error) {
  (void)error;
  return in->abi_epoch == TENON_ABI_EPOCH ? TENON_OK : TENON_UNSUPPORTED;
}

static tenon_status deinit(const tenon_nothing *in, tenon_message *error) {
  (void)in, (void)error;
  return TENON_OK;
}

static tenon_status get_factory(const tenon_get_factory_in *in, tenon_get_factory_out *out) {
  const size_t length = sizeof @macro@ - 1;
  const int known = in->interface_id.length == length && memcmp(in->interface_id.data, @macro@, length) == 0;
  out->factory = known ? &factory : NULL;
  return known ? TENON_OK : TENON_UNSUPPORTED;
}

const tenon_module tenon_module_v1 = {
    sizeof tenon_module_v1, TENON_ABI_EPOCH, TENON_DRAFT_REV, 0, init, deinit, get_factory,
};
