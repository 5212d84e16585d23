-- The tokens under which these items are stored, whichever run of their request stored them. Not those of other contents.
-- $1 text[]      actors
-- $2 uuid[]      request ids
-- $3 smallint[]  items
-- $4 bytea[]     the first 16 bytes of each request's SHA-256
select q.position::int, r.token
from unnest($1::text[], $2::uuid[], $3::smallint[], $4::bytea[])
  with ordinality as q (actor, request_id, item, request_hash, position)
join vault.records r
  on r.actor = q.actor and r.request_id = q.request_id and r.item = q.item and r.request_hash = q.request_hash
