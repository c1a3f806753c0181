// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "directory.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace tenon::identity_ldap {
namespace {

constexpr int most_entries = 65'536;

struct free_memory {
  void operator()(char *text) const { ldap_memfree(text); }
  void operator()(LDAPMessage *message) const { ldap_msgfree(message); }
  void operator()(berval **values) const { ldap_value_free_len(values); }
  void operator()(BerElement *element) const { ber_free(element, 0); }
};
template <class T>
using owned = std::unique_ptr<T, free_memory>;

timeval time_of(std::chrono::milliseconds wait) {
  return {wait.count() / 1'000, static_cast<suseconds_t>(wait.count() % 1'000 * 1'000)};
}

}  // namespace

directory::directory(const settings &how) : how_(how) {
  LDAP *made = nullptr;
  const int code = ldap_initialize(&made, how.url.c_str());
  it_.reset(made);
  check(code, how.url);
  prepare();
  if (how.start_tls) start_tls();
  bind();
}

// The machine's ldap.conf decides nothing of what is set here.
void directory::prepare() {
  const auto set = [&](int option, const void *value) { check(ldap_set_option(it_.get(), option, value), how_.url); };
  const int version = LDAP_VERSION3, aliases = LDAP_DEREF_NEVER;
  const timeval wait = time_of(how_.timeout);
  set(LDAP_OPT_PROTOCOL_VERSION, &version);
  set(LDAP_OPT_DEREF, &aliases);
  set(LDAP_OPT_REFERRALS, LDAP_OPT_OFF);
  set(LDAP_OPT_RESTART, LDAP_OPT_ON);  // after a signal
  set(LDAP_OPT_NETWORK_TIMEOUT, &wait);
  set(LDAP_OPT_TIMEOUT, &wait);
  const int certificate = how_.verify ? LDAP_OPT_X_TLS_DEMAND : LDAP_OPT_X_TLS_ALLOW, client = 0;
  set(LDAP_OPT_X_TLS_REQUIRE_CERT, &certificate);
  if (!how_.ca_file.empty()) set(LDAP_OPT_X_TLS_CACERTFILE, how_.ca_file.c_str());
  check(time_.watch(it_.get()), how_.url);
  if (how_.start_tls || how_.url.find("ldaps:") != std::string::npos) set(LDAP_OPT_X_TLS_NEWCTX, &client);
}

void directory::start_tls() {
  time_.allow(how_.timeout);
  check(ldap_start_tls_s(it_.get(), nullptr, nullptr), how_.url + ", start of TLS");
}

// The password is read each time, so that it may be changed while the scheduler runs.
void directory::bind() {
  std::string password;
  if (!how_.bind_dn.empty()) {
    try {
      password = text_of_file(how_.password_file);
    } catch (const std::runtime_error &e) {
      throw directory_error(LDAP_LOCAL_ERROR, e.what());
    }
    // Without one the directory would take it for a question of nobody in particular (RFC 4513, 5.1.2).
    if (password.empty()) throw directory_error(LDAP_LOCAL_ERROR, how_.password_file.string() + " is empty");
  }
  time_.allow(how_.timeout);
  berval secret{password.size(), password.data()};
  check(ldap_sasl_bind_s(it_.get(), how_.bind_dn.c_str(), LDAP_SASL_SIMPLE, &secret, nullptr, nullptr, nullptr),
        how_.url + ", bind as " + (how_.bind_dn.empty() ? "nobody in particular" : how_.bind_dn));
}

void directory::check(int code, const std::string &doing) const {
  if (code == LDAP_SUCCESS) return;
  char *more = nullptr;
  if (it_ != nullptr) ldap_get_option(it_.get(), LDAP_OPT_DIAGNOSTIC_MESSAGE, &more);
  const owned<char> detail(more);
  std::string why = detail == nullptr ? "" : ": " + std::string(detail.get());
  // What GnuTLS found is a number to OpenLDAP's library.
  const bool in_tls = !why.empty() && (code == LDAP_SERVER_DOWN || code == LDAP_CONNECT_ERROR);
  if (in_tls) why += "; TLS failed: is its certificate valid, for this host, and from an authority of ca_file?";
  throw directory_error(code, doing + ": " + ldap_err2string(code) + why);
}

found_entries directory::search(const std::string &base, const std::string &filter, const std::string &attribute) {
  std::string wanted = attribute;
  std::array<char *, 2> attributes{wanted.data(), nullptr};
  timeval wait = time_of(how_.timeout);
  time_.allow(how_.timeout);
  LDAPMessage *answer = nullptr;
  const int code = ldap_search_ext_s(it_.get(), base.c_str(), LDAP_SCOPE_SUBTREE, filter.c_str(), attributes.data(), 0,
                                     nullptr, nullptr, &wait, most_entries, &answer);
  const owned<LDAPMessage> all(answer);
  check(code, how_.url + ", search for " + filter + " below " + base);
  found_entries out;
  out.elsewhere = std::max(ldap_count_references(it_.get(), answer), 0);
  for (LDAPMessage *found = ldap_first_entry(it_.get(), answer); found != nullptr;
       found = ldap_next_entry(it_.get(), found)) {
    out.entries.push_back(read(found, attribute));
  }
  return out;
}

entry directory::read(LDAPMessage *found, const std::string &attribute) const {
  entry out;
  const owned<char> name(ldap_get_dn(it_.get(), found));
  if (name != nullptr) out.name = name.get();
  BerElement *begun = nullptr;
  owned<char> one(ldap_first_attribute(it_.get(), found, &begun));
  const owned<BerElement> place(begun);
  for (; one != nullptr; one.reset(ldap_next_attribute(it_.get(), found, place.get()))) {
    const std::string_view given = one.get();
    if (given.find(";range=") != std::string_view::npos)
      throw directory_error(LDAP_SIZELIMIT_EXCEEDED, out.name + " has more values of " + attribute +
                                                         " than the directory gives at once; take group_filter");
    const owned<berval *> values(ldap_get_values_len(it_.get(), found, one.get()));
    for (berval **value = values.get(); value != nullptr && *value != nullptr; ++value)
      out.values.emplace_back((*value)->bv_val, (*value)->bv_len);
  }
  return out;
}

std::string group_named_by(const std::string &value) {
  LDAPDN parts = nullptr;
  if (ldap_str2dn(value.c_str(), &parts, LDAP_DN_FORMAT_LDAPV3) != LDAP_SUCCESS || parts == nullptr) return value;
  const std::unique_ptr<LDAPRDN, decltype(&ldap_dnfree)> all(parts, ldap_dnfree);
  if (parts[0] == nullptr || parts[0][0] == nullptr) return value;
  const berval &first = parts[0][0]->la_value;
  return {first.bv_val, first.bv_len};
}

}  // namespace tenon::identity_ldap
