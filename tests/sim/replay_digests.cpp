// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// replay-digests: plays journals on the kernel and prints for each how many decisions came of it and their SHA-256.
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "session.hpp"
#include "tenon/kernel/journal.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char *usage = R"(usage: replay-digests [--record DIR] PATH...
Plays journals on the kernel and prints for each: file, decisions, SHA-256 of the decisions' lines.
PATH is a journal, or a folder of which every *.journal is played, in the order of their names.
--record DIR: each is written to DIR, which is there, in the newest format.

Exit code: 0 all were played, 1 one cannot be read, 3 wrong usage.
)";

struct digest {
  uint64_t decisions = 0;
  std::string sha256;  // hexadecimal
};

// Over the lines that `tenon simulate --replay FILE --decisions` writes.
class line_digest {
 public:
  line_digest() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(const std::string &line) {
    EVP_DigestUpdate(context_.get(), line.data(), line.size());
    EVP_DigestUpdate(context_.get(), "\n", 1);
    ++out_.decisions;
  }
  digest close() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
    for (unsigned i = 0; i < size; ++i) {
      std::array<char, 3> two{};
      std::snprintf(two.data(), two.size(), "%02x", bytes[i]);
      out_.sha256 += two.data();
    }
    return std::move(out_);
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  digest out_;
};

// `again` is the journal as it is written now, with the answers that it has.
tenon::result<digest> play(const std::string &journal, std::string &again) {
  const auto kernel = tenon::sim::make_kernel({});
  line_digest lines;
  const auto read = tenon::read_journal(journal, [&](int64_t now_ms, const tenon::command &c) {
    kernel->apply(now_ms, c);
    tenon::append_entry(again, now_ms, c);
    kernel->drain([&](const tenon::decision_view &d) { lines.add(format(d)); });
  });
  if (!read) return read.why();
  return lines.close();
}

std::vector<fs::path> journals_of(const fs::path &path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> out;
  for (const fs::directory_entry &e : fs::directory_iterator(path)) {
    if (e.path().extension() == ".journal") out.push_back(e.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  fs::path record;
  if (paths.size() > 1 && paths[0] == "--record") {
    record = paths[1];
    paths.erase(paths.begin(), paths.begin() + 2);
  }
  if (paths.empty() || paths[0].starts_with("-")) {
    std::cerr << usage;
    return 3;
  }
  int status = 0;
  for (const std::string &given : paths) {
    for (const fs::path &path : journals_of(given)) {
      std::ifstream in(path, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      std::string again = tenon::journal_header("replay-digests");
      const auto played = play(bytes, again);
      if (!record.empty()) std::ofstream(record / path.filename(), std::ios::binary) << again;
      if (played) {
        std::cout << path.filename().string() << ' ' << played->decisions << ' ' << played->sha256 << std::endl;
      } else {
        std::cerr << path.string() << ": " << played.why().text() << std::endl;
        status = 1;
      }
    }
  }
  return status;
}
