// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether all is well, as the host says it to everybody.
#include "handlers.hpp"
#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

answer get_health(const context &c) {
  if (c.use.metrics == nullptr) throw refused{503, "the scheduler says nothing of its health"};
  const reading now(c.use, TENON_METRICS_HEALTH);
  json::array checks;
  for (const auto &h : listed<tenon_health>(now->health)) {
    const bool warns = h.well == 0 && h.fails == 0;
    object_writer one;
    one.put("Name", view(h.name));
    one.always("Succeeded", h.well != 0);
    one.put("Description", view(h.meaning));
    one.put("DiagnosisMessage", (warns ? "warning: " : "") + std::string(view(h.diagnosis)));
    checks.push_back(one.take());
  }
  return json_answer(json::object{{"Healthy", now->healthy != 0}, {"HealthChecks", std::move(checks)}});
}

}  // namespace tenon::rest
