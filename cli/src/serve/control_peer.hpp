// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who is at the other end of the control socket.
#pragma once

#include "tenon/observe/operations.hpp"

namespace tenon::cli {

// The user that the kernel of the machine says, with the process. Whoever may open the socket may do everything.
[[nodiscard]] observe::caller peer_of(int descriptor);

}  // namespace tenon::cli
