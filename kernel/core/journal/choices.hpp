// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The choices that fields of commands have: what is beyond the last one is of a later build.
#pragma once

#include "tenon/kernel/commands.hpp"

namespace tenon::journal {

// The last value of an enum that this build knows.
template <class Enum>
inline constexpr Enum last_of = Enum{};
template <>
inline constexpr termination last_of<termination> = termination::scheduling_failed;
template <>
inline constexpr rm_signal last_of<rm_signal> = rm_signal::shutdown;
template <>
inline constexpr canary_turn last_of<canary_turn> = canary_turn::again;
template <>
inline constexpr release_what last_of<release_what> = release_what::both;
template <>
inline constexpr step_answer::kind last_of<step_answer::kind> = step_answer::kind::placement_fault;
template <>
inline constexpr policy_fault::kind last_of<policy_fault::kind> = policy_fault::kind::canary_predicate_signature;

}  // namespace tenon::journal
