// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is looked at in the header fields of a request before its body is read: how it is framed, for which host it is,
// and the page that sends it.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <optional>
#include <string_view>

#include "answer.hpp"
#include "settings.hpp"

namespace tenon::rest {

// What the client gets instead of what it asked for, if anything is wrong. A framing that this server and a proxy
// before it may read in two ways is refused: one request could hide another. So are names of hosts that are not this
// server's: a page of another site could have its own name lead here.
[[nodiscard]] std::optional<answer> header_problem(const settings &s, const boost::beast::http::request_header<> &from);

// Which pages of others may read the answer.
void say_who_may_read(const settings &s, boost::beast::http::fields &to, std::string_view methods);

}  // namespace tenon::rest
