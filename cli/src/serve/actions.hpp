// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people tell the daemon to do over its socket: docs/control-socket.md has the keys.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <optional>
#include <string>

#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/operations.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::cli {

// What to do where there is no object of a kind and name.
using fix_of_missing = std::function<std::string(const std::string &kind, const std::string &name)>;

// The refusal of an action, with the command that shows what there is.
[[nodiscard]] refusal refused(const std::string &action, const std::string &object, const observe::outcome &how,
                              const fix_of_missing &fix = {});
// Why there is no such policy group, with the most similar one; empty: there is one, or none is named.
[[nodiscard]] std::optional<refusal> unknown_group(const service::scheduler &of, const std::string &group);

// An action by its name. Throws where a key has a value of another type.
[[nodiscard]] result<boost::json::object> act(observe::administration &on, const observe::caller &who,
                                              const boost::json::object &request, const fix_of_missing &fix);

// Decisions of a daemon that makes none by itself.
[[nodiscard]] result<boost::json::object> step(observe::administration &on, const observe::caller &who,
                                               const boost::json::object &request);
// A saved state, as text.
[[nodiscard]] boost::json::object saved_json(const observe::saved_outcome &of);
// Which configurations are in force, where they came from, and whether their files have changed since.
[[nodiscard]] result<boost::json::object> configurations(const service::scheduler &of,
                                                         const boost::json::object &request);

}  // namespace tenon::cli
