// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a slot can be asked, in many manners that mean the same, and what it answered.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "probe_table.hpp"
#include "subject.hpp"

namespace tenon::conformance {

enum class slot : uint8_t { keys, score, prepare, filter, signature, filter_prefix, place, resolve };
std::string_view slot_name(slot s);

using named_texts = std::vector<std::pair<std::string, std::string>>;

struct queue_state {
  bool leaf = true;
  uint32_t state = TENON_QUEUE_ACTIVE;
};

struct question {
  slot of = slot::keys;
  // Slots that read columns.
  table rows;
  std::vector<uint32_t> items;  // rows of the table
  // filter_prefix: allocations on the one node, and the first prefix to try.
  uint32_t victims = 0, start = 0;
  // prepare and place.
  named_texts tags;
  // place; resolve, which has a user alone.
  std::string application, queue, user;
  std::vector<std::string> groups;
  std::map<std::string, queue_state> queues;  // by path
  int64_t now_ms = 1'700'000'000'000;
};

// Words that may be others each time.
struct remark {
  std::string text;
  bool operator==(const remark &) const { return true; }
};

struct answer {
  tenon_status status = TENON_OK;
  std::vector<uint64_t> words;  // keys, prepared words, a signature, an index
  std::vector<int64_t> not_before_ms, valid_until_ms;
  std::vector<uint8_t> verdicts;
  std::vector<uint16_t> reasons;
  std::string text;  // the name that was placed
  uint32_t qualified = 0;
  std::vector<std::string> groups;  // of the user
  bool explained = false;           // words came with it
  remark why = {};                  // those words, of resolve
  bool operator==(const answer &) const = default;

  // The key of the item at `position` of the question.
  [[nodiscard]] std::vector<uint64_t> key(size_t position, uint32_t key_words) const {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(position * key_words);
    return {first, first + key_words};
  }
};

struct manner {
  shape in;
  bool guard_outputs = false;  // outputs end at forbidden memory, and everything else of them must stay
  unsigned char prefill = 0xA5;
  uint32_t out_bytes = 0;  // where not 0: the output struct has only so many
  bool larger_out = false;
  bool patient = true;  // a source that cannot be asked now is asked again for a while
};

// Asks. A status that the slot may not give is for the check of that slot to say.
answer ask(const instance &of, const question &what, const manner &how = {});

// The groups of a user in one call with so much room, and what was written, or is wanted where there was too little.
struct room_answer {
  answer given;
  uint32_t groups = 0;
  uint64_t bytes = 0;
};
room_answer resolve_with_room(const instance &of, const std::string &user, uint32_t groups, uint64_t bytes);

// Does this instance have the slot?
bool has_slot(const instance &of, slot s);
// The slots of the implementation under test that this instance has.
std::vector<slot> slots_of(const instance &of);

// What a scheduler would ask: `count` questions of each of the slots, by seed.
question usual_question(const instance &of, slot s, uint64_t seed, const world_style &style = {});
std::vector<question> usual_questions(const instance &of, size_t count, uint64_t seed);

// May the slot answer so?
bool may_give(slot s, tenon_status status);

std::vector<std::string> vocabulary(const instance &of);

}  // namespace tenon::conformance
