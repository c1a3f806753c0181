// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Predicates: on which nodes an ask may run, resources aside.
use crate::abi::*;
use crate::columns::{Batch, Row};
use crate::error::{covers, slice_mut, text};
use crate::instance::{description, Instance, Policy};
use std::marker::PhantomData;
use std::mem::size_of;

/// Words that people see when they ask why something is pending.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Reason(tenon_text);

impl Reason {
    /// A sentence about the node: "the node is in another zone".
    pub const fn new(words: &'static str) -> Self {
        Reason(text(words))
    }
}

/// What a predicate says of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The ask may run there.
    Pass,
    /// Not now: another allocation or release may help. The number counts `REASONS` from 1; 0 is none.
    Fail(u16),
    /// Only a change of the node or the ask can help.
    Unresolvable(u16),
}

/// A predicate. Verdicts are a pure function of the declared columns and the configuration.
pub trait Predicate: Policy {
    /// What `Fail(1)`, `Fail(2)` and so on are told as.
    const REASONS: &'static [Reason] = &[];
    /// Asks that get equal words share their verdicts; it reads columns of the ask alone. Without it results are kept
    /// for each ask.
    const SIGNATURE: Option<fn(&Self, &Row) -> [u64; 2]> = None;

    /// Called before the verdicts of each batch. What it keeps is for this batch alone.
    fn begin(&mut self, _batch: &Batch) {}

    /// Judges a node for the ask in the context columns.
    fn filter(&self, node: &Row) -> Verdict;
}

pub(crate) fn describe<P: Predicate>() -> tenon_description {
    tenon_description {
        reasons: P::REASONS.as_ptr() as *const tenon_text, // the same by `repr(transparent)`
        reason_count: P::REASONS.len() as u32,
        ..description::<P>()
    }
}

pub(crate) struct Slots<P>(PhantomData<P>);

impl<P: Predicate> Slots<P> {
    unsafe extern "C" fn filter(
        this: *mut tenon_instance,
        batch: *const tenon_batch,
        out: *mut tenon_filter_out,
    ) -> tenon_status {
        if out.is_null() || !covers!(out, reasons) {
            return TENON_UNSUPPORTED;
        }
        let body = |policy: &mut P, kinds: &[u32]| {
            let batch = match unsafe { Batch::new(batch, kinds) } {
                Some(batch) => batch,
                None => return Ok(TENON_UNSUPPORTED),
            };
            let count = u64::from(batch.len());
            let (verdicts, reasons) = unsafe { (slice_mut((*out).verdicts, count), slice_mut((*out).reasons, count)) };
            policy.begin(&batch);
            for row in batch.rows() {
                let (verdict, reason) = match policy.filter(&row) {
                    Verdict::Pass => (TENON_PASS, 0),
                    Verdict::Fail(reason) => (TENON_FAIL, reason),
                    Verdict::Unresolvable(reason) => (TENON_FAIL_UNRESOLVABLE, reason),
                };
                assert!(usize::from(reason) <= P::REASONS.len(), "there is no reason {reason}");
                verdicts[row.position() as usize] = verdict as u8;
                reasons[row.position() as usize] = reason;
            }
            Ok(TENON_OK)
        };
        unsafe { Instance::<P>::call(this, |policy, declared| body(policy, declared.kinds())) }
    }

    unsafe extern "C" fn signature(
        this: *mut tenon_instance,
        batch: *const tenon_batch,
        out: *mut tenon_signature_out,
    ) -> tenon_status {
        if out.is_null() || !covers!(out, words) {
            return TENON_UNSUPPORTED;
        }
        let body = |policy: &mut P, kinds: &[u32]| {
            let (batch, signature) = match (unsafe { Batch::new(batch, kinds) }, P::SIGNATURE) {
                (Some(batch), Some(signature)) => (batch, signature),
                _ => return Ok(TENON_UNSUPPORTED),
            };
            policy.begin(&batch);
            let words = signature(policy, &batch.context());
            unsafe { (*out).words = words };
            Ok(TENON_OK)
        };
        unsafe { Instance::<P>::call(this, |policy, declared| body(policy, declared.kinds())) }
    }

    pub(crate) const TABLE: &'static tenon_predicate_v1 = &tenon_predicate_v1 {
        size: size_of::<tenon_predicate_v1>() as u32,
        reserved: 0,
        filter: Some(Self::filter),
        signature: if P::SIGNATURE.is_some() { Some(Self::signature) } else { None },
        filter_prefix: None,
    };
}
