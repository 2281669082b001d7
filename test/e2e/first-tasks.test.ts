// The first tasks of a new room: what waits for an agent that reads prose, and the command that gives them one.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { buildProgram, type E2eRoom, openFolder } from './room.ts';

let home: string;
let room: E2eRoom;
const NAMES = ['Tidy the garden', 'Name the boat', 'Plan a trip'];

beforeEach(() => {
  buildProgram();
  home = tempFolder('taskroom-first');
  room = openFolder(join(home, 'room'));
  mkdirSync(join(home, 'bin'));
  room.daemonEnv.PATH = pathWith('bin');
  room.daemonEnv.HOME = home;
});
afterEach(async () => {
  await room.close();
});

const pathWith = (...folders: string[]) =>
  [...folders.map((name) => join(home, name)), dirname(process.execPath), '/usr/bin', '/bin'].join(':');

/** As a person types it, with this home and PATH. */
async function type(...args: string[]) {
  const ran = await room.run(args, {
    env: { PATH: pathWith('bin'), HOME: home },
    cwd: existsSync(room.dir) ? room.dir : home,
  });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  return ran.stdout;
}
const typed = async (...args: string[]) => JSON.parse(await type(...args, '--json'));

async function writeThree() {
  for (const name of NAMES) await type('new', name, 'Think of something, and write it down.');
  return textsOf();
}
const textsOf = () => NAMES.map((name) => room.read(`tasks/${name}.md`));

/** A program that is signed in and says of its task what it did. */
function installClaude() {
  const script = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0;; esac
cat > /dev/null
"$TASKROOM_NODE" --version > /dev/null
taskroom outcome 'Thought of it.' && taskroom done >&2
echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s1"}'
`;
  writeFileSync(join(home, 'bin/claude'), script);
  chmodSync(join(home, 'bin/claude'), 0o755);
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude/.credentials.json'), '{"claudeAiOauth":{"accessToken":"x"}}');
}

test('without an agent, tasks in prose wait untouched, and one line of the inbox gives them one', async () => {
  expect(await type('init', room.dir)).toContain('npm install -g @anthropic-ai/claude-code');
  room.edit('room.yaml', (text) => `${text}settle: 50ms\nsweep: 1s\n`);
  const before = await writeThree();
  const daemon = await room.up();
  for (const name of NAMES) await daemon.see('task.waiting', { name, reason: /reads no prose/ });
  await room.quiet(daemon);
  expect(daemon.all('turn.started')).toEqual([]);
  expect(textsOf()).toEqual(before);
  const { tasks } = await typed('list');
  const three = tasks.filter(({ name }: { name: string }) => NAMES.includes(name));
  expect(three).toHaveLength(3);
  for (const task of three) expect(task).toMatchObject({ status: 'todo', why_not: { reason: 'no_agent' } });
  const { inbox } = await typed('inbox');
  expect(inbox).toMatchObject([{ kind: 'setup', text: expect.stringMatching(/^3 tasks wait for an agent/) }]);
  expect(inbox[0].settle).toContain('npm install -g @anthropic-ai/claude-code');

  // The person installs one: the line names the command that gives it the tasks.
  installClaude();
  const [line] = (await typed('inbox')).inbox;
  expect(line.settle).toBe('taskroom init --agent claude');
  await type(...line.settle.split(' ').slice(1), '--project', '');
  for (const name of NAMES) await daemon.see('task.changed', { name, status: 'done' });
  await room.quiet(daemon);
  expect((await typed('inbox')).inbox).toEqual([]);
});

test('a coding agent that is signed in gets the tasks of a new room', async () => {
  installClaude();
  expect(await type('init', room.dir)).toContain('tasks go to claude');
  await writeThree();
  await type('once');
  for (const text of textsOf()) expect(text).toMatch(/^status: done$/m);
});

test('a program that is gone when its turn is to begin: no turn, no attempt, the task as it was', async () => {
  await type('init', room.dir, '--agent', 'runbook');
  room.edit('room.yaml', (text) => `${text}settle: 50ms\nsweep: 1s\n`);
  room.agent('tool', { command: ['./tool.sh'], writes: false, budget: { turns: 1 } });
  room.save('tool.sh', 'exit 0\n');
  const text = '---\nid: build1\nowner: tool\n---\nBuild it.\n';
  room.save('tasks/Build.md', text);
  const daemon = await room.up();
  await daemon.see('task.waiting', {
    name: 'Build',
    reason: /"\.\/tool\.sh" was not found; .*looked in the folder .*room/,
  });
  await room.quiet(daemon);
  expect(room.read('tasks/Build.md')).toBe(text);
  expect((await typed('turns')).turns).toEqual([]);
  chmodSync(room.at('tool.sh'), 0o755);
  await daemon.see('turn.ended', { name: 'Build' });
});
