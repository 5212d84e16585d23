-- New records. An item that an earlier run of its request stored is left as it is, and not among the answers.
-- $1 uuid[] tokens, $2 text[] tenants, $3 text[] fields, $4 text[] subjects, $5 bytea[] ciphertexts,
-- $6 text[] wrapped DEKs, $7 text[] actors, $8 uuid[] request ids, $9 smallint[] items, $10 bytea[] request hashes
insert into vault.records (token, tenant, field, subject, ct, wdek, actor, request_id, item, request_hash)
select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::uuid[],
                     $9::smallint[], $10::bytea[])
on conflict (actor, request_id, item) do nothing
returning token
