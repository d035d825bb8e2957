-- What a person asks first of a counted launch, in one row: the unit that was driven hardest (view
-- counter_speed_of_light), the shares of the peaks of L2 and DRAM, and what its warps waited for most (counter_stall).
-- doubt: why something of it cannot be true.
CREATE VIEW counter_summary AS
SELECT counter_launch.*, hardest.unit AS hardest_unit, hardest.share AS hardest_share, l2.share AS l2_share,
  dram.share AS dram_share, stall.reason AS stall_reason, stall.share AS stall_share,
  coalesce(counter_launch.doubt, hardest.unit || ' ' || hardest.doubt, stall.doubt) AS any_doubt
FROM counter_launch
  LEFT JOIN counter_speed_of_light AS hardest ON hardest.counter_run_id = counter_launch.counter_run_id
    AND hardest.position = counter_launch.position AND hardest.place = 1
  LEFT JOIN counter_speed_of_light AS l2 ON l2.counter_run_id = counter_launch.counter_run_id
    AND l2.position = counter_launch.position AND l2.unit = 'l2'
  LEFT JOIN counter_speed_of_light AS dram ON dram.counter_run_id = counter_launch.counter_run_id
    AND dram.position = counter_launch.position AND dram.unit = 'dram'
  LEFT JOIN counter_stall AS stall ON stall.counter_run_id = counter_launch.counter_run_id
    AND stall.position = counter_launch.position AND stall.place = 1;
