/* What the source of groups should answer, with the file groups.txt beside this one. */
#include "../@source@"

static int want(const char *user, tenon_status status, uint64_t groups, const char *first) {
  char room[256], words[128];
  tenon_text names[8];
  tenon_message error = {sizeof error, sizeof words, words, 0};
  const tenon_resolve_in in = {sizeof in, 0, {user, strlen(user)}};
  tenon_resolve_out out = {sizeof out, 8, names, 0, room, sizeof room, 0, &error};
  const tenon_status got = resolve(NULL, &in, &out);
  if (got == status && (got != TENON_OK || (out.group_count == groups &&
                                            (groups == 0 || memcmp(names[0].data, first, strlen(first)) == 0))))
    return 0;
  fprintf(stderr, "the groups of %s are others\n", user);
  return 1;
}

int main(void) {
  return want("alice", TENON_OK, 2, "ops") + want("bob", TENON_OK, 1, "dev") + want("lonely", TENON_OK, 0, "") +
         want("nobody", TENON_DECLINED, 0, "") + want("ali", TENON_DECLINED, 0, "");
}
