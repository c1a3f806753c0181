/* Host service metrics: what the process counts. DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * One reading has families of counters, gauges and histograms, what each module did, and what is not well. Everything
 * reachable from a reading is valid until it is closed. docs/metrics.md has the names and meanings.
 */
#ifndef TENON_ABI_HOST_METRICS_H
#define TENON_ABI_HOST_METRICS_H

#include "host.h"
#include "host_shadows.h"
#include "host_views.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HOST_METRICS "tenon.host.metrics/1"

#define TENON_METRIC_COUNTER 1u
#define TENON_METRIC_GAUGE 2u
#define TENON_METRIC_HISTOGRAM 3u

typedef struct tenon_metric {
  uint32_t size;
  uint32_t bucket_count; /* of a histogram, without the one that has everything */
  tenon_rm_pairs labels;
  double value;            /* of a histogram: the sum */
  uint64_t count;          /* of a histogram */
  const double *bounds;    /* bucket_count, ascending */
  const uint64_t *at_most; /* bucket_count: so many were not above the bound */
} tenon_metric;

typedef struct tenon_metric_family {
  uint32_t size;
  uint32_t type; /* TENON_METRIC_* */
  tenon_text name;
  tenon_text help;
  tenon_view_list metrics; /* tenon_metric; no labels twice */
} tenon_metric_family;

/* What one instance of a module did, for one partition or for the host. */
typedef struct tenon_module_activity {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text module; /* id */
  tenon_text version;
  tenon_text kind;       /* "node-sort" */
  tenon_text name;       /* "binpacking" */
  tenon_text partition;  /* empty: of the host as a whole */
  tenon_text state;      /* "active", "fallback", "restarting", "stopped" */
  tenon_text last_fault; /* in words */
  uint64_t calls;
  uint64_t faults;
  uint64_t fallbacks;
  uint64_t total_ns; /* in its calls */
  uint64_t most_ns;  /* in one call */
} tenon_module_activity;

/* Something that can be well or not: it is well again when its cause is gone. Sums of the state are looked at every 30
 * s while somebody asks, all else as of now. */
typedef struct tenon_health {
  uint32_t size;
  uint32_t well; /* 0 or 1 */
  tenon_text name;
  tenon_text meaning;   /* what is looked at */
  tenon_text diagnosis; /* what was found */
  uint32_t fails;       /* 0 or 1; 1: the scheduler does not do its work. Not well and 0: a warning */
  uint32_t reserved;    /* 0 */
} tenon_health;

/* One value a minute, for curves. */
typedef struct tenon_minute {
  uint32_t size;
  uint32_t reserved; /* 0 */
  int64_t at_ms;
  int64_t running_applications;
  int64_t containers; /* allocations that run */
} tenon_minute;

/* A partition over a span of time, for curves: amounts as of its end, counts of all of it. */
typedef struct tenon_curve_point {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  tenon_text partition; /* "[rm]name" */
  int64_t at_ms;        /* its end */
  int64_t span_ms;
  tenon_rm_amounts capacity; /* of eight types at most: vcore, memory, then others by name */
  tenon_rm_amounts used;     /* of the same types */
  tenon_rm_amounts pending;  /* likewise; what asks wait for */
  uint64_t waiting;          /* applications that have not run */
  uint64_t decisions;        /* of all kinds */
  uint64_t placed;           /* asks; placeholders are not in it */
  uint64_t preempted;        /* allocations that had to give way */
  double waited_seconds;     /* of those that were placed, added up */
  double longest_seconds;    /* of them */
} tenon_curve_point;

/* A queue with those below it over a span of time, for curves: all as of its end. */
typedef struct tenon_queue_curve_point {
  uint32_t size;
  uint32_t reserved; /* 0 */
  int64_t at_ms;     /* its end */
  int64_t span_ms;
  tenon_rm_amounts used;    /* of the eight types that came first, without what is zero */
  tenon_rm_amounts pending; /* likewise; what asks wait for */
  uint64_t running;         /* applications */
  uint64_t waiting;         /* allocations that asks wait for */
  int64_t oldest_ms;        /* how long the longest of them has waited */
  tenon_rm_amounts reasons; /* what they wait for, in words, and how many of them do; eight reasons and "others" */
} tenon_queue_curve_point;

/* An allocation that had to give way. */
typedef struct tenon_preemption {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t number;   /* from 1 since the scheduler started */
  int64_t at_ms;
  tenon_text partition; /* "[rm]name" */
  tenon_text queue;
  tenon_text application;
  tenon_text key;
  tenon_text node;
  tenon_text words; /* why */
} tenon_preemption;

#define TENON_METRICS_FAMILIES 1u
#define TENON_METRICS_MODULES 2u
#define TENON_METRICS_HEALTH 4u
#define TENON_METRICS_HISTORY 8u
#define TENON_METRICS_CURVE 16u
#define TENON_METRICS_PREEMPTIONS 32u
#define TENON_METRICS_SHADOWS 64u
#define TENON_METRICS_WORLD_SHADOW 128u

typedef struct tenon_reading {
  uint32_t size;
  uint32_t wanted;             /* what it has, TENON_METRICS_* */
  tenon_view_list families;    /* tenon_metric_family; by name */
  tenon_view_list modules;     /* tenon_module_activity */
  tenon_view_list health;      /* tenon_health */
  tenon_view_list history;     /* tenon_minute; of the last day, oldest first */
  uint32_t healthy;            /* of health: no check fails */
  uint32_t reserved;           /* 0 */
  tenon_view_list curve;       /* tenon_curve_point; the first partitions, each oldest first */
  tenon_view_list preemptions; /* tenon_preemption; the latest, oldest first */
  tenon_view_list shadows;     /* tenon_call_shadow */
  tenon_text world_shadow;     /* JSON, docs/shadow.md; empty: the deployment has none */
  tenon_view_list queue_curve; /* tenon_queue_curve_point; of open_queue_curve alone, oldest first */
} tenon_reading;

typedef struct tenon_metrics_open_in {
  uint32_t size;
  uint32_t wanted; /* TENON_METRICS_* */
} tenon_metrics_open_in;

typedef struct tenon_queue_curve_in {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  tenon_text partition; /* "[rm]name" */
  tenon_text queue;     /* "root.a" */
} tenon_queue_curve_in;

typedef struct tenon_metrics_open_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t id;       /* to close; preset 0 */
  const tenon_reading *reading;
  tenon_message *error; /* given by the caller; words of a status that is not OK */
} tenon_metrics_open_out;

typedef struct tenon_metrics_close_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t id;
} tenon_metrics_close_in;

typedef struct tenon_host_metrics {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Reads everything that was wanted. RETRY: not now; EXHAUSTED: too many readings are open. Not on the cycle
   * thread. [any] */
  tenon_status (*open)(const tenon_host *, const tenon_metrics_open_in *, tenon_metrics_open_out *out);

  /* Gives a reading back. [any] */
  tenon_status (*close)(const tenon_host *, const tenon_metrics_close_in *);

  /* Reads how use and waiting went in one queue; the list is empty where the queue is not there, or is left out for the
   * number of queues. Statuses are as of open. Not on the cycle thread. [any] */
  tenon_status (*open_queue_curve)(const tenon_host *, const tenon_queue_curve_in *, tenon_metrics_open_out *out);
} tenon_host_metrics;

#ifdef __cplusplus
}
#endif

#endif
