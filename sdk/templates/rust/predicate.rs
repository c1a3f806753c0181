// An ask with a tag runs only on nodes whose attribute of the same name has the same value.
#![deny(unsafe_code)]

use tenon_sdk::prelude::*;

struct @type@ {
    of_node: TextColumn,
    of_ask: TextColumn,
}

impl Policy for @type@ {
    const NAME: &'static str = "@name@";

    // The configuration was checked against the manifest's schema, and its defaults are filled in. A column is what is
    // read, and what makes a verdict anew when it changes: tenon/abi/columns.h lists all columns.
    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        let attribute = setup.settings.text("attribute", "zone")?;
        Ok(@type@ {
            of_node: setup.column(format!("node.attr:{attribute}"), Scope::Item),
            of_ask: setup.column(format!("ask.tag:{attribute}"), Scope::Context),
        })
    }
}

impl Predicate for @type@ {
    // The words that people see when they ask why something is pending; `Unresolvable(1)` is the first.
    const REASONS: &'static [Reason] = &[Reason::new("the node's attribute is not what the ask's tag wants")];
    const SIGNATURE: Option<fn(&Self, &Row) -> [u64; 2]> = Some(Self::signature);

    // Fail(...) where another allocation or release may help, Unresolvable(...) where only another node or ask can.
    fn filter(&self, node: &Row) -> Verdict {
        let wanted = node.get(self.of_ask);
        if wanted.is_none() || node.get(self.of_node) == wanted {
            Verdict::Pass
        } else {
            Verdict::Unresolvable(1)
        }
    }
}

impl @type@ {
    // Asks with equal words share verdicts. Reads columns of the ask alone.
    fn signature(&self, ask: &Row) -> [u64; 2] {
        let mut words = Signature::new();
        if let Some(wanted) = ask.get(self.of_ask) {
            words.add(wanted);
        }
        words.words()
    }
}

tenon_sdk::tenon_module!(predicate: @type@);
