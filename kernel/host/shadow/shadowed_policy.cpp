// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/shadowed_policy.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "shadow/order_check.hpp"
#include "tenon/host/reader_question.hpp"

namespace tenon::host {
namespace {

constexpr size_t most_kept_bytes = size_t{32} << 20;

using keys_slot = tenon_status (*)(tenon_instance *, const tenon_batch *, tenon_keys_out *);

bool chooses_devices(const bound_policy &policy) {
  return std::any_of(policy.columns.begin(), policy.columns.end(),
                     [](const column_request &one) { return one.id.starts_with("score.devices:"); });
}

key_shape shape_of(const bound_policy &policy, bool scored) {
  return {policy.key_words, policy.key_words - (scored && chooses_devices(policy) ? 1U : 0U)};
}

// "3fe0000000000000 8000000000000001", the first four words.
std::string words_of(std::span<const uint64_t> key) {
  constexpr size_t most = 4;
  std::string out;
  for (size_t i = 0; i < std::min(key.size(), most); ++i) {
    std::array<char, 17> word{};
    std::snprintf(word.data(), word.size(), "%llx", static_cast<unsigned long long>(key[i]));
    out += (out.empty() ? "" : " ") + std::string(word.data());
  }
  return key.size() > most ? out + " …" : out;
}

std::string_view verdict_words(uint8_t verdict) {
  return verdict == TENON_PASS ? "passes" : verdict == TENON_FAIL ? "fails" : "fails whatever is released";
}

std::string time_words(int64_t not_before_ms) {
  if (not_before_ms == INT64_MIN) return "now";
  return not_before_ms == TENON_NOT_NOW ? "once a column changes" : "at " + std::to_string(not_before_ms) + " ms";
}

// What a placement rule said, as far as it matters.
std::string place_words(tenon_status status, const tenon_place_out &out) {
  if (status == TENON_INVALID_CONFIG) return "refuses the application";
  if (status != TENON_OK || out.name_length == 0) return "gives no queue";
  return std::string(out.name, out.name_length) + (out.qualified != 0 ? ", a full path" : "");
}

class shadowed_policy final : public bound_policy {
 public:
  explicit shadowed_policy(shadow_pair pair)
      : pair_(std::move(pair)), by_keys_(make_check(pair_)), by_score_(false, most_kept_bytes) {
    const bound_policy &first = *pair_.first;
    name = first.name;
    provider = first.provider;
    columns = pair_.columns.asked;
    key_words = first.key_words;
    rekey_ms = first.rekey_ms;
    reasons = first.reasons;
    instance = reinterpret_cast<tenon_instance *>(this);
    make_tables();
  }

  // Who tries something asks no shadow.
  [[nodiscard]] result<std::unique_ptr<bound_policy>> another() const override { return pair_.first->another(); }

 private:
  static shadowed_policy &of(tenon_instance *self) { return *reinterpret_cast<shadowed_policy *>(self); }

  // Keys are kept by the kernel until something changes that the first reads. So are they here, where that is all that
  // the shadow reads.
  static order_check make_check(const shadow_pair &pair) {
    const bool one_period = pair.first->rekey_ms == 0 && pair.shadow->rekey_ms == 0;
    return {pair.columns.alike && one_period, most_kept_bytes};
  }

  void make_tables() {
    const bound_policy &first = *pair_.first;
    if (first.sort != nullptr) {
      own_sort_ = {sizeof own_sort_, 0, keys, nullptr, nullptr};
      if (TENON_COVERS(first.sort, tenon_sort_v1, prepare) && first.sort->prepare != nullptr)
        own_sort_.prepare = prepare;
      if (scores(first)) own_sort_.score = score;
      sort = &own_sort_;
    }
    if (first.predicate != nullptr) {
      own_predicate_ = {sizeof own_predicate_, 0, filter, nullptr, nullptr};
      if (TENON_COVERS(first.predicate, tenon_predicate_v1, signature) && first.predicate->signature != nullptr)
        own_predicate_.signature = signature;
      if (TENON_COVERS(first.predicate, tenon_predicate_v1, filter_prefix) && first.predicate->filter_prefix != nullptr)
        own_predicate_.filter_prefix = filter_prefix;
      predicate = &own_predicate_;
    }
    if (first.placement != nullptr) {
      own_placement_ = {sizeof own_placement_, 0, place};
      placement = &own_placement_;
    }
  }

  static bool scores(const bound_policy &policy) {
    return TENON_COVERS(policy.sort, tenon_sort_v1, score) && policy.sort->score != nullptr;
  }

  // -- What the kernel calls. --

  [[nodiscard]] tenon_batch as_first(tenon_batch batch) const {
    batch.column_count = std::min(batch.column_count, pair_.columns.of_first);
    return batch;
  }
  [[nodiscard]] bool asks_shadow() const { return !pair_.record->is_off() && !reader_question::is_asked(); }

