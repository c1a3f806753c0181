/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A small good module of any kind, with places where a bad one does something else. A zoo module defines what differs
 * and includes this; compiled alone, as good.c does, it passes every check.
 *
 * Its head says `fails:` and the ids of the checks that must catch it, all of them, and `kind:` where it is no node
 * order. */
#ifndef TENON_ZOO_H
#define TENON_ZOO_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/abi/app_sort.h"
#include "tenon/abi/event_sink.h"
#include "tenon/abi/host_local.h"
#include "tenon/abi/identity.h"
#include "tenon/abi/module.h"
#include "tenon/abi/node_sort.h"
#include "tenon/abi/placement_rule.h"
#include "tenon/abi/predicate.h"
#include "tenon/abi/queue_sort.h"
#include "tenon/abi/transport.h"

/* Whether a text has this part in it. */
static inline int zoo_has(tenon_text text, const char *part) {
  const uint64_t length = strlen(part);
  uint64_t i;
  for (i = 0; i + length <= text.length; ++i)
    if (memcmp(text.data + i, part, length) == 0) return 1;
  return 0;
}

/* ZOO_KIND comes from the build, by the head's `kind:`. */
#define ZOO_NODE_SORT 1
#define ZOO_APP_SORT 2
#define ZOO_QUEUE_SORT 3
#define ZOO_PREDICATE 4
#define ZOO_PLACEMENT_RULE 5
#define ZOO_EVENT_SINK 6
#define ZOO_TRANSPORT 7
#define ZOO_IDENTITY 8

#ifndef ZOO_NAME
#define ZOO_NAME "zoo"
#endif
#ifndef ZOO_VERSION
#define ZOO_VERSION "1.0.0"
#endif
#ifndef ZOO_ORDER_REV
#define ZOO_ORDER_REV 1
#endif
#ifndef ZOO_KEY_WORDS
#define ZOO_KEY_WORDS 1
#endif
#ifndef ZOO_REKEY_MS
#define ZOO_REKEY_MS 0
#endif
#ifndef ZOO_EPOCH
#define ZOO_EPOCH TENON_ABI_EPOCH
#endif
#ifndef ZOO_DRAFT_REV
#define ZOO_DRAFT_REV TENON_DRAFT_REV
#endif
#ifndef ZOO_DESCRIPTIONS
#define ZOO_DESCRIPTIONS 1
#endif

/* Statements, before what the good module does there. */
#ifndef ZOO_MODULE_INIT /* in, error */
#define ZOO_MODULE_INIT
#endif
#ifndef ZOO_MODULE_DEINIT
#define ZOO_MODULE_DEINIT
#endif
#ifndef ZOO_GET_FACTORY /* in, out */
#define ZOO_GET_FACTORY
#endif
#ifndef ZOO_DESCRIBE /* in, out */
#define ZOO_DESCRIBE
#endif
#ifndef ZOO_CREATE /* in, out */
#define ZOO_CREATE
#endif
#ifndef ZOO_CREATED_INDEX
#define ZOO_CREATED_INDEX in->index
#endif
#ifndef ZOO_CREATED /* self, in, out: after it was made */
#define ZOO_CREATED
#endif
#ifndef ZOO_INIT /* self, error; the other three of the lifecycle too */
#define ZOO_INIT
#endif
#ifndef ZOO_ACTIVATE
#define ZOO_ACTIVATE
#endif
#ifndef ZOO_DEACTIVATE
#define ZOO_DEACTIVATE
#endif
#ifndef ZOO_DESTROY
#if ZOO_KIND == ZOO_EVENT_SINK
#define ZOO_DESTROY                                                                 \
  while (self->record_count != 0) zoo_forget(&self->records[--self->record_count]); \
  free(self->records);                                                              \
  free(self);
