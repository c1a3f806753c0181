// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Queue, application and node orders. A policy does not compare: it gives each item a key, and the kernel orders by
//! keys, smaller first; equal keys go by submission, nodes by id.
use crate::abi::*;
use crate::columns::{Batch, Row, TextMap};
use crate::error::{covers, explain, slice_mut, Refused};
use crate::instance::{description, Instance, Policy};
use crate::keys::Key;
use std::marker::PhantomData;
use std::mem::size_of;

/// Of `Sort::not_before`: until one of the item's columns changes.
pub const NOT_NOW: i64 = TENON_NOT_NOW;

/// An order of queues, applications or nodes. Keys are a pure function of the declared columns, the configuration and
/// the batch's `now_ms`: the kernel keeps them until one of the columns changes.
pub trait Sort: Policy {
    /// A number, or `[u64; N]`.
    type Key: Key;
    /// Make all keys anew at every multiple of it, which is then what `now_ms` says; 0: never.
    const REKEY_MS: u32 = 0;
    /// Node orders: as `key`, for one ask, whose columns (`ask.*`) may then be read; used instead of `key`.
    const SCORE: Option<fn(&Self, &Row) -> Self::Key> = None;
    /// Queue and application orders: makes of an application's tags, or of a queue's properties, four words that are
    /// read back as the column `item.prepared`. What it refuses is refused in its words.
    const PREPARE: Option<fn(&Self, &TextMap) -> Result<[u64; 4], Refused>> = None;

    /// Called before the keys of each batch. What it keeps is for this batch alone.
    fn begin(&mut self, _batch: &Batch) {}

    /// The key of an item; smaller goes first.
    fn key(&self, row: &Row) -> Self::Key;

    /// Leaves the item out until that time (ms), or `NOT_NOW`. Not of nodes.
    fn not_before(&self, _row: &Row) -> Option<i64> {
        None
    }
    /// Make the item's key anew at that time (ms). Not of nodes.
    fn valid_until(&self, _row: &Row) -> Option<i64> {
        None
    }
}

pub(crate) fn describe<P: Sort>() -> tenon_description {
    assert!(P::Key::WORDS >= 1 && P::Key::WORDS <= TENON_MAX_KEY_WORDS as usize, "a key has 1 to 72 words");
    tenon_description { key_words: P::Key::WORDS as u32, rekey_ms: P::REKEY_MS, ..description::<P>() }
}

pub(crate) struct Slots<P>(PhantomData<P>);

impl<P: Sort> Slots<P> {
    unsafe fn each(
        this: *mut tenon_instance,
        batch: *const tenon_batch,
        out: *mut tenon_keys_out,
        key: fn(&P, &Row) -> P::Key,
    ) -> tenon_status {
        if out.is_null() || !covers!(out, valid_until_ms) {
            return TENON_UNSUPPORTED;
        }
        let body = |policy: &mut P, kinds: &[u32]| {
            let batch = match unsafe { Batch::new(batch, kinds) } {
                Some(batch) => batch,
                None => return Ok(TENON_UNSUPPORTED),
            };
            let out = unsafe { &mut *out };
            if out.key_words as usize != P::Key::WORDS {
                return Ok(TENON_UNSUPPORTED);
            }
            let count = u64::from(batch.len());
            let (words, not_before, valid_until) = unsafe {
                let words = slice_mut(out.keys, count * P::Key::WORDS as u64);
                (words, slice_mut(out.not_before_ms, count), slice_mut(out.valid_until_ms, count))
            };
            policy.begin(&batch);
            for (row, words) in batch.rows().zip(words.chunks_exact_mut(P::Key::WORDS)) {
                key(policy, &row).put(words);
                let at = row.position() as usize;
                if let Some(time) = policy.not_before(&row) {
                    not_before[at] = time;
                }
                if let Some(time) = policy.valid_until(&row) {
                    valid_until[at] = time;
                }
            }
            Ok(TENON_OK)
        };
        unsafe { Instance::<P>::call(this, |policy, declared| body(policy, declared.kinds())) }
    }

    unsafe extern "C" fn keys(
        this: *mut tenon_instance,
        batch: *const tenon_batch,
        out: *mut tenon_keys_out,
    ) -> tenon_status {
        unsafe { Self::each(this, batch, out, P::key) }
    }

    unsafe extern "C" fn score(
        this: *mut tenon_instance,
        batch: *const tenon_batch,
        out: *mut tenon_keys_out,
    ) -> tenon_status {
        unsafe { Self::each(this, batch, out, P::SCORE.unwrap_or(P::key)) }
    }

    unsafe extern "C" fn prepare(
        this: *mut tenon_instance,
        request: *const tenon_prepare_in,
        out: *mut tenon_prepare_out,
    ) -> tenon_status {
        if request.is_null() || out.is_null() || !covers!(request, tag_count) || !covers!(out, error) {
            return TENON_UNSUPPORTED;
        }
        let body = |policy: &mut P| {
            let (given, out) = unsafe { (&*request, &mut *out) };
            let tags = unsafe { TextMap::new(given.tag_names, given.tag_values, given.tag_count) };
            match P::PREPARE.map(|prepare| prepare(policy, &tags)) {
                None => Ok(TENON_UNSUPPORTED),
                Some(Ok(words)) => {
                    out.words = words;
                    Ok(TENON_OK)
                }
                // The tag's fault, not the policy's: it is told, not logged.
                Some(Err(refused)) => {
                    unsafe { explain(out.error, refused.words()) };
                    Ok(TENON_INVALID_CONFIG)
                }
            }
        };
        unsafe { Instance::<P>::call(this, |policy, _| body(policy)) }
    }

    pub(crate) const TABLE: &'static tenon_sort_v1 = &tenon_sort_v1 {
        size: size_of::<tenon_sort_v1>() as u32,
        reserved: 0,
        keys: Some(Self::keys),
        prepare: if P::PREPARE.is_some() { Some(Self::prepare) } else { None },
        score: if P::SCORE.is_some() { Some(Self::score) } else { None },
    };
}
