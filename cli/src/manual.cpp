// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "manual.hpp"

#include <CLI/CLI.hpp>

namespace tenon::cli {
namespace {

// A text that roff takes as it is.
std::string plain(const std::string &text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    at_start = c == '\n';
    out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  }
  return out;
}

void add_option(const CLI::Option &option, std::string &out) {
  const bool takes_value = option.get_expected_max() != 0;
  out += ".TP\n.B " + plain(option.get_name(option.get_positional()));
  if (takes_value && !option.get_positional()) out += " \\fI" + plain(option.get_type_name()) + "\\fR";
  out += "\n" + plain(option.get_description());
  if (!option.get_default_str().empty()) out += " (default: " + plain(option.get_default_str()) + ")";
  out += "\n";
}

void add_command(const CLI::App &command, const std::string &name, std::string &out) {
  out += ".SS " + plain(name) + "\n" + plain(command.get_description()) + "\n";
  for (const CLI::Option *one : command.get_options()) add_option(*one, out);
  if (const std::string footer = command.get_footer(); !footer.empty()) out += ".PP\n.nf\n" + plain(footer) + "\n.fi\n";
  for (const CLI::App *below : command.get_subcommands([](const CLI::App *) { return true; }))
    add_command(*below, name + " " + below->get_name(), out);
}

}  // namespace

std::string manual_page(const CLI::App &program, const std::string &version) {
  const std::string said = program.get_description();  // "Tenon: a cluster scheduler"
  std::string out = ".TH TENON 1 \"\" \"Tenon " + plain(version) + "\"\n.SH NAME\ntenon \\- " +
                    plain(said.substr(said.find(": ") + 2)) +
                    "\n.SH SYNOPSIS\n.B tenon\n.I COMMAND\n[options]\n.SH COMMANDS\n";
  add_command(program, program.get_name(), out);
  return out +
         ".SH FILES\n.I /etc/tenon/tenon.yaml\n.br\n.I /etc/tenon/queues.yaml\n.br\n"
         ".I /usr/share/doc/tenon/docs/README.md\n";
}

}  // namespace tenon::cli
