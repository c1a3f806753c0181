/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What-if questions of a program in C: with steps, and of a scheduler that has threads of its own. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tenon/rm/tenon.h"

static int wrong = 0;
static char said[65536], words[4096];
static tenon_message error = {sizeof error, sizeof words, words, 0};

static tenon_text text(const char *from) {
  tenon_text out = {from, strlen(from)};
  return out;
}

static void take(void *context, tenon_text json) {
  size_t length = json.length < sizeof said ? json.length : sizeof said - 1;
  memcpy(said, json.data, length);
  said[length] = '\0';
  ++*(int *)context;
}

/* Asks, and wants this status and these words: of the answer, or of the refusal. */
static void ask(tenon_scheduler *scheduler, const char *question, tenon_status status, const char *wanted) {
  int taken = 0;
  said[0] = '\0';
  error.length = 0;
  const tenon_status is = tenon_scheduler_what_if(scheduler, text(question), 0, take, &taken, &error);
  if (error.length < sizeof words) words[error.length] = '\0';
  const char *where = is == TENON_OK ? said : words;
  if (is == status && taken == (is == TENON_OK) && strstr(where, wanted) != NULL) return;
  ++wrong;
  printf("%s\n  want %d with %s\n  have %d, taken %d times, with %s\n", question, (int)status, wanted, (int)is, taken,
         where);
}

#define ASK_IN(queue, ask) "{\"applications\":[{\"queue\":\"" queue "\",\"asks\":[" ask "]}]}"

static void ask_all(tenon_scheduler *scheduler) {
  ask(scheduler, ASK_IN("root.batch", "{\"resources\":{\"memory\":10},\"count\":2}"), TENON_OK,
      "\"outcome\":\"placed\",\"count\":2");
  ask(scheduler, ASK_IN("root.prod", "{\"resources\":{\"vcore\":1000},\"allow_preempt_other\":true}"), TENON_OK,
      "\"outcome\":\"evicts\"");
  ask(scheduler, ASK_IN("root.prod", "{\"resources\":{\"vcore\":1000}}"), TENON_OK, "\"outcome\":\"waits\"");
  ask(scheduler, ASK_IN("root.none", "{\"resources\":{\"vcore\":1000}}"), TENON_OK, "\"outcome\":\"refused\"");
  ask(scheduler, "", TENON_INVALID_CONFIG, "question: ");
  ask(scheduler, "{\"nonsense\":1}", TENON_INVALID_CONFIG, "question: 'nonsense'");
  ask(scheduler, ASK_IN("root.batch", "{\"count\":\"two\"}"), TENON_INVALID_CONFIG, "applications[0].asks[0].count: ");
  ask(scheduler, "{\"partition\":\"none\",\"applications\":[{\"asks\":[{}]}]}", TENON_UNRESOLVABLE,
      "one of: [example]default");
}

static tenon_status answers(void *context, const tenon_rm_answers_in *in) {
  for (uint64_t i = 0; i < in->message_count; ++i)
    if (in->messages[i]->type == TENON_RM_ALLOCATION) __atomic_add_fetch((int *)context, 1, __ATOMIC_SEQ_CST);
  return TENON_OK;
}

/* root.batch runs on all there is, and root.prod is below its guarantee. */
static void play(uint32_t manual) {
  static int placed;
  __atomic_store_n(&placed, 0, __ATOMIC_SEQ_CST);
  tenon_scheduler *scheduler = NULL;
  tenon_rm *manager = NULL;
  const tenon_scheduler_options options = {
      .size = sizeof options,
      .manual = manual,
      .queues =
          text("partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: batch }, "
               "{ name: prod, resources: { guaranteed: { vcore: 2 } }, properties: { preemption.delay: 1s } } ] } "
               "] } ]")};
  const tenon_rm_registration who = {
      .size = sizeof who, .type = TENON_RM_REGISTRATION, .rm = text("example"), .version = text("1.0")};
  const tenon_rm_callbacks callbacks = {.size = sizeof callbacks, .context = &placed, .answers = answers};
  const tenon_rm_application application = {.size = sizeof application,
                                            .type = TENON_RM_APPLICATION,
                                            .application = text("app-1"),
                                            .queue = text("root.batch"),
                                            .user = text("alice"),
                                            .user_present = 1};
  const tenon_text types[] = {text("memory"), text("vcore")};
  const int64_t capacity[] = {1000, 4000}, wanted[] = {10, 1000};
  const tenon_rm_node node = {.size = sizeof node,
                              .type = TENON_RM_NODE,
                              .node = text("node-1"),
                              .action = TENON_NODE_CREATE,
                              .schedulable = {types, capacity, 2, 1}};
  const tenon_rm_ask batch = {.size = sizeof batch,
                              .type = TENON_RM_ASK,
                              .application = text("app-1"),
                              .key = text("ask-1"),
                              .resources = {types, wanted, 2, 1},
                              .max_allocations = 4,
                              .preemption = {.present = 1, .allow_self = 1}};
  const tenon_rm_message *const all[] = {(const tenon_rm_message *)&application, (const tenon_rm_message *)&node,
                                         (const tenon_rm_message *)&batch};
  tenon_status status = tenon_scheduler_open(&options, &scheduler, &error);
  if (status == TENON_OK) ask(scheduler, ASK_IN("root.batch", "{}"), TENON_UNRESOLVABLE, "no resource manager");
  if (status == TENON_OK) status = tenon_rm_register(scheduler, &who, &callbacks, &manager, &error);
  if (status == TENON_OK) status = tenon_rm_submit(manager, all, 3, NULL, &error);
  const struct timespec pause = {0, 10000000};
  for (int i = 1; status == TENON_OK && __atomic_load_n(&placed, __ATOMIC_SEQ_CST) < 4; ++i) {
    if (i > 3000) {
      ++wrong;
      printf("the cluster did not fill\n");
      break;
    }
    if (manual != 0) {
      status = tenon_scheduler_step(scheduler, i, 10, NULL);
    } else {
      nanosleep(&pause, NULL);
    }
  }
  if (status != TENON_OK) {
    ++wrong;
    printf("%.*s\n", (int)error.length, error.data);
  } else {
    ask_all(scheduler);
  }
  tenon_scheduler_stop(scheduler);
  if (status == TENON_OK) ask(scheduler, ASK_IN("root.batch", "{}"), TENON_RETRY, "");
  tenon_scheduler_close(scheduler);
}

int main(void) {
  play(1);
  play(0);
  return wrong == 0 ? 0 : 1;
}