  static tenon_status keys(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) {
    return of(self).order(self, "keys", of(self).pair_.first->sort->keys, false, *in, *out);
  }
  static tenon_status score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) {
    return of(self).order(self, "score", of(self).pair_.first->sort->score, true, *in, *out);
  }
  static tenon_status prepare(tenon_instance *self, const tenon_prepare_in *in, tenon_prepare_out *out) {
    const bound_policy &first = *of(self).pair_.first;
    return first.sort->prepare(first.instance, in, out);
  }
  static tenon_status signature(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out) {
    const bound_policy &first = *of(self).pair_.first;
    const tenon_batch own = of(self).as_first(*in);
    return first.predicate->signature(first.instance, &own, out);
  }
  static tenon_status filter_prefix(tenon_instance *self, const tenon_filter_prefix_in *in,
                                    tenon_filter_prefix_out *out) {
    const bound_policy &first = *of(self).pair_.first;
    const tenon_batch batch = of(self).as_first(*in->batch);
    tenon_filter_prefix_in own = *in;
    own.batch = &batch;
    return first.predicate->filter_prefix(first.instance, &own, out);
  }

  tenon_status order(tenon_instance *, const char *slot_name, keys_slot slot, bool scored, const tenon_batch &in,
                     tenon_keys_out &out) {
    const tenon_batch own = as_first(in);
    const tenon_status status = slot(pair_.first->instance, &own, &out);
    if (status == TENON_OK && in.item_count != 0 && asks_shadow()) {
      spending took(*this, in.item_count);
      compare_orders(slot_name, scored && scores(*pair_.shadow), scored, in, out, took);
    }
    return status;
  }

  static tenon_status filter(tenon_instance *self, const tenon_batch *in, tenon_filter_out *out) {
    shadowed_policy &me = of(self);
    const tenon_batch own = me.as_first(*in);
    const tenon_status status = me.pair_.first->predicate->filter(me.pair_.first->instance, &own, out);
    if (status == TENON_OK && in->item_count != 0 && me.asks_shadow()) {
      spending took(me, in->item_count);
      me.compare_verdicts(*in, *out, took);
    }
    return status;
  }

  static tenon_status place(tenon_instance *self, const tenon_place_in *in, tenon_place_out *out) {
    shadowed_policy &me = of(self);
    const tenon_status status = me.pair_.first->placement->place(me.pair_.first->instance, in, out);
    const bool said = status == TENON_OK || status == TENON_DECLINED || status == TENON_INVALID_CONFIG;
    if (said && me.asks_shadow()) {
      spending took(me, 1);
      me.compare_places(*in, status, *out, took);
    }
    return status;
  }

  // -- The shadow. --

  // The time that a call of the shadow takes, with the comparison.
  class spending {
   public:
    spending(shadowed_policy &of, uint64_t items) : of_(of), items_(items) {}
    ~spending() {
      if (!answered) return;
      const auto took = std::chrono::steady_clock::now() - begun_;
      of_.pair_.record->asked(
          items_, static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
    }
    spending(const spending &) = delete;
    spending &operator=(const spending &) = delete;

    bool answered = false;

   private:
    shadowed_policy &of_;
    const uint64_t items_;
    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  };

  // Into words_, not_before_ and valid_until_.
  bool ask_for_keys(bool score, const tenon_batch &in) {
    const bound_policy &shadow = *pair_.shadow;
    words_.assign(size_t{in.item_count} * shadow.key_words, 0);
    not_before_.assign(in.item_count, INT64_MIN);
    valid_until_.assign(in.item_count, INT64_MAX);
    const shadow_batch batch(pair_.columns, in, shadow.rekey_ms, room_);
    tenon_keys_out out{sizeof out, shadow.key_words, words_.data(), not_before_.data(), valid_until_.data()};
    return (score ? shadow.sort->score : shadow.sort->keys)(shadow.instance, batch.get(), &out) == TENON_OK;
  }

  void compare_orders(const char *slot, bool by_score, bool scored, const tenon_batch &in, const tenon_keys_out &out,
                      spending &took) {
    if (!ask_for_keys(by_score, in)) return;
    took.answered = true;
    const key_shape first = shape_of(*pair_.first, scored), shadow = shape_of(*pair_.shadow, by_score);
    const std::string_view parent = text_of(in, pair_.columns.parent, 0);
    const auto start = [&] {
      shadow_difference one;
      one.at_ms = in.now_ms;
      one.slot = slot;
      one.of = scored ? amounts_of(in, pair_.columns.ask) : std::string(parent);
      return one;
    };
    items_.clear();
    for (uint32_t i = 0; i < in.item_count; ++i) {
      items_.push_back({text_of(in, pair_.columns.name, in.items[i]),
                        {out.keys + size_t{i} * first.words, first.ordering},
                        {words_.data() + size_t{i} * shadow.words, shadow.ordering},
                        valid_until_[i]});
    }
    order_check &check = scored ? by_score_ : by_keys_;
    const bool gave_up =
        check.check(parent, items_, in.now_ms, [&](const checked_item &a, const checked_item &b, bool tie) {
          pair_.record->differs(tie ? shadow_difference_kind::tie : shadow_difference_kind::order, [&] {
            shadow_difference one = start();
            one.objects = {std::string(a.name), std::string(b.name)};
            one.first = "keys " + words_of(a.first) + " and " + words_of(b.first);
            one.shadow = "keys " + words_of(a.shadow) + " and " + words_of(b.shadow);
            return one;
          });
        });
    if (gave_up) pair_.record->forgot();
    if (pair_.kind != module_kind::node_sort) compare_times(in, out, start);
    if (first.ordering != first.words && shadow.ordering != shadow.words) compare_devices(in, out, start);
  }

