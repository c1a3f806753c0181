// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A node with the attribute `quarantine` takes only asks whose tag `tolerates` has the same value. In Rust, from the C
// headers alone.
#![allow(non_upper_case_globals)]

mod abi {
    #![allow(non_camel_case_types, dead_code)]
    include!(concat!(env!("OUT_DIR"), "/abi.rs"));
}
use abi::*;
use std::{mem::size_of, panic::catch_unwind, ptr::null};

// bindgen gives the numbers of #defines with a cast no type of ours.
const OK: tenon_status = 0;
const UNSUPPORTED: tenon_status = 6;
const INTERNAL: tenon_status = 8;

/// A constant of pointers to constants, which any thread may read.
#[repr(transparent)]
pub struct Shared<T>(T);
unsafe impl<T> Sync for Shared<T> {}

const fn text(from: &'static str) -> tenon_text {
    tenon_text { data: from.as_ptr() as *const _, length: from.len() as u64 }
}

/// No panic leaves a slot.
fn guarded(slot: impl FnOnce() -> tenon_status + std::panic::UnwindSafe) -> tenon_status {
    catch_unwind(slot).unwrap_or(INTERNAL)
}

/// The text of a column for an item; nothing where the item has none, or the call has no such context.
unsafe fn text_of<'a>(batch: &'a tenon_batch, column: u32, item: u32) -> Option<&'a [u8]> {
    let at = (batch.columns as *const u8).add(column as usize * batch.column_stride as usize);
    let column = &*(at as *const tenon_column);
    if column.base.is_null() {
        return None;
    }
    let at = (column.base as *const u8).add(item as usize * column.item_stride as usize);
    let value = &*(at as *const tenon_text);
    (!value.data.is_null()).then(|| std::slice::from_raw_parts(value.data as *const u8, value.length as usize))
}

fn is_usable(batch: &tenon_batch) -> bool {
    batch.size as usize >= size_of::<tenon_batch>() && batch.column_count >= 2
}

/// [cycle] Judges the batch's nodes for the ask in the context columns.
unsafe extern "C" fn filter(_: *mut tenon_instance, batch: *const tenon_batch, out: *mut tenon_filter_out) -> tenon_status {
    guarded(|| {
        let (batch, out) = (&*batch, &*out);
        if !is_usable(batch) || (out.size as usize) < size_of::<tenon_filter_out>() {
            return UNSUPPORTED;
        }
        let tolerated = text_of(batch, 1, 0);
        for i in 0..batch.item_count as usize {
            let quarantine = text_of(batch, 0, *batch.items.add(i));
            let fits = quarantine.is_none() || quarantine == tolerated;
            *out.verdicts.add(i) = (if fits { TENON_PASS } else { TENON_FAIL_UNRESOLVABLE }) as u8;
            *out.reasons.add(i) = if fits { 0 } else { 1 };
        }
        OK
    })
}

/// [cycle] Asks with equal words share verdicts.
unsafe extern "C" fn signature(
    _: *mut tenon_instance,
    batch: *const tenon_batch,
    out: *mut tenon_signature_out,
) -> tenon_status {
    guarded(|| {
        let (batch, out) = (&*batch, &mut *out);
        if !is_usable(batch) || (out.size as usize) < size_of::<tenon_signature_out>() {
            return UNSUPPORTED;
        }
        out.words = match text_of(batch, 1, 0) {
            None => [0, 0],
            Some(tolerated) => [hash(tolerated, 0xCBF2_9CE4_8422_2325), hash(tolerated, 0x6A09_E667_F3BC_C908)],
        };
        OK
    })
}

/// FNV-1a from another start, with the length last; never 0, which is "no tag".
fn hash(text: &[u8], start: u64) -> u64 {
    let mixed = text.iter().fold(start, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3));
    (mixed ^ text.len() as u64).rotate_left(29) | 1
}

static slots: tenon_predicate_v1 = tenon_predicate_v1 {
    size: size_of::<tenon_predicate_v1>() as u32,
    reserved: 0,
    filter: Some(filter),
    signature: Some(signature),
    filter_prefix: None,
};

