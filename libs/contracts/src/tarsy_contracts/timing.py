"""The times of announcements, deaths and outages: they depend on each other, so they stand together.

- A worker announces itself every ANNOUNCE_SECONDS. An owner counts its own announcements that come back. It declares a
worker dead after DEAD_AFTER of them (TARSY_DEAD_AFTER_SECONDS) without one of the worker.
- Two announcements count only COUNTED_APART_SECONDS apart, so that a burst (what waited in a producer) is one: a death
  takes at least 0.75 of the seconds that the setting names.
- A worker acts on a grant only while its own last acknowledged announcement is younger than half of them. A grant that
  it acts on was therefore never taken from it: 0.5 of the time is over before 0.75 of it.
- More than GAP_SECONDS between two announcements is an outage: of Kafka, or of the process that announces.
- A report, and what has to be written or read before it, waits up to LONGEST_PAUSE_SECONDS until it is tried again.
  After an outage nobody is dead, and no time of a call runs, for GRACE_SECONDS: that pause, and 3 seconds in which
  clients find their broker again.
- A process that starts under the name of another has replaced it, unless that one announces itself again: of its next
  REPLACED_AFTER announcements, one a second, at least one would have come back.
"""

from datetime import timedelta

ANNOUNCE_SECONDS = 1.0
DEAD_AFTER = timedelta(seconds=8)
COUNTED_APART_SECONDS = 0.75
FRESH_PART = 0.5
GAP_SECONDS = 3.0
LONGEST_PAUSE_SECONDS = 5.0
GRACE_SECONDS = LONGEST_PAUSE_SECONDS + 3.0
REPLACED_AFTER = 3
