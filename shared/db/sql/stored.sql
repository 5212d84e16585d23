-- The tokens under which these items are stored, whichever run of their request stored them.
-- $1 text[]  actors
-- $2 uuid[]  request ids
-- $3 int[]   items
select q.position::int, r.token
from unnest($1::text[], $2::uuid[], $3::smallint[]) with ordinality as q (actor, request_id, item, position)
join vault.records r on r.actor = q.actor and r.request_id = q.request_id and r.item = q.item
