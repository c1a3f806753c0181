// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/trace_csv.hpp"

#include <string>
#include <vector>

namespace tenon::cli {
namespace {

struct cell {
  std::string_view text;
  size_t column;  // of its first character, from 1
};

// The fields of a line without the blanks around them.
void split(std::string_view line, std::vector<cell> &into) {
  constexpr std::string_view blanks = " \t\r";
  into.clear();
  for (size_t from = 0; from <= line.size();) {
    const size_t comma = std::min(line.find(',', from), line.size());
    const std::string_view raw = line.substr(from, comma - from);
    const size_t first = raw.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
      into.push_back({raw.substr(0, 0), from + 1});
    } else {
      into.push_back({raw.substr(first, raw.find_last_not_of(blanks) - first + 1), from + first + 1});
    }
    from = comma + 1;
  }
}

// Line by line, empty ones passed over.
class line_reader {
 public:
  explicit line_reader(std::string_view text) : rest_(text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  }

  bool next(std::string_view &line) {
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) return true;
    }
    return false;
  }

  [[nodiscard]] size_t number() const { return number_; }

 private:
  std::string_view rest_;
  size_t number_ = 0;
};

}  // namespace

std::optional<refusal> read_rows(const trace_text &in, std::span<const std::string_view> columns, size_t required,
                                 const std::function<void(std::span<const trace_field> row)> &take) {
  line_reader lines(in.text);
  std::string_view line;
  std::vector<cell> header, cells;
  if (!lines.next(line)) {
    return refusal{place_in(in.file, 1, 1), "a header line with the names of the columns", "an empty file",
                   "is this the right file?"};
  }
  split(line, header);
  const size_t header_line = lines.number();
  std::vector<size_t> at;
  std::vector<std::string> names;
  for (const std::string_view column : columns) {
    const auto found = std::find_if(header.begin(), header.end(), [&](const cell &c) { return c.text == column; });
    if (found == header.end() && at.size() < required) {
      return refusal{place_in(in.file, header_line, 1) + ": column " + std::string(column), "a header with this column",
                     "it is missing", "is this the right file?"};
    }
    at.push_back(static_cast<size_t>(found - header.begin()));
    names.push_back("column " + std::string(column));
  }
  std::vector<trace_field> row(columns.size());
  try {
    while (lines.next(line)) {
      split(line, cells);
      if (cells.size() != header.size()) {
        const bool few = cells.size() < header.size();
        const size_t place = few ? cells.back().column + cells.back().text.size() : cells[header.size()].column;
        return refusal{place_in(in.file, lines.number(), place), std::to_string(header.size()) + " fields",
                       std::to_string(cells.size()) + " fields", few ? "complete the line" : "take the surplus away"};
      }
      for (size_t i = 0; i < row.size(); ++i) {
        if (at[i] == header.size()) continue;
        row[i] = trace_field(cells[at[i]].text, names[i], in.file, lines.number(), cells[at[i]].column);
      }
      take(row);
    }
  } catch (const refused_trace &refused) {
    return refused.why;
  }
  return std::nullopt;
}

bool has_column(const trace_text &in, std::string_view column) {
  line_reader lines(in.text);
  std::string_view line;
  if (!lines.next(line)) return false;
  std::vector<cell> header;
  split(line, header);
  return std::any_of(header.begin(), header.end(), [&](const cell &c) { return c.text == column; });
}

}  // namespace tenon::cli
