// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the templates do not use: several policies in a module, words that are prepared, times, scores, maps and lists.
#![deny(unsafe_code)]

use tenon_sdk::prelude::*;

/// Queues by the property `weight`, largest first, then by what they have allocated of all types.
struct ByWeight {
    properties: TextMapColumn,
    allocated: ResourcesColumn,
    types: u32,
}

impl Policy for ByWeight {
    const NAME: &'static str = "by-weight";
    const ORDER_REV: u32 = 3;
    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        let properties = setup.column("queue.properties", Scope::Item);
        Ok(ByWeight {
            properties,
            allocated: setup.column("queue.allocated", Scope::Item),
            types: setup.max_resource_types,
        })
    }
}

impl Sort for ByWeight {
    type Key = [u64; 2];
    fn key(&self, queue: &Row) -> [u64; 2] {
        let weight = queue.get(self.properties).find("weight").and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        let allocated = queue.get(self.allocated);
        let sum = (0..self.types).fold(0i64, |sum, t| sum.saturating_add(allocated.amount(t)));
        [descending(weight), ascending(sum)]
    }
}

/// Applications by the tag `due`; one with the tag `wait` comes that many seconds after its submission.
struct ByDueDate {
    prepared: WordsColumn,
    submitted: NumberColumn,
}

impl Policy for ByDueDate {
    const NAME: &'static str = "by-due-date";
    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        let prepared = setup.column("item.prepared", Scope::Item);
        Ok(ByDueDate { prepared, submitted: setup.column("app.submitted_ms", Scope::Item) })
    }
}

impl ByDueDate {
    fn prepare(&self, tags: &TextMap) -> Result<[u64; 4], Refused> {
        let whole = |name: &str, otherwise: u64| match tags.find(name) {
            None => Ok(otherwise),
            Some(text) => {
                text.parse().map_err(|_| Refused::new(format!("tag {name}: want a whole number, have \"{text}\"")))
            }
        };
        Ok([whole("due", u64::MAX)?, whole("wait", 0)?, 0, 0])
    }
}

impl Sort for ByDueDate {
    type Key = u64;
    const PREPARE: Option<fn(&Self, &TextMap) -> Result<[u64; 4], Refused>> = Some(Self::prepare);
    fn key(&self, app: &Row) -> u64 {
        app.get(self.prepared)[0]
    }
    fn not_before(&self, app: &Row) -> Option<i64> {
        let wait_ms = i64::try_from(app.get(self.prepared)[1]).ok()?.checked_mul(1000)?;
        (wait_ms > 0).then(|| app.get(self.submitted).saturating_add(wait_ms))
    }
}

/// Nodes whose attribute `home` is the ask's tag `home` first, then those with most devices free.
struct AtHome {
    of_node: TextColumn,
    of_ask: TextColumn,
    devices: NumbersColumn,
}

impl Policy for AtHome {
    const NAME: &'static str = "at-home";
    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        Ok(AtHome {
            of_node: setup.column("node.attr:home", Scope::Item),
            of_ask: setup.column("ask.tag:home", Scope::Context),
            devices: setup.column("node.devices:gpu", Scope::Item),
        })
    }
}

impl AtHome {
    fn free(&self, node: &Row) -> i64 {
        node.get(self.devices).iter().fold(0, |sum, free| sum.saturating_add(*free))
    }
    fn score(&self, node: &Row) -> [u64; 2] {
        let wanted = node.get(self.of_ask);
        [u64::from(wanted.is_none() || node.get(self.of_node) != wanted), descending(self.free(node))]
    }
}

impl Sort for AtHome {
    type Key = [u64; 2];
    const SCORE: Option<fn(&Self, &Row) -> [u64; 2]> = Some(Self::score);
    fn key(&self, node: &Row) -> [u64; 2] {
        [0, descending(self.free(node))]
    }
}

tenon_sdk::tenon_module!(queue_sort: ByWeight, app_sort: ByDueDate, node_sort: AtHome);
