// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "configuration_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tenon::service {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view unescaped = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

// A name of anything as part of a file's name, as in a URL.
std::string escaped(const std::string &name) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    if (unescaped.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += hex[byte >> 4U];
    out += hex[byte & 0xFU];
  }
  return out;
}

refusal store_refusal(const fs::path &file, const std::string &what) {
  return {file.string(), "a file that can be written", what + ": " + std::strerror(errno),
          "see that configuration.store is the daemon's and its disk has room"};
}

// All of `bytes`, on the disk.
std::optional<refusal> write_whole(const fs::path &file, std::string_view bytes) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return store_refusal(file, "cannot open it");
  std::optional<refusal> out;
  while (!bytes.empty() && !out) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      out = store_refusal(file, "writing failed");
    }
  }
  if (!out && ::fsync(descriptor) != 0) out = store_refusal(file, "writing failed");
  ::close(descriptor);
  return out;
}

std::string stored_text(const json::object &from, std::string_view key) {
  return std::string(from.at(key).as_string());
}

stored_configuration parse_stored(const std::string &text) {
  const json::object from = json::parse(text).as_object();
  stored_configuration out;
  out.policy_group = stored_text(from, "policy_group");
  out.rm = stored_text(from, "rm");
  out.text = stored_text(from, "configuration");
  out.by = stored_text(from, "by");
  out.revision = from.at("revision").to_number<uint64_t>();
  out.since_ms = from.at("since_ms").to_number<int64_t>();
  out.instead_of = stored_text(from, "instead_of");
  out.instead_of_revision = from.at("instead_of_revision").to_number<uint64_t>();
  return out;
}

}  // namespace

result<configuration_store> configuration_store::open(fs::path folder) {
  std::error_code problem;
  const fs::file_status there = fs::status(folder, problem);
  if (fs::exists(there) && !fs::is_directory(there))
    return refusal{folder.string(), "a folder, or nothing", "a file of another kind",
                   "name a folder in configuration.store"};
  if (!folder.has_filename()) folder = folder.parent_path();  // "kept/"
  const fs::path above = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  if (!fs::exists(there) && !fs::is_directory(above, problem))
    return refusal{folder.string(), "a folder, or one in which it can be made", "there is no folder " + above.string(),
                   "make it, or name another in configuration.store"};
  return configuration_store(std::move(folder));
}

fs::path configuration_store::file_of(const std::string &policy_group, const std::string &rm) const {
  return folder_ / ((rm.empty() ? "group-" + escaped(policy_group) : "rm-" + escaped(rm)) + ".json");
}

result<std::vector<stored_configuration>> configuration_store::read() const {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator at(folder_, problem), end; !problem && at != end; at.increment(problem))
    if (at->path().extension() == ".json") files.push_back(at->path());
  std::sort(files.begin(), files.end());
  std::vector<stored_configuration> out;
  for (const fs::path &file : files) {
    try {
      std::ifstream from(file, std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
      out.push_back(parse_stored(text));
      out.back().file = file;
    } catch (const std::exception &wrong) {
      return refusal{file.string(), "a configuration that the daemon kept", wrong.what(),
                     "move the file away: then what policy_groups names is in force"};
    }
  }
  return out;
}

std::optional<refusal> configuration_store::keep(const stored_configuration &one) const {
  std::error_code made;
  if (fs::create_directory(folder_, made)) fs::permissions(folder_, fs::perms::owner_all, made);
  const std::string text = json::serialize(json::object{{"policy_group", one.policy_group},
                                                        {"rm", one.rm},
                                                        {"revision", one.revision},
                                                        {"by", one.by},
                                                        {"since_ms", one.since_ms},
                                                        {"instead_of", one.instead_of},
                                                        {"instead_of_revision", one.instead_of_revision},
                                                        {"configuration", one.text}});
  const fs::path file = file_of(one.policy_group, one.rm);
  const fs::path fresh = file.string() + ".new";
  if (auto why = write_whole(fresh, text)) return why;
  if (::rename(fresh.c_str(), file.c_str()) != 0) return store_refusal(file, "cannot rename");
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return std::nullopt;
}

void configuration_store::forget(const std::string &policy_group, const std::string &rm) const {
  std::error_code gone;
  fs::remove(file_of(policy_group, rm), gone);
}

}  // namespace tenon::service
