// The sync engine as the rest of the runtime sees it: sources are synced by the name of their chore, tasks are linked
// with issues and published as such. Nothing is deleted on either side.
import type { MirrorJson, SettleWish } from '../core/chore-shapes.ts';
import { RoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import type { PullWish } from '../core/remote-pulls.ts';
import { isoOrNull } from '../core/time/durations.ts';
import { writeMirrorsFile } from '../store/files/mirrors-file.ts';
import { openConflicts, settleConflict } from './mirror/settle-conflict.ts';
import { readServices } from './mirror-services.ts';
import { fileOfUnmirrored, linkTask, publishTask, unlinkTask } from './pairing/pair-task.ts';
import { openForPerson, syncPulls } from './pull-requests/sync-pulls.ts';
import type { MirrorChore, Session } from './source-session.ts';
import { createProviderPool, findMirrorChore, withSource } from './source-session.ts';
import type { Linked, SyncDeps, SyncOptions, SyncPass, SyncReport } from './sync-pass.ts';
import { syncSource } from './sync-source.ts';

export type { SyncDeps, SyncOptions, SyncPoint, SyncReport } from './sync-pass.ts';
export type Sync = ReturnType<typeof createSync>;

export function createSync(deps: SyncDeps) {
  const pool = createProviderPool(deps);
  const busy = new Set<Promise<unknown>>();
  const tracked = <T>(job: Promise<T>): Promise<T> => {
    const done = job.catch(() => undefined).finally(() => busy.delete(done));
    busy.add(done);
    return job;
  };
  /** Works on one source, for a person who waits: what fails is theirs to see. */
  const once: Once = async (chore, signal, work) => {
    const options: SyncOptions = { pull: true, push: true, byPerson: true, wait: true };
    const { error } = await tracked(withSource({ deps, pool, chore, options, signal, single: true }, work));
    if (error) throw error;
  };
  return {
    /** Syncs the source of one chore. What fails on the way is in the report's `error`; other sources never wait for it.
     * @throws RoomError `not_found` for a chore that is none or has no mirror, `locked` when the source is being synced */
    async syncChore(name: string, options: SyncOptions, signal: AbortSignal): Promise<SyncReport> {
      const chore = findMirrorChore(deps, name);
      const single = options.issues !== undefined;
      return tracked(syncOne({ deps, pool, chore, options, signal, single }));
    },
    /** What is missing here to reach the chore's tracker; null for nothing. */
    async lacks(name: string): Promise<string | null> {
      const { mirror } = findMirrorChore(deps, name);
      const [missing] = await (await deps.factory(mirror.provider)).missing(mirror, deps.effects);
      return missing?.what ?? null;
    },
    mirrors(): (MirrorJson & { task: TaskId })[] {
      const conflicts = openConflicts(deps);
      return deps.ledger.mirrors.list().map((row) => {
        const { provider, ref, url, task, name, title, path, chore, state, message, waiting } = row;
        return {
          ...{ provider, ref, url, task, name, title, path, chore, state, message, waiting },
          due_at: isoOrNull(row.dueAt),
          remote_updated_at: isoOrNull(row.remoteUpdatedAt || null),
          synced_at: isoOrNull(row.syncedAt || null),
          conflicts: conflicts.get(task) ?? [],
        };
      });
    },
    /** The field goes upstream as every local change. @throws RoomError `not_found`, `conflict`, `bad_input`, `refused` */
    settle: (wish: SettleWish & { task: TaskId }) => tracked(settleConflict(deps, wish)),
    ...pairing(deps, once),
    openPull: (task: TaskId, wish: PullWish, signal: AbortSignal) =>
      tracked(openForPerson({ deps, pool, signal }, task, wish)),
    syncPulls: (tasks: readonly TaskId[] | null, signal: AbortSignal) =>
      tracked(syncPulls({ deps, pool, signal }, tasks)),
    /** Chores with local changes or waiting writes, and when to sync them. */
    dirtySources: () => dirtySources(deps),
    /** What an agent can do upstream for this task; null for one that is not mirrored. Asks nobody (T11). */
    services: (task: TaskId) => readServices(deps, task, deps.isGuest?.() ? null : deps.effects.env),
    async close() {
      await Promise.all(busy);
      await pool.close();
    },
  };
}

type Work = (pass: SyncPass) => Promise<void>;
type Once = (chore: MirrorChore, signal: AbortSignal, work: Work) => Promise<void>;

const pairing = (deps: SyncDeps, once: Once) => ({
  /** Makes a task the mirror of an issue that is there, and syncs the two.
   * @param choreName the chore that governs it; found by the URL when absent
   * @throws RoomError `not_found`, `conflict` when either is mirrored already, `bad_input`, and as providers throw */
  async link(
    task: TaskId,
    url: string,
    choreName?: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Linked> {
    fileOfUnmirrored(deps, task);
    const { chore, ref } = await findByUrl(deps, url, choreName);
    await once(chore, signal, (pass) => linkTask(pass, task, ref));
    return linkedOf(deps, task);
  },
  /** Ends a mirror; both sides stay as they are. @throws RoomError `not_found` when the task has none */
  async unlink(task: TaskId): Promise<Linked> {
    const { room, effects, ledger } = deps;
    const linked = linkedOf(deps, task);
    const written = await unlinkTask(deps, task);
    if (written !== null) await deps.announce([written]);
    ledger.transaction(() => writeMirrorsFile(room, effects, ledger.mirrors.list(), new Set([task])));
    return linked;
  },
  /** Makes an issue of a task that has none; once, however often it is tried.
   * @throws RoomError `not_found`, `conflict` when it is mirrored, `refused` when the source can't be written, and as providers throw */
  async publish(task: TaskId, name: string, signal: AbortSignal): Promise<Linked> {
    const chore = findMirrorChore(deps, name);
    const path = fileOfUnmirrored(deps, task);
    await once(chore, signal, (pass) => publishTask(pass, task, path));
    return linkedOf(deps, task);
  },
});

async function syncOne(session: Session): Promise<SyncReport> {
  const { deps, chore } = session;
  const { name, mirror } = chore;
  const { provider, source } = mirror;
  const { pull, push } = session.options;
  const direction = pull && push ? 'both' : pull ? 'pull' : 'push';
  deps.events.emit({ type: 'sync.started', chore: name, provider, source, direction });
  const { report } = await withSource(session, syncSource);
  const { error, requests, remaining, waiting } = report;
  if (!report.dryRun)
    deps.ledger.syncDays.add(name, deps.effects.now(), { failed: Boolean(error), requests });
  if (error) {
    const { code, message, hint } = error;
    const fault = { code, message, hint, requests, remaining };
    deps.events.emit({ type: 'sync.failed', chore: name, direction, ...fault });
    return report;
  }
  const { created, updated, pushed, conflicts, detached } = report;
  const counts = { created, updated, pushed, conflicts, detached, requests, remaining, waiting };
  deps.events.emit({ type: 'sync.finished', chore: name, ...counts, skipped: report.skipped.length });
  return report;
}

async function findByUrl(deps: SyncDeps, url: string, choreName?: string) {
  const names = choreName
    ? [choreName]
    : deps.chores().flatMap(({ name, mirror }) => (mirror === null ? [] : [name]));
  for (const name of names) {
    const chore = findMirrorChore(deps, name);
    const factory = await deps.factory(chore.mirror.provider);
    // Its reference will do as well: as people write it, or as `task_mirrors.json` and `remote:` have it.
    const word = url.replace(/^task:/, '').replace(`${chore.mirror.provider}:`, '');
    const ref = factory.refOfUrl(url, chore.mirror) ?? word;
    if (factory.owns(ref, chore.mirror)) return { chore, ref };
  }
  const message = `${url} is no issue of ${choreName ?? 'any source that a chore mirrors'}`;
  const known = `chores that mirror: ${names.join(', ')}`;
  throw new RoomError('bad_input', message, names.length > 0 ? known : 'make a chore with a mirror: first');
}

function dirtySources(deps: SyncDeps): { chore: string; dueAt: number }[] {
  const { choreMirrors, sources } = deps.ledger;
  const active = deps.chores().filter(({ mirror, paused }) => mirror !== null && !paused);
  const names = new Set(active.map(({ name }) => name));
  return choreMirrors.dirtyChores(Math.trunc(deps.effects.now())).flatMap(({ chore, dueAt }) => {
    if (!names.has(chore)) return [];
    const source = sources.get(chore);
    const notBefore = source?.notBefore ?? null;
    // What only a person can mend is tried again by the next whole sync, not by every push.
    if (source?.error && notBefore === null) return [];
    return [{ chore, dueAt: Math.max(dueAt, notBefore ?? 0) }];
  });
}

function linkedOf({ ledger }: SyncDeps, task: TaskId): Linked {
  const row = ledger.mirrors.get(task);
  if (row === null) throw new RoomError('not_found', `task ${task} mirrors nothing`);
  const { provider, ref, url, chore } = row;
  return { task, provider, ref, url, chore };
}
