/* Writes event records to the file events.txt, a line each. */
#include <stdio.h>
#include <string.h>

#include <tenon/abi/event_sink.h>
#include <tenon/abi/module.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static void say(tenon_message *error, const char *words) {
  const size_t length = strlen(words);
  if (error == NULL) return;
  error->length = (uint32_t)length;
  memcpy(error->data, words, length < error->capacity ? length : error->capacity);
}

static void write_text(FILE *to, tenon_text text) {
  if (text.length != 0) fwrite(text.data, 1, text.length, to); /* without a zero at its end */
}

/* [io] May wait: the sink has a thread of its own. All of the batch is kept, or none: with RETRY it comes again. */
static tenon_status emit(tenon_instance *self, const tenon_event_emit_in *in, tenon_event_emit_out *out) {
  (void)self;
  if (!TENON_COVERS(in, tenon_event_emit_in, record_count) || !TENON_COVERS(out, tenon_event_emit_out, error)) {
    return TENON_UNSUPPORTED;
  }
  FILE *to = fopen("events.txt", "ab");
  if (to == NULL) {
    say(out->error, "cannot open events.txt");
    return TENON_RETRY;
  }
  for (uint64_t i = 0; i < in->record_count; ++i) {
    const char *at = (const char *)in->records + in->record_stride * i; /* a later host's records are longer */
    const tenon_event_record *record = (const tenon_event_record *)(const void *)at;
    fprintf(to, "%llu ", (unsigned long long)record->id);
    write_text(to, record->object);
    fputc(' ', to);
    write_text(to, record->reason);
    fputc(' ', to);
    write_text(to, record->message);
    fputc('\n', to);
  }
  if (fclose(to) == 0) return TENON_OK;
  say(out->error, "cannot write to events.txt");
  return TENON_RETRY;
}

static const tenon_event_sink_v1 slots = {sizeof slots, 0, emit, NULL};

static void describe_this(tenon_description *d) { (void)d; }
