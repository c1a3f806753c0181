// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! What stands behind a `tenon_instance`: a policy, its place in the lifecycle and the guard around every slot.
use crate::abi::*;
use crate::columns::{Column, Declared, Holds, Scope};
use crate::error::{covers, explain, fill, guarded, text, view, Refused};
use crate::host::{Host, Level};
use crate::settings::Settings;
use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr::{null, null_mut};

/// What every kind of policy has. An instance is called by one thread at a time.
pub trait Policy: Sized + Send + 'static {
    /// As queues.yaml or the deployment says it.
    const NAME: &'static str;
    /// Raise it when the order, the verdict or the place changes; the manifest says the same number.
    const ORDER_REV: u32 = 1;

    /// Makes the policy of a configuration, and declares its columns.
    fn new(setup: &mut Setup) -> Result<Self, Refused>;

    /// The first call; the host's services may be used from now on.
    fn init(&mut self, _host: &Host) -> Result<(), Refused> {
        Ok(())
    }
    /// Before the first question.
    fn activate(&mut self) -> Result<(), Refused> {
        Ok(())
    }
    /// After the last.
    fn deactivate(&mut self) -> Result<(), Refused> {
        Ok(())
    }
}

/// What a policy is made of.
pub struct Setup {
    /// The configuration, checked against the manifest's schema, its defaults filled in.
    pub settings: Settings,
    /// No type index reaches it.
    pub max_resource_types: u32,
    declared: Declared,
}

impl Setup {
    /// Declares a column: what the policy reads, and what makes its answer anew when it changes. Ids, and what they
    /// hold, stand in `tenon/abi/columns.h`.
    pub fn column<K: Holds>(&mut self, id: impl AsRef<str>, scope: Scope) -> Column<K> {
        self.declared.add(id.as_ref(), scope)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Created,
    Initialised,
    Active,
    Stopped,
}

pub(crate) struct Instance<P> {
    policy: P,
    host: Host,
    declared: Declared,
    life: Life,
    fault_logged: bool,
}

impl<P: Policy> Instance<P> {
    /// The body of a slot of a kind. A first fault is logged; later ones are the host's to count.
    ///
    /// # Safety
    /// `this` is null, or an instance that `create` made of the same policy and that is not destroyed.
    pub(crate) unsafe fn call(
        this: *mut tenon_instance,
        body: impl FnOnce(&mut P, &Declared) -> Result<tenon_status, Refused>,
    ) -> tenon_status {
        if this.is_null() {
            return TENON_INTERNAL;
        }
        let Instance { policy, host, declared, fault_logged, .. } = unsafe { &mut *(this as *mut Self) };
        guarded(
            || body(policy, declared),
            |words| {
                if !std::mem::replace(fault_logged, true) {
                    host.log(Level::Error, words);
                }
            },
        )
    }

    /// The body of a lifecycle slot: legal from `from` only.
    unsafe fn step(
        this: *mut tenon_instance,
        from: &[Life],
        to: Life,
        error: *mut tenon_message,
        body: impl FnOnce(&mut Self) -> Result<(), Refused>,
    ) -> tenon_status {
        if this.is_null() {
            return TENON_INTERNAL;
        }
        let this = unsafe { &mut *(this as *mut Self) };
        if !from.contains(&this.life) {
            unsafe { explain(error, "a lifecycle call out of order") };
            return TENON_INTERNAL;
        }
        guarded(
            || {
                body(this)?;
                this.life = to;
                Ok(TENON_OK)
            },
            |words| unsafe { explain(error, words) },
        )
    }

    unsafe extern "C" fn init(
        this: *mut tenon_instance,
        _: *const tenon_nothing,
        error: *mut tenon_message,
    ) -> tenon_status {
        unsafe {
            Self::step(this, &[Life::Created], Life::Initialised, error, |one| {
                one.host.open();
                one.policy.init(&one.host)
            })
        }
    }

