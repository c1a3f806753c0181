// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// From yaml-cpp's parse events to the tree. Events and not its nodes: those forget where keys stood and drop
// duplicate ones silently.
#include "tenon/config/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <unordered_map>

#include "bounded_input.hpp"
#include "yaml_text.hpp"

namespace tenon::config {

namespace {

using kind = yaml_node::kind;

text_position position_of(const line_index &lines, const YAML::Mark &mark) {
  return mark.is_null() ? text_position{} : lines.position(mark.line, mark.column);
}

// Ends the parse from inside of an event; never leaves read_yaml.
struct stop_parsing {};

void refuse_deep(text_position at, const yaml_limits &limits, problems &report) {
  report.refuse(at, "lists and maps nested deeper than " + std::to_string(limits.depth), "a flatter text", {});
}

void refuse_wide(text_position at, const yaml_limits &limits, problems &report) {
  report.refuse(at, "more than " + std::to_string(limits.nodes) + " values, aliases expanded", "a smaller text", {});
}

constexpr std::string_view core_tag_prefix = "tag:yaml.org,2002:";

class tree_builder final : public YAML::EventHandler {
 public:
  tree_builder(problems &report, const yaml_limits &limits, const line_index &lines, bounded_input &input)
      : report_(report), limits_(limits), lines_(lines), input_(input) {}

  void OnDocumentStart(const YAML::Mark &mark) override {
    anchors_.clear();
    document_mark_ = mark;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    yaml_node node;
    node.at = position(mark);
    if (!levels_.empty() && levels_.back().flow && levels_.back().node.what == kind::list &&
        rest_from(mark).starts_with(',')) {
      stop(node.at, "nothing before ','", "a value", "remove one ','");
    }
    if (!levels_.empty() && levels_.back().key && !levels_.back().flow) check_colon(levels_.back());
    put(std::move(node), anchor, 1);
  }

  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      stop(position(mark), "an alias to the value that contains it", "a value without an end is not possible",
           "write the value out");
    }
    put(found->second, YAML::NullAnchor, found->second.size);
  }

