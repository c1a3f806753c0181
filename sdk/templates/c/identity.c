/* Groups of users from the file groups.txt: a line for each user, `alice: ops dev`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/abi/identity.h>
#include <tenon/abi/module.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static void say(tenon_message *error, const char *words) {
  const size_t length = strlen(words);
  if (error == NULL) return;
  error->length = length < error->capacity ? length : error->capacity;
  memcpy(error->data, words, (size_t)error->length);
}

/* Counts what there is no room for, too: the host then calls again with as much. */
static void add(tenon_resolve_out *out, const char *group, size_t length) {
  if (out->group_count < out->group_capacity && out->room_length + length <= out->room_capacity) {
    memcpy(out->room + out->room_length, group, length);
    out->groups[out->group_count].data = out->room + out->room_length;
    out->groups[out->group_count].length = length;
  }
  ++out->group_count;
  out->room_length += length;
}

/* Is the line about this user? The name has no zero at its end. */
static int is_of(const char *line, size_t length, tenon_text user) {
  return length > user.length && line[user.length] == ':' && memcmp(line, user.data, (size_t)user.length) == 0;
}

static tenon_status add_words(const char *words, tenon_resolve_out *out) {
  while (*(words += strspn(words, " \t\n")) != '\0') {
    const size_t length = strcspn(words, " \t\n");
    add(out, words, length);
    words += length;
  }
  return out->group_count <= out->group_capacity && out->room_length <= out->room_capacity ? TENON_OK : TENON_EXHAUSTED;
}

/* [io] May wait: the host asks on a thread of its own, and keeps the answer for a while. The file is looked at for each
 * question, so that whoever writes it need tell nobody. */
static tenon_status resolve(tenon_instance *self, const tenon_resolve_in *in, tenon_resolve_out *out) {
  tenon_status status = TENON_DECLINED; /* there is no such user */
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  FILE *from;
  (void)self;
  if (!TENON_COVERS(in, tenon_resolve_in, user) || !TENON_COVERS(out, tenon_resolve_out, error)) return TENON_UNSUPPORTED;
  from = fopen("groups.txt", "r");
  if (from == NULL) {
    say(out->error, "cannot read groups.txt");
    return TENON_RETRY;
  }
  while (status == TENON_DECLINED && (length = getline(&line, &room, from)) >= 0) {
    if (is_of(line, (size_t)length, in->user)) status = add_words(line + in->user.length + 1, out);
  }
  free(line);
  fclose(from);
  return status;
}

static const tenon_identity_v1 slots = {sizeof slots, 0, resolve};

static void describe_this(tenon_description *d) { (void)d; }
