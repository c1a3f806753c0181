// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include "run/formats.hpp"

namespace tenon::cli {
namespace {

std::string row_of(std::string_view cell, const std::vector<std::string> &texts) {
  std::string cells = element("th", escaped(texts.front()));
  cells.insert(3, cell == "th" ? " scope=\"col\"" : " scope=\"row\"");
  for (size_t i = 1; i < texts.size(); ++i) {
    cells += cell == "th" ? "<th scope=\"col\">" + escaped(texts[i]) + "</th>\n" : element(cell, escaped(texts[i]));
  }
  return element("tr", "\n" + cells);
}

}  // namespace

std::string element(std::string_view tag, const std::string &inside, std::string_view look) {
  std::string out = "<" + std::string(tag);
  if (!look.empty()) out += " class=\"" + std::string(look) + "\"";
  return out + ">" + inside + "</" + std::string(tag) + ">\n";
}

std::string page_section(const std::string &title, const std::string &intro, const std::string &inside) {
  return element("section", "\n" + element("h2", escaped(title)) + element("p", escaped(intro)) + inside);
}

std::string page_table(std::string_view caption, const std::vector<std::string> &head,
                       const std::vector<std::vector<std::string>> &rows, const std::vector<std::string> &foot) {
  std::string body;
  for (const auto &row : rows) body += row_of("td", row);
  std::string out = "<div class=\"wide\" tabindex=\"0\"><table>\n" + element("caption", escaped(caption)) +
                    element("thead", "\n" + row_of("th", head)) + element("tbody", "\n" + body);
  if (!foot.empty()) out += element("tfoot", "\n" + row_of("td", foot));
  return out + "</table></div>\n";
}

std::string beside(const std::vector<std::string> &parts) {
  std::string all;
  for (const std::string &part : parts) all += element("div", "\n" + part);
  return element("div", "\n" + all, "beside");
}

}  // namespace tenon::cli
