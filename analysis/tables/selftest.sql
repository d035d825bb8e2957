-- title: What the latest self-test of each device found out about the instrument (passed: 1, 0, or no verdict)
-- parameters: :device, :name
-- empty: there are no self-tests; 'tailwave selftest' makes one
WITH latest AS (
  SELECT device.name AS device, device.kind AS kind, max(run_at) AS run_at
  FROM selftest JOIN device ON device.id = device_id GROUP BY device.name, device.kind
)
SELECT device.name AS device, selftest.run_at, selftest.name, quantity, value, unit, expectation, passed, detail
FROM selftest JOIN device ON device.id = device_id
JOIN latest ON latest.device = device.name AND latest.kind = device.kind AND latest.run_at = selftest.run_at
WHERE (:device IS NULL OR :device IN (device.name, device.kind)) AND (:name IS NULL OR :name = selftest.name)
ORDER BY device.kind = 'cpu', device.name, selftest.id;
