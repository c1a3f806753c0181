// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The OpenAPI document, made from the tables of routes and shapes.
#include "handlers.hpp"
#include "shapes.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

json::object reference(std::string_view name) { return {{"$ref", "#/components/schemas/" + std::string(name)}}; }

json::object schema_of(const key_shape &k) {
  switch (k.is) {
    case kind::text:
      return {{"type", "string"}};
    case kind::integer:
      return {{"type", "integer"}, {"format", "int64"}};
    case kind::number:
      return {{"type", "number"}};
    case kind::flag:
      return {{"type", "boolean"}};
    case kind::texts:
      return {{"type", "array"}, {"items", json::object{{"type", "string"}}}};
    case kind::amounts:
      return {{"type", "object"}, {"additionalProperties", json::object{{"type", "integer"}, {"format", "int64"}}}};
    case kind::text_map:
      return {{"type", "object"}, {"additionalProperties", json::object{{"type", "string"}}}};
    case kind::object:
      return k.of.empty() ? json::object{{"type", "object"}} : reference(k.of);
    case kind::list:
      return {{"type", "array"}, {"items", k.of.empty() ? json::object{} : reference(k.of)}};
    case kind::any:
      break;
  }
  return {};
}

json::object schemas() {
  json::object out;
  for (const shape &s : all_shapes()) {
    json::object properties;
    json::array required;
    for (const key_shape &k : s.keys) {
      properties[k.key] = schema_of(k);
      if (k.always) required.emplace_back(k.key);
    }
    json::object one{{"type", "object"}, {"description", s.meaning}, {"properties", std::move(properties)}};
    if (!required.empty()) one["required"] = std::move(required);
    out[s.name] = std::move(one);
  }
  return out;
}

// "/a/:b" as "/a/{b}".
std::string braced(std::string_view path, json::array &parameters) {
  std::string out;
  size_t at = 0;
  while (at < path.size()) {
    const size_t end = std::min(path.find('/', at + 1), path.size());
    std::string_view part = path.substr(at + 1, end - at - 1);
    out += '/';
    if (part.starts_with(':')) {
      part.remove_prefix(1);
      out += "{" + std::string(part) + "}";
      parameters.push_back(json::object{
          {"name", part}, {"in", "path"}, {"required", true}, {"schema", json::object{{"type", "string"}}}});
    } else {
      out += part;
    }
    at = end;
  }
  return out;
}

json::object operation(const route &r, json::array parameters) {
  for (const query_parameter &q : r.query) {
    parameters.push_back(json::object{{"name", q.name},
                                      {"in", "query"},
                                      {"required", false},
                                      {"description", q.meaning},
                                      {"schema", json::object{{"type", q.type}}}});
  }
  json::object good{{"description", r.summary}};
  if (!r.shape.empty()) {
    const json::object of =
        r.list ? json::object{{"type", "array"}, {"items", reference(r.shape)}} : reference(r.shape);
    good["content"] = json::object{{"application/json", json::object{{"schema", of}}}};
  }
  const json::object bad{{"description", "refused"},
                         {"content", json::object{{"application/json", json::object{{"schema", reference("Error")}}}}}};
  const bool moved = r.summary.starts_with("moved");
  json::object out{{"summary", r.summary},
                   {"responses", json::object{{moved ? "301" : "200", std::move(good)}, {"default", bad}}}};
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  if (!r.body.empty()) {
    const bool object = r.body.starts_with('{');
    out["requestBody"] =
        json::object{{"description", r.body},
                     {"content", json::object{{object ? "application/json" : "application/x-yaml", json::object{}}}}};
  }
  if (r.needs == access::change) out["security"] = json::array{json::object{{"bearer", json::array{}}}};
  return out;
}

}  // namespace

json::object openapi() {
  json::object paths;
  for (const route &r : all_routes()) {
    json::array parameters;
    const std::string path = braced(r.path, parameters);
    std::string method(r.method);
    for (char &c : method) c = static_cast<char>(c - 'A' + 'a');
    if (!paths.contains(path)) paths[path] = json::object{};
    paths[path].as_object()[method] = operation(r, std::move(parameters));
  }
  return {
      {"openapi", "3.0.3"},
      {"info", json::object{{"title", "Tenon"}, {"version", TENON_MODULE_VERSION}}},
      {"paths", std::move(paths)},
      {"components", json::object{{"schemas", schemas()},
                                  {"securitySchemes",
                                   json::object{{"bearer", json::object{{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

answer get_openapi(const context &) { return json_answer(openapi()); }

}  // namespace tenon::rest