static void zoo_forget(tenon_event_record *);
#else
#define ZOO_DESTROY free(self);
#endif
#endif
#ifndef ZOO_SLOT /* self, in, out: the required slot, before it answers */
#define ZOO_SLOT
#endif
#ifndef ZOO_SLOT_END /* after it answered */
#define ZOO_SLOT_END
#endif
#ifndef ZOO_KEY /* of the item at position i of the batch; `free` is what the good module orders by */
#define ZOO_KEY ZOO_GOOD_KEY
#endif
#ifndef ZOO_VERDICT /* of the node at position i: `zone` of the node, `wanted` of the ask */
#define ZOO_VERDICT ZOO_GOOD_VERDICT
#endif
#ifndef ZOO_REASON /* of a node that fails */
#define ZOO_REASON 1
#endif
#ifndef ZOO_STATE
#define ZOO_STATE
#endif

#define ZOO_TEXT(literal) \
  { literal, sizeof(literal) - 1 }
#define ZOO_GOOD_KEY ((uint64_t)INT64_MAX - (uint64_t)amount)
#define ZOO_GOOD_VERDICT (zoo_fits(zone, wanted) ? TENON_PASS : TENON_FAIL_UNRESOLVABLE)

#if ZOO_KIND == ZOO_TRANSPORT
#define ZOO_RMS 128
struct zoo_rm {
  tenon_rm_session session; /* 0: it has ended */
  tenon_rm_callbacks callbacks;
};
struct zoo_connection {
  tenon_instance *owner;
  int socket;
  pthread_t thread;
  tenon_rm_session session; /* 0: none has entered, or it has ended */
};
#endif

struct tenon_instance {
  const tenon_host *host;
  uint64_t calls;
#if ZOO_KIND == ZOO_EVENT_SINK
  tenon_event_record *records;
  uint64_t record_count;
#endif
#if ZOO_KIND == ZOO_IDENTITY
  int away; /* the source cannot be asked */
#endif
#if ZOO_KIND == ZOO_TRANSPORT
  const tenon_host_rm *rm;
  const tenon_host_local *local;
  tenon_local_port port;
  uint64_t transport;
  int open; /* the port */
  pthread_mutex_t mutex;
  struct zoo_rm rms[ZOO_RMS];
  size_t rm_count;
  int listening;
  volatile int stopping;
  pthread_t thread;
  struct zoo_connection connections[ZOO_RMS];
  size_t connection_count;
#endif
  ZOO_STATE
};

static int zoo_same(tenon_text a, tenon_text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}
static int zoo_is(tenon_text text, const char *wanted) {
  const tenon_text other = {wanted, strlen(wanted)};
  return zoo_same(text, other);
}

/* Lifecycle. */
static tenon_status zoo_init(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)self, (void)in, (void)error;
  ZOO_INIT
  return TENON_OK;
}
static tenon_status zoo_activate(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)self, (void)in, (void)error;
  ZOO_ACTIVATE
  return TENON_OK;
}
static tenon_status zoo_deactivate(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)self, (void)in, (void)error;
  ZOO_DEACTIVATE
  return TENON_OK;
}
static tenon_status zoo_destroy(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)self, (void)in, (void)error;
  ZOO_DESTROY
  return TENON_OK;
}
static const tenon_lifecycle zoo_lifecycle = {sizeof(tenon_lifecycle), 0,          zoo_init, zoo_activate,
                                              zoo_deactivate,          zoo_destroy};

#if ZOO_KIND < ZOO_PLACEMENT_RULE
static const tenon_column *zoo_column(const tenon_batch *in, uint32_t index) {
  return (const tenon_column *)(const void *)((const char *)in->columns + (uint64_t)in->column_stride * index);
}
/* What every batch slot of it may rely on. */
static int zoo_can_read(const tenon_batch *in) {
  return TENON_COVERS(in, tenon_batch, type_count) && in->column_stride >= sizeof(tenon_column);
}
#endif

