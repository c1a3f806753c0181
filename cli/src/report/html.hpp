// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Pieces of a page. Texts are escaped here; what is called `inside` is markup already.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

[[nodiscard]] std::string element(std::string_view tag, const std::string &inside, std::string_view look = {});
[[nodiscard]] std::string page_section(const std::string &title, const std::string &intro, const std::string &inside);
// The first cell of a row is its heading. A wide table scrolls, with keys too.
[[nodiscard]] std::string page_table(std::string_view caption, const std::vector<std::string> &head,
                                     const std::vector<std::vector<std::string>> &rows,
                                     const std::vector<std::string> &foot = {});
// Side by side where there is room.
[[nodiscard]] std::string beside(const std::vector<std::string> &parts);

}  // namespace tenon::cli