  void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                const std::string &value) override {
    yaml_node node;
    node.what = kind::scalar;
    node.at = position(mark);
    node.text = value;
    node.plain = scalar_is_plain(node.at, tag, value);
    if (!node.plain) last_quoted_ = mark;
    if (!levels_.empty()) levels_.back().key_mark = mark;
    put(std::move(node), anchor, 1);
  }

  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(kind::list, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(kind::map, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

  // yaml-cpp takes the end of the text for the end of a quotation that was begun. Only the last can be one.
  void check_last_quotation() {
    const std::string_view rest = rest_from(last_quoted_);
    if (last_quoted_.is_null() || rest.empty() || (rest[0] != '\'' && rest[0] != '"')) return;
    for (size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == '\\' && rest[0] == '"') {
        ++i;
      } else if (rest[i] == rest[0]) {
        return;
      }
    }
    stop(position(last_quoted_), "a quotation without an end", std::string("a closing ") + rest[0], {});
  }

  std::optional<yaml_node> root;

 private:
  struct level {
    yaml_node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool flow = false;  // [..] or {..}
    YAML::Mark key_mark;
    std::optional<yaml_node> key;                // map: read, its value is not yet
    std::unordered_map<std::string, int> lines;  // map: where each key stands
  };

  [[nodiscard]] text_position position(const YAML::Mark &mark) const { return position_of(lines_, mark); }
  [[nodiscard]] std::string_view rest_from(const YAML::Mark &mark) const { return lines_.from(mark.line, mark.column); }

  [[noreturn]] void stop(text_position at, std::string have, std::string want, std::string fix) {
    report_.refuse(at, std::move(have), std::move(want), std::move(fix));
    throw stop_parsing{};
  }

  // yaml-cpp takes a word on a line of its own for a key with no value.
  void check_colon(const level &in) {
    std::string_view rest = rest_from(in.key_mark);
    if (!in.key->plain || !rest.starts_with(in.key->text)) return;
    rest.remove_prefix(in.key->text.size());
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t")));
    if (!rest.starts_with(':')) {
      stop(in.key->at, in.key->describe() + " where a key stands", "'key: value'", "write ':' behind the key");
    }
  }

  // True where the scalar's own text decides what it is. Refuses tags that the text contradicts, and all beyond
  // the core schema.
  bool scalar_is_plain(text_position at, const std::string &tag, const std::string &text) {
    // yaml-cpp: "?" is a plain scalar without a tag, "!" a quoted one.
    if (tag == "?") return true;
    if (tag == "!" || tag.empty()) return false;
    const std::string_view name = core_tag(at, tag);
    if (name == "str") return false;
    const scalar_type type = resolve_scalar(text);
    const bool fits = (name == "int" && type == scalar_type::integer) ||
                      (name == "float" && (type == scalar_type::integer || type == scalar_type::floating)) ||
                      (name == "bool" && type == scalar_type::boolean) || (name == "null" && type == scalar_type::null);
    if (!fits) stop(at, in_quotes(text) + " with the tag " + in_quotes(tag), "a value without a tag", "remove the tag");
    return true;
  }

  std::string_view core_tag(text_position at, const std::string &tag) {
    if (!tag.starts_with(core_tag_prefix)) {
      stop(at, "the tag " + in_quotes(tag), "values without tags", "remove the tag");
    }
    return std::string_view(tag).substr(core_tag_prefix.size());
  }

  void open(kind what, const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    const text_position at = position(mark);
    if (levels_.size() >= limits_.depth) {
      refuse_deep(at, limits_, report_);
      throw stop_parsing{};
    }
    const std::string_view wanted = what == kind::list ? "seq" : "map";
    if (tag != "?" && tag != "!" && !tag.empty() && core_tag(at, tag) != wanted) {
      stop(at, "the tag " + in_quotes(tag), "values without tags", "remove the tag");
    }
    input_.parsed(levels_.size());
    level next;
    next.anchor = anchor;
    next.flow = style == YAML::EmitterStyle::Flow;
    next.node.what = what;
    next.node.at = at;
    levels_.push_back(std::move(next));
  }

  void close() {
    level done = std::move(levels_.back());
    levels_.pop_back();
    if (done.node.what == kind::map && done.lines.contains("<<")) apply_merge(done);
    put(std::move(done.node), done.anchor, 1);
  }

  // Takes a finished value to where it belongs. `made` is how many nodes that adds to those counted before:
  // the parts of a list or map were, an alias copies all of its own. So does remembering an anchor.
  void put(yaml_node node, YAML::anchor_t anchor, uint32_t made) {
    input_.parsed(levels_.size());
    total_ += made + (anchor == YAML::NullAnchor ? 0 : node.size);
    if (total_ > limits_.nodes) {
      refuse_wide(node.at, limits_, report_);
      throw stop_parsing{};
    }
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    if (levels_.empty()) {
      take_document(std::move(node));
      return;
    }
    level &into = levels_.back();
    into.node.size += node.size;
    if (into.node.what == kind::list) {
      into.node.items.push_back(std::move(node));
    } else if (!into.key) {
      take_key(into, std::move(node));
    } else {
      put_entry(into, std::move(*into.key), std::move(node));
      into.key.reset();
    }
  }

  void take_document(yaml_node node) {
    if (node.what == kind::null) return;  // "---" without anything behind it
    if (root && rest_from(document_mark_).starts_with("---")) {
      stop(position(document_mark_), "a second document", "one document in a file",
           "remove '---' and what follows, or use two files");
    }
    if (root) {
      stop(node.at, node.describe() + " behind the end of the text", "one list or map",
           "look at the indentation of this line");
    }
    root = std::move(node);
  }

  void take_key(level &into, yaml_node node) {
    if (node.what != kind::scalar) {
      stop(node.at, node.describe() + " as a key", "a word before ':'", "quote the key");
    }
    into.key = std::move(node);
  }

  void put_entry(level &into, yaml_node key, yaml_node value) {
    // What is not there stands where its key does: yaml-cpp puts it at the next token.
    if (value.what == kind::null) value.at = key.at;
    const auto [first, added] = into.lines.emplace(key.text, key.at.line);
    if (!added) {
      report_.refuse(key.at,
                     "the key " + in_quotes(key.text) + " again, first at line " + std::to_string(first->second),
                     "each key once", "remove one of the two, or merge them");
      return;
    }
    into.node.entries.push_back({std::move(key), std::move(value)});
  }

  // "<<: *base" or "<<: [*a, *b]": adds what the map does not say itself; earlier bases win.
  void apply_merge(level &into) {
    auto &entries = into.node.entries;
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [](const yaml_entry &e) { return e.key.plain && e.key.text == "<<"; });
    if (found == entries.end()) return;
    const yaml_entry from = std::move(*found);
    entries.erase(found);
    if (from.value.what == kind::list) {
      for (const yaml_node &item : from.value.items) merge(into, item, from.key.at);
    } else {
      merge(into, from.value, from.key.at);
    }
  }

  void merge(level &into, const yaml_node &from, text_position at) {
    if (from.what != kind::map) stop(at, "a merge of " + from.describe(), "a map, or a list of maps, to merge", {});
    for (const yaml_entry &entry : from.entries) {
      if (into.lines.emplace(entry.key.text, entry.key.at.line).second) into.node.entries.push_back(entry);
    }
  }

  problems &report_;
  const yaml_limits &limits_;
  const line_index &lines_;
  bounded_input &input_;
  YAML::Mark last_quoted_ = YAML::Mark::null_mark();
  std::vector<level> levels_;
  std::unordered_map<YAML::anchor_t, yaml_node> anchors_;
  YAML::Mark document_mark_;
  uint64_t total_ = 0;
};

