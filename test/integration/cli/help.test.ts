import { expect, test } from 'vitest'
import { runCli } from '../../harness/child.ts'

const commands = {
  '': ['start', 'stack', 'setup', 'actor', 'worker', 'jobs', 'tokenize', 'detok'],
  start: ['[file]', '--fields', '--format'],
  stack: ['up', 'down', 'status', 'wipe'],
  'stack up': ['in the background'],
  'stack down': ['its data stays'],
  'stack status': ['--json'],
  'stack wipe': ['every token made with it is lost'],
  setup: ['--out', '--stack', 'DATABASE_URL', 'TRANSIT_ADDR', 'BAO_TOKEN'],
  actor: ['add', 'list', 'revoke', 'remove', 'TRANSIT_ADDR'],
  'actor add': ['<name>', '--out', 'readable by you alone', '--stack'],
  'actor list': ['--stack'],
  'actor revoke': ['<name>', '61 seconds'],
  'actor remove': ['<name>'],
  worker: ['detok', 'tokenize', 'QUEUE_URL', 'TRANSIT_SECRET_ID_FILE', 'POLICY', 'Exit codes'],
  jobs: ['status', 'list', 'show', 'redrive', 'drop', 'QUEUE_URL', 'Exit codes'],
  'jobs status': ['--json', '--stack'],
  'jobs list': ['--queue', '--code', '--limit', '--json'],
  'jobs show': ['<id>', '--json'],
  'jobs redrive': ['[ids...]', '--all', '--force'],
  'jobs drop': ['[ids...]', '--all', '--yes'],
  tokenize: ['--fields', '--purpose', '--subject', '--keep-failed', '--allow-failures', 'Examples', 'Exit codes'],
  detok: ['--fields', '--purpose', '--out', '--failures', '--encoding', 'ACTOR_CREDENTIALS_FILE'],
}

test.concurrent.each(Object.entries(commands))(
  'pii-vault %s --help: exit code 0, on standard output',
  async (path, said) => {
    const { code, stdout, stderr } = await runCli([...path.split(' ').filter(Boolean), '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const oneLine = stdout.replaceAll(/\s+/g, ' ')
    for (const what of said) expect(oneLine).toContain(what)
  },
)

test.each([
  ['nothing at all', [], 'Usage: pii-vault [options] [command]'],
  ['a group alone', ['stack'], 'Usage: pii-vault stack [options] [command]'],
  [
    'an unknown command',
    ['tokenise'],
    "unknown command 'tokenise'\n(Did you mean tokenize?)\n`pii-vault --help` shows",
  ],
  ['an unknown command of a group', ['stack', 'start'], "unknown command 'start'"],
  ['too little', ['actor', 'add'], '`pii-vault actor add --help` shows how it is used.'],
  ['too much', ['worker', 'detok', 'tokenize'], 'too many arguments'],
  ['an unknown queue', ['worker', 'detox'], 'Allowed choices are detok, tokenize'],
])('%s: exit code 2, and how it is used on standard error', async (_, args, message) => {
  const { code, stdout, stderr } = await runCli(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
})
