/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The transport of the zoo: RMs in this process, by tenon.host.local, where a module does not define ZOO_SOCKET.
 * Included by zoo.h. */
#ifndef TENON_ZOO_TRANSPORT_H
#define TENON_ZOO_TRANSPORT_H

#ifndef ZOO_START /* self, in, error; before it opens its port */
#define ZOO_START
#endif
#ifndef ZOO_STARTED /* after it */
#define ZOO_STARTED
#endif
#ifndef ZOO_STOP /* self, in, error; before it closes its port */
#define ZOO_STOP
#endif
#ifndef ZOO_STOPPED /* after it */
#define ZOO_STOPPED
#endif
#ifndef ZOO_STRANGER /* of an answer for a session that it does not know */
#define ZOO_STRANGER TENON_DECLINED
#endif
#ifndef ZOO_REGISTRATION /* registration: a copy of the RM's */
#define ZOO_REGISTRATION
#endif
#ifndef ZOO_ENTERED /* status, out */
#define ZOO_ENTERED
#endif
#ifndef ZOO_REQUEST /* message, and room for others: one of those that an RM submits */
#define ZOO_REQUEST
#endif
#ifndef ZOO_SUBMITTED /* status, in, out */
#define ZOO_SUBMITTED
#endif
#ifndef ZOO_GOODBYE
#define ZOO_GOODBYE TENON_RM_SHUTDOWN
#endif
#ifndef ZOO_ANSWER /* message, and room for others: one of those that an RM is told */
#define ZOO_ANSWER
#endif
#ifndef ZOO_POSITION /* which answer is told as the one at position i */
#define ZOO_POSITION i
#endif
#ifndef ZOO_ACKNOWLEDGED
#define ZOO_ACKNOWLEDGED in->first_number + in->message_count - 1
#endif
#ifndef ZOO_FORGET /* a session that ended */
#define ZOO_FORGET to->session = 0;
#endif

static void zoo_say(tenon_message *error, const char *words) {
  size_t length = strlen(words);
  if (error == NULL) return;
  if (length > error->capacity) length = error->capacity;
  memcpy(error->data, words, length);
  error->length = length;
}

static const void *zoo_service(const tenon_host *host, const char *id) {
  const tenon_get_service_in in = {sizeof in, 0, {id, strlen(id)}};
  tenon_get_service_out out = {sizeof out, 0, NULL};
  return host->get_service(host, &in, &out) == TENON_OK ? out.service : NULL;
}

#ifndef ZOO_SOCKET
static struct zoo_rm *zoo_find(tenon_instance *self, tenon_rm_session session) {
  size_t i;
  struct zoo_rm *found = NULL;
  pthread_mutex_lock(&self->mutex);
  for (i = 0; i < self->rm_count && found == NULL; ++i)
    if (self->rms[i].session == session) found = &self->rms[i];
  pthread_mutex_unlock(&self->mutex);
  return found;
}

