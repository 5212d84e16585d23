-- The records of a batch, by tenant and token. A token of another tenant is as good as none. Of each request, ciphertexts are
-- read only up to what one reply may hold, in the order of its items; beyond that their sizes alone.
-- $1 text[]  tenants
-- $2 uuid[]  tokens
-- $3 int[]   which request each belongs to
-- $4 int[]   its turn in that request
-- $5 bigint  bytes of ciphertext that one reply may hold
select position::int, field, subject, wdek, kek_version, coalesce(bytes, 0) as bytes,
       case when so_far <= $5::bigint then ct end as ct
from (
  select q.position, r.field, r.subject, r.wdek, r.kek_version, r.ct, octet_length(r.ct) as bytes,
         sum(octet_length(r.ct)) over (partition by q.request order by q.turn) as so_far
  from unnest($1::text[], $2::uuid[], $3::int[], $4::int[]) with ordinality as q (tenant, token, request, turn, position)
  join vault.records r on r.token = q.token and r.tenant = q.tenant
) as found
