/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The event sink of the zoo: it keeps copies of all records, and answers queries. Included by zoo.h. */
#ifndef TENON_ZOO_EVENT_SINK_H
#define TENON_ZOO_EVENT_SINK_H

#ifndef ZOO_RECORD /* the record at position i of the batch `in` */
#define ZOO_RECORD(in, i) \
  (const tenon_event_record *)(const void *)((const char *)(in)->records + (uint64_t)(in)->record_stride * (i))
#endif
#ifndef ZOO_COPIED /* text */
#define ZOO_COPIED zoo_copied
#endif
#ifndef ZOO_KEPT /* record, the copy: before it is kept */
#define ZOO_KEPT
#endif
#ifndef ZOO_FITS_QUEUE
#define ZOO_FITS_QUEUE zoo_wants(q->queue, r->queue)
#endif
#ifndef ZOO_NEXT /* of a page that ends before position i */
#define ZOO_NEXT i
#endif
#ifndef ZOO_TAKEN /* the taker's status */
#define ZOO_TAKEN(status) (status)
#endif

static tenon_text zoo_copied(tenon_text text) {
  tenon_text out = {NULL, text.length};
  if (text.length == 0) return out;
  out.data = (const char *)memcpy(malloc(text.length), text.data, text.length);
  return out;
}

static tenon_event_record zoo_kept(const tenon_event_record *from) {
  tenon_event_record out = *from;
  tenon_text *types = (tenon_text *)malloc(sizeof(tenon_text) * (from->resource_count + 1u));
  int64_t *values = (int64_t *)malloc(sizeof(int64_t) * (from->resource_count + 1u));
  uint32_t i;
  out.size = sizeof out;
  out.run = ZOO_COPIED(from->run), out.partition = ZOO_COPIED(from->partition);
  out.object = ZOO_COPIED(from->object), out.reference = ZOO_COPIED(from->reference);
  out.group = ZOO_COPIED(from->group), out.reason = ZOO_COPIED(from->reason);
  out.message = ZOO_COPIED(from->message), out.application = ZOO_COPIED(from->application);
  out.queue = ZOO_COPIED(from->queue), out.node = ZOO_COPIED(from->node);
  for (i = 0; i < from->resource_count; ++i) {
    types[i] = ZOO_COPIED(from->resource_types[i]);
    values[i] = from->resource_values[i];
  }
  out.resource_types = types, out.resource_values = values;
  return out;
}

static void zoo_forget(tenon_event_record *r) {
  tenon_text *all[] = {&r->run,    &r->partition, &r->object,      &r->reference, &r->group,
                       &r->reason, &r->message,   &r->application, &r->queue,     &r->node};
  size_t i;
  for (i = 0; i < sizeof all / sizeof all[0]; ++i) free((void *)(uintptr_t)all[i]->data);
  for (i = 0; i < r->resource_count; ++i) free((void *)(uintptr_t)r->resource_types[i].data);
  free((void *)(uintptr_t)r->resource_types);
  free((void *)(uintptr_t)r->resource_values);
}

static void zoo_say(tenon_message *error, const char *words) {
  if (error == NULL) return;
  error->length = (uint32_t)strlen(words);
  if (error->capacity != 0)
    memcpy(error->data, words, error->length < error->capacity ? error->length : error->capacity);
}

static tenon_status zoo_emit(tenon_instance *self, const tenon_event_emit_in *in, tenon_event_emit_out *out) {
  uint64_t i;
  if (!TENON_COVERS(in, tenon_event_emit_in, record_count) || !TENON_COVERS(out, tenon_event_emit_out, error))
    return TENON_UNSUPPORTED;
  ZOO_SLOT
  if (in->record_count == 0) return TENON_OK;
  self->records = (tenon_event_record *)realloc(
      self->records, sizeof(tenon_event_record) * (size_t)(self->record_count + in->record_count));
  for (i = 0; i < in->record_count; ++i) {
    const tenon_event_record *record = ZOO_RECORD(in, i);
    tenon_event_record copy = zoo_kept(record);
    ZOO_KEPT
    self->records[self->record_count++] = copy;
  }
  ZOO_SLOT_END
  return TENON_OK;
}

static int zoo_wants(tenon_text want, tenon_text have) { return want.length == 0 || zoo_same(want, have); }
static int zoo_record_fits(const tenon_event_query_in *q, const tenon_event_record *r) {
  return (q->types == 0 || (q->types >> r->type & 1u) != 0) && zoo_wants(q->run, r->run) &&
         zoo_wants(q->partition, r->partition) && zoo_wants(q->object, r->object) &&
         zoo_wants(q->application, r->application) && (ZOO_FITS_QUEUE) && zoo_wants(q->node, r->node) &&
         r->timestamp_ns >= q->since_ns && (q->until_ns == 0 || r->timestamp_ns < q->until_ns) &&
         r->last_id >= q->first_id && (q->last_id == 0 || r->id <= q->last_id);
}

static tenon_status zoo_query(tenon_instance *self, const tenon_event_query_in *q, tenon_event_query_out *out) {
  uint64_t i, given = 0;
  if (!TENON_COVERS(q, tenon_event_query_in, limit) || !TENON_COVERS(out, tenon_event_query_out, error))
    return TENON_UNSUPPORTED;
  for (i = q->after; i < self->record_count; ++i) {
    const tenon_event_record *r = &self->records[i];
    if (!zoo_record_fits(q, r)) continue;
    if (q->limit != 0 && given == q->limit) {
      out->next = ZOO_NEXT;
      return TENON_OK;
    }
    if (ZOO_TAKEN(out->take(out->taker, r)) != TENON_OK) return TENON_OK;
    ++given;
  }
  return TENON_OK;
}

static const tenon_event_sink_v1 zoo_table = {sizeof(tenon_event_sink_v1), 0, zoo_emit, zoo_query};

#endif
