// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A filter of searches with places in it: %s for the name of a user, %d for the name of the user's entry.
#pragma once

#include <string>
#include <string_view>

namespace tenon::identity_ldap {

class filter_form {
 public:
  filter_form() = default;
  // Throws sdk::invalid_config, with the key, where % is followed by none of `places` and by no other %.
  filter_form(std::string_view key, std::string text, std::string_view places);

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] bool names(char place) const;
  // What is put in is a value there, whatever it holds (RFC 4515).
  [[nodiscard]] std::string with(std::string_view user, std::string_view entry = {}) const;

 private:
  std::string text_;
};

}  // namespace tenon::identity_ldap
