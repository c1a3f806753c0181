// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! The table behind the one exported symbol: finds and makes what `tenon_module!` lists.
use crate::abi::*;
use crate::error::{covers, explain, fill, guarded, text, view};
use crate::identity::{self, Identity};
use crate::instance;
use crate::placement_rule::{self, PlacementRule};
use crate::predicate::{self, Predicate};
use crate::sort::{self, Sort};
use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a module provides.
pub trait Module: 'static {
    const VERSION: &'static str;
    const FACTORIES: &'static [Factory];
}

/// One implementation. The table comes first: a `tenon_factory *` is a pointer to this.
#[repr(C)]
pub struct Factory {
    table: tenon_factory,
    interface: &'static str,
    describe: fn() -> tenon_description,
    create: unsafe fn(*const tenon_create_in, *mut tenon_create_out) -> tenon_status,
}

const fn factory<M: Module>(
    interface: &'static str,
    describe: fn() -> tenon_description,
    create: unsafe fn(*const tenon_create_in, *mut tenon_create_out) -> tenon_status,
) -> Factory {
    let table = tenon_factory {
        size: size_of::<tenon_factory>() as u32,
        reserved: 0,
        describe: Some(self::describe::<M>),
        create: Some(self::create::<M>),
    };
    Factory { table, interface, describe, create }
}

unsafe fn create_sort<P: Sort>(request: *const tenon_create_in, out: *mut tenon_create_out) -> tenon_status {
    unsafe { instance::create::<P>(request, out, sort::Slots::<P>::TABLE as *const tenon_sort_v1 as *const c_void) }
}
pub const fn queue_sort<M: Module, P: Sort>() -> Factory {
    factory::<M>(TENON_QUEUE_SORT, sort::describe::<P>, create_sort::<P>)
}
pub const fn app_sort<M: Module, P: Sort>() -> Factory {
    factory::<M>(TENON_APP_SORT, sort::describe::<P>, create_sort::<P>)
}
pub const fn node_sort<M: Module, P: Sort>() -> Factory {
    factory::<M>(TENON_NODE_SORT, sort::describe::<P>, create_sort::<P>)
}

unsafe fn create_predicate<P: Predicate>(request: *const tenon_create_in, out: *mut tenon_create_out) -> tenon_status {
    let table = predicate::Slots::<P>::TABLE as *const tenon_predicate_v1;
    unsafe { instance::create::<P>(request, out, table as *const c_void) }
}
pub const fn predicate<M: Module, P: Predicate>() -> Factory {
    factory::<M>(TENON_PREDICATE, predicate::describe::<P>, create_predicate::<P>)
}

unsafe fn create_rule<P: PlacementRule>(request: *const tenon_create_in, out: *mut tenon_create_out) -> tenon_status {
    let table = placement_rule::Slots::<P>::TABLE as *const tenon_placement_rule_v1;
    unsafe { instance::create::<P>(request, out, table as *const c_void) }
}
pub const fn placement_rule<M: Module, P: PlacementRule>() -> Factory {
    factory::<M>(TENON_PLACEMENT_RULE, instance::description::<P>, create_rule::<P>)
}

unsafe fn create_identity<P: Identity>(request: *const tenon_create_in, out: *mut tenon_create_out) -> tenon_status {
    let table = identity::Slots::<P>::TABLE as *const tenon_identity_v1;
    unsafe { instance::create::<P>(request, out, table as *const c_void) }
}
pub const fn identity<M: Module, P: Identity>() -> Factory {
    factory::<M>(TENON_IDENTITY, instance::description::<P>, create_identity::<P>)
}

pub const fn table<M: Module>() -> tenon_module {
    tenon_module {
        size: size_of::<tenon_module>() as u32,
        abi_epoch: TENON_ABI_EPOCH,
        draft_rev: TENON_DRAFT_REV,
        reserved: 0,
        init: Some(init),
        deinit: Some(deinit),
        get_factory: Some(get_factory::<M>),
    }
}

static INITS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn init(request: *const tenon_module_init_in, error: *mut tenon_message) -> tenon_status {
    if request.is_null() || !covers!(request, abi_epoch) {
        return TENON_UNSUPPORTED;
    }
    if unsafe { (*request).abi_epoch } != TENON_ABI_EPOCH {
        unsafe { explain(error, "the module was built for another ABI epoch") };
        return TENON_UNSUPPORTED;
    }
    INITS.fetch_add(1, Ordering::SeqCst);
    TENON_OK
}

/// One too many does nothing.
unsafe extern "C" fn deinit(_: *const tenon_nothing, _: *mut tenon_message) -> tenon_status {
    let _ = INITS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| count.checked_sub(1));
    TENON_OK
}

fn nth<M: Module>(interface: &str, index: u32) -> Option<&'static Factory> {
    M::FACTORIES.iter().filter(|one| one.interface == interface).nth(index as usize)
}

unsafe extern "C" fn get_factory<M: Module>(
    request: *const tenon_get_factory_in,
    out: *mut tenon_get_factory_out,
) -> tenon_status {
    if request.is_null() || out.is_null() || !covers!(request, interface_id) || !covers!(out, factory) {
        return TENON_UNSUPPORTED;
    }
    guarded(
        || {
            let found = nth::<M>(unsafe { view(&(*request).interface_id) }, 0);
            unsafe { (*out).factory = found.map_or(null(), |one| one as *const Factory as *const tenon_factory) };
            Ok(if found.is_some() { TENON_OK } else { TENON_UNSUPPORTED })
        },
        |_| (),
    )
}

unsafe fn chosen<M: Module>(this: *const tenon_factory, index: u32) -> Option<&'static Factory> {
    if this.is_null() {
        return None;
    }
    nth::<M>(unsafe { (*(this as *const Factory)).interface }, index)
}

unsafe extern "C" fn describe<M: Module>(
    this: *const tenon_factory,
    request: *const tenon_describe_in,
    out: *mut tenon_description,
) -> tenon_status {
    if request.is_null() || out.is_null() || !covers!(request, index) {
        return TENON_UNSUPPORTED;
    }
    guarded(
        || {
            let one = match unsafe { chosen::<M>(this, (*request).index) } {
                Some(one) => one,
                None => return Ok(TENON_UNSUPPORTED),
            };
            let said = tenon_description { version: text(M::VERSION), ..(one.describe)() };
            unsafe { fill(out, &said) };
            Ok(TENON_OK)
        },
        |_| (),
    )
}

unsafe extern "C" fn create<M: Module>(
    this: *const tenon_factory,
    request: *const tenon_create_in,
    out: *mut tenon_create_out,
) -> tenon_status {
    if request.is_null() || out.is_null() || !covers!(request, index) {
        return TENON_UNSUPPORTED;
    }
    match unsafe { chosen::<M>(this, (*request).index) } {
        Some(one) => unsafe { (one.create)(request, out) },
        None => TENON_UNSUPPORTED,
    }
}
