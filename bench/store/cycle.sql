INSERT INTO pgbench_job (payload) VALUES (repeat('x', 200));
UPDATE pgbench_job SET state = 1, lease = now() WHERE id = (SELECT id FROM pgbench_job WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id AS id \gset
UPDATE pgbench_job SET state = 2 WHERE id = :id AND state = 1;