#if ZOO_KIND <= ZOO_QUEUE_SORT
#define ZOO_COLUMN_READ 1
/* The first column of the item at position i, as a number from 0. */
static int64_t zoo_amount(const tenon_batch *in, uint32_t column, uint32_t i) {
  const tenon_column *c = zoo_column(in, column);
  const char *value;
  int64_t out;
  if (c->base == NULL) return 0;
  value = (const char *)c->base + c->item_stride * in->items[i];
  if (c->kind == TENON_COLUMN_RESOURCES) {
    const uint64_t *present = c->present;
    if (in->type_count == 0) return 0;
    if (present != NULL &&
        (*(const uint64_t *)(const void *)((const char *)present + c->present_stride * in->items[i]) & 1) == 0)
      return 0;
  }
  memcpy(&out, value, sizeof out);
  return out < 0 ? 0 : out;
}
#ifdef ZOO_BEFORE_KEYS
ZOO_BEFORE_KEYS
#endif
#ifndef ZOO_KEYS
static tenon_status zoo_keys(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) {
  uint32_t i;
  (void)self;
  if (!zoo_can_read(in) || !TENON_COVERS(out, tenon_keys_out, keys)) return TENON_UNSUPPORTED;
  ZOO_SLOT
  for (i = 0; i < in->item_count; ++i) {
    const int64_t amount = zoo_amount(in, 0, i);
    uint32_t word;
    (void)amount;
    for (word = 0; word < out->key_words; ++word) out->keys[(uint64_t)i * out->key_words + word] = (ZOO_KEY);
  }
  ZOO_SLOT_END
  return TENON_OK;
}
#define ZOO_KEYS zoo_keys
#endif
#ifndef ZOO_PREPARE
#define ZOO_PREPARE NULL
#endif
#ifndef ZOO_SCORE
#define ZOO_SCORE NULL
#endif
static const tenon_sort_v1 zoo_table = {sizeof(tenon_sort_v1), 0, ZOO_KEYS, ZOO_PREPARE, ZOO_SCORE};
#endif

#if ZOO_KIND == ZOO_PREDICATE
static tenon_text zoo_text(const tenon_batch *in, uint32_t column, uint32_t item) {
  const tenon_column *c = zoo_column(in, column);
  tenon_text out = {NULL, 0};
  if (c->base != NULL) memcpy(&out, (const char *)c->base + c->item_stride * item, sizeof out);
  return out;
}
static int zoo_fits(tenon_text zone, tenon_text wanted) { return wanted.data == NULL || zoo_same(zone, wanted); }

#ifndef ZOO_FILTER
static tenon_status zoo_filter(tenon_instance *self, const tenon_batch *in, tenon_filter_out *out) {
  uint32_t i;
  (void)self;
  if (!zoo_can_read(in) || !TENON_COVERS(out, tenon_filter_out, reasons)) return TENON_UNSUPPORTED;
  ZOO_SLOT
  for (i = 0; i < in->item_count; ++i) {
    const tenon_text zone = zoo_text(in, 0, in->items[i]), wanted = zoo_text(in, 1, 0);
    (void)zone, (void)wanted;
    out->verdicts[i] = (uint8_t)(ZOO_VERDICT);
    if (out->verdicts[i] != TENON_PASS) out->reasons[i] = (uint16_t)(ZOO_REASON);
  }
  ZOO_SLOT_END
  return TENON_OK;
}
#define ZOO_FILTER zoo_filter
#endif

static tenon_status zoo_good_signature(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out) {
  tenon_text wanted;
  uint64_t i;
  (void)self;
  if (!zoo_can_read(in) || !TENON_COVERS(out, tenon_signature_out, words)) return TENON_UNSUPPORTED;
  wanted = zoo_text(in, 1, 0);
  out->words[0] = wanted.data == NULL ? 0 : 1;
  out->words[1] = 1469598103934665603u;
  for (i = 0; i < wanted.length; ++i) out->words[1] = (out->words[1] ^ (unsigned char)wanted.data[i]) * 1099511628211u;
  return TENON_OK;
}
#ifndef ZOO_SIGNATURE
#define ZOO_SIGNATURE zoo_good_signature
#endif

