// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! The C headers of `tenon/abi` as far as orders, predicates, placement rules and identities need them, under the names that they
//! have there; the comments of the headers are the contract. A test compares what `layout` says with the headers.
#![allow(non_camel_case_types, missing_docs)]

use std::fmt::Write;
use std::mem::{align_of, size_of, MaybeUninit};
use std::os::raw::{c_char, c_void};
use std::ptr::addr_of;

pub type tenon_status = i32;
pub type tenon_world = u64;

/// A slot of two or three arguments; NULL is `None`.
pub type Slot2<A, B> = Option<unsafe extern "C" fn(A, B) -> tenon_status>;
pub type Slot3<A, B, C> = Option<unsafe extern "C" fn(A, B, C) -> tenon_status>;

/// Nobody looks inside: the module's instance behind the host's pointer.
#[repr(C)]
pub struct tenon_instance {
    nothing: [u8; 0],
}

macro_rules! described {
    (constants { $($constant:ident: $of:ty = $value:expr;)* }
     $(struct $name:ident { $($field:ident: $kind:ty,)* })*) => {
        $(pub const $constant: $of = $value;)*
        $(
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name {
                $(pub $field: $kind,)*
            }
        )*

        /// A line for each constant, struct and member, for the test that compares them with the headers.
        #[doc(hidden)]
        pub fn layout() -> String {
            let mut out = String::new();
            $(
                let nowhere = MaybeUninit::<$name>::uninit();
                let start = nowhere.as_ptr();
                let sizes = (size_of::<$name>(), align_of::<$name>());
                let _ = writeln!(out, "struct {} size {} align {}", stringify!($name), sizes.0, sizes.1);
                $(
                    // SAFETY: the member's place is computed, nothing is read.
                    let at = unsafe { addr_of!((*start).$field) } as usize - start as usize;
                    let _ = writeln!(out, "  {} {}: {}", at, stringify!($field), stringify!($kind));
                )*
            )*
            $(let _ = writeln!(out, "constant {} {:?}", stringify!($constant), $constant);)*
            out
        }
    };
}

