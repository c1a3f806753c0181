// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/isolated_instance.hpp"

#include <algorithm>

namespace tenon::host::isolation {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// After so many answers what was before is forgotten.
constexpr uint64_t sound_calls = 1000;

// Nothing for the first loss, then 100 ms, and twice as long each time.
milliseconds delay_after(uint32_t losses) {
  constexpr milliseconds first{100}, longest{30'000};
  if (losses <= 1) return milliseconds(0);
  return std::min(longest, first * (1 << std::min(losses - 2, 10U)));
}

std::string in_ms(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(time).count()) + " ms";
}

// An output array that the process fills, and a canary right behind it.
constexpr uint64_t canary = 0x7e40c0ffee5afe11;
template <class T>
placed<T> guarded_room(region_writer &to, size_t count) {
  const placed<T> out = to.room<T>(count + sizeof canary / sizeof(T));
  std::memcpy(out.here + count, &canary, sizeof canary);
  return out;
}
template <class T>
bool is_guarded(const placed<T> &array, size_t count) {
  return std::memcmp(array.here + count, &canary, sizeof canary) == 0;
}

}  // namespace

const instance_report &isolated_instance::start() {
  begin();
  const auto limit = of_.plan().limits.start_deadline;
  while (state_ == state::opening || state_ == state::creating) step(limit);
  if (state_ == state::down && !cause_.empty()) report_.words = cause_;
  return report_;
}

void isolated_instance::begin() {
  report_ = {};
  auto process = of_.start();
  if (!process) return lose("has no process: " + process.why().have);
  process_ = std::move(*process);
  asked_at_ = steady_clock::now();
  calls_ = 0;
  state_ = state::opening;
}

// Whether the answer that is waited for is there. `limit` is for all of the waiting.
bool isolated_instance::answered(std::chrono::nanoseconds patience, std::chrono::nanoseconds limit) {
  switch (process_->wait(patience)) {
    case module_process::outcome::answered:
      return true;
    case module_process::outcome::ended:
      lose(process_->how_it_ended());
      return false;
    case module_process::outcome::late:
      break;
  }
  if (steady_clock::now() - asked_at_ >= limit)
    lose("gave no answer in " + in_ms(limit) + "; its process was killed" + process_->last_words());
  return false;
}

// One step of the way from a new process to an active instance.
void isolated_instance::step(std::chrono::nanoseconds patience) {
  if (!answered(patience, of_.plan().limits.start_deadline)) return;
  if (state_ == state::opening)
    opened();
  else
    created();
}

void isolated_instance::opened() {
  const module_report report = read_module_report(process_->reply());
  if (!report.opened) return lose("could not open its library again: " + report.have);
  process_->ask(call_kind::create, request_);
  asked_at_ = steady_clock::now();
  state_ = state::creating;
}

void isolated_instance::created() {
  report_ = read_instance_report(process_->reply());
  batches_.emplace(process_->requests());
  if (report_.stage == create_stage::active) {
    state_ = state::active;
    has_been_active_ = true;
    return;
  }
  if (has_been_active_) return lose("did not start again: " + report_.words);
  // A refusal is no loss: whoever asked for the instance is told.
  process_.reset();
  state_ = state::down;
}

bool isolated_instance::is_ready() {
  if (state_ == state::active) return true;
  const auto now = steady_clock::now();
  if (state_ == state::down && now >= not_before_) begin();
  if (state_ == state::opening || state_ == state::creating) step(std::chrono::nanoseconds(0));
  if (state_ == state::active) return true;
  if (cause_.empty()) cause_ = "has no process at the moment: another one is being started";
  return false;
}

void isolated_instance::lose(std::string why) {
  cause_ = std::move(why);
  process_.reset();
  state_ = state::down;
  if (calls_ >= sound_calls) losses_ = 0;
  ++losses_;
  not_before_ = steady_clock::now() + delay_after(losses_);
}

void isolated_instance::end() {
  if (state_ == state::active) process_->end(of_.plan().limits.call_deadline);
  process_.reset();
  state_ = state::down;
}

// Writes what the slot is given with `put`, waits for the slot, and reads what it gave with `take`.
template <class Put, class Take>
tenon_status isolated_instance::call(call_kind what, Put &&put, Take &&take) {
  cause_.clear();
  if (!is_ready()) return TENON_INTERNAL;
  batches_->start();
  process_->answers().rewind(answer_room);
  addresses at{};
  try {
    at = put(process_->answers());
  } catch (const region_full &full) {
    cause_ = full.what();
    return TENON_INTERNAL;
  }
  process_->ask(what, at.input, at.output);
  asked_at_ = steady_clock::now();
  const auto limit = of_.plan().limits.call_deadline;
  if (!answered(limit, limit)) return TENON_INTERNAL;
  ++calls_;
  take();
  return process_ == nullptr ? TENON_INTERNAL : process_->status();
}

