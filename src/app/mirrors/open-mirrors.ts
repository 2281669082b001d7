// Puts the mirrors of a room together: its chores and providers, the sync engine, and what that needs of tasks and of the daemon. Loaded when
// something is to be synced; a room without mirrors pays nothing.
import type { Chore } from '../../core/chore/chore.ts';
import type { SyncReportJson } from '../../core/chore-shapes.ts';
import { isRoomError } from '../../core/errors.ts';
import { snakeKeys } from '../../core/plain-data.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';
import { createChoreFiles } from '../../store/files/chore-files.ts';
import { createSync, type Sync } from '../../sync/sync.ts';
import { changeTask } from '../../tasks/change/change.ts';
import { freshTaskId } from '../../tasks/observe/give-id.ts';
import { refresh } from '../../tasks/observe/refresh.ts';
import type { MirrorPort, RoomHandle } from '../../tasks/task-room.ts';
import { killTurn } from '../../tasks/turns/turn-records.ts';
import { createBranches } from '../workspaces/review.ts';
import { providersOf } from './room-providers.ts';

export type OpenMirrors = Awaited<ReturnType<typeof openMirrors>>;

/** @throws RoomError `io` when chores/ can't be read */
export async function openMirrors(deps: RoomHandle) {
  const { room, ledger, writer, effects, events, config, agents, ports } = deps;
  const files = createChoreFiles(deps);
  let chores: Chore[] = [];
  let registry: { files: string; providers: ProviderRegistry } | null = null;

  const reload = async (): Promise<void> => {
    chores = [...(await files.read()).chores.values()].map(({ chore }) => chore);
  };
  /** Settings may name other files after a reload. */
  const providers = (): ProviderRegistry => {
    const named = JSON.stringify(config().providers);
    if (registry?.files !== named) registry = { files: named, providers: providersOf(deps) };
    return registry.providers;
  };
  const engine = createSync({
    ...{ room, ledger, writer, effects, events, config },
    chores: () => chores,
    factory: (name) => providers().factory(name),
    freshTaskId: () => freshTaskId(deps),
    refresh: () => refresh(deps),
    branches: createBranches(deps, async () => {
      for (const name of await providers().secretsOf(providers().names)) effects.withheld.add(name);
    }),
    async stopTurn(task) {
      await killTurn(deps, task, { kind: 'person' }).catch((error: unknown) => {
        // Nothing runs any more, or nothing ever did.
        if (!isRoomError(error, 'refused') && !isRoomError(error, 'not_found')) throw error;
      });
    },
    opensPulls: () => [...agents().values()].flatMap(({ id, after }) => (after === 'pr' ? [id] : [])),
    isGuest: () => ports.isGuest?.() === true,
    async announce(paths) {
      if (ports.daemonRuns()) ports.ring();
      else if (paths.length > 0) await refresh(deps);
    },
  });
  await reload();
  /** Whatever brings in a whole source brings in what is said of its pull requests. */
  const syncChore: Sync['syncChore'] = async (chore, options, signal) => {
    const report = await engine.syncChore(chore, options, signal);
    if (!options.pull || options.dryRun || options.issues !== undefined) return report;
    const { provider, source } = report;
    const concerned = ledger.pulls
      .open()
      .filter((pull) => pull.provider === provider && pull.source === source);
    const tasks = [...new Set(concerned.map(({ task }) => task))];
    if (tasks.length > 0) await engine.syncPulls(tasks, signal);
    return report;
  };
  const sync: Sync = { ...engine, syncChore };
  return { sync, reload, mirrors: createMirrors(deps, sync, () => chores) };
}

function createMirrors(deps: RoomHandle, sync: Sync, chores: () => readonly Chore[]): MirrorPort {
  /** Gives the task an id when it has none. */
  const idOf = async (ref: string) => (await changeTask(deps, ref, { kind: 'person' }, () => ({}))).id;
  return {
    sources: () =>
      chores()
        .filter(({ mirror, paused }) => mirror !== null && !paused)
        .map(({ name }) => name)
        .sort(),
    async sync(chore, wish, signal) {
      const report = await sync.syncChore(chore, { ...wish, byPerson: true, wait: true }, signal);
      return snakeKeys(report) as SyncReportJson;
    },
    lacks: sync.lacks,
    list: sync.mirrors,
    settle: async (ref, wish) => sync.settle({ ...wish, task: await idOf(ref) }),
    link: async (ref, url, chore) => sync.link(await idOf(ref), url, chore),
    openPull: (task, wish) => sync.openPull(task, wish, new AbortController().signal),
    async unlink(ref) {
      // The file may be gone or broken: what mirrors it is in the ledger.
      const named = sync.mirrors().find(({ task, name, ref: remote }) => [task, name, remote].includes(ref));
      return sync.unlink(named?.task ?? (await idOf(ref)));
    },
    async publish(ref, chore) {
      const task = await idOf(ref);
      // A publish that is repeated, after a crash say, finds what the first made.
      const there = sync.mirrors().find((one) => one.task === task && one.chore === chore);
      if (there === undefined || there.state === 'detached')
        return sync.publish(task, chore, new AbortController().signal);
      return { task, provider: there.provider, ref: there.ref, url: there.url, chore };
    },
  };
}
