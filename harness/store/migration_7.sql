-- Version 7: the runs of a series, an experiment on a device, by age without reading their specs.

DROP INDEX run_by_experiment;
CREATE INDEX run_by_series ON run (experiment, system, device_id, started_at, fresh);
