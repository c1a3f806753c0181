/* Host services: what a module may ask of the process that loaded it.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Each service is an interface with an id. A manifest lists the ids that its module uses; for any other
 * id, and for one that this host does not have, get_service gives UNSUPPORTED and a NULL service.
 */
#ifndef TENON_ABI_HOST_H
#define TENON_ABI_HOST_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_get_service_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text id;
} tenon_get_service_in;

typedef struct tenon_get_service_out {
  uint32_t size;
  uint32_t reserved;   /* 0 */
  const void *service; /* the service's table; valid until the module's deinit */
} tenon_get_service_out;

typedef struct tenon_host {
  uint32_t size;
  uint32_t abi_epoch;

  /* Finds a service by id. Not before the module's init. [any] */
  tenon_status (*get_service)(const struct tenon_host *, const tenon_get_service_in *, tenon_get_service_out *out);
} tenon_host;

/* tenon.host.log: lines in the host's log, marked with the module's id. */
#define TENON_HOST_LOG "tenon.host.log/1"
#define TENON_LOG_DEBUG 0u
#define TENON_LOG_INFO 1u
#define TENON_LOG_WARNING 2u
#define TENON_LOG_ERROR 3u

typedef struct tenon_log_in {
  uint32_t size;
  uint32_t level; /* TENON_LOG_* */
  tenon_text line;
} tenon_log_in;

typedef struct tenon_host_log {
  uint32_t size;
  uint32_t reserved;                                               /* 0 */
  tenon_status (*write)(const tenon_host *, const tenon_log_in *); /* [any] */
} tenon_host_log;

/* tenon.host.thread: which of the ABI's threads the caller is on. */
#define TENON_HOST_THREAD "tenon.host.thread/1"
#define TENON_THREAD_MAIN 1u
#define TENON_THREAD_CYCLE 2u
#define TENON_THREAD_IO 3u
#define TENON_THREAD_OTHER 4u

typedef struct tenon_thread_out {
  uint32_t size;
  uint32_t thread; /* TENON_THREAD_* */
} tenon_thread_out;

typedef struct tenon_host_thread {
  uint32_t size;
  uint32_t reserved;                                                  /* 0 */
  tenon_status (*current)(const tenon_host *, tenon_thread_out *out); /* [any] */
} tenon_host_thread;

#ifdef __cplusplus
}
#endif

#endif
