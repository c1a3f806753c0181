/* Module entry: the one symbol that a module exports, and how implementations are found and made.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 *   host                                   module
 *   ----                                   ------
 *   dlopen, dlsym("tenon_module_v1")
 *   init(in: host services)            ->  repeated calls are counted
 *   get_factory(in: "tenon.node-sort/1")-> out: factory, valid until deinit
 *     describe(in: index)              ->  out: name, columns, key words
 *     create(in: index, configuration, host) -> out: instance, lifecycle, interface table
 *       init, activate, calls ..., deactivate, destroy
 *   deinit
 */
#ifndef TENON_ABI_MODULE_H
#define TENON_ABI_MODULE_H

#include "base.h"
#include "columns.h"
#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_MODULE_SYMBOL "tenon_module_v1"

typedef struct tenon_nothing {
  uint32_t size;
  uint32_t reserved; /* 0 */
} tenon_nothing;

/* The life of an instance. */
typedef struct tenon_lifecycle {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* May use the host's services. The first call after create. [main] */
  tenon_status (*init)(tenon_instance *, const tenon_nothing *, tenon_message *error);

  /* May allocate; the configuration is frozen until deactivate. [main] */
  tenon_status (*activate)(tenon_instance *, const tenon_nothing *, tenon_message *error);

  /* After it no slot of the interface is called. [main] */
  tenon_status (*deactivate)(tenon_instance *, const tenon_nothing *, tenon_message *error);

  /* Frees the instance; also after a failed init or activate. [main] */
  tenon_status (*destroy)(tenon_instance *, const tenon_nothing *, tenon_message *error);
} tenon_lifecycle;

/* What an implementation says of itself before any instance exists. Valid until deinit. */
typedef struct tenon_description {
  uint32_t size;
  uint32_t column_count;
  tenon_text name;                 /* as queues.yaml or the deployment names it: "binpacking" */
  tenon_text version;              /* of the module: "1.2.0" */
  const tenon_column_use *columns; /* NULL where each instance declares its own */
  uint32_t column_stride;          /* bytes from a column use to the next */
  uint32_t key_words;              /* sort kinds: u64 words of a key, 1 to TENON_MAX_KEY_WORDS; 0: per instance */
  uint32_t order_rev;              /* changes whenever the order or verdict changes */
  uint32_t rekey_ms;               /* sort kinds: make all keys anew at every multiple of it; 0: never */
  const tenon_text *reasons;       /* predicates: words of the reason codes 1 .. reason_count */
  uint32_t reason_count;
  uint32_t reserved; /* 0 */
} tenon_description;

/* Room for a share of each of 64 resource types and something before and after them. */
#define TENON_MAX_KEY_WORDS 72u

typedef struct tenon_describe_in {
  uint32_t size;
  uint32_t index; /* from 0; UNSUPPORTED past the last */
} tenon_describe_in;

typedef struct tenon_create_in {
  uint32_t size;
  uint32_t index;              /* of the implementation, as in describe */
  tenon_text configuration;    /* JSON object, checked against the manifest's schema, defaults filled in */
  uint32_t max_resource_types; /* no type index reaches it */
  uint32_t reserved;           /* 0 */
  const tenon_host *host;      /* valid until destroy; a process may have several hosts */
} tenon_create_in;

typedef struct tenon_create_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_instance *instance;
  const tenon_lifecycle *lifecycle; /* valid until deinit */
  const void *interface_table;      /* the kind's table, e.g. tenon_sort_v1; valid until deinit */
  tenon_message *error;             /* given by the caller; may be NULL */

  /* What the configuration of this instance decides; preset to NULL and 0, which mean: as described. */
  const tenon_column_use *columns; /* valid until destroy */
  uint32_t column_count;
  uint32_t column_stride; /* bytes from a column use to the next */
  uint32_t key_words;
  uint32_t reserved2; /* 0 */
} tenon_create_out;

/* Makes the implementations of one interface id. */
typedef struct tenon_factory {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Describes implementation `index`. Cheap and pure. [any] */
  tenon_status (*describe)(const struct tenon_factory *, const tenon_describe_in *, tenon_description *out);

  /* Makes an instance. Cheap; may only log. [main] */
  tenon_status (*create)(const struct tenon_factory *, const tenon_create_in *, tenon_create_out *out);
} tenon_factory;

typedef struct tenon_module_init_in {
  uint32_t size;
  uint32_t abi_epoch;     /* of the host */
  const tenon_host *host; /* valid until the deinit that undoes this init */
} tenon_module_init_in;

typedef struct tenon_get_factory_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text interface_id;
} tenon_get_factory_in;

typedef struct tenon_get_factory_out {
  uint32_t size;
  uint32_t reserved;            /* 0 */
  const tenon_factory *factory; /* valid until deinit */
} tenon_get_factory_out;

typedef struct tenon_module {
  uint32_t size;
  uint32_t abi_epoch; /* TENON_ABI_EPOCH of the headers that the module was built with */
  uint32_t draft_rev; /* TENON_DRAFT_REV of those headers */
  uint32_t reserved;  /* 0 */

  /* Called before anything else, possibly repeatedly: the module counts. [main] */
  tenon_status (*init)(const tenon_module_init_in *, tenon_message *error);

  /* Undoes one init. [main] */
  tenon_status (*deinit)(const tenon_nothing *, tenon_message *error);

  /* UNSUPPORTED for an interface id that the module does not know. [any] */
  tenon_status (*get_factory)(const tenon_get_factory_in *, tenon_get_factory_out *out);
} tenon_module;

/* The one exported symbol. */
extern TENON_EXPORT const tenon_module tenon_module_v1;

#ifdef __cplusplus
}
#endif

#endif
