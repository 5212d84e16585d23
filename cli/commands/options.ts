import { Option } from 'commander'

// Options that several commands have, so that they mean the same in each.

export const formatOption = () =>
  new Option('--format <format>', 'if the extension does not say it').choices(['csv', 'ndjson'])

/** May be repeated; its values come as a list. */
export const fieldsOption = (description: string) =>
  new Option('--fields <list>', description).argParser((value: string, before: string[] = []) => [...before, value])
