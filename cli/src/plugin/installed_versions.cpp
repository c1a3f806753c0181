// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/installed_versions.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "run/output_file.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char *before_name = "before";

refusal cannot_install(const fs::path &where, const std::string &what) {
  return {where.string(), "a folder of modules that can be written", what,
          "run the command as a user who may write there, on a disk that has room"};
}

std::optional<refusal> write_through(const fs::path &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int why = errno;
  if (file >= 0) ::close(file);
  if (done || why == EINVAL) return std::nullopt;  // not every file system writes folders through
  return cannot_install(path, std::generic_category().message(why));
}

// Replaces a link in one step.
std::optional<refusal> point(const fs::path &link, const fs::path &to) {
  const fs::path draft = link.parent_path() / ("." + link.filename().string() + "." + std::to_string(::getpid()));
  std::error_code failed;
  fs::remove(draft, failed);
  fs::create_symlink(to, draft, failed);
  if (!failed) fs::rename(draft, link, failed);
  if (!failed) return write_through(link.parent_path());
  std::error_code ignored;
  fs::remove(draft, ignored);
  return cannot_install(link, failed.message());
}

}  // namespace

installed_versions::installed_versions(fs::path modules, std::string id)
    : modules_(std::move(modules)), own_(modules_ / id), id_(std::move(id)) {}

std::optional<installed_versions> installed_versions::of(const host::module_manifest &manifest) {
  const fs::path version = manifest.file.parent_path(), own = version.parent_path();
  if (version.filename() != manifest.version || own.filename() != manifest.id) return std::nullopt;
  installed_versions out(own.parent_path(), manifest.id);
  return out.in_use() == manifest.version ? std::optional(std::move(out)) : std::nullopt;
}

fs::path installed_versions::folder(const std::string &version) const { return own_ / version; }

std::optional<fs::path> installed_versions::manifest(const std::string &version) const {
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(folder(version), failed))
    if (entry.path().extension() == ".yaml") return entry.path();
  return std::nullopt;
}

std::vector<std::string> installed_versions::all() const {
  std::vector<std::string> out;
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(own_, failed)) {
    const std::string name = entry.path().filename();
    if (!entry.is_symlink(failed) && name.front() != '.' && manifest(name)) out.push_back(name);
  }
  std::sort(out.begin(), out.end(),
            [](const auto &a, const auto &b) { return ::strverscmp(a.c_str(), b.c_str()) < 0; });
  return out;
}

std::optional<std::string> installed_versions::in_use() const {
  std::error_code failed;
  const fs::path to = fs::read_symlink(modules_ / (id_ + ".yaml"), failed);
  if (failed || to.parent_path().parent_path() != id_) return std::nullopt;
  return to.parent_path().filename().string();
}

std::optional<std::string> installed_versions::before() const {
  std::error_code failed;
  const fs::path to = fs::read_symlink(own_ / before_name, failed);
  if (failed || to.string() == in_use() || !manifest(to)) return std::nullopt;
  return to.string();
}

std::optional<refusal> installed_versions::put_in_use(const std::string &version) const {
  const auto now = in_use();
  if (now == version) return std::nullopt;
  const auto to = manifest(version);
  if (!to) return cannot_install(folder(version), "no manifest");
  const fs::path link = modules_ / (id_ + ".yaml");
  std::error_code failed;
  if (const auto what = fs::symlink_status(link, failed); fs::exists(what) && !fs::is_symlink(what))
    return refusal{link.string(), "a link to the version in use, or nothing", "a file that no installation wrote",
                   "remove it with its library, and install again"};
  if (now) {
    if (auto no = point(own_ / before_name, *now)) return no;
  }
  return point(link, fs::path(id_) / version / to->filename());
}

version_draft::version_draft(const installed_versions &of) : of_(of) {}

version_draft::~version_draft() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  // What is not empty stays.
  std::for_each(made_.rbegin(), made_.rend(), [&](const fs::path &one) { fs::remove(one, ignored); });
}

std::optional<refusal> version_draft::write(std::span<const tar_member> files) {
  std::error_code failed;
  for (fs::path at = of_.own_; !at.empty() && !fs::exists(at, failed); at = at.parent_path())
    made_.insert(made_.begin(), at);
  fs::create_directories(of_.own_, failed);
  if (failed) return cannot_install(of_.own_, failed.message());
  std::string name = of_.own_ / ".draft-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return cannot_install(of_.own_, std::generic_category().message(errno));
  folder_ = name;
  constexpr auto readable =
      fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read;
  for (const tar_member &file : files) {
    const fs::path path = folder_ / file.name;
    if (auto no = write_file(path, file.bytes)) return no;
    fs::permissions(path, readable, failed);
    if (auto no = write_through(path)) return no;
  }
  fs::permissions(folder_, readable | fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, failed);
  return write_through(folder_);
}

std::optional<refusal> version_draft::keep_as(const std::string &version) {
  std::error_code failed;
  fs::rename(folder_, of_.folder(version), failed);
  if (failed) return cannot_install(of_.folder(version), failed.message());
  folder_.clear();
  made_.clear();
  return write_through(of_.own_);
}

}  // namespace tenon::cli
