# A policy that answers well, except for questions whose purpose names a fault.
package vault

tenant := 7 if {
	input.actor == "number"
} else := clash(input.actor)

decisions := {"no": "list"} if {
	asks("object")
} else := [] if {
	asks("short")
} else := array.concat(answers, answers) if {
	asks("long")
} else := answers if {
	not asks("undefined")
}

answers := [answer(question) | some question in input.questions]

answer(question) := {"allow": true, "mask": "first4", "reason": "x"} if {
	question.purpose == "unknown-mask"
} else := {"allow": true, "reason": "x"} if {
	question.purpose == "no-mask"
} else := {"allow": true, "mask": "full", "reason": question.subject} if {
	question.purpose == "quoting"
} else := {"allow": clash(question.purpose) == "other", "mask": "full", "reason": "x"}

asks(fault) if input.questions[_].purpose == fault

# Two answers to one call: the evaluation stops with eval_conflict_error.
clash(word) := word

clash("conflict") := "two"
