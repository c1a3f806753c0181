// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Orders, predicates, placement rules and identities for Tenon, without `unsafe` in the module. The C headers of the ABI are the
//! contract; this crate stands on them as the C++ SDK does.
//!
//! ```
//! use tenon_sdk::prelude::*;
//!
//! struct Emptiest {
//!     free: ResourcesColumn,
//! }
//! impl Policy for Emptiest {
//!     const NAME: &'static str = "emptiest"; // as queues.yaml says it
//!     fn new(setup: &mut Setup) -> Result<Self, Refused> {
//!         Ok(Emptiest { free: setup.column("node.free", Scope::Item) })
//!     }
//! }
//! impl Sort for Emptiest {
//!     type Key = i64; // smaller goes first
//!     fn key(&self, node: &Row) -> i64 {
//!         -node.get(self.free).amount(0)
//!     }
//! }
//! tenon_sdk::tenon_module!(node_sort: Emptiest);
//! ```
//!
//! A panic ends in the slot that it happened in: the host is told of a fault, and the first one of an instance is
//! logged. So a module is built with `panic = "unwind"`, which is the default.
#![deny(unsafe_op_in_unsafe_fn, missing_docs)]

#[cfg(panic = "abort")]
compile_error!("want panic = \"unwind\", have \"abort\": a panic must become a fault that the host contains; take the line out of [profile]");

pub mod abi;
mod columns;
#[doc(hidden)]
pub mod entry;
mod error;
mod host;
mod identity;
mod instance;
mod keys;
mod placement_rule;
mod predicate;
mod settings;
mod signature;
mod sort;

pub use columns::{
    kind, Amounts, Batch, Column, NumberColumn, NumbersColumn, ResourcesColumn, Row, Scope, TextColumn, TextList,
    TextMap, TextMapColumn, TextsColumn, WordsColumn,
};
pub use error::Refused;
pub use host::{Host, Level};
pub use identity::{Away, Identity};
pub use instance::{Policy, Setup};
pub use keys::{ascending, descending, Key, Word};
pub use placement_rule::{as_written, one_level, FoundQueue, Placement, PlacementRule, QueueState, Submission};
pub use predicate::{Predicate, Reason, Verdict};
pub use settings::Settings;
pub use signature::Signature;
pub use sort::{Sort, NOT_NOW};

/// What a module's source takes.
pub mod prelude {
    pub use crate::{
        as_written, ascending, descending, one_level, Amounts, Away, Batch, Column, FoundQueue, Host, Identity, Level,
        NumberColumn, NumbersColumn, Placement, PlacementRule, Policy, Predicate, QueueState, Reason, Refused,
        ResourcesColumn, Row, Scope, Settings, Setup, Signature, Sort, Submission, TextColumn, TextList, TextMap,
        TextMapColumn, TextsColumn, Verdict, WordsColumn, NOT_NOW,
    };
}

/// The exported table of a module, from what it provides: `tenon_module!(node_sort: Emptiest, predicate: Zones)`, once
/// in a crate. Kinds are `queue_sort`, `app_sort`, `node_sort`, `predicate`, `placement_rule` and `identity`. The module's version
/// is the crate's.
#[macro_export]
macro_rules! tenon_module {
    ($($kind:ident: $policy:ty),+ $(,)?) => {
        const _: () = {
            struct TheModule;
            impl $crate::entry::Module for TheModule {
                const VERSION: &'static str = env!("CARGO_PKG_VERSION");
                const FACTORIES: &'static [$crate::entry::Factory] = &[$($crate::entry::$kind::<TheModule, $policy>()),+];
            }
            #[allow(unsafe_code, non_upper_case_globals)]
            #[no_mangle]
            pub static tenon_module_v1: $crate::abi::tenon_module = $crate::entry::table::<TheModule>();
        };
    };
}
