# What can be wrong in data.json without being noticed, since whatever is misspelt just denies.
# These hold for any data; run them after a change with `opa test policy/`.
package data_test

masks := {"full", "last4", "email", "redact"}

test_every_actor_has_a_name_a_tenant_and_grants if {
	every name, actor in data.actors {
		regex.match(`^[a-z0-9-]{1,64}$`, name)
		regex.match(`^[a-z0-9_.-]{1,64}$`, actor.tenant)
		object.keys(actor) == {"tenant", "grants"}
		count(actor.grants) > 0
	}
}

test_every_grant_has_what_it_needs_and_nothing_else if {
	every grant in grants {
		object.keys(grant) == {"actions", "purposes", "fields"}
		count(grant.actions) > 0
		every action in grant.actions { action in {"tokenize", "detok"} }
	}
}

# It stands in the audit, as the reason of what it allowed.
test_every_grant_has_a_name_that_the_audit_takes if {
	every actor in data.actors {
		every name, _ in actor.grants { regex.match(`^[a-z0-9_.-]{1,58}$`, name) }
	}
}

test_every_purpose_is_one_a_request_can_have if {
	every grant in grants {
		count(grant.purposes) > 0
		every purpose in grant.purposes { regex.match(`^([a-z0-9_.-]{1,64}|[*])$`, purpose) }
	}
}

test_every_field_has_a_mask_that_exists if {
	every grant in grants {
		count(grant.fields) > 0
		every field, mask in grant.fields {
			regex.match(`^([a-z][a-z0-9_]{0,63}|[*])$`, field)
			mask in masks
		}
	}
}

grants := [grant | some actor in data.actors; some grant in actor.grants]
