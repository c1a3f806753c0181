// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! The host's services as a module sees them. A service that the manifest does not list is silent.
use crate::abi::*;
use crate::error::{text, text_of};
use std::mem::size_of;
use std::ptr::null;

/// How much a line of the log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For who looks for a fault.
    Debug = TENON_LOG_DEBUG as isize,
    /// For the record.
    Info = TENON_LOG_INFO as isize,
    /// Somebody should know.
    Warning = TENON_LOG_WARNING as isize,
    /// Somebody should act.
    Error = TENON_LOG_ERROR as isize,
}

/// The process that loaded the module, as an instance sees it.
pub struct Host {
    host: *const tenon_host,
    log: *const tenon_host_log,
}

// SAFETY: a host's services may be called on any thread that calls the instance.
unsafe impl Send for Host {}

impl Host {
    /// # Safety
    /// `host` is null, or valid until the instance is destroyed.
    pub(crate) unsafe fn new(host: *const tenon_host) -> Self {
        Host { host, log: null() }
    }

    /// Looks the services up; before it they are silent. Not before the instance's `init`.
    pub(crate) fn open(&mut self) {
        if self.host.is_null() {
            return;
        }
        let request = tenon_get_service_in {
            size: size_of::<tenon_get_service_in>() as u32,
            reserved: 0,
            id: text(TENON_HOST_LOG),
        };
        let mut out =
            tenon_get_service_out { size: size_of::<tenon_get_service_out>() as u32, reserved: 0, service: null() };
        // SAFETY: the host is valid, and the answer is a table of the id that was asked for.
        unsafe {
            if let Some(get_service) = (*self.host).get_service {
                if get_service(self.host, &request, &mut out) == TENON_OK {
                    self.log = out.service as *const tenon_host_log;
                }
            }
        }
    }

    /// One line in the host's log, marked with the module's id. The manifest lists `tenon.host.log/1`.
    pub fn log(&self, level: Level, line: &str) {
        if self.log.is_null() {
            return;
        }
        let said = tenon_log_in { size: size_of::<tenon_log_in>() as u32, level: level as u32, line: text_of(line) };
        // SAFETY: the table is valid until the module's deinit.
        unsafe {
            if let Some(write) = (*self.log).write {
                write(self.host, &said);
            }
        }
    }
}
