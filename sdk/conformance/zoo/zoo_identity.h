/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The table of the zoo's sources of groups: three users, unless its configuration says `away: true`. */
#ifndef TENON_ZOO_IDENTITY_H
#define TENON_ZOO_IDENTITY_H

#include <unistd.h>

#ifndef ZOO_USER /* `wanted` is the user that was asked about, `user` one of those that are there */
#define ZOO_USER zoo_is(wanted, user)
#endif
#ifndef ZOO_GROUPS /* of alice */
#define ZOO_GROUPS "staff", "wheel"
#endif
#ifndef ZOO_AWAY
#define ZOO_AWAY                       \
  zoo_say(out->error, "cannot reach"); \
  return TENON_RETRY;
#endif
#ifndef ZOO_FOUND /* self, in, out: once the groups are written or counted */
#define ZOO_FOUND
#endif

/* The one value that a configuration of the zoo can have. */
static int zoo_says_true(tenon_text configuration) {
  uint64_t i;
  for (i = 0; i + 4 <= configuration.length; ++i) {
    if (memcmp(configuration.data + i, "true", 4) == 0) return 1;
  }
  return 0;
}

static void zoo_say(tenon_message *to, const char *text) {
  const uint64_t length = strlen(text);
  to->length = length < to->capacity ? length : to->capacity;
  memcpy(to->data, text, to->length);
}

#ifdef ZOO_BEFORE_RESOLVE
ZOO_BEFORE_RESOLVE
#endif

static void zoo_add(tenon_resolve_out *out, const char *group) {
  const uint64_t length = strlen(group);
  if (out->group_count < out->group_capacity && out->room_length + length <= out->room_capacity) {
    const tenon_text at = {out->room + out->room_length, length};
    memcpy(out->room + out->room_length, group, length);
    out->groups[out->group_count] = at;
  }
  ++out->group_count;
  out->room_length += length;
}

static tenon_status zoo_resolve(tenon_instance *self, const tenon_resolve_in *in, tenon_resolve_out *out) {
  static const char *const users[] = {"alice", "bob", "carol"};
  static const char *const groups[][5] = {{ZOO_GROUPS},
                                          {NULL},
                                          {"gr\xC3\xB6\xC3\x9F"
                                           "e",
                                           "a.b", "ops"}};
  tenon_text wanted;
  size_t i, j;
  (void)self;
  if (!TENON_COVERS(in, tenon_resolve_in, user) || !TENON_COVERS(out, tenon_resolve_out, error))
    return TENON_UNSUPPORTED;
  wanted = in->user;
  (void)wanted;
  ZOO_SLOT
  if (self->away) {
    ZOO_AWAY
  }
  for (i = 0; i < sizeof users / sizeof users[0]; ++i) {
    const char *const user = users[i];
    if (!(ZOO_USER)) continue;
    for (j = 0; groups[i][j] != NULL; ++j) zoo_add(out, groups[i][j]);
    ZOO_FOUND
    return out->group_count <= out->group_capacity && out->room_length <= out->room_capacity ? TENON_OK
                                                                                             : TENON_EXHAUSTED;
  }
  ZOO_SLOT_END
  return TENON_DECLINED;
}
static const tenon_identity_v1 zoo_table = {sizeof(tenon_identity_v1), 0, zoo_resolve};

#endif