described! {
    constants {
        TENON_ABI_EPOCH: u32 = 1;
        TENON_DRAFT_REV: u32 = 3;
        TENON_OK: tenon_status = 0;
        TENON_DECLINED: tenon_status = 1;
        TENON_RETRY: tenon_status = 4;
        TENON_INVALID_CONFIG: tenon_status = 5;
        TENON_UNSUPPORTED: tenon_status = 6;
        TENON_EXHAUSTED: tenon_status = 7;
        TENON_INTERNAL: tenon_status = 8;
        TENON_MAX_KEY_WORDS: u32 = 72;

        TENON_COLUMN_I64: u32 = 1;
        TENON_COLUMN_RESOURCES: u32 = 2;
        TENON_COLUMN_TEXT: u32 = 3;
        TENON_COLUMN_TEXT_MAP: u32 = 4;
        TENON_COLUMN_WORDS: u32 = 5;
        TENON_COLUMN_NUMBERS: u32 = 6;
        TENON_COLUMN_TEXTS: u32 = 7;
        TENON_SCOPE_ITEM: u32 = 1;
        TENON_SCOPE_SIBLINGS: u32 = 2;
        TENON_SCOPE_CONTEXT: u32 = 3;

        TENON_QUEUE_SORT: &str = "tenon.queue-sort/1";
        TENON_APP_SORT: &str = "tenon.app-sort/1";
        TENON_NODE_SORT: &str = "tenon.node-sort/1";
        TENON_PREDICATE: &str = "tenon.predicate/1";
        TENON_PLACEMENT_RULE: &str = "tenon.placement-rule/1";
        TENON_IDENTITY: &str = "tenon.identity/1";
        TENON_NOT_NOW: i64 = i64::MAX;
        TENON_PASS: u32 = 0;
        TENON_FAIL: u32 = 1;
        TENON_FAIL_UNRESOLVABLE: u32 = 2;
        TENON_QUEUE_ACTIVE: u32 = 1;
        TENON_QUEUE_DRAINING: u32 = 2;
        TENON_QUEUE_STOPPED: u32 = 3;

        TENON_HOST_LOG: &str = "tenon.host.log/1";
        TENON_LOG_DEBUG: u32 = 0;
        TENON_LOG_INFO: u32 = 1;
        TENON_LOG_WARNING: u32 = 2;
        TENON_LOG_ERROR: u32 = 3;
    }

    struct tenon_text {
        data: *const c_char,
        length: u64,
    }
    struct tenon_message {
        size: u32,
        capacity: u32,
        data: *mut c_char,
        length: u64,
    }
    struct tenon_text_map {
        keys: *const tenon_text,
        values: *const tenon_text,
        count: u64,
    }
    struct tenon_numbers {
        values: *const i64,
        count: u64,
    }
    struct tenon_texts {
        values: *const tenon_text,
        count: u64,
    }
    struct tenon_column_use {
        size: u32,
        scope: u32,
        id: tenon_text,
    }
    struct tenon_column {
        size: u32,
        kind: u32,
        base: *const c_void,
        present: *const u64,
        item_stride: u64,
        type_stride: u64,
        present_stride: u64,
    }
    struct tenon_batch {
        size: u32,
        item_count: u32,
        items: *const u32,
        columns: *const tenon_column,
        column_count: u32,
        column_stride: u32,
        types: *const tenon_text,
        type_count: u32,
        reserved: u32,
        now_ms: i64,
        world: tenon_world,
    }

    struct tenon_keys_out {
        size: u32,
        key_words: u32,
        keys: *mut u64,
        not_before_ms: *mut i64,
        valid_until_ms: *mut i64,
    }
    struct tenon_prepare_in {
        size: u32,
        reserved: u32,
        tag_names: *const tenon_text,
        tag_values: *const tenon_text,
        tag_count: u64,
    }
    struct tenon_prepare_out {
        size: u32,
        reserved: u32,
        words: [u64; 4],
        error: *mut tenon_message,
    }
    struct tenon_sort_v1 {
        size: u32,
        reserved: u32,
        keys: Slot3<*mut tenon_instance, *const tenon_batch, *mut tenon_keys_out>,
        prepare: Slot3<*mut tenon_instance, *const tenon_prepare_in, *mut tenon_prepare_out>,
        score: Slot3<*mut tenon_instance, *const tenon_batch, *mut tenon_keys_out>,
    }

    struct tenon_filter_out {
        size: u32,
        reserved: u32,
        verdicts: *mut u8,
        reasons: *mut u16,
    }
    struct tenon_signature_out {
        size: u32,
        reserved: u32,
        words: [u64; 2],
    }
    struct tenon_filter_prefix_in {
        size: u32,
        victim_count: u32,
        batch: *const tenon_batch,
        victims: *const tenon_handle,
        start: u32,
        reserved: u32,
    }
    struct tenon_filter_prefix_out {
        size: u32,
        index: u32,
    }
    struct tenon_predicate_v1 {
        size: u32,
        reserved: u32,
        filter: Slot3<*mut tenon_instance, *const tenon_batch, *mut tenon_filter_out>,
        signature: Slot3<*mut tenon_instance, *const tenon_batch, *mut tenon_signature_out>,
        filter_prefix: Slot3<*mut tenon_instance, *const tenon_filter_prefix_in, *mut tenon_filter_prefix_out>,
    }

    struct tenon_find_queue_in {
        size: u32,
        reserved: u32,
        path: tenon_text,
        world: tenon_world,
    }
    struct tenon_find_queue_out {
        size: u32,
        exists: u32,
        leaf: u32,
        state: u32,
    }
    struct tenon_queue_tree {
        size: u32,
        reserved: u32,
        find: Slot3<*const tenon_queue_tree, *const tenon_find_queue_in, *mut tenon_find_queue_out>,
    }
    struct tenon_place_in {
        size: u32,
        group_count: u32,
        application: tenon_text,
        queue: tenon_text,
        user: tenon_text,
        groups: *const tenon_text,
        tag_names: *const tenon_text,
        tag_values: *const tenon_text,
        tag_count: u64,
        queues: *const tenon_queue_tree,
        world: tenon_world,
        now_ms: i64,
    }
    struct tenon_place_out {
        size: u32,
        qualified: u32,
        name: *mut c_char,
        name_capacity: u64,
        name_length: u64,
        error: *mut tenon_message,
    }
    struct tenon_placement_rule_v1 {
        size: u32,
        reserved: u32,
        place: Slot3<*mut tenon_instance, *const tenon_place_in, *mut tenon_place_out>,
    }

    struct tenon_resolve_in {
        size: u32,
        reserved: u32,
        user: tenon_text,
    }
    struct tenon_resolve_out {
        size: u32,
        group_capacity: u32,
        groups: *mut tenon_text,
        group_count: u64,
        room: *mut c_char,
        room_capacity: u64,
        room_length: u64,
        error: *mut tenon_message,
    }
    struct tenon_identity_v1 {
        size: u32,
        reserved: u32,
        resolve: Slot3<*mut tenon_instance, *const tenon_resolve_in, *mut tenon_resolve_out>,
    }

    struct tenon_get_service_in {
        size: u32,
        reserved: u32,
        id: tenon_text,
    }
    struct tenon_get_service_out {
        size: u32,
        reserved: u32,
        service: *const c_void,
    }
    struct tenon_host {
        size: u32,
        abi_epoch: u32,
        get_service: Slot3<*const tenon_host, *const tenon_get_service_in, *mut tenon_get_service_out>,
    }
    struct tenon_log_in {
        size: u32,
        level: u32,
        line: tenon_text,
    }
    struct tenon_host_log {
        size: u32,
        reserved: u32,
        write: Slot2<*const tenon_host, *const tenon_log_in>,
    }

    struct tenon_nothing {
        size: u32,
        reserved: u32,
    }
    struct tenon_lifecycle {
        size: u32,
        reserved: u32,
        init: Slot3<*mut tenon_instance, *const tenon_nothing, *mut tenon_message>,
        activate: Slot3<*mut tenon_instance, *const tenon_nothing, *mut tenon_message>,
        deactivate: Slot3<*mut tenon_instance, *const tenon_nothing, *mut tenon_message>,
        destroy: Slot3<*mut tenon_instance, *const tenon_nothing, *mut tenon_message>,
    }
    struct tenon_description {
        size: u32,
        column_count: u32,
        name: tenon_text,
        version: tenon_text,
        columns: *const tenon_column_use,
        column_stride: u32,
        key_words: u32,
        order_rev: u32,
        rekey_ms: u32,
        reasons: *const tenon_text,
        reason_count: u32,
        reserved: u32,
    }
    struct tenon_describe_in {
        size: u32,
        index: u32,
    }
    struct tenon_create_in {
        size: u32,
        index: u32,
        configuration: tenon_text,
        max_resource_types: u32,
        reserved: u32,
        host: *const tenon_host,
    }
    struct tenon_create_out {
        size: u32,
        reserved: u32,
        instance: *mut tenon_instance,
        lifecycle: *const tenon_lifecycle,
        interface_table: *const c_void,
        error: *mut tenon_message,
        columns: *const tenon_column_use,
        column_count: u32,
        column_stride: u32,
        key_words: u32,
        reserved2: u32,
    }
    struct tenon_factory {
        size: u32,
        reserved: u32,
        describe: Slot3<*const tenon_factory, *const tenon_describe_in, *mut tenon_description>,
        create: Slot3<*const tenon_factory, *const tenon_create_in, *mut tenon_create_out>,
    }
    struct tenon_module_init_in {
        size: u32,
        abi_epoch: u32,
        host: *const tenon_host,
    }
    struct tenon_get_factory_in {
        size: u32,
        reserved: u32,
        interface_id: tenon_text,
    }
    struct tenon_get_factory_out {
        size: u32,
        reserved: u32,
        factory: *const tenon_factory,
    }
    struct tenon_module {
        size: u32,
        abi_epoch: u32,
        draft_rev: u32,
        reserved: u32,
        init: Slot2<*const tenon_module_init_in, *mut tenon_message>,
        deinit: Slot2<*const tenon_nothing, *mut tenon_message>,
        get_factory: Slot2<*const tenon_get_factory_in, *mut tenon_get_factory_out>,
    }
}

/// A reference to an object of a partition; 0 is no object.
pub type tenon_handle = u64;
