-- Version 6: which kernels a manifest says do a variant's work, and how often a traced launch takes place.

-- `main` of the manifests, as of the latest run, trace or import; of a variant without rows any launch may be the main one.
CREATE TABLE main_kernel (
  system TEXT NOT NULL,
  variant TEXT NOT NULL,
  kernel TEXT NOT NULL,
  PRIMARY KEY (system, variant, kernel)
) STRICT, WITHOUT ROWID;

ALTER TABLE trace_launch ADD COLUMN count INTEGER NOT NULL DEFAULT 1 CHECK (count >= 1);  -- as in launch
