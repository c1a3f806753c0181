// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How the page of a report looks, and what it does under a pointer.
#pragma once

#include <string_view>

namespace tenon::cli {

// Colours of curves are c1 to c8 and rest, as fills f-… and strokes s-…; h0 to h6 are steps around the fair share.
extern const std::string_view page_style;
// Reads the values of the charts from the element #values and shows them beside the pointer.
extern const std::string_view page_script;

}  // namespace tenon::cli
