// Orders @items@ by one resource, smallest first: @says@.
#![deny(unsafe_code)]

use tenon_sdk::prelude::*;

struct @type@ {
    amounts: ResourcesColumn,
    resource: String,
    type_index: Option<u32>,
}

impl Policy for @type@ {
    const NAME: &'static str = "@name@";

    // The configuration was checked against the manifest's schema, and its defaults are filled in. A column is what is
    // read, and what makes a key anew when it changes: tenon/abi/columns.h lists all columns.
    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        Ok(@type@ {
            amounts: setup.column("@column@", Scope::Item),
            resource: setup.settings.text("resource", "vcore")?,
            type_index: None,
        })
    }
}

impl Sort for @type@ {
    type Key = i64;

    // Resource types have indexes, and new types may come with every batch.
    fn begin(&mut self, batch: &Batch) {
        self.type_index = batch.type_index(&self.resource);
    }

    // Smaller goes first. Equal keys: in the order of submission, nodes by id.
    fn key(&self, row: &Row) -> i64 {
        let amounts = row.get(self.amounts);
        self.type_index.map_or(0, |at| amounts.amount(at))
    }
}

tenon_sdk::tenon_module!(@wrapper@: @type@);
