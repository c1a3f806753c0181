// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/openb.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_set>

// The reader's own thread buys nothing for texts in memory.
#define CSV_IO_NO_THREAD
#include <libfccp/csv.h>

namespace tenon::cli {
namespace {

constexpr int64_t gpu_whole = 1000;
constexpr int64_t mib = int64_t{1} << 20;
constexpr std::string_view model_key = "si/gpu-model";
constexpr std::string_view shared_gpu = "devices are not modelled; use --gpu-model sum";

// Thrown inside this file to leave the middle of a table.
struct refused_line {
  refusal why;
};

// A row of a table with the place for what is wrong in it.
class row_place {
 public:
  row_place(const std::string &file, unsigned line) : file_(file), line_(line) {}

  [[noreturn]] void refuse(std::string_view column, std::string want, std::string_view have, std::string fix) const {
    throw refused_line{{file_ + ":" + std::to_string(line_) + ": column " + std::string(column), std::move(want),
                        "'" + std::string(have) + "'", std::move(fix)}};
  }

  // A whole number from 0 to `most`.
  [[nodiscard]] int64_t number(std::string_view column, std::string_view text, int64_t most) const {
    int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc() && end == text.data() + text.size();
    if (!whole || value < 0 || value > most) {
      refuse(column, "a whole number from 0 to " + std::to_string(most), text, "correct the field");
    }
    return value;
  }

  [[nodiscard]] std::string id(std::string_view column, std::string_view text) const {
    if (text.empty()) refuse(column, "a name", text, "give it one");
    return std::string(text);
  }

 private:
  const std::string &file_;
  unsigned line_;
};

// Reads the named columns of every row. `take` gets the place and the fields, in the order of `names`.
template <size_t Count, class Take>
std::optional<refusal> read_rows(const csv_text &in, const std::array<const char *, Count> &names, Take take) {
  using reader = io::CSVReader<Count, io::trim_chars<' ', '\t'>, io::no_quote_escape<','>>;
  const auto at_line = [&](const io::error::with_file_line &e) { return in.file + ":" + std::to_string(e.file_line); };
  const std::string wanted_fields = std::to_string(Count) + " fields";
  try {
    reader rows(in.file, in.text.data(), in.text.data() + in.text.size());
    std::apply([&](auto... name) { rows.read_header(io::ignore_extra_column, name...); }, names);
    std::array<const char *, Count> fields{};
    while (std::apply([&](auto &...field) { return rows.read_row(field...); }, fields)) {
      std::array<std::string_view, Count> texts;
      std::copy(fields.begin(), fields.end(), texts.begin());
      take(row_place(in.file, rows.get_file_line()), texts);
    }
    return std::nullopt;
  } catch (const refused_line &refused) {
    return refused.why;
  } catch (const io::error::too_few_columns &e) {
    return refusal{at_line(e), wanted_fields, "fewer fields", "complete the line"};
  } catch (const io::error::too_many_columns &e) {
    return refusal{at_line(e), wanted_fields, "more fields", "take the surplus away"};
  } catch (const io::error::line_length_limit_exceeded &e) {
    return refusal{at_line(e), "a line of a table", "a line of more than 16 MiB", "is this the right file?"};
  } catch (const io::error::missing_column_in_header &e) {
    return refusal{in.file + ":1: column " + e.column_name, "a header with this column", "it is missing",
                   "is this the right file?"};
  } catch (const io::error::base &e) {
    return refusal{in.file + ":1", "a header line with the names of the columns", e.what(), "is this the right file?"};
  }
}

std::optional<refusal> read_nodes(const csv_text &in, load &into) {
  constexpr auto names = std::to_array<const char *>({"sn", "cpu_milli", "memory_mib", "gpu", "model"});
  std::unordered_set<std::string> seen;
  const auto take = [&](const row_place &at, const std::array<std::string_view, names.size()> &row) {
    const auto &[sn, cpu, memory, gpu, model] = row;
    load_node node;
    node.id = at.id("sn", sn);
    if (!seen.insert(node.id).second) at.refuse("sn", "a name that no line before has", sn, "name each node once");
    node.capacity = {{"vcore", at.number("cpu_milli", cpu, int64_t{1} << 40)},
                     {"memory", at.number("memory_mib", memory, int64_t{1} << 40) * mib}};
    const int64_t gpus = at.number("gpu", gpu, 1'000'000);
    if (gpus > 0) node.capacity["gpu"] = gpus * gpu_whole;
    if (!model.empty()) node.attributes[std::string(model_key)] = model;
    into.nodes.push_back(std::move(node));
  };
  return read_rows(in, names, take);
}

// Equal shapes of pods get one index.
class shape_table {
 public:
  explicit shape_table(load &into) : into_(into) {}

