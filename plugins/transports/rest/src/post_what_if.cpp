// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What would become of asks that nobody has sent: question and answer are the host's JSON.
#include "handlers.hpp"

namespace tenon::rest {

answer post_what_if(const context &c) {
  const tenon_host_explain *explain = c.use.explain;
  if (explain == nullptr || !TENON_COVERS(explain, tenon_host_explain, what_if))
    throw refused{503, "the scheduler answers no what-if questions"};
  const std::string partition = full_name(c.use, c.asked.parameter("partition"));
  text_buffer why;
  tenon_what_if_in in{};
  in.size = sizeof in;
  in.partition = sdk::text(partition);
  if (c.asked.from.known) in.user = sdk::text(c.asked.from.user);
  in.question = sdk::text(c.asked.body);
  tenon_what_if_out out{};
  out.size = sizeof out;
  out.error = why.out();
  const tenon_status status = explain->what_if(c.use.host, &in, &out);
  if (status != TENON_OK) refuse(status, why.text());
  answer found;
  found.body = sdk::view(out.answer);
  const tenon_explain_close_in close{sizeof close, 0, out.id};
  explain->close(c.use.host, &close);
  return found;
}

}  // namespace tenon::rest
