-- A record: one value under its own DEK (ct), and that DEK wrapped by the Transit key `pii` (wdek).

create table vault.records (
  token        uuid        primary key,              -- the 128 bits of `tok_…`
  tenant       text        not null,
  field        text        not null,
  subject      text        not null,                 -- the empty string where none was given
  ct           bytea,                                -- iv ‖ ciphertext ‖ tag; null once erased
  wdek         text,                                 -- `vault:vN:…`; null once erased
  kek_version  integer     generated always as (substring(wdek from '^vault:v([0-9]+):')::integer) stored,
  actor        text        not null,                 -- who tokenized it, by which item of which request
  request_id   uuid        not null,
  item         smallint    not null,
  request_hash bytea       not null check (octet_length(request_hash) = 16),
  created_at   timestamptz not null default now(),
  erased_at    timestamptz,
  constraint erased_or_whole check (
    (erased_at is null and ct is not null and wdek is not null) or
    (erased_at is not null and ct is null and wdek is null)
  ),
  -- A request that is sent again stores nothing twice.
  constraint one_record_per_item unique (actor, request_id, item)
);

-- Ciphertexts do not compress; stored as they are, short ones stay in the row.
alter table vault.records alter column ct set storage external;

grant usage on schema vault to pii_vault_detok, pii_vault_tokenize;
grant select on vault.records to pii_vault_detok;
grant insert (token, tenant, field, subject, ct, wdek, actor, request_id, item, request_hash)
  on vault.records to pii_vault_tokenize;
-- Enough to find out what a request stored before: not a ciphertext, not a wrapped key.
grant select (token, actor, request_id, item, request_hash) on vault.records to pii_vault_tokenize;
