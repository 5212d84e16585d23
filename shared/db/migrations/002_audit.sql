-- The audit: a row for every item of every attempt, and one for a request that was refused as a whole.
-- Workers may only insert, and neither the time nor the database user is theirs to say.

create table vault.audit (
  at              timestamptz not null default clock_timestamp(),
  db_user         name        not null default session_user,
  worker          text        not null,
  request_id      uuid,                                -- null where the job named none that passed its grammar
  attempt         smallint    not null,
  item            smallint,                            -- null: the row speaks of the whole request
  items           integer     not null,                -- how many items it speaks of
  actor           text,
  claimed_actor   text,                                -- where authentication failed
  tenant          text,
  purpose         text,
  reason          text,                                -- as the caller gave it
  action          text        not null check (action in ('detok', 'tokenize')),
  token           uuid,
  field           text,
  subject         text,
  outcome         text        not null,                -- `ok` or a code of the catalogue
  mask            text,
  policy_revision text,
  kek_version     integer,
  constraint actor_or_claim check (actor is null or claimed_actor is null)
) partition by range (at);

-- Rows come in the order of time, so a BRIN index finds a time span and costs next to nothing to keep.
create index audit_at on vault.audit using brin (at);

-- Where a month has no partition of its own, its rows are kept here rather than refused.
create table vault.audit_default partition of vault.audit default;

-- Makes the partitions of this month and of `months_ahead` more; those that exist stay as they are. Rows of such a month
-- that the default partition took meanwhile move into it.
create function vault.create_audit_partitions(months_ahead integer) returns setof text language plpgsql as $$
declare
  this_month date := date_trunc('month', now() at time zone 'utc');
  first_day date;
  first_moment timestamptz;
  last_moment timestamptz;
  partition text;
begin
  for first_day in
    select generate_series(this_month, this_month + make_interval(months => months_ahead), interval '1 month')::date
  loop
    partition := 'audit_' || to_char(first_day, 'YYYY_MM');
    continue when to_regclass('vault.' || partition) is not null;
    first_moment := first_day::timestamp at time zone 'utc';
    last_moment := (first_day + interval '1 month') at time zone 'utc';
    execute format('create table vault.%I (like vault.audit including all)', partition);
    execute format('with moved as (delete from vault.audit_default where at >= $1 and at < $2 returning *)
                    insert into vault.%I select * from moved', partition) using first_moment, last_moment;
    execute format('alter table vault.audit attach partition vault.%I for values from (%L) to (%L)',
                   partition, first_moment, last_moment);
    return next partition;
  end loop;
end $$;
revoke execute on function vault.create_audit_partitions from public;

-- A token as its users know it, for whoever reads the audit: `tok_` and the 128 bits in Crockford's base32.
create function vault.token_text(token uuid) returns text language sql immutable strict as $$
  select 'tok_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(bits from digit * 5 + 1 for 5)::integer, 1),
                              '' order by digit)
  from (select b'00' || ('x' || replace(token::text, '-', ''))::bit(128) as bits) as padded,
       generate_series(0, 25) as digit
$$;

grant insert (worker, request_id, attempt, item, items, actor, claimed_actor, tenant, purpose, reason, action, token,
              field, subject, outcome, mask, policy_revision, kek_version)
  on vault.audit to pii_vault_detok, pii_vault_tokenize;