static tenon_status zoo_good_filter_prefix(tenon_instance *self, const tenon_filter_prefix_in *in,
                                           tenon_filter_prefix_out *out) {
  (void)self;
  if (!TENON_COVERS(in, tenon_filter_prefix_in, start) || !zoo_can_read(in->batch)) return TENON_UNSUPPORTED;
  if (!TENON_COVERS(out, tenon_filter_prefix_out, index)) return TENON_UNSUPPORTED;
  /* Allocations that go change no zone: what fits, fits with the first prefix. */
  if (!zoo_fits(zoo_text(in->batch, 0, in->batch->items[0]), zoo_text(in->batch, 1, 0))) return TENON_UNSCHEDULABLE;
  out->index = in->start;
  return TENON_OK;
}
#ifndef ZOO_FILTER_PREFIX
#define ZOO_FILTER_PREFIX zoo_good_filter_prefix
#endif
static const tenon_predicate_v1 zoo_table = {sizeof(tenon_predicate_v1), 0, ZOO_FILTER, ZOO_SIGNATURE,
                                             ZOO_FILTER_PREFIX};
#endif

#if ZOO_KIND == ZOO_PLACEMENT_RULE
#ifndef ZOO_PLACE
static tenon_status zoo_place(tenon_instance *self, const tenon_place_in *in, tenon_place_out *out) {
  (void)self;
  if (!TENON_COVERS(in, tenon_place_in, world) || !TENON_COVERS(out, tenon_place_out, name_length))
    return TENON_UNSUPPORTED;
  ZOO_SLOT
  if (in->user.length == 0) return TENON_DECLINED;
  if (in->user.length > out->name_capacity) return TENON_EXHAUSTED;
  memcpy(out->name, in->user.data, in->user.length);
  out->name_length = in->user.length;
  ZOO_SLOT_END
  return TENON_OK;
}
#define ZOO_PLACE zoo_place
#endif
static const tenon_placement_rule_v1 zoo_table = {sizeof(tenon_placement_rule_v1), 0, ZOO_PLACE};
#endif

#if ZOO_KIND == ZOO_EVENT_SINK
#include "zoo_event_sink.h"
#endif

#if ZOO_KIND == ZOO_IDENTITY
#include "zoo_identity.h"
#endif

#if ZOO_KIND == ZOO_TRANSPORT
#include "zoo_transport.h"
#ifdef ZOO_SOCKET
#include "zoo_socket_transport.h"
#endif
#endif

