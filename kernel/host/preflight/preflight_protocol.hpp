// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the preflight child tells its parent: one line for each stage that it enters.
#pragma once

namespace tenon::host::preflight_stage {

constexpr int descriptor_number = 3;  // the child writes its lines here

constexpr char companions[] = "opening the modules that are loaded already";
constexpr char opening[] = "opening it (constructors)";
constexpr char init[] = "init";
constexpr char describing[] = "describing its implementations";
constexpr char deinit[] = "deinit";
constexpr char leaving[] = "the end of the process (destructors)";
// A line that starts so is a refusal: have, tab, fix.
constexpr char refused[] = "refused ";

}  // namespace tenon::host::preflight_stage
