/* Types that every Tenon ABI header shares: status codes, text, thread tags and the rules of a slot.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Rules of the whole ABI (COMPATIBILITY.md is the promise):
 *  - every struct and table starts with `uint32_t size`, set by whoever fills it; a reader looks at a
 *    field only where `size` covers it; of an output the caller sets `size` and zeroes the rest, and the
 *    callee writes the fields that both know and leaves `size`;
 *  - every slot is `tenon_status f(instance, const in *, out *)`;
 *  - fixed-width scalars only: no enum, bool, bit-field or long; padding is named and zero;
 *  - text is borrowed for the call; the caller allocates outputs; nothing is freed across the boundary;
 *  - no exception leaves a slot;
 *  - a slot's comment ends in its thread: [cycle] the partition's writer, [io] a worker of the host,
 *    [main] the thread that loads, binds or stops modules (the writer too, between two steps), [any] all
 *    of them. An instance is never called by two threads at once; two instances of one module may be.
 */
#ifndef TENON_ABI_BASE_H
#define TENON_ABI_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bumped only when every existing module must be refused. */
#define TENON_ABI_EPOCH 1u

/* Bumped by every change of a kind that is still a draft; a module that provides a draft kind loads only
 * where this number is equal. */
#define TENON_DRAFT_REV 3u

#if defined(__GNUC__) || defined(__clang__)
#define TENON_EXPORT __attribute__((visibility("default")))
#else
#define TENON_EXPORT
#endif

/* Does the struct that `pointer` points to, of the given type, have `member`? */
#define TENON_COVERS(pointer, type, member) \
  ((pointer)->size >= offsetof(type, member) + sizeof((pointer)->member)) /* NOLINT(bugprone-sizeof-expression) */

typedef int32_t tenon_status;

#define TENON_OK ((tenon_status)0)
#define TENON_DECLINED ((tenon_status)1)       /* not mine: ask the next one */
#define TENON_UNSCHEDULABLE ((tenon_status)2)  /* does not fit now, a change may help */
#define TENON_UNRESOLVABLE ((tenon_status)3)   /* no release of resources can help */
#define TENON_RETRY ((tenon_status)4)          /* nothing was taken: call again later */
#define TENON_INVALID_CONFIG ((tenon_status)5) /* the configuration or a tag is refused */
#define TENON_UNSUPPORTED ((tenon_status)6)    /* unknown id, slot or size */
#define TENON_EXHAUSTED ((tenon_status)7)      /* a documented limit is reached */
#define TENON_INTERNAL ((tenon_status)8)       /* a fault of the callee */

/* UTF-8, not terminated, borrowed for the call. Empty: length 0, data may be NULL. Has no size field and
 * never grows, so that arrays of it need no stride. */
typedef struct tenon_text {
  const char *data;
  uint64_t length; /* bytes */
} tenon_text;

/* Where a callee puts the words of an error: writes at most `capacity` bytes to `data` and the number
 * written to `length`. Words beyond the capacity are cut. */
typedef struct tenon_message {
  uint32_t size;
  uint32_t capacity; /* bytes */
  char *data;
  uint64_t length; /* bytes */
} tenon_message;

/* A generation-tagged reference to an object of one partition. 0 is no object. */
typedef uint64_t tenon_handle;

/* The state that a query is about: 0 is the live state; others are live minus or plus allocations. */
typedef uint64_t tenon_world;
#define TENON_WORLD_LIVE ((tenon_world)0)

/* An instance of a module's implementation; owned by the module, opaque to the host. */
typedef struct tenon_instance tenon_instance;

#ifdef __cplusplus
}
#endif

#endif