/* What it reads. */
#ifndef ZOO_COLUMNS
#if ZOO_KIND == ZOO_NODE_SORT
#define ZOO_COLUMNS {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.free")},
#elif ZOO_KIND == ZOO_APP_SORT
#define ZOO_COLUMNS {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("app.submitted_ms")},
#elif ZOO_KIND == ZOO_QUEUE_SORT
#define ZOO_COLUMNS {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("queue.allocated")},
#elif ZOO_KIND == ZOO_PREDICATE
#define ZOO_COLUMNS                                                         \
  {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.attr:zone")}, \
      {sizeof(tenon_column_use), TENON_SCOPE_CONTEXT, ZOO_TEXT("ask.tag:zone")},
#endif
#endif
#if ZOO_KIND < ZOO_PLACEMENT_RULE
static const tenon_column_use zoo_columns[] = {ZOO_COLUMNS};
#endif

#if ZOO_KIND == ZOO_NODE_SORT
#define ZOO_INTERFACE TENON_NODE_SORT
#elif ZOO_KIND == ZOO_APP_SORT
#define ZOO_INTERFACE TENON_APP_SORT
#elif ZOO_KIND == ZOO_QUEUE_SORT
#define ZOO_INTERFACE TENON_QUEUE_SORT
#elif ZOO_KIND == ZOO_PREDICATE
#define ZOO_INTERFACE TENON_PREDICATE
#elif ZOO_KIND == ZOO_EVENT_SINK
#define ZOO_INTERFACE TENON_EVENT_SINK
#elif ZOO_KIND == ZOO_TRANSPORT
#define ZOO_INTERFACE TENON_TRANSPORT
#elif ZOO_KIND == ZOO_IDENTITY
#define ZOO_INTERFACE TENON_IDENTITY
#else
#define ZOO_INTERFACE TENON_PLACEMENT_RULE
#endif

static tenon_status zoo_describe(const tenon_factory *factory, const tenon_describe_in *in, tenon_description *out) {
  static const tenon_text name = ZOO_TEXT(ZOO_NAME), version = ZOO_TEXT(ZOO_VERSION);
  tenon_description d;
  const uint32_t count = ZOO_DESCRIPTIONS;
  (void)factory;
  if (in->index >= count) return TENON_UNSUPPORTED;
  memset(&d, 0, sizeof d);
  d.name = name;
  d.version = version;
#if ZOO_KIND < ZOO_PLACEMENT_RULE
  d.columns = zoo_columns;
  d.column_count = sizeof zoo_columns / sizeof zoo_columns[0];
  d.column_stride = sizeof zoo_columns[0];
#endif
  d.key_words = ZOO_KIND <= ZOO_QUEUE_SORT ? ZOO_KEY_WORDS : 0;
  d.order_rev = ZOO_ORDER_REV;
  d.rekey_ms = ZOO_REKEY_MS;
#if ZOO_KIND == ZOO_PREDICATE
  {
    static const tenon_text reasons[] = {ZOO_TEXT("the node is in another zone")};
    d.reasons = reasons;
    d.reason_count = 1;
  }
#endif
  d.size = out->size;
  ZOO_DESCRIBE
  memcpy(out, &d, out->size < sizeof d ? out->size : sizeof d);
  return TENON_OK;
}

static tenon_status zoo_create(const tenon_factory *factory, const tenon_create_in *in, tenon_create_out *out) {
  const uint32_t count = ZOO_DESCRIPTIONS;
  tenon_instance *self;
  (void)factory;
  ZOO_CREATE
  if ((ZOO_CREATED_INDEX) >= count || !TENON_COVERS(out, tenon_create_out, interface_table)) return TENON_UNSUPPORTED;
  self = (tenon_instance *)calloc(1, sizeof *self);
  if (self == NULL) return TENON_EXHAUSTED;
  self->host = in->host;
#if ZOO_KIND == ZOO_IDENTITY
  self->away = zoo_says_true(in->configuration);
#endif
#if ZOO_KIND == ZOO_TRANSPORT
  pthread_mutex_init(&self->mutex, NULL);
#endif
  out->instance = self;
  out->lifecycle = &zoo_lifecycle;
  out->interface_table = &zoo_table;
  ZOO_CREATED
  return TENON_OK;
}
static const tenon_factory zoo_factory = {sizeof(tenon_factory), 0, zoo_describe, zoo_create};

static tenon_status zoo_module_init(const tenon_module_init_in *in, tenon_message *error) {
  (void)error;
  ZOO_MODULE_INIT
  return in->abi_epoch == TENON_ABI_EPOCH ? TENON_OK : TENON_UNSUPPORTED;
}
static tenon_status zoo_module_deinit(const tenon_nothing *in, tenon_message *error) {
  (void)in, (void)error;
  ZOO_MODULE_DEINIT
  return TENON_OK;
}
static tenon_status zoo_get_factory(const tenon_get_factory_in *in, tenon_get_factory_out *out) {
  const int known = zoo_is(in->interface_id, ZOO_INTERFACE);
  ZOO_GET_FACTORY
  out->factory = known ? &zoo_factory : NULL;
  return known ? TENON_OK : TENON_UNSUPPORTED;
}

#ifdef __cplusplus
extern "C" {
#endif
#ifndef ZOO_NO_ENTRY
extern TENON_EXPORT const tenon_module tenon_module_v1;
const tenon_module tenon_module_v1 = {sizeof(tenon_module), ZOO_EPOCH,         ZOO_DRAFT_REV,  0,
                                      zoo_module_init,      zoo_module_deinit, zoo_get_factory};
#else
extern TENON_EXPORT const tenon_module zoo_other_name;
const tenon_module zoo_other_name = {sizeof(tenon_module), ZOO_EPOCH,         ZOO_DRAFT_REV,  0,
                                     zoo_module_init,      zoo_module_deinit, zoo_get_factory};
#endif
#ifdef __cplusplus
}
#endif

#ifdef ZOO_AFTER
ZOO_AFTER
#endif

#endif
