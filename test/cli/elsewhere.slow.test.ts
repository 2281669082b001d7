// Every command on a room of another machine: it works over the daemon's API, or says by its declared reason why not.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from '../../src/bin/bin-rooms.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { runCli } from '../../src/cli/main.ts';
import { seedHost } from '../conformance/host.ts';
import { serveRoom } from '../server/served-room.ts';
import { forAllTests } from '../support/for-each-test.ts';
import { createFakeTerminal } from './fake-terminal.ts';

/** What is called of each, and how it ends where that is not 0. */
const CALLS: Readonly<Record<string, readonly [words: readonly string[], code?: number]>> = {
  status: [[], 3],
  inbox: [[]],
  accept: [[]],
  open: [['--print']],
  stop: [[]],
  completion: [['names']],
  explain: [['due']],
  workers: [[]],
  token: [['new', 'ci', '--readonly']],
  doctor: [[], 6],
  // Its agent, a runbook, takes no task without a block.
  new: [['Made elsewhere', '```sh run\ntrue\n```', '--draft', '--label', 'a,b']],
  list: [[]],
  show: [['Made elsewhere']],
  edit: [['Made elsewhere']],
  set: [['Made elsewhere', 'sprint=12']],
  describe: [['Made elsewhere', 'Do it well.\n\n```sh run\ntrue\n```']],
  done: [['Made elsewhere']],
  cancel: [['One']],
  reopen: [['Made elsewhere']],
  pause: [['Made elsewhere']],
  resume: [['Made elsewhere']],
  bulk: [[]],
  sub: [['Made elsewhere', 'A part', '--draft']],
  block: [['Made elsewhere', 'One']],
  unblock: [['Made elsewhere', 'One']],
  resource: [['Made elsewhere', '--add', 'notes.md']],
  plan: [['list']],
  scope: [['new', 'session']],
  comment: [['Made elsewhere', 'Seen.']],
  tell: [['Made elsewhere', 'Hurry.']],
  progress: [['Made elsewhere', 'Half way.']],
  outcome: [['Made elsewhere', 'Well.']],
  ask: [['Made elsewhere', 'Which one?']],
  answer: [['Made elsewhere', 'That one.']],
  step: [['Made elsewhere', '--add', 'Look']],
  notify: [['Look here.']],
  notices: [[]],
  run: [['Made elsewhere', '--force']],
  turns: [[]],
  log: [['One'], 3],
  kill: [['Made elsewhere'], 3],
  job: [['list']],
  history: [[]],
  stats: [[]],
  context: [['Made elsewhere']],
  chores: [['list']],
  sync: [[], 3],
  mirrors: [[]],
  link: [['Made elsewhere', 'acme/web#12', '--chore', 'none'], 3],
  publish: [['Made elsewhere', '--chore', 'none'], 3],
  hooks: [['check'], 6],
  settle: [['Made elsewhere']],
  unlink: [['Made elsewhere'], 3],
  archive: [['One']],
  delete: [['Made elsewhere']],
  undo: [[]],
  diff: [['Made elsewhere']],
  merge: [['Made elsewhere'], 3],
  pr: [['Made elsewhere'], 3],
  discard: [['Made elsewhere', '--yes'], 3],
  restore: [['Nobody'], 3],
  mirror: [[]],
  // They hold a process of their own: what is shown here is that they come so far.
  top: [[], 4],
  mcp: [[]],
  worker: [['--queue', 'NONE'], 4],
};

const room = forAllTests(() => serveRoom({}, null, seedHost));

async function run(words: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: join(room.dir, '..'), EDITOR: 'true' };
  const terminal = createFakeTerminal({
    cwd: '/',
    env,
    input: '[{"do":"create","title":"Of many","status":"draft"}]',
  });
  const code = await runCli([...words, '--url', room.url, '--token', room.token], terminal, ROOMS);
  return { code, out: terminal.out(), err: terminal.err() };
}

describe('with --url', () => {
  test('every command is here, or says why it stays', async () => {
    for (const { name, load } of COMMANDS) {
      const { hereOnly } = (await load()).command;
      expect(name in CALLS, name).toBe(hereOnly === undefined);
    }
  });

  for (const name of Object.keys(CALLS).filter((each) => each !== 'mcp')) {
    test(name, async () => {
      const [words, code = 0] = CALLS[name]!;
      const said = await run([name, ...words]);
      expect(said.err).not.toContain('machine of its room alone');
      expect({ ...said, out: '' }).toMatchObject({ code });
    });
  }

  test('mcp', () => {
    const program = join(import.meta.dirname, '../../src/bin/bin.ts');
    const words = [program, 'mcp', '--url', room.url, '--token', room.token];
    expect(execFileSync(process.execPath, words, { input: '' }).toString()).toBe('');
  });

  test('what stays says its reason, and so does its help', async () => {
    for (const { name, load } of COMMANDS) {
      const { hereOnly } = (await load()).command;
      if (hereOnly === undefined) continue;
      const words = name === 'service' ? ['install', '--print'] : [];
      const said = await run([name, ...words]);
      expect(said).toMatchObject({ code: 4, out: '' });
      expect(said.err).toContain(`this works on the machine of its room alone: ${hereOnly}`);
      expect((await run([name, '--help'])).out).toContain(`Not with --url: ${hereOnly}.`);
    }
  });
});
