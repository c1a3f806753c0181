// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/identity_resolver.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "services/error_text.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::host {
namespace {

constexpr uint64_t most_groups = 65'536;
constexpr uint64_t most_bytes = uint64_t{4} << 20;

int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// One question to the source, repeated as long as it wants more room.
group_answer ask(const bound_policy &source, const std::string &user) {
  const tenon_resolve_in in{sizeof in, 0, {user.data(), user.size()}};
  std::vector<tenon_text> groups(64);
  std::string room(4096, '\0');
  for (;;) {
    error_text words;
    tenon_resolve_out out{
        sizeof out,     static_cast<uint32_t>(groups.size()), groups.data(), 0, room.data(), room.size(), 0,
        words.message()};
    const tenon_status status = source.identity->resolve(source.instance, &in, &out);
    if (status == TENON_OK) {
      group_answer answer;
      for (uint64_t i = 0; i < out.group_count; ++i) answer.groups.emplace_back(groups[i].data, groups[i].length);
      return answer;
    }
    if (status == TENON_DECLINED) return {{}, "no user " + user + words.after(": ")};
    if (status == TENON_RETRY) return {{}, source.name + " cannot be asked now" + words.after(": ")};
    const bool grows = out.group_count > groups.size() || out.room_length > room.size();
    if (status != TENON_EXHAUSTED || !grows) return {{}, source.name + " gave " + status_text(status)};
    if (out.group_count > most_groups || out.room_length > most_bytes) return {{}, user + " has too many groups"};
    groups.resize(std::max<size_t>(groups.size(), out.group_count));
    room.resize(std::max<size_t>(room.size(), out.room_length));
  }
}

group_answer for_request(group_answer answer, bool forced, bool kept) {
  if (answer.problem.empty()) return answer;
  if (forced) return {{"nogroup"}, {}};
  answer.problem =
      (kept ? "user resolution failed, cached data returned: " : "user resolution failed: ") + answer.problem;
  return answer;
}

}  // namespace

struct identity_resolver::impl {
  struct kept_answer {
    group_answer answer;
    int64_t until_ms = 0;
  };
  struct waiting {
    bool forced = false;
    answer_handler done;
  };

  impl(std::unique_ptr<bound_policy> s, resolver_options o) : source(std::move(s)), options(std::move(o)) {
    if (!options.clock_ms) options.clock_ms = steady_ms;
    options.max_users = std::max<size_t>(options.max_users, 1);
  }

  const group_answer *find(const std::string &user, int64_t now_ms) const;
  void keep(const std::string &user, const group_answer &answer);
  void work();
  void answer_next(std::unique_lock<std::mutex> &lock);

  const std::unique_ptr<bound_policy> source;
  resolver_options options;
  mutable std::mutex mutex;  // of all that follows
  std::condition_variable something_to_do;
  bool stopping = false;
  std::map<std::string, kept_answer> kept;
  std::set<std::pair<int64_t, std::string>> ends;    // of kept answers
  std::deque<std::string> users;                     // to be looked up, the first perhaps just now
  std::map<std::string, std::vector<waiting>> wait;  // for each of them
  size_t waiting_count = 0;
  resolver_counters counted;
  std::thread worker;  // after all that it uses
};

const group_answer *identity_resolver::impl::find(const std::string &user, int64_t now_ms) const {
  const auto found = kept.find(user);
  return found == kept.end() || found->second.until_ms <= now_ms ? nullptr : &found->second.answer;
}

void identity_resolver::impl::keep(const std::string &user, const group_answer &answer) {
  const int64_t now_ms = options.clock_ms();
  const auto forget = [&](std::set<std::pair<int64_t, std::string>>::iterator end) {
    kept.erase(end->second);
    ends.erase(end);
  };
  if (const auto former = kept.find(user); former != kept.end()) forget(ends.find({former->second.until_ms, user}));
  while (!ends.empty() && (ends.begin()->first <= now_ms || kept.size() >= options.max_users)) forget(ends.begin());
  const int64_t until_ms = now_ms + (answer.problem.empty() ? options.keep_found_ms : options.keep_failed_ms);
  kept[user] = {answer, until_ms};
  ends.emplace(until_ms, user);
}

void identity_resolver::impl::work() {
  const role_guard role(thread_role::io);
  pthread_setname_np(pthread_self(), "tenon-identity");
  std::unique_lock lock(mutex);
  for (;;) {
    something_to_do.wait(lock, [&] { return stopping || !users.empty(); });
    if (stopping) return;
    answer_next(lock);
  }
}

void identity_resolver::impl::answer_next(std::unique_lock<std::mutex> &lock) {
  const std::string user = users.front();
  ++counted.lookups;
  lock.unlock();
  const group_answer answer = ask(*source, user);
  lock.lock();
  if (!answer.problem.empty()) ++counted.failures;
  keep(user, answer);
  users.pop_front();
  const std::vector<waiting> asked = std::move(wait.extract(user).mapped());
  waiting_count -= asked.size();
  lock.unlock();
  for (const waiting &one : asked) one.done(for_request(answer, one.forced, false));
  lock.lock();
}

identity_resolver::identity_resolver(std::unique_ptr<bound_policy> source, resolver_options options)
    : impl_(std::make_unique<impl>(std::move(source), std::move(options))) {
  impl_->worker = std::thread([state = impl_.get()] { state->work(); });
}

identity_resolver::~identity_resolver() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->something_to_do.notify_all();
  impl_->worker.join();
  for (const auto &[user, asked] : impl_->wait)
    for (const impl::waiting &one : asked) one.done(for_request({{}, "the scheduler stops"}, one.forced, false));
}

void identity_resolver::resolve(const group_request &request, answer_handler done) {
  if (!request.groups.empty()) return done({{request.groups.begin(), request.groups.end()}, {}});
  if (!is_user_name(request.user)) return done({});
  const std::string user(request.user);
  group_answer known;
  {
    const std::lock_guard lock(impl_->mutex);
    if (const group_answer *found = impl_->find(user, impl_->options.clock_ms()); found != nullptr) {
      ++impl_->counted.hits;
      known = for_request(*found, request.forced, true);
    } else if (impl_->waiting_count >= impl_->options.max_waiting) {
      ++impl_->counted.refused;
      known = for_request({{}, "too many users are waiting to be looked up"}, request.forced, false);
    } else {
      std::vector<impl::waiting> &asked = impl_->wait[user];
      if (asked.empty()) {
        impl_->users.push_back(user);
      } else {
        ++impl_->counted.hits;
      }
      asked.push_back({request.forced, std::move(done)});
      ++impl_->waiting_count;
      impl_->something_to_do.notify_one();
      return;
    }
  }
  done(known);
}

resolver_counters identity_resolver::counters() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->counted;
}

result<std::unique_ptr<bound_policy>> bind_identity(policy_source &from, std::string_view resolver_type) {
  constexpr uint32_t no_types = 1;  // an identity sees no resources
  return from.bind(module_kind::identity, resolver_type.empty() ? "none" : resolver_type, "{}", no_types);
}

}  // namespace tenon::host
