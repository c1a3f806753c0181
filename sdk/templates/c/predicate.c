/* An ask with the tag `zone` runs only on nodes whose attribute `zone` has the same value. */
#include <string.h>

#include <tenon/abi/module.h>
#include <tenon/abi/predicate.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const tenon_column *column(const tenon_batch *batch, uint32_t i) {
  return (const tenon_column *)(const void *)((const char *)batch->columns + (size_t)i * batch->column_stride);
}

/* The text of a column for an item; without a base the call has no such context, and the text is none. */
static tenon_text text_of(const tenon_column *c, uint32_t item) {
  const tenon_text none = {NULL, 0};
  if (c->base == NULL) return none;
  return *(const tenon_text *)(const void *)((const char *)c->base + (size_t)item * c->item_stride);
}

static int is_usable(const tenon_batch *batch) {
  return TENON_COVERS(batch, tenon_batch, column_stride) && batch->column_count >= 2;
}

/* [cycle] Judges the batch's nodes for the ask in the context columns. */
static tenon_status filter(tenon_instance *self, const tenon_batch *batch, tenon_filter_out *out) {
  (void)self;
  if (!is_usable(batch) || !TENON_COVERS(out, tenon_filter_out, reasons)) return TENON_UNSUPPORTED;
  const tenon_text wanted = text_of(column(batch, 1), 0);
  for (uint32_t i = 0; i < batch->item_count; ++i) {
    const tenon_text have = text_of(column(batch, 0), batch->items[i]);
    const int fits = wanted.data == NULL || (have.data != NULL && have.length == wanted.length &&
                                             memcmp(have.data, wanted.data, (size_t)wanted.length) == 0);
    /* TENON_FAIL where another allocation or release may help. */
    out->verdicts[i] = fits ? TENON_PASS : TENON_FAIL_UNRESOLVABLE;
    out->reasons[i] = fits ? 0 : 1; /* of `reasons` below, from 1 */
  }
  return TENON_OK;
}

/* [cycle] Asks with equal words share verdicts: FNV-1a of the wanted zone, twice. */
static tenon_status signature(tenon_instance *self, const tenon_batch *batch, tenon_signature_out *out) {
  (void)self;
  if (!is_usable(batch) || !TENON_COVERS(out, tenon_signature_out, words)) return TENON_UNSUPPORTED;
  const tenon_text wanted = text_of(column(batch, 1), 0);
  uint64_t a = UINT64_C(0xCBF29CE484222325), b = wanted.data == NULL ? 0 : wanted.length + 1;
  for (uint64_t i = 0; i < wanted.length; ++i) {
    a = (a ^ (unsigned char)wanted.data[i]) * UINT64_C(0x100000001B3);
    b = (b + (unsigned char)wanted.data[i]) * UINT64_C(0x9E3779B97F4A7C15);
  }
  out->words[0] = a;
  out->words[1] = b;
  return TENON_OK;
}

static const tenon_predicate_v1 slots = {sizeof slots, 0, filter, signature, NULL};

/* What is read, and what makes a verdict anew when it changes: tenon/abi/columns.h lists all columns. */
static const tenon_column_use columns[] = {
    {sizeof(tenon_column_use), TENON_SCOPE_ITEM, TEXT("node.attr:zone")},
    {sizeof(tenon_column_use), TENON_SCOPE_CONTEXT, TEXT("ask.tag:zone")},
};

/* The words that people see when they ask why something is pending. */
static const tenon_text reasons[] = {TEXT("the node's zone is not the one that the ask wants")};

static void describe_this(tenon_description *d) {
  d->columns = columns;
  d->column_count = sizeof columns / sizeof columns[0];
  d->column_stride = sizeof columns[0];
  d->reasons = reasons;
  d->reason_count = sizeof reasons / sizeof reasons[0];
}
