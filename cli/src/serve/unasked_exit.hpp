// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ends of the process that nobody of the daemon asked for: exit(), _exit(), exec(), in whatever code.
#pragma once

#include <functional>
#include <string_view>

namespace tenon::cli {

// Called once, on the thread that ends the process, with words of how it does; does not return.
using unasked_exit_handler = std::function<void(std::string_view how)>;

// From now on exit() is noticed, behind whatever else is called then; more than once does no harm.
void notice_exit();

// While the daemon serves. Null: it does not, and a call of a module then ends the process with a record alone.
void on_unasked_exit(unasked_exit_handler *handler);

// By whoever is about to end the process, or to replace its program. Returns where that is as it should be, and where
// it is not the daemon's process, such as a child between fork and exec.
void ends_process(std::string_view how);

}  // namespace tenon::cli
