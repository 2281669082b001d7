// A branch of about as much as is taken, from a worker to the host, and one of more: real git, a real PostgreSQL.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forAllTests } from '../support/for-each-test.ts';
import { runGit, startGitServer } from '../support/git-server.ts';
import { until } from './room.ts';
import { room, site } from './site.ts';

const server = forAllTests(() => startGitServer(), 60_000);

const BRANCH = 'taskroom/large0001-large';
/** The host's own copy of the repository. */
function copy(): string {
  const dir = room.at('.taskroom/repositories');
  return join(dir, readdirSync(dir)[0]!);
}
const tip = () => runGit(copy(), 'rev-parse', `refs/heads/${BRANCH}`);

/** The most memory that a process had, MiB. */
function mostMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

test('a branch of almost 64 MiB comes piece by piece, one above them is refused and is not lost', async () => {
  const noise = (mib: number, name: string) => `head -c ${mib * 2 ** 20} /dev/urandom > ${name}; git add .`;
  const first = `${noise(62, 'large.bin')}; git commit --quiet -am Large; taskroom done`;
  const second = `${noise(70, 'huge.bin')}; git commit --quiet -am Huge; taskroom done`;
  const third = `git log --format=%s; git rm --quiet --cached huge.bin; git commit --quiet --amend --allow-empty -m Small; taskroom done`;
  const log = room.at('large.txt');
  const count = `echo turn >> '${log}'; case $(wc -l < '${log}') in 1) ${first};; 2) ${second};; *) ${third};; esac`;
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'A'],
      [`GIT_${role}_EMAIL`, 'a@example.com'],
    ]),
  );
  room.agent('large', {
    ...{ command: ['/bin/sh', '-c', count], env, writes: false },
    workspace: { repository: server.url('shut'), base: 'main' },
  });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const worker = await site.worker('five', { args: ['--agents', 'large'] });
  const pids = { host: daemon.pid, worker: worker.pid };
  const before = Object.fromEntries(Object.entries(pids).map(([who, pid]) => [who, mostMemory(pid)]));
  room.save('tasks/large.md', '---\nid: large0001\nowner: large\n---\nWork.\n');
  const end = await daemon.see('turn.ended', { name: 'large' });
  expect(end).toMatchObject({ state: 'completed', reason: 'ok' });
  const begun = tip();
  expect(runGit(copy(), 'ls-tree', '-l', begun, 'large.bin')).toContain(String(62 * 2 ** 20));
  // Neither has all of it in its memory: 62 MiB, and 83 more as base64.
  const grown = (who: 'host' | 'worker') => mostMemory(pids[who]) - before[who]!;
  expect(grown('host')).toBeLessThan(83 + 62);
  expect(grown('worker')).toBeLessThan(2 * 83);
  room.edit('tasks/large.md', (text) =>
    text.replace('status: done', 'status: todo').replace('Work.', 'Work on.'),
  );
  const refused = await daemon.see('turn.ended', { name: 'large' }, end.index + 1);
  expect(refused).toMatchObject({ state: 'failed', reason: 'refused' });
  expect(refused.message).toMatch(/can't be handed over: it comes to 71 MiB, and 64 are taken/);
  await until('its file tells', () => /can't be handed over.*64 are taken/.test(room.read('tasks/large.md')));
  expect(tip()).toBe(begun);
  // At the worker the commits are there, and its next turn goes on with them.
  await room.ok('reopen', 'large');
  const after = await daemon.see('turn.ended', { name: 'large' }, refused.index + 1);
  expect(after).toMatchObject({ state: 'completed', reason: 'ok' });
  expect(await room.ok('log', String(after.turn))).toMatch(/^Huge\nLarge\nFirst/m);
  expect(runGit(copy(), 'log', '--format=%s', BRANCH).split('\n')).toEqual(['Small', 'Large', 'First']);
  worker.signal('SIGTERM');
  await worker.ended;
}, 120_000);
