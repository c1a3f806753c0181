/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Makes the event sink of the zoo one that keeps its records in a file: each batch with its length before it, so that
 * the part of one that a kill leaves is cut off. It includes zoo.h. */
#ifndef TENON_ZOO_EVENT_FILE_H
#define TENON_ZOO_EVENT_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tenon/abi/event_sink.h"

#define ZOO_TEXTS(r)                                                                                     \
  {                                                                                                      \
    &(r)->run, &(r)->partition, &(r)->object, &(r)->reference, &(r)->group, &(r)->reason, &(r)->message, \
        &(r)->application, &(r)->queue, &(r)->node                                                       \
  }

struct zoo_bytes {
  char *start;
  size_t length, room;
};

static void zoo_put(struct zoo_bytes *to, const void *from, size_t length) {
  if (to->length + length > to->room) {
    to->room = 2 * (to->length + length);
    to->start = (char *)realloc(to->start, to->room);
  }
  if (length != 0) memcpy(to->start + to->length, from, length);
  to->length += length;
}

static void zoo_get(const char **from, void *to, size_t length) {
  if (length != 0) memcpy(to, *from, length);
  *from += length;
}

static void zoo_get_text(const char **from, tenon_text *text) {
  char *copy = NULL;
  if (text->length != 0) copy = (char *)malloc(text->length);
  zoo_get(from, copy, text->length);
  text->data = copy;
}

static void zoo_put_record(struct zoo_bytes *to, const tenon_event_record *record) {
  tenon_event_record r = *record;
  const tenon_text *texts[] = ZOO_TEXTS(&r);
  uint32_t i;
  zoo_put(to, &r, sizeof r);
  for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) zoo_put(to, texts[i]->data, texts[i]->length);
  for (i = 0; i < r.resource_count; ++i) {
    zoo_put(to, &r.resource_types[i].length, sizeof(uint64_t));
    zoo_put(to, r.resource_types[i].data, r.resource_types[i].length);
    zoo_put(to, &r.resource_values[i], sizeof(int64_t));
  }
}

static void zoo_get_record(const char **from, tenon_event_record *r) {
  tenon_text *texts[] = ZOO_TEXTS(r);
  tenon_text *types;
  int64_t *values;
  uint32_t i;
  zoo_get(from, r, sizeof *r);
  r->size = sizeof *r;
  for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) zoo_get_text(from, texts[i]);
  types = (tenon_text *)malloc(sizeof(tenon_text) * (r->resource_count + 1u));
  values = (int64_t *)malloc(sizeof(int64_t) * (r->resource_count + 1u));
  for (i = 0; i < r->resource_count; ++i) {
    zoo_get(from, &types[i].length, sizeof(uint64_t));
    zoo_get_text(from, &types[i]);
    zoo_get(from, &values[i], sizeof(int64_t));
  }
  r->resource_types = types, r->resource_values = values;
}

/* All of it, or none. */
static int zoo_write_batch(FILE *to, const tenon_event_record *records, uint64_t count) {
  struct zoo_bytes all = {NULL, 0, 0};
  uint64_t i, length = 0;
  const off_t before = lseek(fileno(to), 0, SEEK_END);
  size_t written = 0;
  ssize_t more = 0;
  if (count == 0) return 1;
  zoo_put(&all, &length, sizeof length);
  zoo_put(&all, &count, sizeof count);
  for (i = 0; i < count; ++i) zoo_put_record(&all, &records[i]);
  length = all.length - sizeof length;
  memcpy(all.start, &length, sizeof length);
  for (; written < all.length && more >= 0; written += more > 0 ? (size_t)more : 0)
    more = write(fileno(to), all.start + written, all.length - written);
  free(all.start);
  if (more < 0) (void)!ftruncate(fileno(to), before);
  return more >= 0;
}

static uint64_t zoo_read_file(FILE *from, tenon_event_record **records) {
  uint64_t count = 0, length, more, i;
  long whole = 0;
  rewind(from);
  while (fread(&length, sizeof length, 1, from) == 1) {
    char *batch = (char *)malloc(length);
    const char *at = batch;
    if (fread(batch, 1, length, from) != length) {
      free(batch);
      break;
    }
    zoo_get(&at, &more, sizeof more);
    *records = (tenon_event_record *)realloc(*records, sizeof(tenon_event_record) * (size_t)(count + more));
    for (i = 0; i < more; ++i) zoo_get_record(&at, &(*records)[count++]);
    free(batch);
    whole = ftell(from);
  }
  (void)!ftruncate(fileno(from), whole);
  return count;
}

#define ZOO_STATE \
  FILE *file;     \
  uint64_t on_file; /* of the records */
#define ZOO_ACTIVATE                                                                \
  while (self->record_count != 0) zoo_forget(&self->records[--self->record_count]); \
  self->file = fopen("zoo-events", "ab+");                                          \
  if (self->file == NULL) return TENON_INTERNAL;                                    \
  self->record_count = self->on_file = zoo_read_file(self->file, &self->records);
#define ZOO_WRITE(otherwise)                                                                             \
  if (!zoo_write_batch(self->file, self->records + self->on_file, self->record_count - self->on_file)) { \
    otherwise                                                                                            \
  }                                                                                                      \
  self->on_file = self->record_count;
#ifndef ZOO_FULL /* the batch is not on file */
#define ZOO_FULL                                                                                \
  while (self->record_count != self->on_file) zoo_forget(&self->records[--self->record_count]); \
  zoo_say(out->error, "the file cannot grow");                                                  \
  return TENON_RETRY;
#endif
#define ZOO_DEACTIVATE              \
  ZOO_WRITE(return TENON_INTERNAL;) \
  fclose(self->file);
#ifndef ZOO_SLOT_END
#define ZOO_SLOT_END ZOO_WRITE(ZOO_FULL)
#endif

#include "zoo.h"

#endif
