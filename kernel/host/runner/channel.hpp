// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// This process's side of the calls: the two regions, and waiting for the next request.
#pragma once

#include <string>
#include <string_view>

#include "isolation/shared_pages.hpp"

namespace tenon::host::runner {

class channel {
 public:
  // Maps what the host gave. Ends the process where that is impossible.
  channel();

  // Waits for the next request.
  [[nodiscard]] isolation::call_kind next();
  // In bytes, or as an address.
  [[nodiscard]] std::string_view bytes() const;
  [[nodiscard]] uint64_t input() const { return request_->input; }
  [[nodiscard]] uint64_t output() const { return request_->output; }

  // Answers the request.
  void answer(int32_t status);
  void answer(std::string_view bytes);
  // Bytes of an answer that stand where the host said, query_bytes at most.
  void has_written(uint64_t bytes) { answer_->length = bytes; }

  // While a request is worked on, by the thread that does. Waits for the host.
  [[nodiscard]] isolation::queue_answer ask(uint64_t world, std::string_view path);

  [[nodiscard]] isolation::answer_page &answers() const { return *answer_; }

 private:
  void say_answered();
  template <class Ready>
  void wait_until(Ready &&is_there);
  void ring_host() const;

  const isolation::request_page *request_;
  isolation::answer_page *answer_;
  uint64_t number_ = 0, questions_ = 0;
  bool spins_;
};

// This process ends when the host does, whatever it is doing.
void end_with_the_host();

}  // namespace tenon::host::runner
