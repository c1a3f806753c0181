// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/pack_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "plugin/signature.hpp"
#include "run/output_file.hpp"
#include "tenon/config/sha256.hpp"
#include "tenon/host/library_lint.hpp"
#include "tenon/host/text_file.hpp"
#include "tenon/host/verified_library.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view sums_name = "SHA256SUMS", signature_name = "SHA256SUMS.sig", license_name = "LICENSE";
constexpr std::string_view format_mark = "# tenon.pack/1 ";
constexpr uintmax_t most_pack_bytes = uintmax_t{260} << 20;  // a library has at most 256 MiB
constexpr size_t most_text_bytes = size_t{4} << 20;
constexpr size_t longest_name = 100, longest_folder = 155;

const char *const from_vendor = "take the pack again from whoever built the module";

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("._+-").find(c) != std::string_view::npos;
         });
}

host::library_file library_of(std::string where, std::string_view bytes) {
  const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return {std::move(where), {begin, begin + bytes.size()}, config::sha256_hex(bytes)};
}

std::string first_line(const host::module_manifest &manifest, std::string_view build_id) {
  return std::string(format_mark) + manifest.id + " " + manifest.version + " build-id:" + std::string(build_id);
}

std::string sums_text(const std::string &first, std::span<const tar_member> files) {
  std::string out = first + "\n";
  for (const tar_member &file : files) out += config::sha256_hex(file.bytes) + "  " + file.name + "\n";
  return out;
}

// The lines of a digest list, name to digest; the first line apart.
struct digest_list {
  std::string first;
  std::map<std::string, std::string, std::less<>> digests;
};

result<digest_list> read_sums(std::string_view text, const std::string &where) {
  const auto refuse = [&](size_t line, std::string want, std::string_view have) {
    return refusal{where + ":" + std::to_string(line), std::move(want), config::in_quotes(have), from_vendor};
  };
  digest_list out;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (end == std::string_view::npos) return refuse(number, "a line with an end", line);
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (!line.starts_with(format_mark))
        return refuse(1, "a line that begins with '" + std::string(format_mark) + "'", line);
      out.first = line;
      continue;
    }
    const bool sound = line.size() > 66 && host::digest_digits("sha256:" + std::string(line.substr(0, 64))) &&
                       line.substr(64, 2) == "  ";
    if (!sound) return refuse(number, "64 hexadecimal digits, two blanks and the name of a file", line);
    if (!out.digests.emplace(line.substr(66), line.substr(0, 64)).second)
      return refuse(number, "each file once", line.substr(66));
  }
  if (out.first.empty()) return refuse(1, "a digest list", "");
  return out;
}

class pack_opener {
 public:
  pack_opener(std::string_view archive, const std::string &where, const std::string &key)
      : archive_(archive), where_(where), key_(key) {}