  uint32_t index_of(const load_shape &shape) {
    const auto [at, fresh] = known_.try_emplace({shape.resources, shape.tags}, into_.shapes.size());
    if (fresh) into_.shapes.push_back(shape);
    return at->second;
  }

 private:
  load &into_;
  std::map<std::pair<amount_map, std::map<std::string, std::string>>, uint32_t> known_;
};

std::string queue_of(const row_place &at, std::string_view qos) {
  std::string name(qos);
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (name.empty() || name.size() > 64 || !std::all_of(name.begin(), name.end(), fits)) {
    at.refuse("qos", "a class that can name a queue", qos, "use letters, digits, - and _");
  }
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return "root." + name;
}

constexpr auto pod_columns = std::to_array<const char *>(
    {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "creation_time", "deletion_time"});

class pod_reader {
 public:
  pod_reader(gpu_model gpus, load &into) : gpus_(gpus), into_(into), shapes_(into) {}

  void take(const row_place &at, const std::array<std::string_view, pod_columns.size()> &row) {
    const auto &[name, cpu, memory, num_gpu, gpu_milli, gpu_spec, qos, created, deleted] = row;
    constexpr int64_t most_seconds = int64_t{1} << 40;
    const std::string id = at.id("name", name);
    if (!seen_.insert(id).second) at.refuse("name", "a name that no line before has", name, "name each pod once");
    load_shape shape;
    shape.resources = {{"vcore", at.number("cpu_milli", cpu, int64_t{1} << 40)},
                       {"memory", at.number("memory_mib", memory, int64_t{1} << 40) * mib}};
    const int64_t gpus = at.number("num_gpu", num_gpu, 1'000'000);
    const int64_t milli = at.number("gpu_milli", gpu_milli, gpu_whole);
    if (milli < gpu_whole && gpus > 1) {
      at.refuse("gpu_milli", "1000 where num_gpu is above 1", gpu_milli, "only one GPU can be shared");
    }
    if (gpus * milli > 0) shape.resources["gpu"] = gpus * milli;
    if (!gpu_spec.empty()) shape.tags[std::string(model_key)] = gpu_spec;
    const std::string queue = queue_of(at, qos);
    const int64_t from = at.number("creation_time", created, most_seconds);
    const int64_t to = at.number("deletion_time", deleted, most_seconds);
    if (to < from) at.refuse("deletion_time", "a time from creation_time on", deleted, "swap the two");
    if (gpus == 1 && milli > 0 && milli < gpu_whole && gpus_ == gpu_model::whole) {
      ++shared_;
      return;
    }
    into_.asks.push_back({id, static_cast<uint32_t>(into_.applications.size()), shapes_.index_of(shape), from * 1000,
                          (to - from) * 1000});
    into_.applications.push_back({id, queue, std::string(qos)});
  }

  [[nodiscard]] uint64_t shared() const { return shared_; }

 private:
  gpu_model gpus_;
  load &into_;
  shape_table shapes_;
  std::unordered_set<std::string> seen_;
  uint64_t shared_ = 0;
};

}  // namespace

result<load> read_openb(const csv_text &nodes, const csv_text &pods, gpu_model gpus) {
  load out;
  out.origin = "openb trace " + nodes.file + ", " + pods.file;
  if (const auto why = read_nodes(nodes, out)) return *why;
  if (out.nodes.empty()) return refusal{nodes.file, "at least one node", "none below the header", "add a node"};
  pod_reader reader(gpus, out);
  const auto take = [&](const row_place &at, const auto &row) { reader.take(at, row); };
  if (const auto why = read_rows(pods, pod_columns, take)) return *why;
  if (reader.shared() > 0) out.left_out_asks.push_back({std::string(shared_gpu), reader.shared()});
  return out;
}

}  // namespace tenon::cli
