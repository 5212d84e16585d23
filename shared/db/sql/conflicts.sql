-- Which of these requests were processed before with other contents.
-- $1 text[]   actors
-- $2 uuid[]   request ids
-- $3 bytea[]  the first 16 bytes of each request's SHA-256
select q.position::int
from unnest($1::text[], $2::uuid[], $3::bytea[]) with ordinality as q (actor, request_id, request_hash, position)
where exists (
  select from vault.records r
  where r.actor = q.actor and r.request_id = q.request_id and r.request_hash <> q.request_hash
)