  result<module_pack> open() {
    auto members = read_tar(archive_, where_);
    if (!members) return members.why();
    out_.files = std::move(*members);
    if (auto no = take_off_folder()) return *no;
    if (auto no = check_sums()) return *no;
    if (auto no = check_signature_of_sums()) return *no;
    if (auto no = read_manifest_text()) return *no;
    if (auto no = check_library()) return *no;
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string at(std::string_view name) const { return where_ + ": " + std::string(name); }
  [[nodiscard]] const tar_member *find(std::string_view name) const {
    const auto found =
        std::find_if(out_.files.begin(), out_.files.end(), [&](const auto &f) { return f.name == name; });
    return found == out_.files.end() ? nullptr : &*found;
  }
  [[nodiscard]] refusal missing(std::string_view name) const {
    return {where_, "a file " + std::string(name), "a pack without it", from_vendor};
  }

  // Every member is FOLDER/NAME with one and the same folder, and no name is there twice.
  std::optional<refusal> take_off_folder() {
    std::vector<std::string> seen;
    for (tar_member &file : out_.files) {
      const size_t slash = file.name.find('/');
      const std::string_view folder = std::string_view(file.name).substr(0, slash);
      const std::string_view name = slash == std::string::npos ? "" : std::string_view(file.name).substr(slash + 1);
      if (folder_.empty()) folder_ = folder;
      if (!is_plain_name(folder) || !is_plain_name(name) || folder != folder_)
        return refusal{where_, "files of one folder, with names of letters, digits, '.', '_', '+' and '-'",
                       "a member " + config::in_quotes(file.name), from_vendor};
      if (std::find(seen.begin(), seen.end(), name) != seen.end())
        return refusal{where_, "each file once", "two members " + config::in_quotes(file.name), from_vendor};
      seen.emplace_back(name);
      file.name = seen.back();
    }
    return std::nullopt;
  }

  std::optional<refusal> check_sums() {
    const tar_member *sums = find(sums_name);
    if (sums == nullptr) return missing(sums_name);
    auto list = read_sums(sums->bytes, at(sums_name));
    if (!list) return list.why();
    first_ = std::move(list->first);
    for (const auto &[name, digest] : list->digests)
      if (find(name) == nullptr) return missing(config::in_quotes(name) + ", which SHA256SUMS lists");
    for (const tar_member &file : out_.files) {
      if (file.name == sums_name || file.name == signature_name) continue;
      const auto listed = list->digests.find(file.name);
      if (listed == list->digests.end())
        return refusal{at(file.name), "files that SHA256SUMS lists", "one that it does not list", from_vendor};
      if (const std::string have = config::sha256_hex(file.bytes); have != listed->second)
        return refusal{at(file.name), "sha256:" + listed->second + ", as SHA256SUMS says", "sha256:" + have,
                       from_vendor};
    }
    return std::nullopt;
  }

  std::optional<refusal> check_signature_of_sums() {
    const tar_member *signature = find(signature_name);
    out_.is_signed = signature != nullptr;
    if (key_.empty()) return std::nullopt;
    if (signature == nullptr)
      return refusal{where_, "a pack that is signed by the key " + key_, "a pack without a signature",
                     "take the signed pack, or leave out --key"};
    return check_signature(find(sums_name)->bytes, signature->bytes, key_, at(signature_name));
  }

  std::optional<refusal> read_manifest_text() {
    const tar_member *manifest = nullptr;
    for (const tar_member &file : out_.files) {
      if (!file.name.ends_with(".yaml")) continue;
      if (manifest != nullptr)
        return refusal{where_, "one manifest", manifest->name + " and " + file.name, from_vendor};
      manifest = &file;
    }
    if (manifest == nullptr) return missing("NAME.yaml, the manifest");
    if (manifest->bytes.size() > most_text_bytes)
      return refusal{at(manifest->name), "a manifest of at most 4 MiB", "a larger one", from_vendor};
    config::problems report(at(manifest->name));
    auto read = host::parse_manifest(manifest->bytes, at(manifest->name), report);
    if (!read) return report.refusals().front();
    out_.manifest = std::move(*read);
    out_.manifest_name = manifest->name;
    if (folder_ != pack_name(out_.manifest))
      return refusal{where_, "the folder " + pack_name(out_.manifest) + ", as the manifest's id and version say",
                     "the folder " + folder_, from_vendor};
    return std::nullopt;
  }

  std::optional<refusal> check_library() {
    const tar_member *library = find(out_.manifest.library);
    if (library == nullptr) return missing(out_.manifest.library + ", the library that the manifest names");
    if (find(license_name) == nullptr) return missing(std::string(license_name) + ", the text of the licence");
    for (const tar_member &file : out_.files) {
      const bool known = file.name == sums_name || file.name == signature_name || file.name == license_name ||
                         file.name.ends_with(".yaml") || &file == library;
      if (!known)
        return refusal{at(file.name), "a digest list, a signature, a licence, a library and a manifest", "another file",
                       from_vendor};
    }
    const host::library_file file = library_of(at(library->name), library->bytes);
    if (auto no = host::check_digest(out_.manifest, file)) return no;
    const auto lint = host::lint_library(file, {.may_link_grpc = out_.manifest.provides_kind(module_kind::transport)});
    if (!lint.findings.empty()) return lint.findings.front();
    out_.build_id = lint.traits.build_id;
    if (out_.build_id.empty())
      return refusal{file.path.string(), "a library with a build id, by which its symbols are found",
                     "a library without one", "link it with -Wl,--build-id"};
    if (first_ != first_line(out_.manifest, out_.build_id))
      return refusal{at(sums_name) + ":1", first_line(out_.manifest, out_.build_id), first_, from_vendor};
    return std::nullopt;
  }

  std::string_view archive_;
  const std::string &where_;
  const std::string &key_;
  std::string folder_, first_;
  module_pack out_;
};

result<std::string> license_beside(const pack_sources &from) {
  if (!from.license.empty()) return host::read_text_file(from.license);
  const fs::path folder = fs::path(from.manifest).parent_path();
  std::error_code failed;
  for (const char *name : {"LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING"})
    if (fs::exists(folder / name, failed)) return host::read_text_file(folder / name);
  return refusal{from.manifest, "the text of the licence, LICENSE or COPYING beside the manifest", "no such file",
                 "name it with --license FILE"};
}

}  // namespace

