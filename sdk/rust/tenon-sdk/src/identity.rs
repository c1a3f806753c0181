// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Identities: the groups of a user.
use crate::abi::*;
use crate::error::{covers, explain, slice, slice_mut};
use crate::instance::{Instance, Policy};
use std::marker::PhantomData;
use std::mem::size_of;
use std::os::raw::c_char;

/// The source cannot be asked now, in words for people; the host asks again later. No wrong configuration: that is
/// refused by `Policy::new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Away(String);

impl Away {
    /// "cannot read /etc/group: permission denied"
    pub fn new(words: impl Into<String>) -> Self {
        Away(words.into())
    }
}

/// A source of groups, chosen by `usergroupresolver.type`.
pub trait Identity: Policy {
    /// The groups of a user, the most telling one first, each once and none without a name; nothing where there is no
    /// such user. A name may be any bytes and is taken whole. It may wait: the host asks about one user at a time, keeps
    /// the answers itself, and holds up nobody else.
    fn groups(&mut self, user: &[u8]) -> Result<Option<Vec<String>>, Away>;
}

pub(crate) struct Slots<P>(PhantomData<P>);

impl<P: Identity> Slots<P> {
    unsafe extern "C" fn resolve(
        this: *mut tenon_instance,
        request: *const tenon_resolve_in,
        out: *mut tenon_resolve_out,
    ) -> tenon_status {
        if request.is_null() || out.is_null() || !covers!(request, user) || !covers!(out, error) {
            return TENON_UNSUPPORTED;
        }
        let body = |policy: &mut P| {
            // SAFETY: what the host gave is valid for the call.
            let (user, out) = unsafe {
                let user = &(*request).user;
                (slice(user.data as *const u8, user.length), &mut *out)
            };
            let groups = match policy.groups(user) {
                Ok(Some(groups)) => groups,
                Ok(None) => return Ok(TENON_DECLINED),
                Err(away) => {
                    unsafe { explain(out.error, &away.0) };
                    return Ok(TENON_RETRY);
                }
            };
            out.group_count = groups.len() as u64;
            out.room_length = groups.iter().map(|group| group.len() as u64).sum();
            if out.group_count > u64::from(out.group_capacity) || out.room_length > out.room_capacity {
                return Ok(TENON_EXHAUSTED);
            }
            let (places, mut room) =
                unsafe { (slice_mut(out.groups, out.group_count), slice_mut(out.room as *mut u8, out.room_length)) };
            for (place, group) in places.iter_mut().zip(&groups) {
                let (here, rest) = room.split_at_mut(group.len());
                here.copy_from_slice(group.as_bytes());
                *place = tenon_text { data: here.as_ptr() as *const c_char, length: group.len() as u64 };
                room = rest;
            }
            Ok(TENON_OK)
        };
        unsafe { Instance::<P>::call(this, |policy, _| body(policy)) }
    }

    pub(crate) const TABLE: &'static tenon_identity_v1 =
        &tenon_identity_v1 { size: size_of::<tenon_identity_v1>() as u32, reserved: 0, resolve: Some(Self::resolve) };
}
