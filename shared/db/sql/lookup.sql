-- The records of a batch, by tenant and token. A token of another tenant is as good as none.
-- $1 text[]  tenants
-- $2 uuid[]  tokens
select q.position::int, r.field, r.subject, r.ct, r.wdek, r.kek_version
from unnest($1::text[], $2::uuid[]) with ordinality as q (tenant, token, position)
join vault.records r on r.token = q.token and r.tenant = q.tenant
