/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Orders nodes by their free memory, most first. In C, from the ABI headers and share.h alone. */
#include "tenon/abi/module.h"

#include <string.h>

#include "tenon/abi/node_sort.h"
#include "tenon/sdk/share.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

/* [cycle] One key for each item of the batch: smaller goes first, so the free amount is negated. */
static tenon_status keys(tenon_instance *self, const tenon_batch *batch, tenon_keys_out *out) {
  (void)self;
  if (!TENON_COVERS(batch, tenon_batch, type_count) || batch->column_count < 1) return TENON_UNSUPPORTED;
  if (batch->columns->kind != TENON_COLUMN_RESOURCES) return TENON_UNSUPPORTED;
  if (!TENON_COVERS(out, tenon_keys_out, keys) || out->key_words != 1) return TENON_UNSUPPORTED;
  uint32_t memory = TENON_NO_TYPE;
  for (uint32_t t = 0; t < batch->type_count; ++t) {
    if (batch->types[t].length == 6 && memcmp(batch->types[t].data, "memory", 6) == 0) memory = t;
  }
  for (uint32_t i = 0; i < batch->item_count; ++i) {
    const tenon_amounts available = tenon_column_amounts(batch->columns, batch->items[i], batch->type_count);
    out->keys[i] = tenon_double_key(-(double)tenon_amounts_get(available, memory));
  }
  return TENON_OK;
}

static const tenon_sort_v1 sort_slots = {sizeof sort_slots, 0, keys, NULL, NULL};

/* This policy keeps nothing, so one instance, made by nobody, serves all. */
static char the_instance;

static tenon_status nothing_to_do(tenon_instance *self, const tenon_nothing *in, tenon_message *error) {
  (void)self, (void)in, (void)error;
  return TENON_OK;
}
static const tenon_lifecycle lifecycle = {sizeof lifecycle, 0, nothing_to_do, nothing_to_do, nothing_to_do,
                                          nothing_to_do};

static const tenon_column_use columns[] = {
    {sizeof(tenon_column_use), TENON_SCOPE_ITEM, TEXT("node.free")},
};

static tenon_status describe(const tenon_factory *self, const tenon_describe_in *in, tenon_description *out) {
  static const tenon_text name = TEXT("roomiest"), version = TEXT(TENON_MODULE_VERSION);
  (void)self;
  if (in->index != 0) return TENON_UNSUPPORTED;
  tenon_description d;
  memset(&d, 0, sizeof d);
  d.name = name;
  d.version = version;
  d.columns = columns;
  d.column_count = sizeof columns / sizeof columns[0];
  d.column_stride = sizeof columns[0];
  d.key_words = 1;
  d.order_rev = 1;
  d.size = out->size; /* the caller's, who may know fewer fields, or more */
  memcpy(out, &d, out->size < sizeof d ? out->size : sizeof d);
  return TENON_OK;
}

static tenon_status create(const tenon_factory *self, const tenon_create_in *in, tenon_create_out *out) {
  (void)self;
  if (in->index != 0 || !TENON_COVERS(out, tenon_create_out, interface_table)) return TENON_UNSUPPORTED;
  out->instance = (tenon_instance *)(void *)&the_instance;
  out->lifecycle = &lifecycle;
  out->interface_table = &sort_slots;
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
  const size_t length = sizeof TENON_NODE_SORT - 1;
  const int known = in->interface_id.length == length && memcmp(in->interface_id.data, TENON_NODE_SORT, length) == 0;
  out->factory = known ? &factory : NULL;
  return known ? TENON_OK : TENON_UNSUPPORTED;
}

const tenon_module tenon_module_v1 = {
    sizeof tenon_module_v1, TENON_ABI_EPOCH, TENON_DRAFT_REV, 0, init, deinit, get_factory,
};
