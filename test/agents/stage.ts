// Where one agent is put to the proof: a fresh home, a git project outside the room, a room whose one agent is the preset
// as it is shipped, and a mirror of an issue on a GitHub-shaped server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Daemon } from '../e2e/daemon.ts';
import { createRoom, type Ran } from '../e2e/room.ts';
import { openIssue } from '../support/github-server/people.ts';
import { startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import type { Postgres } from '../support/postgres.ts';
import { createFarWorker } from './far-worker.ts';
import { startModelServer } from './model-server.ts';
import { createObedientModel, type Wishes } from './obedient-model.ts';
import { CACHE, installMock, installPrograms } from './programs.ts';
import { SIGN_IN } from './sign-in.ts';
import { labelOf, type Subject } from './subjects.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

const GIT = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.org'];

/** @param postgres where turns are to run on a worker; null where they run beside the room */
export async function openStage(subject: Subject, postgres: Postgres | null) {
  const { preset, runner } = subject;
  const programs = installPrograms(subject);
  const rooms = join(CACHE, 'rooms');
  mkdirSync(rooms, { recursive: true });
  // Paths of people's own folders hold spaces.
  const dir = mkdtempSync(join(rooms, `${labelOf(subject)} stage-`));
  const project = join(dir, 'project');
  const wishes: Wishes = { file: join(project, 'notes.txt'), givesUp: false, commands: [], escalates: false };
  const model = await startModelServer(
    installMock(),
    createObedientModel(() => wishes),
  );
  const [room, github] = await Promise.all([createRoom(dir), startGithubServer()]);
  const repo = addRepo(github.state, 'acme/web');
  repo.people.set('alice', 'MEMBER');
  makeProject(project);
  const home = join(dir, 'home');
  mkdirSync(home);
  const signIn = SIGN_IN[preset];
  for (const [path, text] of Object.entries(signIn.files(model.url))) {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const queue = postgres === null ? [] : ['queue:', '  postgres: ROOM_QUEUE'];
  room.settings('default_agent: coder', 'settle: 50ms', 'max_attempts: 1', ...queue);
  /** Writes the agent's file anew, with these keys beside the usual ones. */
  const configure = (more: object): void =>
    room.agent('coder', {
      runner,
      preset,
      cwd: project,
      ...(runner === 'command' ? signIn.config : {}),
      ...more,
    });
  configure({});
  room.save(
    'chores/web.md',
    `---\nschedule: off\nmirror:\n  provider: github\n  source: acme/web\n  url: ${github.url}\n---\n`,
  );
  const account = signIn.env(model.url);
  const atHost = {
    ...{ GH_TOKEN: '', GH_CONFIG_DIR: '/nonexistent', XDG_CONFIG_HOME: '' },
    // Copilot takes an empty one for the folder it works in.
    XDG_CACHE_HOME: join(home, '.cache'),
    ...{ GITHUB_TOKEN: 'good-token', HOME: home },
  };
  const ofAgent = () => ({
    ...{ PATH: [...programs.bins, process.env.PATH].join(':'), HOME: home },
    ...programs.env,
    ...stage.account,
  });
  const far =
    postgres === null ? null : createFarWorker({ room, queue: postgres.url, home, project, env: ofAgent });
  if (far !== null) Object.assign(room.daemonEnv, atHost);
  const stage = {
    ...{ preset, runner, room, model, wishes, project, github, repo, configure },
    /** Variables of the agent's account, beside those of the stage; changed by scenarios. */
    account: account as Record<string, string>,
    /** Opens an issue that the room mirrors. */
    issue: (title: string, body: string): number => openIssue(github.state, repo, { title, body }).number,
    /** What a program of this stage finds beside what it inherits: the host has neither program nor keys of a worker's agent. */
    env: (): Record<string, string> => (far === null ? { ...atHost, ...ofAgent() } : atHost),
    /** Runs `taskroom` with that. */
    run: (...args: string[]): Promise<Ran> => room.run(args, { env: stage.env() }),
    /** Runs the turns that are due to their end. */
    async once(): Promise<void> {
      if (far !== null) return far.once();
      const ran = await stage.run('once');
      assert.ok(ran.code !== null, ran.stderr);
    },
    /** Starts the room's daemon, and what else has its turns run. */
    async up(): Promise<{ daemon: Daemon; stop(): Promise<void> }> {
      if (far !== null) return far.up();
      Object.assign(room.daemonEnv, stage.env());
      const daemon = await room.up();
      const stop = async () => {
        daemon.signal('SIGTERM');
        await daemon.ended;
      };
      return { daemon, stop };
    },
    /** @param keeps whether its folder stays, to be looked at */
    async close(keeps: boolean): Promise<void> {
      if (!keeps) await room.close();
      await Promise.all([github.close(), model.close()]);
      if (keeps) process.stdout.write(`kept: ${dir}\n`);
      else rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return stage;
}

function makeProject(project: string): void {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'notes.txt'), 'one\n');
  const git = (...args: string[]) =>
    execFileSync('git', [...GIT, ...args], { cwd: project, stdio: 'ignore' });
  git('init', '--initial-branch=main');
  git('add', '.');
  git('commit', '-m', 'One note');
}
