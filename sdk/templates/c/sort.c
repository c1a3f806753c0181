/* Orders @items@ by what they have of vcore, smallest first: @says@. */
#include <string.h>

#include <tenon/abi/@header@.h>
#include <tenon/abi/module.h>
#include <tenon/sdk/share.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

/* [cycle] One key for each item of the batch, smaller first. Equal keys: in the order of submission, nodes by id. */
static tenon_status keys(tenon_instance *self, const tenon_batch *batch, tenon_keys_out *out) {
  (void)self;
  if (!TENON_COVERS(batch, tenon_batch, type_count) || batch->column_count < 1) return TENON_UNSUPPORTED;
  if (batch->columns->kind != TENON_COLUMN_RESOURCES) return TENON_UNSUPPORTED;
  if (!TENON_COVERS(out, tenon_keys_out, keys) || out->key_words != 1) return TENON_UNSUPPORTED;
  uint32_t vcore = TENON_NO_TYPE; /* whose amount is 0 */
  for (uint32_t t = 0; t < batch->type_count; ++t) {
    if (batch->types[t].length == 5 && memcmp(batch->types[t].data, "vcore", 5) == 0) vcore = t;
  }
  for (uint32_t i = 0; i < batch->item_count; ++i) {
    const tenon_amounts have = tenon_column_amounts(batch->columns, batch->items[i], batch->type_count);
    out->keys[i] = tenon_double_key((double)tenon_amounts_get(have, vcore));
  }
  return TENON_OK;
}

static const tenon_sort_v1 slots = {sizeof slots, 0, keys, NULL, NULL};

/* What is read, and what makes a key anew when it changes: tenon/abi/columns.h lists all columns. */
static const tenon_column_use columns[] = {
    {sizeof(tenon_column_use), TENON_SCOPE_ITEM, TEXT("@column@")},
};

static void describe_this(tenon_description *d) {
  d->columns = columns;
  d->column_count = sizeof columns / sizeof columns[0];
  d->column_stride = sizeof columns[0];
  d->key_words = 1;
}
