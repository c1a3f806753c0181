/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A module that crashes, hangs, lingers, throws or ends the process, in one of several ways, in the slot that ZOO_WHERE
 * names, as ZOO_HOW says; good where the variables are not set. Throws with the C++ runtime that it was linked with. */
#ifndef TENON_ZOO_ON_REQUEST_H
#define TENON_ZOO_ON_REQUEST_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stdexcept>

#include "tenon/abi/module.h"

static int zoo_overflow(volatile int depth) {
  volatile char room[4096];
  room[0] = (char)depth;
  return depth == 0 ? room[0] : zoo_overflow(depth + 1) + room[0];
}

static void zoo_at(const char *place) {
  const char *where = getenv("ZOO_WHERE"), *how = getenv("ZOO_HOW");
  if (where == NULL || how == NULL || strcmp(where, place) != 0) return;
  if (strcmp(how, "crash") == 0) __builtin_trap();
  if (strcmp(how, "exit") == 0) _exit(0);
  if (strcmp(how, "leave") == 0) exit(0);
  if (strcmp(how, "run") == 0) execl("/bin/sleep", "sleep", "1000", (char *)NULL);
  if (strcmp(how, "terminate") == 0) raise(SIGTERM);
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "terminate unseen") == 0) syscall(SYS_kill, getpid(), SIGTERM), usleep(300000);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "overflow") == 0) zoo_overflow(1);
  if (strcmp(how, "linger") == 0) usleep(300000);
  if (strcmp(how, "throw") == 0) throw std::runtime_error("on request");
  if (strcmp(how, "throw a number") == 0) throw 7;
  if (strcmp(how, "hang") == 0) {
    for (;;) pause();
  }
}

#define ZOO_MODULE_INIT zoo_at("the module's init");
#define ZOO_MODULE_DEINIT zoo_at("the module's deinit");
#define ZOO_GET_FACTORY zoo_at("get_factory");
#define ZOO_DESCRIBE zoo_at("describe");
#define ZOO_CREATE zoo_at("create");
#define ZOO_INIT zoo_at("init");
#define ZOO_ACTIVATE zoo_at("activate");
#define ZOO_DEACTIVATE zoo_at("deactivate");
#define ZOO_DESTROY  \
  zoo_at("destroy"); \
  free(self);
#define ZOO_SLOT zoo_at(ZOO_MAIN_SLOT);

#endif
