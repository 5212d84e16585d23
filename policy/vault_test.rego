package vault_test

import data.vault

# One actor for each thing that data can say, right and wrong.
actors := {
	"reader": {"tenant": "acme", "grants": {
		"all": {"actions": ["detok"], "purposes": ["export"], "fields": {"*": "full", "iban": "last4"}},
		"any-purpose": {"actions": ["tokenize"], "purposes": ["*"], "fields": {"email": "redact"}},
	}},
	"overlap": {"tenant": "acme", "grants": {
		"a-wide": {"actions": ["detok"], "purposes": ["*"], "fields": {"*": "full"}},
		"b-email": {"actions": ["detok"], "purposes": ["support"], "fields": {"*": "email"}},
		"c-narrow": {"actions": ["detok"], "purposes": ["support"], "fields": {"phone": "redact", "*": "last4"}},
	}},
	"misspelt": {"tenant": "acme", "grants": {
		"wide": {"actions": ["detok"], "purposes": ["*"], "fields": {"*": "full"}},
		"narrow": {"actions": ["detok"], "purposes": ["*"], "fields": {"email": "lsat4"}},
	}},
	"no-tenant": {"grants": {"all": {"actions": ["detok"], "purposes": ["*"], "fields": {"*": "full"}}}},
	"no-grants": {"tenant": "acme"},
	"broken": {"tenant": "acme", "grants": {
		"one": {"actions": "detok", "purposes": ["*"], "fields": {"*": "full"}},
		"two": {"actions": ["detok"], "purposes": "*", "fields": {"*": "full"}},
		"three": {"actions": ["detok"], "purposes": ["*"], "fields": ["*"]},
		"four": {"actions": ["detok"], "purposes": ["*"]},
		"five": "full",
	}},
}

question := {
	"actor": "reader",
	"tenant": "acme",
	"purpose": "export",
	"action": "detok",
	"field": "email",
	"subject": "",
}

ask(changes) := decision if {
	[decision] := vault.decisions with input.questions as [object.union(question, changes)] with data.actors as actors
}

denied(reason) := {"allow": false, "reason": reason}

granted(mask, grant) := {"allow": true, "mask": mask, "reason": concat(" ", ["grant", grant])}

test_what_is_granted_is_allowed if ask({}) == granted("full", "all")

test_the_fields_own_mask_comes_before_that_of_the_star if ask({"field": "iban"}) == granted("last4", "all")

test_an_action_is_granted_by_name if {
	ask({"action": "tokenize"}) == granted("redact", "any-purpose")
	ask({"action": "erase"}) == denied("no grant")
}

test_a_purpose_is_granted_by_name_or_star if {
	ask({"purpose": "support"}) == denied("no grant")
	ask({"action": "tokenize", "purpose": "support"}) == granted("redact", "any-purpose")
}

test_a_field_is_granted_by_name if ask({"action": "tokenize", "field": "iban"}) == denied("no grant")

test_a_star_in_a_question_is_no_wildcard if ask({"purpose": "*"}) == denied("no grant")

test_another_tenant_is_denied if ask({"tenant": "demo"}) == denied("other tenant")

test_an_unknown_actor_is_denied if ask({"actor": "nobody"}) == denied("unknown actor")

test_an_actor_without_tenant_is_denied if {
	ask({"actor": "no-tenant"}) == denied("other tenant")
	ask({"actor": "no-tenant", "tenant": null}) == denied("other tenant")
}

test_an_actor_without_grants_is_denied if ask({"actor": "no-grants"}) == denied("no grant")

test_of_several_grants_the_most_restrictive_holds if {
	ask({"actor": "overlap"}) == granted("full", "a-wide")
	ask({"actor": "overlap", "purpose": "support"}) == granted("last4", "c-narrow")
	ask({"actor": "overlap", "purpose": "support", "field": "phone"}) == granted("redact", "c-narrow")
}

test_a_misspelt_mask_denies_and_does_not_give_way_to_a_wider_grant if {
	ask({"actor": "misspelt"}) == denied("unknown mask")
	ask({"actor": "misspelt", "field": "phone"}) == granted("full", "wide")
}

test_data_of_the_wrong_form_grants_nothing if ask({"actor": "broken"}) == denied("no grant")

test_a_question_of_the_wrong_form_is_denied if {
	decisions := vault.decisions with input.questions as [null, 7, "reader", [], {}] with data.actors as actors
	decisions == [denied("unknown actor") | some _ in numbers.range(1, 5)]
}

test_there_is_one_decision_for_each_question_in_order if {
	questions := [object.union(question, {"actor": actor}) | some actor in ["nobody", "reader", "nobody", "reader"]]
	decisions := vault.decisions with input.questions as questions with data.actors as actors
	decisions == [denied("unknown actor"), granted("full", "all"), denied("unknown actor"), granted("full", "all")]
}

test_without_data_all_is_denied if {
	decisions := vault.decisions with input.questions as [question] with data.actors as {}
	decisions == [denied("unknown actor")]
}

test_the_tenant_is_the_one_in_the_data if {
	vault.tenant == "acme" with input.actor as "reader" with data.actors as actors
	not vault.tenant with input.actor as "nobody" with data.actors as actors
	not vault.tenant with input.actor as "no-tenant" with data.actors as actors
}
