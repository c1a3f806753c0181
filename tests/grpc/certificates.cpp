// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "certificates.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tenon::testing {
namespace {

void run(const std::filesystem::path &folder, const std::string &command) {
  const std::string whole = "cd '" + folder.string() + "' && " + command + " >openssl.log 2>&1";
  if (std::system(whole.c_str()) != 0) {  // NOLINT(cert-env33-c): a test's own folder and names
    throw std::runtime_error("openssl failed: " + text_of(folder / "openssl.log"));
  }
}

constexpr const char *key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

}  // namespace

std::string text_of(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string make_certificates(const std::filesystem::path &folder, const std::vector<certified> &names) {
  run(folder, std::string("openssl req -x509 ") + key + " -days 2 -subj /CN=tenon-ca -keyout ca.key -out ca.pem");
  for (const auto &[name, also] : names) {
    std::string alternatives = "subjectAltName=DNS:" + name;
    for (const std::string &each : also) alternatives += ",DNS:" + each;
    std::ofstream(folder / (name + ".ext")) << alternatives << '\n';
    run(folder,
        std::string("openssl req ") + key + " -subj /CN=" + name + " -keyout " + name + ".key -out " + name + ".csr");
    run(folder, "openssl x509 -req -in " + name + ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile " +
                    name + ".ext -out " + name + ".pem");
  }
  return text_of(folder / "ca.pem");
}

int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(descriptor, reinterpret_cast<sockaddr *>(&address), size) != 0 ||
      getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size) != 0) {
    throw std::runtime_error("no port is free");
  }
  close(descriptor);
  return ntohs(address.sin_port);
}

}  // namespace tenon::testing
