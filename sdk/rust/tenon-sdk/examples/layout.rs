// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Says how the crate lays the structs of the ABI out, for the test that compares it with the C headers.
fn main() {
    print!("{}", tenon_sdk::abi::layout());
}
