-- Audit rows. Time and database user are the server's defaults.
-- $1 text worker, $2 text action, $3 uuid[] request ids, $4 smallint[] attempts, $5 smallint[] items, $6 integer[] item counts,
-- $7 text[] actors, $8 text[] claimed actors, $9 text[] tenants, $10 text[] purposes, $11 text[] reasons,
-- $12 uuid[] tokens, $13 text[] fields, $14 text[] subjects, $15 text[] outcomes, $16 text[] masks,
-- $17 text[] policy revisions, $18 integer[] KEK versions
insert into vault.audit (worker, action, request_id, attempt, item, items, actor, claimed_actor, tenant, purpose, reason,
                         token, field, subject, outcome, mask, policy_revision, kek_version)
select $1, $2, q.*
from unnest($3::uuid[], $4::smallint[], $5::smallint[], $6::integer[], $7::text[], $8::text[], $9::text[], $10::text[],
            $11::text[], $12::uuid[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::integer[]) as q
