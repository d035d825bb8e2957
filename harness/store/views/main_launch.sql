-- The launch that speaks for a trial (`of` is 'trial', `id` its id) or a trace ('trace'): of the kernels that the
-- manifest names as main, or of all where it names none in the plan, the first launch, unless another has at least
-- twice its warps in one execution; then the one with the most, the first of equals. NULL where nothing is known of a
-- launch but its shape. The same as main_launch() of harness/core/trial.h. To be looked up by of and id: (SELECT
-- position FROM main_launch WHERE of = 'trial' AND id = ...).
CREATE VIEW main_launch AS
SELECT 'trial' AS of, trial.id, (
    SELECT position FROM (
      SELECT position, warps, named, row_number() OVER (PARTITION BY named ORDER BY position) AS number FROM (
        SELECT position, count * grid_x * grid_y * grid_z * ((block_x * block_y * block_z + 31) / 32) AS warps,
          EXISTS (SELECT 1 FROM main_kernel WHERE main_kernel.system = configuration.system
                  AND main_kernel.variant = configuration.variant AND main_kernel.kernel = launch.kernel) AS named
        FROM launch
        WHERE trial_id = trial.id
          AND (registers IS NOT NULL OR waves IS NOT NULL OR driver_blocks_per_sm IS NOT NULL)))
    ORDER BY named DESC, iif(number = 1, 2 * warps - 1, warps) DESC, position LIMIT 1) AS position
FROM trial JOIN configuration ON configuration.id = trial.configuration_id
UNION ALL
SELECT 'trace', trace.id, (
    SELECT position FROM (
      SELECT position, warps, named, row_number() OVER (PARTITION BY named ORDER BY position) AS number FROM (
        SELECT position, count * grid_x * grid_y * grid_z * ((block_x * block_y * block_z + 31) / 32) AS warps,
          EXISTS (SELECT 1 FROM main_kernel WHERE main_kernel.system = configuration.system
                  AND main_kernel.variant = configuration.variant AND main_kernel.kernel = trace_launch.kernel) AS named
        FROM trace_launch WHERE trace_id = trace.id))
    ORDER BY named DESC, iif(number = 1, 2 * warps - 1, warps) DESC, position LIMIT 1)
FROM trace JOIN configuration ON configuration.id = trace.configuration_id;
