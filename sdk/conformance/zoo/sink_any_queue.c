/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A query with a queue gives records of all queues.
 * kind: event-sink
 * fails: sink-filters, sink-pages
 */
#define ZOO_FITS_QUEUE 1

#include "zoo.h"
