// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Groups of users from a file like /etc/group, `ops:x:100:alice,bob`, in its order. The file is read anew once it is
// another one: whoever writes it moves a new one over it.
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "tenon/sdk/identity.hpp"

namespace {

using namespace tenon::sdk;

struct group_file {
  static constexpr std::string_view name = "group-file";

  explicit group_file(const config &settings)
      : path_(settings.text("path", "/etc/group")), strangers_(settings.flag("strangers", false)) {}

  std::optional<std::vector<std::string>> groups(std::string_view user) {
    read();
    const auto found = of_user_.find(user);
    if (found != of_user_.end()) return found->second;
    if (strangers_) return std::vector<std::string>{};
    return std::nullopt;
  }

 private:
  // The file is what it was: same place, same time of its last change.
  struct version {
    dev_t device = 0;
    ino_t file = 0;
    off_t size = -1;
    timespec changed{};
    bool operator==(const version &o) const {
      return device == o.device && file == o.file && size == o.size && changed.tv_sec == o.changed.tv_sec &&
             changed.tv_nsec == o.changed.tv_nsec;
    }
  };

  void read() {
    struct stat now {};
    if (::stat(path_.c_str(), &now) != 0) throw unavailable("cannot find " + path_);
    const version seen{now.st_dev, now.st_ino, now.st_size, now.st_mtim};
    if (seen == version_) return;
    std::ifstream in(path_, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (!in.is_open() || in.bad()) throw unavailable("cannot read " + path_);
    std::map<std::string, std::vector<std::string>, std::less<>> all;
    for (std::string_view rest = text; !rest.empty();) take_line(cut(rest, '\n'), all);
    of_user_ = std::move(all);
    version_ = seen;
  }

  // What is before the first `end`, which is taken off as well.
  static std::string_view cut(std::string_view &from, char end) {
    const size_t at = from.find(end);
    const std::string_view out = from.substr(0, at);
    from.remove_prefix(at == std::string_view::npos ? from.size() : at + 1);
    return out;
  }

  static void take_line(std::string_view line, std::map<std::string, std::vector<std::string>, std::less<>> &to) {
    const std::string_view group = cut(line, ':');
    cut(line, ':'), cut(line, ':');  // password and number
    while (!line.empty() && !group.empty()) {
      const std::string_view user = cut(line, ',');
      if (user.empty()) continue;
      std::vector<std::string> &of = to[std::string(user)];
      if (std::find(of.begin(), of.end(), group) == of.end()) of.emplace_back(group);
    }
  }

  std::string path_;
  bool strangers_;
  version version_;
  std::map<std::string, std::vector<std::string>, std::less<>> of_user_;
};

}  // namespace

TENON_MODULE(identity<group_file>)
