// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/trace.hpp"

#include <functional>
#include <string>
#include <vector>

#include "trace/philly.hpp"
#include "trace/swf.hpp"
#include "trace/trace_file.hpp"

namespace tenon::cli {
namespace {

// How a kind of trace is read from its files, of which the second may be absent.
struct trace_kind {
  std::string_view prefix;
  bool needs_second;
  std::function<result<load>(const trace_text &first, const trace_text &second)> read;
};

result<load> read_files(const trace_kind &kind, std::string_view first, std::string_view second) {
  trace_text texts[2];
  std::string bytes[2];
  size_t i = 0;
  for (const std::string_view file : {first, second}) {
    texts[i].file = file;
    if (!file.empty()) {
      auto read = read_trace_file(texts[i].file);
      if (!read) return read.why();
      bytes[i] = std::move(*read);
      texts[i].text = bytes[i];
    }
    ++i;
  }
  return kind.read(texts[0], texts[1]);
}

}  // namespace

result<load> read_trace(std::string_view spec, gpu_model gpus) {
  const std::vector<trace_kind> kinds = {
      {trace_kinds[0], true, [gpus](const auto &nodes, const auto &pods) { return read_openb(nodes, pods, gpus); }},
      {trace_kinds[1], true, read_philly},
      {trace_kinds[2], false, read_swf},
  };
  for (const trace_kind &kind : kinds) {
    if (!spec.starts_with(kind.prefix)) continue;
    const std::string_view files = spec.substr(kind.prefix.size());
    const size_t comma = files.find(',');
    const bool has_second = comma != std::string_view::npos && comma + 1 < files.size();
    if (files.substr(0, comma).empty() || (kind.needs_second && !has_second)) break;
    return read_files(kind, files.substr(0, comma), has_second ? files.substr(comma + 1) : std::string_view());
  }
  return refusal{"--trace", std::string(trace_forms), "'" + std::string(spec) + "'", "name the kind and its files"};
}

}  // namespace tenon::cli