std::string pack_name(const host::module_manifest &manifest) { return manifest.id + "-" + manifest.version; }

result<std::string> make_pack(const pack_sources &from) {
  const auto text = host::read_text_file(from.manifest);
  if (!text) return text.why();
  config::problems report(from.manifest);
  const auto manifest = host::parse_manifest(*text, from.manifest, report);
  if (!manifest) return report.refusals().front();
  const auto library = host::read_library(manifest->library_path());
  if (!library) return library.why();
  if (auto no = host::check_digest(*manifest, *library)) {
    no->fix = "build the module again, or `tenon plugin seal " + from.manifest + "`";
    return *no;
  }
  const auto license = license_beside(from);
  if (!license) return license.why();
  const std::string name = pack_name(*manifest), manifest_name = fs::path(from.manifest).filename();
  if (name.size() > longest_folder || manifest_name.size() > longest_name || manifest->library.size() > longest_name)
    return refusal{from.manifest, "file names of at most 100 bytes, id and version of at most 154 together",
                   "longer ones", "take shorter names"};
  const std::string_view library_bytes{reinterpret_cast<const char *>(library->bytes.data()), library->bytes.size()};
  std::vector<tar_member> files{
      {std::string(license_name), *license}, {manifest->library, library_bytes}, {manifest_name, *text}};
  const std::string sums = sums_text(first_line(*manifest, host::lint_library(*library).traits.build_id), files);
  std::string signature;
  if (!from.key.empty()) {
    auto made = signature_of(sums, from.key);
    if (!made) return made.why();
    signature = std::move(*made);
    files.insert(files.begin(), {std::string(signature_name), signature});
  }
  files.insert(files.begin(), {std::string(sums_name), sums});
  for (tar_member &file : files) file.name = name + "/" + file.name;
  std::string out = write_tar(files);
  // Whatever an installation refuses is refused here first.
  if (const auto opened = open_pack(out, from.manifest, {}); !opened) return opened.why();
  return out;
}

result<module_pack> open_pack(std::string_view archive, const std::string &where, const std::string &key) {
  return pack_opener(archive, where, key).open();
}

result<std::string> read_pack_file(const std::string &path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  const auto refuse = [&](std::string have) {
    return refusal{path, "a file that `tenon plugin pack MANIFEST` wrote", std::move(have), "correct the name"};
  };
  if (!fs::exists(status)) return refuse("no such file");
  if (!fs::is_regular_file(status)) return refuse("not a regular file");
  const uintmax_t size = fs::file_size(path, failed);
  if (!failed && size > most_pack_bytes)
    return refuse("a file of " + std::to_string(size) + " bytes, more than any pack has");
  return read_file(path);
}

}  // namespace tenon::cli
