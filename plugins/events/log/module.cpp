// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A line of JSON for each record.
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tenon/sdk/event_sink.hpp"

namespace {

using namespace tenon::sdk;

void append_number(std::string &line, int64_t value) {
  char digits[24];
  line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_text(std::string &line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        line += '\\';
        line += c;
        break;
      case '\n':
        line += "\\n";
        break;
      case '\t':
        line += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          constexpr char hex[] = "0123456789abcdef";
          line += "\\u00";
          line += hex[static_cast<unsigned char>(c) >> 4];
          line += hex[static_cast<unsigned char>(c) & 0xf];
        } else {
          line += c;
        }
    }
  }
  line += '"';
}

// Empty texts are left out.
std::string as_json(const event &record) {
  std::string line = "{\"id\":";
  append_number(line, static_cast<int64_t>(record.id()));
  const auto number = [&](std::string_view key, int64_t value) {
    line += ",\"" + std::string(key) + "\":";
    append_number(line, value);
  };
  const auto text = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    line += ",\"" + std::string(key) + "\":";
    append_text(line, value);
  };
  if (record.is_loss()) number("lastID", static_cast<int64_t>(record.last_id()));
  text("run", record.run());
  number("timestampNano", record.timestamp_ns());
  number("type", record.type());
  number("eventChangeType", record.change());
  number("eventChangeDetail", record.detail());
  text("objectID", record.object());
  text("referenceID", record.reference());
  text("groupID", record.group());
  text("reason", record.reason());
  text("message", record.message());
  text("partition", record.partition());
  text("application", record.application());
  text("queue", record.queue());
  text("node", record.node());
  for (uint32_t i = 0; i < record.resource_count(); ++i) {
    line += i == 0 ? ",\"resource\":{" : ",";
    append_text(line, record.resource_type(i));
    line += ':';
    append_number(line, record.resource_value(i));
  }
  return line + (record.resource_count() == 0 ? "}" : "}}");
}

// What stands behind the last newline of the file.
std::string unfinished_line(const std::filesystem::path &file, uintmax_t size) {
  std::ifstream in(file, std::ios::binary);
  std::string tail, part;
  while (in && tail.size() < size) {
    const size_t more = std::min<uintmax_t>(size - tail.size(), 65'536);
    part.resize(more);
    in.seekg(static_cast<std::streamoff>(size - tail.size() - more));
    in.read(part.data(), static_cast<std::streamsize>(more));
    const size_t newline = part.rfind('\n');
    tail.insert(0, part, newline == std::string::npos ? 0 : newline + 1, std::string::npos);
    if (newline != std::string::npos) break;
  }
  return tail;
}

// A full disk or a kill leaves half a record, which comes again: it goes. Lines of others are only ended.
void begin_a_line(const std::filesystem::path &file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return;
  const uintmax_t size = std::filesystem::file_size(file);
  const std::string tail = unfinished_line(file, size);
  if (tail.starts_with('{')) {
    std::filesystem::resize_file(file, size - tail.size());
  } else if (!tail.empty()) {
    std::ofstream out(file, std::ios::app);
    out << std::endl;
    if (!out) throw unavailable("cannot write to " + file.string());
  }
}

struct json_lines {
  static constexpr std::string_view name = "log";

  explicit json_lines(const config &settings)
      : path_(settings.text("path", "")),
        max_bytes_(static_cast<size_t>(settings.whole("max_mb", 64, 1, 1'048'576)) << 20U),
        files_(static_cast<size_t>(settings.whole("files", 4, 0, 1'000))) {}

  // A batch whose lines were written, and that could not be flushed, comes again: a line may stand twice.
  void emit(const event_batch &records) {
    if (to_ == nullptr) open();
    for (const event record : records) {
      to_->log(spdlog::level::info, as_json(record));
      if (failed_) break;  // nothing may follow half a line
    }
    if (!failed_) to_->flush();
    if (!failed_) return;
    to_.reset();
    throw unavailable(last_error_);
  }

 private:
  void open() {
    failed_ = false;
    try {
      std::shared_ptr<spdlog::sinks::sink> sink;
      if (path_.empty()) {
        sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
      } else {
        begin_a_line(path_);
        sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path_, max_bytes_, files_);
      }
      sink->set_pattern("%v");
      to_ = std::make_shared<spdlog::logger>("events", std::move(sink));
    } catch (const spdlog::spdlog_ex &e) {
      throw unavailable(e.what());
    } catch (const std::filesystem::filesystem_error &e) {
      throw unavailable(e.what());
    }
    to_->set_error_handler([this](const std::string &error) {
      failed_ = true;
      last_error_ = error;
    });
  }

  std::string path_;
  size_t max_bytes_, files_;
  std::shared_ptr<spdlog::logger> to_;
  bool failed_ = false;
  std::string last_error_;
};

}  // namespace

TENON_MODULE(event_sink<json_lines>)
