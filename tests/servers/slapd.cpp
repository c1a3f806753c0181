// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "slapd.hpp"

#include <fstream>
#include <utility>

#include "grpc/certificates.hpp"

namespace tenon::testing {
namespace {

constexpr const char *suffix_entry =
    "dn: dc=example,dc=com\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n\n";

}  // namespace

bool slapd::is_installed() { return !installed_server("slapd").empty(); }

slapd::slapd(std::filesystem::path folder, const std::string &entries)
    : folder_(std::move(folder)),
      tls_(std::filesystem::exists(folder_ / "localhost.pem")),
      port_(free_port()),
      tls_port_(free_port()) {
  write_configuration("secret");
  std::filesystem::create_directory(folder_ / "db");
  std::ofstream(folder_ / "entries.ldif") << suffix_entry << entries;
  run_program({installed_server("slapd"), "-Tadd", "-f", folder_ / "slapd.conf", "-l", folder_ / "entries.ldif"},
              folder_ / "slapadd.log");
  start();
}

void slapd::write_configuration(const std::string &password) const {
  std::ofstream out(folder_ / "slapd.conf");
  for (const char *schema : {"core", "cosine", "inetorgperson", "nis"})
    out << "include /etc/ldap/schema/" << schema << ".schema\n";
  out << "modulepath /usr/lib/ldap\nmoduleload back_mdb\nmoduleload memberof\nattributeoptions range=\n"
         "pidfile "
      << (folder_ / "slapd.pid").string() << "\n";
  if (tls_)
    out << "TLSCACertificateFile " << (folder_ / "ca.pem").string() << "\nTLSCertificateFile "
        << (folder_ / "localhost.pem").string() << "\nTLSCertificateKeyFile " << (folder_ / "localhost.key").string()
        << "\n";
  out << "database mdb\nsuffix dc=example,dc=com\nrootdn cn=admin,dc=example,dc=com\nrootpw " << password
      << "\ndirectory " << (folder_ / "db").string() << "\naccess to * by users read by anonymous auth\n";
}

std::string slapd::socket_url() const {
  std::string out = "ldapi://";
  for (const char c : (folder_ / "ldapi").string()) out += c == '/' ? std::string("%2F") : std::string(1, c);
  return out;
}

void slapd::start() {
  std::string listens = "ldap://127.0.0.1:" + std::to_string(port_) + " " + socket_url();
  if (tls_) listens += " ldaps://127.0.0.1:" + std::to_string(tls_port_);
  process_.start({installed_server("slapd"), "-f", folder_ / "slapd.conf", "-h", listens, "-d", "0"},
                 folder_ / "slapd.log", [this] { return accepts_connections(port_); });
}

void slapd::set_password(const std::string &password) { write_configuration(password); }

}  // namespace tenon::testing
