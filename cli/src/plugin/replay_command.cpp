// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/replay_command.hpp"

#include <fmt/format.h>
#include <string.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>

#include "run/complain.hpp"
#include "run/exit_code.hpp"
#include "run/quiet_log.hpp"
#include "tenon/host/flight_record.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::cli {
namespace {

using outcome = host::replayed_call::outcome;

struct replay_choice {
  host::replay_options how;
  std::string record, manifest, deployment, journal;
  int64_t timeout_ms = 2'000;
  bool input = false, json = false;
};

constexpr const char *outcome_word(outcome what) {
  switch (what) {
    case outcome::answered:
      return "answer";
    case outcome::crashed:
      return "crash";
    case outcome::hung:
      return "hang";
    case outcome::overwrote:
      return "overwrite";
    case outcome::refused:
      return "refusal";
  }
  return "";
}

std::string signal_name(int number) {
  const char *name = ::sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : "SIG" + std::string(name);
}

// "123.4 ms".
std::string in_ms(double ms) { return fmt::format("{:.1f} ms", ms); }

boost::json::object as_json(const host::flight_record &record, const host::replayed_call &call) {
  boost::json::object out{{"outcome", outcome_word(call.how)},
                          {"where", call.where},
                          {"took_ms", call.took_ms},
                          {"digest", call.digest},
                          {"record", boost::json::object()}};
  boost::json::object &lines = out["record"].as_object();
  for (const char *name : {"fault", "at_ms", "module", "digest", "policy", "slot", "items", "thread"})
    if (const std::string_view words = record.line(name); !words.empty()) lines[name] = words;
  if (const std::string left_out = record.cut(); !left_out.empty()) out["cut"] = left_out;
  if (!record.journal().empty()) out["journal_bytes"] = record.journal().size();
  if (call.signal != 0) out["signal"] = signal_name(call.signal);
  if (call.how == outcome::crashed && call.signal == 0) out["exit_status"] = call.status;
  if (!call.words.empty()) out["words"] = call.words;
  if (!call.answer_status.empty()) out["status"] = call.answer_status;
  if (call.how == outcome::answered) out["answer"] = call.answer;
  return out;
}

// The lists of an answer have an element for each item; the first of them are enough for people.
void print_answer(const boost::json::object &answer, std::ostream &out) {
  constexpr size_t most_lines = 10;
  for (const auto &[name, value] : answer) {
    if (!value.is_array()) {
      out << "  " << name << ": " << boost::json::serialize(value) << '\n';
      continue;
    }
    const boost::json::array &list = value.get_array();
    out << "  " << name << ":\n";
    for (size_t i = 0; i < std::min(list.size(), most_lines); ++i)
      out << "    " << boost::json::serialize(list[i]) << '\n';
    if (list.size() > most_lines) out << "    and " << list.size() - most_lines << " more: see --json\n";
  }
}

void print(const host::flight_record &record, const host::replayed_call &call, std::ostream &out) {
  out << "record    " << record.line("module") << ": " << record.line("policy")
      << (record.line("policy").empty() ? "" : ": ") << record.line("slot") << ", of " << record.line("items")
      << " items: " << record.line("fault") << '\n';
  if (const std::string left_out = record.cut(); !left_out.empty())
    out << "input     " << left_out << ": there was no room for more\n";
  out << "replay    ";
  switch (call.how) {
    case outcome::answered:
      out << "answer in " << call.where << ": " << (call.answer_status.empty() ? "it returned" : call.answer_status)
          << ", after " << in_ms(call.took_ms) << '\n';
      print_answer(call.answer, out);
      break;
    case outcome::crashed:
      out << "crash in " << call.where << ": "
          << (call.signal != 0 ? "signal " + signal_name(call.signal)
                               : "its process ended with status " + std::to_string(call.status))
          << ", after " << in_ms(call.took_ms) << "\n  " << call.words << '\n';
      break;
    case outcome::hung:
      out << "hang in " << call.where << "\n  " << call.words << '\n';
      break;
    case outcome::overwrote:
      out << "overwrite in " << call.where << "\n  " << call.words << '\n';
      break;
    case outcome::refused:
      out << "refusal in " << call.where << ": " << call.answer_status << "\n  " << call.words << '\n';
      break;
  }
}

// What the deployment lets the module do.
std::optional<refusal> take_deployment(replay_choice &o, const host::flight_record &record) {
  if (o.deployment.empty()) return std::nullopt;
  const auto plan = host::deployment_of(o.deployment);
  if (!plan) return plan.why();
  o.how.require_sandbox = plan->require_sandbox;
  const std::string_view module = record.line("module");
  if (const host::module_use *use = plan->find(module.substr(0, module.find(' ')))) {
    o.how.limits = use->process;
    o.how.granted = use->granted;
  }
  return std::nullopt;
}

bool is_start_of_journal(std::string_view bytes) {
  return bytes.starts_with(journal_header("").substr(0, sizeof(uint64_t)));
}

// Bytes of the header, where there is one, and of the entry behind it: what is less may end any journal.
size_t first_entry_of(std::string_view journal) {
  size_t at = is_start_of_journal(journal) ? std::min(journal.size(), journal.find('\n')) : 0;
  if (at != 0 && at < journal.size()) ++at;
  uint64_t size = 0;
  for (uint32_t shift = 0; at < journal.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(journal[at++]);
    size |= uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return size < journal.size() - at ? at + static_cast<size_t>(size) : journal.size();
}

// Anywhere: a daemon goes on after a record that is not its own end.
bool is_in(std::fstream &journal, std::string_view words) {
  constexpr size_t step = size_t{4} << 20;
  std::string seen;
  journal.seekg(0);
  for (std::string next(step, '\0');;) {
    journal.read(next.data(), static_cast<std::streamsize>(next.size()));
    seen.append(next, 0, static_cast<size_t>(journal.gcount()));
    if (seen.find(words) != std::string::npos) return true;
    if (journal.gcount() == 0) break;
    seen.erase(0, seen.size() - std::min(seen.size(), words.size()));
  }
  journal.clear();
  return false;
}

// Adds to a journal what the record has of it behind its end.
std::optional<refusal> complete_journal(const std::filesystem::path &file, const std::string &last, std::ostream &out) {
  if (last.empty())
    return refusal{file.string(), "a record with entries of the journal", "one without",
                   "a daemon keeps them with --record, for calls on its cycle thread"};
  std::fstream journal(file, std::ios::in | std::ios::out | std::ios::binary);
  if (!journal) return refusal{file.string(), "a journal that can be written", "none", "name a copy of the recording"};
  if (is_in(journal, last)) {
    out << "journal   0 bytes added to " << file.string() << ", which has all that the record has\n";
    return std::nullopt;
  }
  journal.seekg(0, std::ios::end);
  const auto size = static_cast<uint64_t>(journal.tellg());
  std::string end(std::min<uint64_t>(size, last.size()), '\0');
  journal.seekg(static_cast<std::streamoff>(size - end.size()));
  journal.read(end.data(), static_cast<std::streamsize>(end.size()));
  // As much of the record as the journal ends with.
  size_t both = end.size();
  while (both != 0 && end.compare(end.size() - both, both, last, 0, both) != 0) --both;
  const bool is_whole = size == both && is_start_of_journal(last);
  if (both < first_entry_of(last) && !is_whole)
    return refusal{file.string(), "the recording of the daemon that wrote the record, with an entry of the record",
                   "one that ends elsewhere", "name the file of --record, or a copy"};
  journal.seekp(0, std::ios::end);
  journal.write(last.data() + both, static_cast<std::streamsize>(last.size() - both));
  if (!journal.flush())
    return refusal{file.string(), "a journal that can be written", "a failure", "see that the disk has room"};
  out << "journal   " << last.size() - both << " bytes added to " << file.string() << '\n';
  return std::nullopt;
}

int run_replay(replay_choice &o, std::ostream &out, std::ostream &err) {
  const auto bad_input = [&](const refusal &why) {
    complain(err, why);
    return static_cast<int>(exit_code::bad_input);
  };
  const auto record = host::read_flight_record(o.record);
  if (!record) return bad_input(record.why());
  if (o.input) {
    out << boost::json::serialize(record->input_json()) << '\n';
    return static_cast<int>(exit_code::ok);
  }
  if (!o.journal.empty()) {
    const auto why = complete_journal(o.journal, record->journal(), out);
    return why ? bad_input(*why) : static_cast<int>(exit_code::ok);
  }
  if (auto why = take_deployment(o, *record)) return bad_input(*why);
  o.how.manifest = o.manifest;
  o.how.timeout = std::chrono::milliseconds(o.timeout_ms);
  o.how.log = quiet_log();
  const auto call = host::replay_call(*record, o.how);
  if (!call) return bad_input(call.why());
  if (o.json)
    out << boost::json::serialize(as_json(*record, *call)) << '\n';
  else
    print(*record, *call, out);
  return static_cast<int>(call->how == outcome::answered ? exit_code::ok : exit_code::failed);
}

}  // namespace

void add_replay(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *replay = plugin.add_subcommand(
      "replay", "Call a module once more with what it was given when it ended its process, or did not return");
  auto o = std::make_shared<replay_choice>();
  replay->add_option("RECORD", o->record, "A file of containment.records that ends with .call")->required();
  replay->add_option("--manifest", o->manifest, "The module's manifest, in place of where it was")->type_name("FILE");
  replay->add_flag("--any-build", o->how.any_build,
                   "Also a build that is not the record's: to see whether it is mended");
  replay->add_option("--deployment", o->deployment, "Limits and permissions as this deployment has them")
      ->type_name("FILE");
  replay->add_option("--timeout", o->timeout_ms, "How long a call may take before its process is killed")
      ->check(CLI::Range(int64_t{50}, int64_t{3'600'000}).description(""))
      ->type_name("MS")
      ->capture_default_str();
  replay->add_flag("--input", o->input, "Print what the slot was given, as JSON, and call nothing");
  replay
      ->add_option("--journal", o->journal,
                   "Add to the daemon's recording what it lacks of the time before the record, and call nothing")
      ->type_name("FILE");
  replay->add_flag("--json", o->json, "Print the outcome as JSON, with the whole answer");
  replay->footer(
      "Examples:\n"
      "  tenon plugin replay module-faults/6f0d-af63bd4c8601b7df.call\n"
      "  tenon plugin replay 6f0d-af63bd4c8601b7df.call --manifest build/acme-binpack.yaml --any-build\n\n"
      "Exit codes: 0 it answered; 1 it crashed, hung, wrote behind its output or refused; 2 bad input, nothing was "
      "called.");
  replay->callback([o, &chosen] {
    chosen = [o](std::istream &, std::ostream &out, std::ostream &err) { return run_replay(*o, out, err); };
  });
}

}  // namespace tenon::cli
