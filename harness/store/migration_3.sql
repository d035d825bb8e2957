-- Version 3: launches in loops, and the least time of an execution by each limit of the device.

-- Launches in one execution; in a loop that ends on a value, the most there can be.
ALTER TABLE launch ADD COLUMN count INTEGER NOT NULL DEFAULT 1 CHECK (count >= 1);

-- The least time of a trial's execution by each limit of its manifest.
CREATE TABLE time_limit (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  time_ns REAL NOT NULL CHECK (time_ns >= 0),  -- an execution takes at least this long
  PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;
