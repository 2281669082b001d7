// `npm start` without npm: the example room runs to its end and says what to try next.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

beforeAll(async () => {
  await run(process.execPath, [path.join(ROOT, 'scripts/build.mjs'), '--if-stale']);
}, 120_000);

function start(env: Record<string, string>, args: string[] = []) {
  const script = path.join(ROOT, 'scripts/start.mjs');
  return run(process.execPath, [script, ...args], { cwd: ROOT, env: { PATH: process.env.PATH, ...env } });
}

test('with CI=true it runs the example and ends by itself', async () => {
  const temp = tempFolder('taskroom-start');
  const { stdout, stderr } = await start({ CI: 'true', TMPDIR: temp }, ['--keep']);
  expect(stderr).toBe('');
  expect(stdout).toContain('tasks/Broken on purpose.md:2:8');
  expect(stdout).toMatch(/▸ Name the longest task +waits for Count the words/);
  const at = (text: RegExp) => stdout.search(text);
  expect(at(/Count the words +doing → done/)).toBeGreaterThan(0);
  expect(at(/Name the longest task +started/)).toBeGreaterThan(at(/Count the words +doing → done/));
  // The part that one agent gave another is done before the whole.
  expect(at(/Publish the README +doing → done/)).toBeGreaterThan(at(/Proofread the README +doing → done/));
  expect(at(/Proofread the README +doing → done/)).toBeGreaterThan(0);
  expect(stdout).toContain('Tasks 9/12');
  // Prose waits for an agent that reads it, and the command that gives it one is named.
  expect(stdout).toMatch(/☐ Write the release notes .*\n +it waits for an agent: runbook .* reads no prose/);
  expect(stdout).toMatch(/1 task waits for an agent: .*prose\n.* init --agent /);
  // Both trackers have their answer.
  expect(stdout).toMatch(/↑ Login redirects in a circ… +closed upstream/);
  expect(stdout).toMatch(/↑ Export drops the last row +closed upstream/);
  // What one report lacks is asked on its issue; the reply there wakes the task, which then ends.
  const story = [
    /\? Search is slow +asks: To look into it/,
    /↑ Search is slow +sent upstream: 1 comment/,
    /» acme\/web#2 +casey answers on the issue: Steps to reproduce: type two letters/,
    /↓ Search is slow +from upstream: 1 comment/,
    /Search is slow +started {2}@triager {2}\(answered\)/,
    /Search is slow +doing → done/,
    /↑ Search is slow +closed upstream/,
  ].map(at);
  expect(story).toEqual(story.toSorted((one, other) => one - other));
  expect(story[0]).toBeGreaterThan(0);
  expect(stdout).toMatch(
    /acme\/web#1 Login redirects in a circle — closed\n(?: {6}.*\n)* {6}\*\*Outcome\*\*/,
  );
  expect(stdout).toMatch(
    /acme\/web#2 Search is slow — closed\n {6}To look into it.*\n {6}casey: Steps.*\n {6}\*\*Outcome\*\*.*casey answered/,
  );
  expect(stdout).toContain('acme/web#3 Only people look at this one — open\n  acme/web#4');
  expect(stdout).toMatch(/APP-1 Export drops the last row — Done\n(?: {6}.*\n)* {6}\*\*Outcome\*\*/);
  // A pull request is opened, reviewed, mended, answered and merged, and its task is done with that.
  const pull = [
    /» acme\/web#4 +casey asks for a change of greet\.mjs:1: Without a name/,
    /Greet people by name +started {2}@coder {2}\(reopened/,
    /» acme\/web#4 +casey approves and merges/,
    /Greet people by name +acme\/web#4 is merged/,
    /acme\/web#4 Greet people by name — merged\n {6}casey: Without a name.*\n {6}Fixed in [0-9a-f]{7}\./,
  ].map(at);
  expect(pull).toEqual(pull.toSorted((one, other) => one - other));
  expect(pull[0]).toBeGreaterThan(0);
  expect(stdout).not.toContain('sync failed');
  const [, room] = /^Room +(\S+)$/m.exec(stdout)!;
  expect(stdout).toContain(`The room stays in ${room}.`);
  expect(stdout).toContain(`node dist/bin/bin.cjs list --room ${room}`);
  const text = readFileSync(path.join(room!, 'tasks/Count the words.md'), 'utf8');
  expect(text).toMatch(/- \[x\] Add them up[\s\S]*## Progress\s+- 2[\s\S]*## Outcome\s+\*\*2/);
  const original = readFileSync(path.join(ROOT, 'agent-room-example/tasks/Count the words.md'), 'utf8');
  expect(original).toContain('status: todo');
  expect(readFileSync(path.join(room!, 'tasks/Publish the README.md'), 'utf8')).toMatch(
    /- \[x\] Proofread the README/,
  );
});

test('while it runs its trackers are called as it says, and at its end the room is removed', async () => {
  const temp = tempFolder('taskroom-start');
  const env = { PATH: process.env.PATH!, HOME: temp, TMPDIR: temp };
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts/start.mjs')], { cwd: ROOT, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text;
    if (said.includes('Ctrl-C stops it.')) break;
  }
  child.stdout.resume();
  const [, room = ''] = /^Room +(\S+)$/m.exec(said)!;
  const file = (name: string) => readFileSync(path.join(room, name), 'utf8');
  expect(said).not.toContain(file('.taskroom/token').trim());
  const [, calls = ''] = /Its trackers\n\n([\s\S]*?)\n\n/.exec(said)!;
  const lines = [...calls.matchAll(/^ {2}(?! )(.*)$/gm)].map(([, line]) => line!);
  expect(lines).toHaveLength(3);
  for (const line of lines) await run('sh', ['-c', line], { cwd: ROOT, env });
  expect(file('tasks/Login redirects in a circle (web#1).md')).toMatch(/@casey\*\*.*\n> Thank you\./);
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(existsSync(room)).toBe(false);
});

test('a temporary folder that can not be written is told, and so is an unknown option', async () => {
  const nowhere = start({ CI: 'true', TMPDIR: '/nonexistent/folder' });
  await expect(nowhere).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('set TMPDIR to a folder'),
  });
  const odd = start({ CI: 'true' }, ['--exit']);
  await expect(odd).rejects.toMatchObject({
    code: 1,
    stderr: 'taskroom: unknown option --exit; known: --exit-when-idle, --keep\n',
  });
});