tenon_status isolated_instance::keys(call_kind what, const tenon_batch *in, tenon_keys_out *out) {
  const size_t items = in->item_count, words = items * out->key_words;
  placed<tenon_keys_out> head;
  placed<uint64_t> keys;
  placed<int64_t> not_before, valid_until;
  tenon_keys_out sent{};
  const auto put = [&](region_writer &to) {
    const placed<tenon_batch> batch = batches_->write(*in);
    head = to.room<tenon_keys_out>(1);
    keys = guarded_room<uint64_t>(to, words);
    not_before = guarded_room<int64_t>(to, items);
    valid_until = guarded_room<int64_t>(to, items);
    std::copy_n(out->keys, words, keys.here);
    std::copy_n(out->not_before_ms, items, not_before.here);
    std::copy_n(out->valid_until_ms, items, valid_until.here);
    sent = {out->size, out->key_words, keys.pointer(), not_before.pointer(), valid_until.pointer()};
    *head.here = sent;
    return addresses{batch.there, head.there};
  };
  const auto take = [&] {
    std::copy_n(keys.here, words, out->keys);
    std::copy_n(not_before.here, items, out->not_before_ms);
    std::copy_n(valid_until.here, items, out->valid_until_ms);
    if (std::memcmp(head.here, &sent, sizeof sent) != 0) out->size = 0;
    if (!is_guarded(keys, words) || !is_guarded(not_before, items) || !is_guarded(valid_until, items))
      lose("wrote behind the end of its output");
  };
  return call(what, put, take);
}

tenon_status isolated_instance::prepare(const tenon_prepare_in *in, tenon_prepare_out *out) {
  placed<tenon_prepare_out> head;
  placed<tenon_message> error;
  placed<char> words;
  const auto put = [&](region_writer &to) {
    region_writer &requests = process_->requests();
    const placed<tenon_prepare_in> tags = requests.room<tenon_prepare_in>(1);
    *tags.here = {sizeof(tenon_prepare_in), 0, requests.texts(in->tag_names, in->tag_count),
                  requests.texts(in->tag_values, in->tag_count), in->tag_count};
    head = to.room<tenon_prepare_out>(1);
    *head.here = *out;
    if (out->error != nullptr) {
      error = to.room<tenon_message>(1);
      words = to.room<char>(out->error->capacity);
      *error.here = {sizeof(tenon_message), out->error->capacity, words.pointer(), 0};
      head.here->error = error.pointer();
    }
    return addresses{tags.there, head.there};
  };
  const auto take = [&] {
    std::copy_n(head.here->words, std::size(out->words), out->words);
    if (out->error == nullptr) return;
    out->error->length = error.here->length;
    std::memcpy(out->error->data, words.here, std::min<uint64_t>(out->error->length, out->error->capacity));
  };
  return call(call_kind::prepare, put, take);
}

tenon_status isolated_instance::filter(const tenon_batch *in, tenon_filter_out *out) {
  const size_t items = in->item_count;
  placed<tenon_filter_out> head;
  placed<uint8_t> verdicts;
  placed<uint16_t> reasons;
  tenon_filter_out sent{};
  const auto put = [&](region_writer &to) {
    const placed<tenon_batch> batch = batches_->write(*in);
    head = to.room<tenon_filter_out>(1);
    verdicts = guarded_room<uint8_t>(to, items);
    reasons = guarded_room<uint16_t>(to, items);
    std::copy_n(out->verdicts, items, verdicts.here);
    std::copy_n(out->reasons, items, reasons.here);
    sent = {out->size, out->reserved, verdicts.pointer(), reasons.pointer()};
    *head.here = sent;
    return addresses{batch.there, head.there};
  };
  const auto take = [&] {
    std::copy_n(verdicts.here, items, out->verdicts);
    std::copy_n(reasons.here, items, out->reasons);
    if (std::memcmp(head.here, &sent, sizeof sent) != 0) out->size = 0;
    if (!is_guarded(verdicts, items) || !is_guarded(reasons, items)) lose("wrote behind the end of its output");
  };
  return call(call_kind::filter, put, take);
}

tenon_status isolated_instance::signature(const tenon_batch *in, tenon_signature_out *out) {
  placed<tenon_signature_out> head;
  return call(
      call_kind::signature,
      [&](region_writer &to) {
        const placed<tenon_batch> batch = batches_->write(*in);
        head = to.room<tenon_signature_out>(1);
        *head.here = *out;
        return addresses{batch.there, head.there};
      },
      [&] { std::copy_n(head.here->words, std::size(out->words), out->words); });
}

tenon_status isolated_instance::filter_prefix(const tenon_filter_prefix_in *in, tenon_filter_prefix_out *out) {
  placed<tenon_filter_prefix_out> head;
  return call(
      call_kind::filter_prefix,
      [&](region_writer &to) {
        const placed<tenon_batch> batch = batches_->write(*in->batch);
        region_writer &requests = process_->requests();
        const placed<tenon_filter_prefix_in> question = requests.room<tenon_filter_prefix_in>(1);
        const placed<tenon_handle> victims = requests.room<tenon_handle>(in->victim_count);
        std::copy_n(in->victims, in->victim_count, victims.here);
        *question.here = {sizeof(tenon_filter_prefix_in),
                          in->victim_count,
                          batch.pointer(),
                          victims.pointer(),
                          in->start,
                          in->reserved};
        head = to.room<tenon_filter_prefix_out>(1);
        *head.here = *out;
        return addresses{question.there, head.there};
      },
      [&] { out->index = head.here->index; });
}

}  // namespace tenon::host::isolation
