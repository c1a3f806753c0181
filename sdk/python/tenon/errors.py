# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What ends a resource manager's session for good. What a connection breaks of is none of these: it is mended."""


class SchedulerError(Exception):
    """The scheduler ended the session; the text is its own."""


class Refused(SchedulerError):
    """The scheduler does not take a registration or a request as it is: an unknown policy group, a configuration that is
    wrong, a name that this client may not speak for, a number out of range."""


class Replaced(SchedulerError):
    """Another client registered under this name, and everything of this one is gone."""
