// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Places an application in the queue `value` while the queue that it names, or one above that, takes no new application.
#![deny(unsafe_code)]

use tenon_sdk::prelude::*;

struct Detour {
    instead: String,
}

impl Policy for Detour {
    const NAME: &'static str = "detour";

    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        Ok(Detour { instead: setup.settings.text("value", "root.overflow")? })
    }
}

impl PlacementRule for Detour {
    fn place(&self, app: &Submission) -> Result<Placement, Refused> {
        let named = match as_written(app.queue()) {
            Placement::FullPath(path) => path,
            _ => format!("root.{}", one_level(app.queue())),
        };
        // root.a.b is closed where root.a is.
        let ends = named.match_indices('.').map(|(at, _)| at).skip(1).chain([named.len()]);
        let closed = ends.filter_map(|end| app.find(&named[..end])).any(|queue| queue.state != QueueState::Active);
        Ok(if closed { as_written(&self.instead) } else { Placement::NextRule })
    }
}

tenon_sdk::tenon_module!(placement_rule: Detour);
