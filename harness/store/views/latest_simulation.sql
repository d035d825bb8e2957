-- The latest simulation of each strategy, with the options it was given, on each recorded space.
CREATE VIEW latest_simulation AS
SELECT * FROM (
  SELECT *, row_number() OVER (PARTITION BY space, device, strategy, given ORDER BY simulated_at DESC, id DESC) AS age
  FROM simulation)
WHERE age = 1;
