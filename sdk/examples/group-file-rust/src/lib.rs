// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Groups of users from a file like /etc/group, `ops:x:100:alice,bob`, in its order. The file is read for each user that
// the host asks about; it keeps the answers itself.
#![deny(unsafe_code)]

use tenon_sdk::prelude::*;

struct GroupFile {
    path: String,
    strangers: bool,
}

impl Policy for GroupFile {
    const NAME: &'static str = "group-file-rust";

    fn new(setup: &mut Setup) -> Result<Self, Refused> {
        Ok(GroupFile {
            path: setup.settings.text("path", "/etc/group")?,
            strangers: setup.settings.flag("strangers", false)?,
        })
    }
}

impl Identity for GroupFile {
    fn groups(&mut self, user: &[u8]) -> Result<Option<Vec<String>>, Away> {
        let text =
            std::fs::read_to_string(&self.path).map_err(|e| Away::new(format!("cannot read {}: {e}", self.path)))?;
        let mut found: Vec<String> = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.splitn(4, ':').collect();
            let has = fields.len() == 4 && fields[3].split(',').any(|one| !one.is_empty() && one.as_bytes() == user);
            if has && !fields[0].is_empty() && !found.iter().any(|one| one == fields[0]) {
                found.push(fields[0].to_string());
            }
        }
        Ok(if found.is_empty() && !self.strangers { None } else { Some(found) })
    }
}

tenon_sdk::tenon_module!(identity: GroupFile);