  template <class Start>
  void compare_times(const tenon_batch &in, const tenon_keys_out &out, const Start &start) {
    const auto wait = [&](int64_t not_before_ms) { return not_before_ms <= in.now_ms ? INT64_MIN : not_before_ms; };
    for (uint32_t i = 0; i < in.item_count; ++i) {
      const int64_t first = wait(out.not_before_ms[i]), shadow = wait(not_before_[i]);
      if (first == shadow) continue;
      pair_.record->differs(shadow_difference_kind::time, [&] {
        shadow_difference one = start();
        one.objects = {std::string(items_[i].name)};
        one.first = "may run " + time_words(first);
        one.shadow = "may run " + time_words(shadow);
        return one;
      });
    }
  }

  // The last words of both.
  template <class Start>
  void compare_devices(const tenon_batch &in, const tenon_keys_out &out, const Start &start) {
    const uint32_t first_words = pair_.first->key_words, shadow_words = pair_.shadow->key_words;
    for (uint32_t i = 0; i < in.item_count; ++i) {
      const uint64_t first = out.keys[(size_t{i} + 1) * first_words - 1];
      const uint64_t shadow = words_[(size_t{i} + 1) * shadow_words - 1];
      if (first == shadow) continue;
      pair_.record->differs(shadow_difference_kind::devices, [&] {
        shadow_difference one = start();
        one.objects = {std::string(items_[i].name)};
        one.first = "chooses devices " + words_of({&first, 1});
        one.shadow = "chooses devices " + words_of({&shadow, 1});
        return one;
      });
    }
  }

  void compare_verdicts(const tenon_batch &in, const tenon_filter_out &out, spending &took) {
    verdicts_.assign(in.item_count, 0);
    reasons_.assign(in.item_count, 0);
    const shadow_batch batch(pair_.columns, in, 0, room_);
    tenon_filter_out said{sizeof said, 0, verdicts_.data(), reasons_.data()};
    if (pair_.shadow->predicate->filter(pair_.shadow->instance, batch.get(), &said) != TENON_OK) return;
    took.answered = true;
    for (uint32_t i = 0; i < in.item_count; ++i) {
      if (verdicts_[i] == out.verdicts[i]) continue;
      pair_.record->differs(shadow_difference_kind::verdict, [&] {
        shadow_difference one;
        one.at_ms = in.now_ms;
        one.slot = "filter";
        one.of = amounts_of(in, pair_.columns.ask);
        one.objects = {std::string(text_of(in, pair_.columns.name, in.items[i]))};
        one.first = verdict_words(out.verdicts[i]);
        one.shadow = verdict_words(verdicts_[i]);
        return one;
      });
    }
  }

  void compare_places(const tenon_place_in &in, tenon_status status, const tenon_place_out &out, spending &took) {
    name_room_.resize(out.name_capacity);
    std::array<char, 1024> words{};
    tenon_message error{sizeof error, words.size(), words.data(), 0};
    tenon_place_out said{sizeof said, 0, name_room_.data(), name_room_.size(), 0, &error};
    const tenon_status other = pair_.shadow->placement->place(pair_.shadow->instance, &in, &said);
    if (other != TENON_OK && other != TENON_DECLINED && other != TENON_INVALID_CONFIG) return;
    took.answered = true;
    std::string here = place_words(status, out), there = place_words(other, said);
    if (here == there) return;
    pair_.record->differs(shadow_difference_kind::queue, [&] {
      shadow_difference one;
      one.at_ms = in.now_ms;
      one.slot = "place";
      one.of = "user " + std::string(in.user.data, in.user.length);
      one.objects = {std::string(in.application.data, in.application.length)};
      one.first = std::move(here);
      one.shadow = std::move(there);
      return one;
    });
  }

  shadow_pair pair_;
  order_check by_keys_, by_score_;
  tenon_sort_v1 own_sort_{};
  tenon_predicate_v1 own_predicate_{};
  tenon_placement_rule_v1 own_placement_{};
  // Room of a call.
  std::vector<tenon_column> room_;
  std::vector<uint64_t> words_;
  std::vector<int64_t> not_before_, valid_until_;
  std::vector<checked_item> items_;
  std::vector<uint8_t> verdicts_;
  std::vector<uint16_t> reasons_;
  std::string name_room_;
};

}  // namespace

std::unique_ptr<bound_policy> make_shadowed_policy(shadow_pair pair) {
  return std::make_unique<shadowed_policy>(std::move(pair));
}

}  // namespace tenon::host