// By how much the line may be indented to belong to what stands above it: less and more than it is.
std::string other_indentations(const line_index &lines, int line, size_t is) {
  std::optional<size_t> less, more;
  const auto look_at = [&](size_t other) {
    if (other < is && (!less || other > *less)) less = other;
    if (other > is && (!more || other < *more)) more = other;
  };
  size_t least = std::string_view::npos;
  for (int above = line - 1; above >= 0 && least != 0; --above) {
    const std::string_view rest = lines.from(above, 0);
    const size_t at = rest.find_first_not_of(' ');
    if (at == std::string_view::npos || at >= least || rest[at] == '\n' || rest[at] == '\r' || rest[at] == '#')
      continue;
    least = at;
    look_at(at);
    const size_t inside = rest.substr(at).starts_with("- ") ? rest.find_first_not_of(' ', at + 1) : at;
    if (inside != std::string_view::npos) look_at(inside);
  }
  if (!less || !more) return std::to_string(less ? *less : more.value_or(0));
  return std::to_string(*less) + " or " + std::to_string(*more);
}

void refuse_syntax(const line_index &lines, const YAML::Exception &why, problems &report) {
  const text_position at = position_of(lines, why.mark);
  if (lines.has_leading_tab(why.mark.line) || lines.has_leading_tab(why.mark.line - 1)) {
    report.refuse(at, "a tab in the indentation", "spaces", "replace tabs by spaces");
    return;
  }
  namespace because = YAML::ErrorMsg;
  const auto is = [&](std::string_view one) { return why.msg.starts_with(one); };
  if (is(because::ALIAS_NOT_FOUND) || is(because::CHAR_IN_ALIAS) || is(because::UNKNOWN_ANCHOR)) {
    report.refuse(at, "a '*' without quotes, which begins an alias", "a text that begins with '*' in quotes",
                  "quote it: '*'");
    return;
  }
  const std::string_view line = lines.from(why.mark.line, 0);
  const size_t indentation = std::min(line.find_first_not_of(' '), line.size());
  if ((is(because::END_OF_MAP) || is(because::END_OF_SEQ)) &&
      indentation == static_cast<size_t>(std::max(0, why.mark.column))) {
    report.refuse(at, "a line indented by " + std::to_string(indentation) + ", which belongs to none of those above",
                  "the indentation of the list or map that it goes on with",
                  "indent it by " + other_indentations(lines, why.mark.line, indentation));
    return;
  }
  const bool is_open = is(because::END_OF_MAP_FLOW) || is(because::END_OF_SEQ_FLOW);
  report.refuse(at, "no YAML: " + why.msg, "well-formed YAML 1.2",
                is_open ? "close what begins here: each { by }, each [ by ], with a comma between two entries"
                        : "correct the indentation, or what stands before this place");
}

}  // namespace

const yaml_entry *yaml_node::find_entry(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const yaml_entry &e) { return e.key.text == key; });
  return found == entries.end() ? nullptr : &*found;
}

const yaml_node *yaml_node::find(std::string_view key) const {
  const yaml_entry *entry = find_entry(key);
  return entry == nullptr || entry->value.type() == scalar_type::null ? nullptr : &entry->value;
}

std::optional<yaml_node> read_yaml(std::string_view text, problems &report, yaml_limits limits) {
  const size_t refused_before = report.refused_count();
  if (text.size() > limits.bytes) {
    report.refuse({}, std::to_string(text.size()) + " bytes", "at most " + std::to_string(limits.bytes) + " bytes", {});
    return std::nullopt;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto bad = find_bad_byte(text)) {
    report.refuse(bad->at, bad->what, "UTF-8 text", "save the file as UTF-8");
    return std::nullopt;
  }
  if (const auto odd = find_odd_blank(text)) {
    report.refuse(odd->at, odd->what + " where a blank is to be", "a blank", "delete it and type a blank");
    return std::nullopt;
  }
  const line_index lines(text);
  if (const int line = lines.late_directive(); line > 0) {
    report.refuse({line, 1}, "a line that begins with '%'", "directives before everything else",
                  "quote it, or remove it");
    return std::nullopt;
  }
  bounded_input input(text, limits);
  tree_builder tree(report, limits, lines, input);
  try {
    std::istream in(&input);
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(tree)) {
    }
    tree.check_last_quotation();
  } catch (const bounded_input::too_much &what) {
    (what.is_deep ? refuse_deep : refuse_wide)(lines.position_of_byte(what.at), limits, report);
  } catch (const stop_parsing &) {
  } catch (const YAML::Exception &why) {
    // What is missing at the end may be inside of a quotation.
    try {
      tree.check_last_quotation();
      refuse_syntax(lines, why, report);
    } catch (const stop_parsing &) {
    }
  } catch (const std::exception &why) {
    report.refuse({}, std::string("no YAML: ") + why.what(), "well-formed YAML 1.2");
  }
  if (report.refused_count() != refused_before) return std::nullopt;
  return tree.root ? std::move(*tree.root) : yaml_node{};
}

}  // namespace tenon::config
