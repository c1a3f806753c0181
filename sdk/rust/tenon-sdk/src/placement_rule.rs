// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Placement rules: the queue of an application that comes.
use crate::abi::*;
use crate::error::{covers, explain, slice, slice_mut, text_of, view, Refused};
use crate::instance::{Instance, Policy};
use std::marker::PhantomData;
use std::mem::size_of;

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// A queue below what the rule's `parent` gives, or below root. Each part of a name with dots is one level.
    BelowParent(String),
    /// A queue from "root" down; no parent is asked.
    FullPath(String),
    /// Nothing: the next rule is asked.
    NextRule,
}

/// A text as one level of a path: dots become `_dot_`.
pub fn one_level(text: &str) -> String {
    text.replace('.', "_dot_")
}

/// A queue as people write it: a full path where it begins with "root.", else one level below the parent.
pub fn as_written(queue: &str) -> Placement {
    if queue.starts_with("root.") {
        Placement::FullPath(queue.to_string())
    } else {
        Placement::BelowParent(one_level(queue))
    }
}

/// Does a queue take applications?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueState {
    /// It does.
    Active,
    /// It does not, and disappears when it is empty.
    Draining,
    /// It does not.
    Stopped,
}

/// A queue of the partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundQueue {
    /// Applications run in it; it has no children, nor may have.
    pub leaf: bool,
    /// Whether it takes applications.
    pub state: QueueState,
}

/// An application that asks for a place. Valid for the call. A text that was not sent is empty.
pub struct Submission<'a> {
    raw: &'a tenon_place_in,
}

// SAFETY of all `view` and `slice` below: what a submission points to lives for the call, which is 'a.
impl<'a> Submission<'a> {
    /// Its id.
    pub fn application(&self) -> &'a str {
        unsafe { view(&self.raw.application) }
    }
    /// The queue that it names.
    pub fn queue(&self) -> &'a str {
        unsafe { view(&self.raw.queue) }
    }
    /// Who submits it.
    pub fn user(&self) -> &'a str {
        unsafe { view(&self.raw.user) }
    }
    /// The user's groups, in their order.
    pub fn groups(&self) -> impl Iterator<Item = &'a str> + 'a {
        unsafe { slice(self.raw.groups, u64::from(self.raw.group_count)) }.iter().map(|one| unsafe { view(one) })
    }
    /// Tags as they were sent: name and value.
    pub fn tags(&self) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        let (names, values) =
            unsafe { (slice(self.raw.tag_names, self.raw.tag_count), slice(self.raw.tag_values, self.raw.tag_count)) };
        names.iter().zip(values).map(|(name, value)| unsafe { (view(name), view(value)) })
    }
    /// The value of a tag, whatever the letter case of its name.
    pub fn tag(&self, name: &str) -> Option<&'a str> {
        self.tags().find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
    /// The journal's time, Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.raw.now_ms
    }

    /// A queue of the partition by its path from root; nothing where there is none.
    pub fn find(&self, path: &str) -> Option<FoundQueue> {
        let size = size_of::<tenon_find_queue_in>() as u32;
        let request = tenon_find_queue_in { size, reserved: 0, path: text_of(path), world: self.raw.world };
        let size = size_of::<tenon_find_queue_out>() as u32;
        let mut found = tenon_find_queue_out { size, exists: 0, leaf: 0, state: 0 };
        if self.raw.queues.is_null() {
            return None;
        }
        // SAFETY: the tree is valid for the call.
        let status = unsafe {
            let find = (*self.raw.queues).find?;
            find(self.raw.queues, &request, &mut found)
        };
        let state = match found.state {
            TENON_QUEUE_DRAINING => QueueState::Draining,
            TENON_QUEUE_STOPPED => QueueState::Stopped,
            _ => QueueState::Active,
        };
        (status == TENON_OK && found.exists != 0).then_some(FoundQueue { leaf: found.leaf != 0, state })
    }
}

/// A rule of `placementrules`, whose `value` is the setting "value". The rule's `create`, `parent` and `filter` are the
/// kernel's.
pub trait PlacementRule: Policy {
    /// A pure function of the submission, the queues and the configuration. What it refuses is refused in its words.
    fn place(&self, app: &Submission) -> Result<Placement, Refused>;
}

pub(crate) struct Slots<P>(PhantomData<P>);

impl<P: PlacementRule> Slots<P> {
    unsafe extern "C" fn place(
        this: *mut tenon_instance,
        request: *const tenon_place_in,
        out: *mut tenon_place_out,
    ) -> tenon_status {
        if request.is_null() || out.is_null() || !covers!(request, now_ms) || !covers!(out, error) {
            return TENON_UNSUPPORTED;
        }
        let body = |policy: &mut P| {
            let out = unsafe { &mut *out };
            let (name, qualified) = match policy.place(&Submission { raw: unsafe { &*request } }) {
                Ok(Placement::BelowParent(name)) => (name, 0),
                Ok(Placement::FullPath(name)) => (name, 1),
                Ok(Placement::NextRule) => return Ok(TENON_DECLINED),
                // The application's fault, not the rule's: it is told, not logged.
                Err(refused) => {
                    unsafe { explain(out.error, refused.words()) };
                    return Ok(TENON_INVALID_CONFIG);
                }
            };
            if name.is_empty() {
                return Ok(TENON_DECLINED);
            }
            if name.len() as u64 > out.name_capacity {
                return Ok(TENON_EXHAUSTED);
            }
            unsafe { slice_mut(out.name as *mut u8, name.len() as u64) }.copy_from_slice(name.as_bytes());
            out.name_length = name.len() as u64;
            out.qualified = qualified;
            Ok(TENON_OK)
        };
        unsafe { Instance::<P>::call(this, |policy, _| body(policy)) }
    }

    pub(crate) const TABLE: &'static tenon_placement_rule_v1 = &tenon_placement_rule_v1 {
        size: size_of::<tenon_placement_rule_v1>() as u32,
        reserved: 0,
        place: Some(Self::place),
    };
}
