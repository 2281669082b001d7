// Workspaces beside the room that are made of a repository by its address: the room's own copy of it, brought up to date.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from '../support/for-each-test.ts';
import { makeProject, runGit } from '../support/git-server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { createRoom } from './room.ts';

const room = forEachTest(() => createRoom());
let upstream: string;
beforeEach(() => {
  upstream = tempFolder('taskroom-upstream');
  makeProject(upstream, { 'web/code.txt': 'one\n' });
});

const COMMIT = 'git -c user.name=A -c user.email=a@example.com commit --quiet -am Mine';
const save = (name: string, id: string) =>
  room.save(`tasks/${name}.md`, `---\nid: ${id}\nowner: smith\n---\nFix it.\n`);
async function turns() {
  const { stdout } = await room.run(['once', '--json']);
  return JSON.parse(stdout).results;
}

test('each task begins at the branch as it is then; one that has begun goes on while the repository is away', async () => {
  const command = `pwd >> "$AGENT_ROOM/seen.txt"; git log --format=%s >> "$AGENT_ROOM/seen.txt"; echo x >> code.txt; ${COMMIT}; taskroom done`;
  const workspace = { repository: `file://${upstream}`, base: 'main' };
  room.agent('smith', { command, workspace, cwd: './web/' });
  save('One', 'one00001');
  expect(await turns()).toMatchObject([{ reason: 'ok' }]);
  runGit(upstream, 'commit', '--quiet', '--allow-empty', '-m', 'Later');
  save('Two', 'two00001');
  expect(await turns()).toMatchObject([{ reason: 'ok' }]);
  const place = (id: string, name: string) => room.at(`.taskroom/worktrees/${id}-${name}`);
  const [one, two] = [place('one00001', 'One'), place('two00001', 'Two')];
  expect(room.read('seen.txt').trim().split('\n')).toEqual([
    ...[join(one, 'web'), 'First'],
    ...[join(two, 'web'), 'Later', 'First'],
  ]);
  expect(runGit(upstream, 'branch', '--list', 'taskroom/*')).toBe('');
  expect(room.read('tasks/One.md')).toMatch(/1 commit:\n- [0-9a-f]+ Mine\n/);
  rmSync(join(upstream, '.git'), { recursive: true });
  await room.ok('reopen', 'Two');
  room.sql("UPDATE tasks SET finished_at = finished_at - 2000000000 WHERE id = 'one00001'");
  expect(await turns()).toMatchObject([{ reason: 'ok' }]);
  expect(existsSync(one)).toBe(true);
  const { stdout } = await room.run(['doctor']);
  expect(stdout).toMatch(
    /one00001.* is kept though its task is archived: 1 commit of .* neither merged nor pushed/,
  );
  save('Three', 'three001');
  const away = expect.stringContaining("can't get file:");
  expect(await turns()).toMatchObject([{ state: 'failed', reason: 'exit', message: away }]);
});