static columns: Shared<[tenon_column_use; 2]> = Shared([
    tenon_column_use {
        size: size_of::<tenon_column_use>() as u32,
        scope: TENON_SCOPE_ITEM,
        id: text("node.attr:quarantine"),
    },
    tenon_column_use {
        size: size_of::<tenon_column_use>() as u32,
        scope: TENON_SCOPE_CONTEXT,
        id: text("ask.tag:tolerates"),
    },
]);
static reasons: Shared<[tenon_text; 1]> = Shared([text("the node is in quarantine, and the ask does not tolerate it")]);

unsafe extern "C" fn nothing_to_do(_: *mut tenon_instance, _: *const tenon_nothing, _: *mut tenon_message) -> tenon_status {
    OK
}
static lifecycle: tenon_lifecycle = tenon_lifecycle {
    size: size_of::<tenon_lifecycle>() as u32,
    reserved: 0,
    init: Some(nothing_to_do),
    activate: Some(nothing_to_do),
    deactivate: Some(nothing_to_do),
    destroy: Some(nothing_to_do),
};
/// The policy keeps nothing, so one instance, made by nobody, serves all.
static the_instance: u8 = 0;

unsafe extern "C" fn describe(
    _: *const tenon_factory,
    request: *const tenon_describe_in,
    out: *mut tenon_description,
) -> tenon_status {
    if (*request).index != 0 {
        return UNSUPPORTED;
    }
    let said = tenon_description {
        size: (*out).size, // the caller's, who may know fewer fields, or more
        column_count: columns.0.len() as u32,
        name: text("quarantine"),
        version: text(env!("CARGO_PKG_VERSION")),
        columns: columns.0.as_ptr(),
        column_stride: size_of::<tenon_column_use>() as u32,
        key_words: 0,
        order_rev: 1,
        rekey_ms: 0,
        reasons: reasons.0.as_ptr(),
        reason_count: reasons.0.len() as u32,
        reserved: 0,
    };
    let known = size_of::<tenon_description>().min((*out).size as usize);
    std::ptr::copy_nonoverlapping(&said as *const _ as *const u8, out as *mut u8, known);
    OK
}

unsafe extern "C" fn create(
    _: *const tenon_factory,
    request: *const tenon_create_in,
    out: *mut tenon_create_out,
) -> tenon_status {
    // Everything up to the table must be there; the fields behind it are optional.
    let table_end = &(*out).interface_table as *const _ as usize + size_of::<usize>() - out as usize;
    if (*request).index != 0 || ((*out).size as usize) < table_end {
        return UNSUPPORTED;
    }
    (*out).instance = &the_instance as *const u8 as *mut tenon_instance;
    (*out).lifecycle = &lifecycle;
    (*out).interface_table = &slots as *const tenon_predicate_v1 as *const _;
    OK
}

static factory: tenon_factory = tenon_factory {
    size: size_of::<tenon_factory>() as u32,
    reserved: 0,
    describe: Some(describe),
    create: Some(create),
};

unsafe extern "C" fn init(host: *const tenon_module_init_in, _: *mut tenon_message) -> tenon_status {
    if (*host).abi_epoch == TENON_ABI_EPOCH { OK } else { UNSUPPORTED }
}

unsafe extern "C" fn deinit(_: *const tenon_nothing, _: *mut tenon_message) -> tenon_status {
    OK
}

unsafe extern "C" fn get_factory(
    wanted: *const tenon_get_factory_in,
    out: *mut tenon_get_factory_out,
) -> tenon_status {
    let id = &(*wanted).interface_id;
    let id = if id.length == 0 { &[][..] } else { std::slice::from_raw_parts(id.data as *const u8, id.length as usize) };
    let known = id == &TENON_PREDICATE[..TENON_PREDICATE.len() - 1]; // without the 0 at its end
    (*out).factory = if known { &factory } else { null() };
    if known { OK } else { UNSUPPORTED }
}

#[no_mangle]
pub static tenon_module_v1: tenon_module = tenon_module {
    size: size_of::<tenon_module>() as u32,
    abi_epoch: TENON_ABI_EPOCH,
    draft_rev: TENON_DRAFT_REV,
    reserved: 0,
    init: Some(init),
    deinit: Some(deinit),
    get_factory: Some(get_factory),
};
