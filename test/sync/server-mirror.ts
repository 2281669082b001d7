// A real room on disk whose chore `web` mirrors a real provider on a strict server in this process.
import { onTestFinished } from 'vitest';
import type { MirrorConfig } from '../../src/core/chore/chore.ts';
import { readTask } from '../../src/core/task/read-task.ts';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import { guardedFactory } from '../../src/providers/guarded-provider.ts';
import { linearFactory } from '../../src/providers/linear/linear.ts';
import type { ProviderFactory } from '../../src/providers/provider.ts';
import { readLocalSide } from '../../src/sync/plan/base.ts';
import type { LocalSide } from '../../src/sync/plan/plan-data.ts';
import { createSync, type SyncOptions, type SyncReport } from '../../src/sync/sync.ts';
import { freshTaskId } from '../../src/tasks/observe/give-id.ts';
import { refresh } from '../../src/tasks/observe/refresh.ts';
import { TEST_PACE } from '../providers/github/harness.ts';
import { editIssue, openIssue } from '../support/github-server/people.ts';
import { startGithubServer } from '../support/github-server/server.ts';
import { addRepo, type StoredIssue } from '../support/github-server/state.ts';
import { createLinearServer } from '../support/linear-server/server.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { openTestRoom } from '../tasks/test-room.ts';
import { ALL_PUSHED } from './memory-mirror.ts';
import { mirroredFiles } from './mirrored-files.ts';

export type ServerMirror = ReturnType<typeof openServerMirror>;

/**
 * Closed when the test is over.
 * @param env all that the provider sees of the environment
 */
export function openServerMirror(
  factory: ProviderFactory,
  mirror: Partial<MirrorConfig>,
  env: Record<string, string>,
) {
  const room = openTestRoom();
  const chore = mirrorChore('web', { push: ALL_PUSHED, ...mirror });
  const sync = createSync({
    ...room.deps,
    effects: { ...room.deps.effects, env },
    chores: () => [chore],
    factory: async () => guardedFactory(factory),
    freshTaskId: () => freshTaskId(room.deps),
    refresh: () => refresh(room.handle),
    announce: () => refresh(room.handle),
  });
  const files = mirroredFiles(room.dir, () => sync);
  const texts = () => room.names('tasks').map((name) => [name, room.read(`tasks/${name}`)]);
  const rig = {
    ...files,
    room,
    sync,
    run: (options: Partial<SyncOptions> = {}): Promise<SyncReport> =>
      sync.syncChore('web', { pull: true, push: true, ...options }, new AbortController().signal),
    /** The person lets its task run, and the mirror is synced. */
    async resumed(ref: string): Promise<SyncReport> {
      await room.call('resume', { ref: files.taskOf(ref) });
      return rig.run();
    },
    /** A sync that has nothing to do on either side, and leaves every byte as it is. */
    async assertQuiet(): Promise<void> {
      const before = texts();
      const told = room.events.length;
      const report = await rig.run({ full: true });
      const { created, updated, pushed, commentsIn, commentsOut, conflicts, detached, error } = report;
      const did = { created, updated, pushed, commentsIn, commentsOut, conflicts, detached, error };
      const nothing = { created: 0, updated: 0, pushed: 0, commentsIn: 0, commentsOut: 0 };
      const after = { ...nothing, conflicts: 0, detached: 0, error: null };
      if (JSON.stringify(did) !== JSON.stringify(after)) throw new Error(`not quiet: ${JSON.stringify(did)}`);
      if (JSON.stringify(texts()) !== JSON.stringify(before)) throw new Error('a quiet sync changed a file');
      const loud = room.events.slice(told).filter(({ type }) => type.startsWith('mirror.'));
      if (loud.length > 0) throw new Error(`not quiet: ${JSON.stringify(loud)}`);
    },
    side(ref: string): LocalSide {
      const path = files.pathOf(ref);
      const side = readLocalSide(path, room.read(path), null);
      const reading = readTask(path, room.read(path), null);
      if (side === null || !reading.ok) throw new Error(`${path} can't be read`);
      return side;
    },
  };
  onTestFinished(async () => {
    await sync.close();
    await room.close();
  });
  return rig;
}

export type GithubMirror = Awaited<ReturnType<typeof openGithubMirror>>;

export const refOf = ({ number }: StoredIssue): string => `acme/web#${number}`;

/** A mirror of `acme/web`, whose owner is our account `me` and where `alice` is a member; closed with the test. */
export async function openGithubMirror(change: Partial<MirrorConfig> = {}) {
  const server = await startGithubServer();
  onTestFinished(() => server.close());
  const repo = addRepo(server.state, 'acme/web');
  repo.people.set('alice', 'MEMBER');
  const config = { provider: 'github', url: server.url, ...change };
  const env = { GITHUB_TOKEN: 'good-token' };
  const mirror = openServerMirror(createGithubFactory(TEST_PACE), config, env);
  const rig = {
    ...mirror,
    server,
    repo,
    /** Opens an issue and mirrors it. */
    async mirrored(words: Parameters<typeof openIssue>[2]): Promise<string> {
      const ref = refOf(openIssue(server.state, repo, words));
      await mirror.run();
      return ref;
    },
    /** The issue as the server has it. */
    issue: (ref: string): StoredIssue => repo.issues.find((one) => refOf(one) === ref && one.gone === null)!,
    /** The server's clock goes on; without it nothing is newer than what was seen. */
    tick(): void {
      server.state.nowMs += 120_000;
      mirror.room.later(120_000);
    },
    /** Somebody edits the issue later, and the mirror is synced. */
    edited(ref: string, change: Parameters<typeof editIssue>[2], by?: string): Promise<SyncReport> {
      rig.tick();
      editIssue(server.state, rig.issue(ref), change, by);
      return mirror.run();
    },
  };
  return rig;
}

export type LinearMirror = Awaited<ReturnType<typeof openLinearMirror>>;

/** A mirror of team ENG; closed with the test. */
export async function openLinearMirror(change: Partial<MirrorConfig> = {}) {
  const server = await createLinearServer();
  onTestFinished(() => server.close());
  const config = { provider: 'linear', source: 'ENG', url: server.url, ...change };
  return { ...openServerMirror(linearFactory, config, { LINEAR_API_KEY: 'lin_api_good' }), server };
}
