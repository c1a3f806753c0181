// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The cases of tenon-bench. Each makes one repetition; a kernel of its own, everything else warm.
#pragma once

#include "cluster.hpp"

namespace tenon::bench {

inline constexpr int64_t mib = int64_t{1} << 20;  // in bytes

// Equal asks on a cluster that they fill exactly: from submission to every decision delivered.
figures run_schedule(const settings &s);
// The same load with and without asks that fit nowhere, and the ratio of the two.
figures run_unplaceable(const settings &s);
// Asks of many shapes while the cluster fills up.
figures run_mixed(const settings &s);
// Steady state: an allocation ends, an ask comes, a decision is made.
figures run_churn(const settings &s);
// The state that clusters live in: nearly full, many shapes and queues, one ends and one comes.
figures run_steady(const settings &s);
// A release in a full cluster in which asks of many shapes wait for a node.
figures run_waiting(const settings &s);
// Gangs: placeholders, then real asks that take their places.
figures run_gang(const settings &s);
// Nodes and asks registered, nothing decided: time and memory.
figures run_load(const settings &s);
// A scheduler that starts: the resource manager tells its nodes and the allocations on them again.
figures run_start(const settings &s);
// Flat queues, each with a user who has a limit: registered, an application put into each, and one queue changed.
figures run_configure(const settings &s);
// The text of such a configuration, read and checked.
figures run_read_config(const settings &s);
// A full cluster in which one queue is below its guarantee: victims are found, confirmed and replaced.
figures run_preempt(const settings &s);
// One operation of many (settings::operation) beside a load of settings::asks; it is done settings::turns times.
figures run_growth(const settings &s);
[[nodiscard]] std::vector<std::string> growing_operations();
// Records of events: what they cost the cycle thread, and how many the threads behind it make and keep.
figures run_events(const settings &s);
// What the state as plain values costs, part by part, in a cluster that is full.
figures run_snapshot(const settings &s);
// A copy of a partition that is full, for another thread, and what a question costs then.
figures run_copy(const settings &s);
// What readers who come again cost a cluster that is full and busy.
figures run_readers(const settings &s);
// The openb trace, submitted at once.
figures run_openb(const settings &s);

// RMs in this process by libtenon, from submission to callback.
figures run_inproc(const settings &s);
// RMs over gRPC, on TCP and on a Unix socket, from request to answer.
figures run_grpc(const settings &s);
figures run_grpc_uds(const settings &s);
// Placing with and without a client that reads everything over HTTP in a loop.
figures run_rest(const settings &s);

}  // namespace tenon::bench
