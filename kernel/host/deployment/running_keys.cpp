// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "deployment/parts.hpp"

namespace tenon::host {
namespace {

using config::key_spec;
using config::object_spec;
using config::value_kind;

constexpr std::array cycle_keys{
    key_spec{.key = "max_decisions",
             .kind = value_kind::count,
             .summary = "Decisions of one partition before new requests are looked at.",
             .fallback = "1000"},
    key_spec{.key = "idle",
             .kind = value_kind::duration,
             .summary = "The scheduler looks for work at least so often.",
             .fallback = "100ms"},
    key_spec{.key = "inspect",
             .kind = value_kind::duration,
             .summary = "How often resource managers that want it hear what their asks wait for; 0: never.",
             .fallback = "1s"},
    key_spec{.key = "manual",
             .kind = value_kind::boolean,
             .summary =
                 "Nothing happens by itself: requests are taken, time passes and decisions are made when somebody "
                 "steps the daemon.",
             .fallback = "false"},
};
constexpr object_spec cycle_object{"cycle", "How the scheduler steps.", cycle_keys};

constexpr std::array mailbox_keys{
    key_spec{.key = "requests",
             .kind = value_kind::count,
             .summary = "Requests of one resource manager that wait; beyond it they are to be sent again later.",
             .fallback = "65536"},
    key_spec{.key = "bytes", .kind = value_kind::count, .summary = "The same in bytes.", .fallback = "67108864"},
};
constexpr object_spec mailbox_object{"mailbox", "What waits for the scheduler.", mailbox_keys};

constexpr std::array outbox_keys{
    key_spec{.key = "high",
             .kind = value_kind::count,
             .summary = "Answers that a resource manager has not taken: beyond it nothing is decided for it and its "
                        "requests are to be sent again later.",
             .fallback = "20000"},
    key_spec{.key = "hard",
             .kind = value_kind::count,
             .summary = "Answers that it has not taken: beyond it, it is Paused.",
             .fallback = "50000"},
};
constexpr object_spec outbox_object{"outbox", "What waits for resource managers.", outbox_keys};

constexpr std::array rm_keys{
    key_spec{.key = "max",
             .kind = value_kind::count,
             .summary = "Resource managers at once; one more is refused.",
             .fallback = "64"},
    key_spec{.key = "pause_queue",
             .kind = value_kind::count,
             .summary = "Answers that wait for one that is Paused; beyond it, it is Stopped when it took none for "
                        "unread_timeout.",
             .fallback = "100000"},
    key_spec{.key = "unread_timeout",
             .kind = value_kind::duration,
             .summary = "How long more than pause_queue answers may wait of which one takes none.",
             .fallback = "10s"},
    key_spec{.key = "pause_timeout",
             .kind = value_kind::duration,
             .summary = "How long one may be Paused, away or taking no answer, before it is Stopped.",
             .fallback = "5m"},
    key_spec{.key = "check_deadline",
             .kind = value_kind::duration,
             .summary = "How long one may take to say whether an ask may run on a node, from when it has the check.",
             .fallback = "1s"},
    key_spec{.key = "check_window",
             .kind = value_kind::count,
             .summary = "Checks that wait for the answer of one at once; nothing more is decided for it meanwhile.",
             .fallback = "64"},
    key_spec{.key = "max_applications",
             .kind = value_kind::count,
             .summary = "Applications of one that have not ended; one more is refused.",
             .fallback = "500000"},
    key_spec{.key = "max_asks",
             .kind = value_kind::count,
             .summary = "Asks that one may keep, each counted once for each allocation that it may have, and foreign "
                        "allocations; one more is refused.",
             .fallback = "2000000"},
    key_spec{.key = "max_nodes",
             .kind = value_kind::count,
             .summary = "Nodes of one; one more is refused.",
             .fallback = "200000"},
    key_spec{.key = "max_bytes",
             .kind = value_kind::count,
             .summary = "Bytes that one may keep in applications, asks, allocations and nodes, with their texts; what "
                        "would make it more is refused.",
             .fallback = "2147483648"},
    key_spec{.key = "drain",
             .kind = value_kind::duration,
             .summary = "How long answers may take to go out when one leaves or the scheduler stops.",
             .fallback = "5s"},
};
constexpr object_spec rm_object{"rm", "Resource managers.", rm_keys};

constexpr std::array requests_keys{
    key_spec{.key = "max_text",
             .kind = value_kind::count,
             .summary = "Bytes of one text, as a tag's value.",
             .fallback = "65536"},
    key_spec{.key = "max_name", .kind = value_kind::count, .summary = "Bytes of an id.", .fallback = "1024"},
    key_spec{.key = "max_config",
             .kind = value_kind::count,
             .summary = "Bytes of a configuration that a resource manager sends.",
             .fallback = "4194304"},
};
constexpr object_spec requests_object{"requests", "What requests may hold.", requests_keys};

}  // namespace

const object_spec &cycle_spec() { return cycle_object; }
const object_spec &mailbox_spec() { return mailbox_object; }
const object_spec &outbox_spec() { return outbox_object; }
const object_spec &rm_spec() { return rm_object; }
const object_spec &requests_spec() { return requests_object; }

running_limits read_running_limits(const key_reader &root) {
  running_limits out;
  const key_reader cycle = root.object("cycle");
  cycle.count("max_decisions", out.max_decisions);
  cycle.duration("idle", out.idle_ms);
  cycle.duration("inspect", out.inspect_ms, 0);
  cycle.flag("manual", out.manual);
  const key_reader mailbox = root.object("mailbox");
  mailbox.count("requests", out.mailbox_requests);
  mailbox.count("bytes", out.mailbox_bytes);
  const key_reader outbox = root.object("outbox");
  outbox.count("high", out.outbox_high);
  outbox.count("hard", out.outbox_hard);
  if (out.outbox_hard < out.outbox_high)
    root.report().refuse(root.find("outbox")->at, "outbox.hard is " + std::to_string(out.outbox_hard),
                         "at least outbox.high, " + std::to_string(out.outbox_high), "raise it, or lower outbox.high");
  const key_reader rm = root.object("rm");
  rm.count("max", out.max_rms);
  rm.count("pause_queue", out.pause_queue);
  rm.duration("unread_timeout", out.unread_timeout_ms);
  rm.duration("pause_timeout", out.pause_timeout_ms);
  rm.duration("check_deadline", out.check_deadline_ms);
  rm.count("check_window", out.check_window);
  rm.count("max_applications", out.max_applications);
  rm.count("max_asks", out.max_asks);
  rm.count("max_nodes", out.max_nodes);
  rm.count("max_bytes", out.max_bytes, 1, uint64_t{1} << 50);
  rm.duration("drain", out.drain_ms, 0);
  const key_reader requests = root.object("requests");
  requests.count("max_text", out.max_text);
  requests.count("max_name", out.max_name);
  requests.count("max_config", out.max_config);
  return out;
}

}  // namespace tenon::host
