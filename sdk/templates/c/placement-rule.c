/* Places an application in the queue that its tag `team` names. */
#include <string.h>

#include <tenon/abi/module.h>
#include <tenon/abi/placement_rule.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

/* Letter case of tags' names does not matter. */
static int is_team(tenon_text name) {
  static const char want[] = "team";
  if (name.length != sizeof want - 1) return 0;
  for (size_t i = 0; i < sizeof want - 1; ++i) {
    const char c = name.data[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != want[i]) return 0;
  }
  return 1;
}

/* The team as one level of a path: dots become "_dot_". */
static tenon_status write_level(tenon_text team, tenon_place_out *out) {
  static const char dot[] = "_dot_";
  uint64_t length = 0;
  for (uint64_t i = 0; i < team.length; ++i) {
    const int is_dot = team.data[i] == '.';
    const size_t room = is_dot ? sizeof dot - 1 : 1;
    if (length + room > out->name_capacity) return TENON_EXHAUSTED;
    memcpy(out->name + length, is_dot ? dot : team.data + i, room);
    length += room;
  }
  out->name_length = length;
  return TENON_OK;
}

/* [cycle] A pure function of its input. `create`, `parent` and `filter` of the rule are the kernel's. */
static tenon_status place(tenon_instance *self, const tenon_place_in *in, tenon_place_out *out) {
  (void)self;
  if (!TENON_COVERS(in, tenon_place_in, tag_count) || !TENON_COVERS(out, tenon_place_out, name_length)) {
    return TENON_UNSUPPORTED;
  }
  for (uint64_t i = 0; i < in->tag_count; ++i) {
    if (!is_team(in->tag_names[i])) continue;
    return in->tag_values[i].length == 0 ? TENON_DECLINED : write_level(in->tag_values[i], out);
  }
  return TENON_DECLINED; /* the next rule is asked */
}

static const tenon_placement_rule_v1 slots = {sizeof slots, 0, place};

static void describe_this(tenon_description *d) { (void)d; }
