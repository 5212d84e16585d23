# May this actor do this with this item, and how much of the value may it see?
#
# input.questions: a list of {actor, tenant, purpose, action, field, subject}
# decisions:       one {allow, mask, reason} for each, in order; without "allow": true it is a no
#
# Everything that is not granted in data.actors is denied. See README.md for the form of the data.
package vault

decisions := [decision(question) | some question in input.questions]

# The tenant whose records an authenticated actor works with. Undefined: it has none.
tenant := data.actors[input.actor].tenant

decision(question) := outcome(ways(question)) if {
	data.actors[question.actor].tenant == question.tenant
} else := {"allow": false, "reason": "other tenant"} if {
	data.actors[question.actor]
} else := {"allow": false, "reason": "unknown actor"}

outcome(found) := {"allow": true, "mask": mask, "reason": concat(" ", ["grant", name])} if {
	[place, name, mask] := found[0]
	place > 0
} else := {"allow": false, "reason": "unknown mask"} if {
	count(found) > 0
} else := {"allow": false, "reason": "no grant"}

# Every grant that covers the question, as [rank of its mask, name, mask], the one that shows least first:
# where grants disagree, the most restrictive one holds.
ways(question) := sort([[rank(mask), name, mask] |
	some name, grant in data.actors[question.actor].grants
	question.action in grant.actions
	covers(grant.purposes, question.purpose)
	mask := mask_of(grant.fields, question.field)
])

covers(list, name) if name in list

covers(list, _) if "*" in list

# A field's own entry comes before that of "*".
mask_of(fields, field) := mask if {
	mask := fields[field]
} else := fields["*"]

# A mask that no one has defined ranks lowest: a misspelt one denies, and does not give way to another grant.
rank(mask) := place if {
	place := {"redact": 1, "last4": 2, "email": 3, "full": 4}[mask]
} else := 0
