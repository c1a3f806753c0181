// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The objects of a partition and how they hang together. All of them belong to one partition's writer.
//
//   queue (leaf) ------------> leaf_class --heap--> app_class --run--> ask --> allocation --> node
//                                  ^                   |
//   application -------------------+--- groups --------+
//        |
//        +--task_groups--> task_group --> placeholders, and the real asks that wait for them
//
// A leaf_class is all pending asks of one ask_class in one leaf: it is runnable or parked on one thing.
#pragma once

#include "model/allocation.hpp"
#include "model/application.hpp"
#include "model/ask.hpp"
#include "model/leaf_class.hpp"
#include "model/node.hpp"
#include "model/queue.hpp"
#include "model/usage.hpp"
