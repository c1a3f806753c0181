// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "postgresql.hpp"

#include <libpq-fe.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <vector>

#include "grpc/certificates.hpp"

namespace tenon::testing {
namespace {

// Where distributions put what is not for everybody's path, the newest first.
std::string program(const std::string &name) {
  std::vector<std::string> folders;
  for (int version = 30; version >= 10; --version)
    folders.push_back("/usr/lib/postgresql/" + std::to_string(version) + "/bin");
  return installed_server(name, folders);
}

uid_t unprivileged() {
  if (::geteuid() != 0) return 0;
  const passwd *nobody = ::getpwnam("nobody");
  return nobody == nullptr ? 65534 : nobody->pw_uid;
}

}  // namespace

bool postgresql_server::is_installed() { return !program("initdb").empty() && !program("postgres").empty(); }

postgresql_server::postgresql_server() : user_(unprivileged()), port_(free_port()) {
  std::string name = (std::filesystem::temp_directory_path() / "tenon-pg-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
  std::ofstream(folder_ / "password") << password << '\n';
  std::ofstream(folder_ / "log");
  if (user_ != 0) {
    for (const std::filesystem::path &one : {folder_, folder_ / "password", folder_ / "log"})
      if (::chown(one.c_str(), user_, user_) != 0) throw std::runtime_error("chown failed");
  }
  run_program({program("initdb"), "-D", folder_ / "data", "-U", "tenon", "--auth-local=trust",
               "--auth-host=scram-sha-256", "--pwfile", folder_ / "password", "-E", "UTF8", "--locale=C", "--no-sync"},
              folder_ / "log", user_);
  start();
}

postgresql_server::~postgresql_server() {
  if (owner_ != ::getpid()) return;
  process_.end(3);
  std::error_code failed;
  std::filesystem::remove_all(folder_, failed);
}

void postgresql_server::start() {
  const auto accepts = [this] { return PQping(by_socket().c_str()) == PQPING_OK; };
  process_.start({program("postgres"), "-D", folder_ / "data", "-k", folder_, "-h", "127.0.0.1", "-p",
                  std::to_string(port_), "-c", "shared_buffers=16MB", "-c", "max_connections=20"},
                 folder_ / "log", accepts, user_);
}

std::string postgresql_server::by_socket(const std::string &database) const {
  return "host=" + folder_.string() + " port=" + std::to_string(port_) + " user=tenon dbname=" + database;
}

std::string postgresql_server::by_port() const {
  return "host=127.0.0.1 port=" + std::to_string(port_) + " user=tenon dbname=postgres";
}

std::string postgresql_server::sql(const std::string &text, const std::string &database) const {
  PGconn *made = PQconnectdb(by_socket(database).c_str());
  PGresult *answer = PQexec(made, text.c_str());
  const ExecStatusType status = PQresultStatus(answer);
  const std::string words = PQerrorMessage(made);
  const std::string first = PQntuples(answer) > 0 ? PQgetvalue(answer, 0, 0) : "";
  PQclear(answer);
  PQfinish(made);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) throw std::runtime_error(text + ": " + words);
  return first;
}

}  // namespace tenon::testing
