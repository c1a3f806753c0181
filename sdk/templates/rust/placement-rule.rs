// Places an application in the queue that one of its tags names.
#![deny(unsafe_code)]

use tenon_sdk::prelude::*;

struct @type@ {
    tag: String,
}

impl Policy for @type@ {
    const NAME: &'static str = "@name@";

    // `value` of the rule in queues.yaml: the name of the tag.
    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        Ok(@type@ { tag: setup.settings.text("value", "team")? })
    }
}

impl PlacementRule for @type@ {
    // A pure function of the submission, the queues and the configuration. The rule's `create`, `parent` and `filter`
    // are the kernel's.
    fn place(&self, app: &Submission) -> Result<Placement, Refused> {
        Ok(match app.tag(&self.tag) {
            Some(team) if !team.is_empty() => Placement::BelowParent(one_level(team)),
            _ => Placement::NextRule,
        })
    }
}

tenon_sdk::tenon_module!(placement_rule: @type@);