static tenon_status zoo_enter(void *context, const tenon_local_enter_in *in, tenon_local_enter_out *out) {
  tenon_instance *self = (tenon_instance *)context;
  tenon_rm_registration registration = *in->registration;
  const tenon_rm_enter_in what = {sizeof what, 0, self->transport, &registration, 0, 0};
  tenon_rm_enter_out told = {sizeof told, 0, 0, out->error};
  tenon_status status;
  ZOO_REGISTRATION
  status = self->rm->enter(self->host, &what, &told);
  ZOO_ENTERED
  if (status != TENON_OK) return status;
  pthread_mutex_lock(&self->mutex);
  if (self->rm_count < ZOO_RMS) {
    self->rms[self->rm_count].session = out->session = told.session;
    self->rms[self->rm_count++].callbacks = *in->callbacks;
  }
  pthread_mutex_unlock(&self->mutex);
  return TENON_OK;
}
static tenon_status zoo_submit(void *context, const tenon_rm_submit_in *in, tenon_rm_submit_out *out) {
  tenon_instance *self = (tenon_instance *)context;
  tenon_status status = TENON_OK;
  uint64_t i;
  for (i = 0; i < in->message_count && status == TENON_OK; ++i) {
    const tenon_rm_message *message = in->messages[i];
    tenon_rm_ask ask;
    tenon_rm_submit_in one = {sizeof one, 0, in->session, &message, 1};
    tenon_rm_submit_out taken = {sizeof taken, 0, 0, out->error};
    (void)ask;
    ZOO_REQUEST
    status = self->rm->submit(self->host, &one, &taken);
    out->accepted += taken.accepted;
  }
  ZOO_SUBMITTED
  return status;
}
static tenon_status zoo_leave(void *context, const tenon_local_leave_in *in) {
  tenon_instance *self = (tenon_instance *)context;
  const tenon_rm_signal_in signal = {sizeof signal, ZOO_GOODBYE, in->session};
  return self->rm->signal(self->host, &signal);
}
static tenon_status zoo_dump(void *context, void (*take)(void *, tenon_rm_session, tenon_text), void *taker) {
  (void)context, (void)take, (void)taker;
  return TENON_OK;
}

static tenon_status zoo_start(tenon_instance *self, const tenon_transport_start_in *in, tenon_message *error) {
  self->rm = (const tenon_host_rm *)zoo_service(self->host, TENON_HOST_RM);
  self->local = (const tenon_host_local *)zoo_service(self->host, TENON_HOST_LOCAL);
  ZOO_START
  if (self->rm == NULL || self->local == NULL) {
    zoo_say(error, "the host has no RMs");
    return TENON_INVALID_CONFIG;
  }
  self->transport = in->transport;
  self->port.size = sizeof self->port;
  self->port.context = self;
  self->port.enter = zoo_enter, self->port.submit = zoo_submit;
  self->port.leave = zoo_leave, self->port.dump = zoo_dump;
  self->local->open(self->host, &self->port);
  self->open = 1;
  ZOO_STARTED
  return TENON_OK;
}

static tenon_status zoo_stop(tenon_instance *self, const tenon_transport_stop_in *in, tenon_message *error) {
  (void)in, (void)error;
  ZOO_STOP
  if (self->open) self->local->close(self->host, &self->port);
  self->open = 0;
  self->rm_count = 0;
  ZOO_STOPPED
  return TENON_OK;
}

static tenon_status zoo_deliver(tenon_instance *self, const tenon_transport_deliver_in *in,
                                tenon_transport_deliver_out *out) {
  struct zoo_rm *to = zoo_find(self, in->session);
  ZOO_SLOT
  if (to == NULL) return ZOO_STRANGER;
  if (in->message_count != 0 && to->callbacks.answers != NULL) {
    const tenon_rm_acknowledge_in has = {sizeof has, 0, in->session, in->partition, ZOO_ACKNOWLEDGED};
    uint64_t i;
    for (i = 0; i < in->message_count; ++i) {
      const tenon_rm_message *message = in->messages[ZOO_POSITION];
      const tenon_rm_answers_in answers = {sizeof answers, 0, &message, 1};
      tenon_rm_allocation allocation;
      (void)allocation;
      ZOO_ANSWER
      to->callbacks.answers(to->callbacks.context, &answers);
    }
    self->rm->acknowledge(self->host, &has);
  }
  out->taken = in->message_count;
  ZOO_SLOT_END
  return TENON_OK;
}

static tenon_status zoo_ended(tenon_instance *self, const tenon_transport_ended_in *in) {
  struct zoo_rm *to = zoo_find(self, in->session);
  const tenon_rm_ended_in why = {sizeof why, in->why};
  if (to == NULL) return TENON_OK;
  if (to->callbacks.ended != NULL) to->callbacks.ended(to->callbacks.context, &why);
  ZOO_FORGET
  return TENON_OK;
}

static const tenon_transport_v1 zoo_table = {
    sizeof(tenon_transport_v1), 0, zoo_start, zoo_stop, zoo_deliver, zoo_ended, NULL};
#endif

#endif
