// What a worker does with the workspaces of archived tasks: real git, no daemon.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { hostRef } from '../../../../src/app/workers/worker/workspace/branch-transfer.ts';
import { openWorkspaceRecords } from '../../../../src/app/workers/worker/workspace/records.ts';
import { createWorkerWorkspaces } from '../../../../src/app/workers/worker/workspace/worker-workspaces.ts';
import { parseAgentConfig } from '../../../../src/core/config/agent-config.ts';
import type { TaskId } from '../../../../src/core/ids.ts';
import { createNodeEffects } from '../../../../src/node.ts';
import { makeProject, runGit as run } from '../../../support/git-server.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

let base: string;
let project: string;
let room: string;
beforeEach(() => {
  base = tempFolder('taskroom-worker');
  project = join(base, 'project');
  room = join(base, 'room');
  makeProject(project, { 'code.txt': 'one\n' });
});

/** A workspace with a commit of its own. */
function make(task: string): string {
  const path = join(room, 'worktrees', `${task}-Fix`);
  const branch = `taskroom/${task}-Fix`;
  run(project, 'worktree', 'add', '--quiet', '-b', branch, path, 'main');
  run(path, 'commit', '--quiet', '--allow-empty', '-m', task);
  const workspace = { repository: 'https://git.example/web.git' };
  const hooks = { before_remove: `echo ${task} >> '${join(base, 'removed.txt')}'` };
  const text = JSON.stringify({ runner: 'command', command: 'true', workspace, hooks });
  const reading = parseAgentConfig(text, 'agent.json', 'smith');
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  openWorkspaceRecords(join(room, 'workspaces')).keep({
    row: {
      ...{ task: task as TaskId, name: '', agent: 'smith', project, address: null, path },
      ...{ prefix: '', branch, state: 'ready' },
      ...{ base: run(project, 'rev-parse', 'main'), remote: false, onto: null, createdAt: 0, kept: null },
    },
    agent: reading.agent,
    handed: null,
  });
  return path;
}

test('what the host has is removed with its task, after its hook; what is only here is kept, and said once', async () => {
  const handed = make('handed01');
  run(project, 'update-ref', hostRef('taskroom/handed01-Fix'), 'taskroom/handed01-Fix');
  const lone = make('lone0001');
  const open = make('open0001');
  const said: string[] = [];
  const repositories = join(base, 'repositories');
  const workspaces = createWorkerWorkspaces(room, repositories, createNodeEffects(), (line) =>
    said.push(line),
  );
  expect(workspaces.tasks().sort()).toEqual(['handed01', 'lone0001', 'open0001']);
  await workspaces.tidy(['handed01', 'lone0001']);
  await workspaces.tidy(['handed01', 'lone0001']);
  expect([handed, lone, open].map((path) => existsSync(path))).toEqual([false, true, true]);
  expect(workspaces.tasks().sort()).toEqual(['lone0001', 'open0001']);
  expect(execFileSync('cat', [join(base, 'removed.txt')], { encoding: 'utf8' })).toBe('handed01\n');
  expect(said).toEqual([
    expect.stringMatching(/lone0001-Fix is kept though its task is archived: 1 commit of/),
  ]);
  expect(run(project, 'branch', '--list', 'taskroom/handed01-Fix')).toBe('');
});
