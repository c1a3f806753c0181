/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A resource manager in C with the scheduler in its process: one node on which something runs already, one ask. */
#include <stdio.h>
#include <string.h>
#include <tenon/rm/tenon.h>

static tenon_text text(const char *from) {
  tenon_text out = {from, strlen(from)};
  return out;
}

static tenon_status answers(void *context, const tenon_rm_answers_in *in) {
  (void)context;
  for (uint64_t i = 0; i < in->message_count; ++i) {
    const tenon_rm_allocation *a = (const tenon_rm_allocation *)in->messages[i];
    if (a->type != TENON_RM_ALLOCATION) continue;
    /* What was reported below runs already: it is only counted from now on. */
    printf("%.*s %s on %.*s\n", (int)a->key.length, a->key.data, a->recovered ? "still runs" : "is started",
           (int)a->node.length, a->node.data);
  }
  return TENON_OK;
}

int main(void) {
  char room[1024];
  tenon_message error = {sizeof error, sizeof room, room, 0};
  tenon_scheduler *scheduler = NULL;
  tenon_rm *manager = NULL;
  uint32_t made = 0;

  /* Without `manual` it has threads of its own, and needs no steps. */
  const tenon_scheduler_options options = {
      .size = sizeof options,
      .manual = 1,
      .queues = text("partitions: [ { name: default, queues: [ { name: root, submitacl: '*', "
                     "queues: [ { name: default } ] } ] } ]")};
  const tenon_rm_registration who = {
      .size = sizeof who, .type = TENON_RM_REGISTRATION, .rm = text("example"), .version = text("1.0")};
  const tenon_rm_callbacks callbacks = {.size = sizeof callbacks, .answers = answers};

  const tenon_rm_application application = {.size = sizeof application,
                                            .type = TENON_RM_APPLICATION,
                                            .application = text("app-1"),
                                            .queue = text("root.default"),
                                            .user = text("alice"),
                                            .user_present = 1};
  const tenon_text types[] = {text("memory"), text("vcore")};
  const int64_t capacity[] = {64000000000, 16000}, wanted[] = {1000000000, 500};
  const tenon_rm_node node = {.size = sizeof node,
                              .type = TENON_RM_NODE,
                              .node = text("node-1"),
                              .action = TENON_NODE_CREATE,
                              .schedulable = {types, capacity, 2, 1}};
  const tenon_rm_ask ask = {.size = sizeof ask,
                            .type = TENON_RM_ASK,
                            .application = text("app-1"),
                            .key = text("ask-1"),
                            .resources = {types, wanted, 2, 1},
                            .max_allocations = 1};
  const tenon_rm_allocation running = {.size = sizeof running,
                                       .type = TENON_RM_ALLOCATION,
                                       .application = text("app-1"),
                                       .key = text("ask-0"),
                                       .node = text("node-1"),
                                       .resources = {types, wanted, 2, 1}};
  const tenon_rm_message *const all[] = {(const tenon_rm_message *)&application, (const tenon_rm_message *)&node,
                                         (const tenon_rm_message *)&running, (const tenon_rm_message *)&ask};

  tenon_status status = tenon_scheduler_open(&options, &scheduler, &error);
  if (status == TENON_OK) status = tenon_rm_register(scheduler, &who, &callbacks, &manager, &error);
  if (status == TENON_OK) status = tenon_rm_submit(manager, all, 4, NULL, &error);
  for (int64_t now_ms = 1; status == TENON_OK; ++now_ms) {
    status = tenon_scheduler_step(scheduler, now_ms, 1000, &made);
    if (made == 0) break;
  }
  if (status != TENON_OK) fprintf(stderr, "%.*s\n", (int)error.length, error.data);
  tenon_scheduler_close(scheduler);
  return status == TENON_OK ? 0 : 1;
}