    unsafe extern "C" fn activate(
        this: *mut tenon_instance,
        _: *const tenon_nothing,
        error: *mut tenon_message,
    ) -> tenon_status {
        unsafe {
            Self::step(this, &[Life::Initialised, Life::Stopped], Life::Active, error, |one| one.policy.activate())
        }
    }

    unsafe extern "C" fn deactivate(
        this: *mut tenon_instance,
        _: *const tenon_nothing,
        error: *mut tenon_message,
    ) -> tenon_status {
        unsafe { Self::step(this, &[Life::Active], Life::Stopped, error, |one| one.policy.deactivate()) }
    }

    unsafe extern "C" fn destroy(
        this: *mut tenon_instance,
        _: *const tenon_nothing,
        _: *mut tenon_message,
    ) -> tenon_status {
        if this.is_null() {
            return TENON_INTERNAL;
        }
        let this = unsafe { Box::from_raw(this as *mut Self) };
        guarded(
            || {
                drop(this);
                Ok(TENON_OK)
            },
            |_| (),
        )
    }

    const LIFECYCLE: &'static tenon_lifecycle = &tenon_lifecycle {
        size: size_of::<tenon_lifecycle>() as u32,
        reserved: 0,
        init: Some(Self::init),
        activate: Some(Self::activate),
        deactivate: Some(Self::deactivate),
        destroy: Some(Self::destroy),
    };
}

/// The part of a description that all kinds share; each instance says its own columns.
pub(crate) fn description<P: Policy>() -> tenon_description {
    tenon_description {
        size: size_of::<tenon_description>() as u32,
        column_count: 0,
        name: text(P::NAME),
        version: text(""),
        columns: null(),
        column_stride: 0,
        key_words: 0,
        order_rev: P::ORDER_REV,
        rekey_ms: 0,
        reasons: null(),
        reason_count: 0,
        reserved: 0,
    }
}

/// Makes an instance of `P` with the slots of its kind.
///
/// # Safety
/// Arguments as the ABI says; `table` is of the kind that the factory is for.
pub(crate) unsafe fn create<P: Policy>(
    request: *const tenon_create_in,
    out: *mut tenon_create_out,
    table: *const c_void,
) -> tenon_status {
    if !covers!(out, error) || !covers!(request, max_resource_types) {
        return TENON_UNSUPPORTED;
    }
    let (error, given) = unsafe { ((*out).error, &*request) };
    let body = || {
        let settings = Settings::read(unsafe { view(&given.configuration) })?;
        let mut setup = Setup { settings, max_resource_types: given.max_resource_types, declared: Declared::default() };
        let policy = P::new(&mut setup)?;
        let declared = setup.declared;
        if !declared.uses().is_empty() && !covers!(out, key_words) {
            unsafe { explain(error, "the host is too old for a policy whose configuration decides its columns") };
            return Ok(TENON_UNSUPPORTED);
        }
        let host = if covers!(request, host) { given.host } else { null() };
        let host = unsafe { Host::new(host) };
        let made = Box::new(Instance { policy, host, declared, life: Life::Created, fault_logged: false });
        let mut answer = tenon_create_out {
            size: size_of::<tenon_create_out>() as u32,
            reserved: 0,
            instance: null_mut(),
            lifecycle: Instance::<P>::LIFECYCLE,
            interface_table: table,
            error,
            columns: null(),
            column_count: 0,
            column_stride: 0,
            key_words: 0,
            reserved2: 0,
        };
        if !made.declared.uses().is_empty() {
            answer.columns = made.declared.uses().as_ptr();
            answer.column_count = made.declared.uses().len() as u32;
            answer.column_stride = size_of::<tenon_column_use>() as u32;
        }
        answer.instance = Box::into_raw(made) as *mut tenon_instance;
        unsafe { fill(out, &answer) };
        Ok(TENON_OK)
    };
    guarded(body, |words| unsafe { explain(error, words) })
}
