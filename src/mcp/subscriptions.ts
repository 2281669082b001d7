// Tells clients what changes in the room: the resources of tasks that are written, come and go, and of turns that begin and end. Nothing is
// watched while nobody is subscribed.
import { InMemoryServerEventBus, type Server } from '@modelcontextprotocol/server';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { RoomClient } from '../app/open-room.ts';
import { RoomError } from '../core/errors.ts';
import { createRounds } from '../core/keyed-mutex.ts';
import { isFinished } from '../core/task/status.ts';
import { type Effects, sleep } from '../effects.ts';
import type { AnswerMcp } from '../server/shapes/faces.ts';
import type { TaskRow } from '../tasks/shapes/task.ts';

/** A room whose changes are heard of from the call of `follow` on, until `signal` aborts or it has to be opened anew. */
export interface FollowedRoom extends Pick<RoomClient, 'tasks' | 'close'> {
  follow(onNews: () => void, signal: AbortSignal): Promise<void>;
}

export type News = ReturnType<typeof createNews>;

const REST_MS = 100; // What happens within it is told once.

/** The bus from which subscribers hear. @param report is given what keeps the room from being followed */
export function createNews(
  open: () => Promise<FollowedRoom>,
  effects: Effects,
  report: (error: Error) => void,
) {
  const bus = new InMemoryServerEventBus(report);
  let watching: { ready: Promise<void>; stop: AbortController } | null = null;
  const watch = () => {
    const stop = new AbortController();
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => {});
    const over = followRooms(open, bus, effects, stop.signal, ready.resolve);
    over.catch((error: Error) => {
      ready.reject(error);
      if (!stop.signal.aborted) report(error);
    });
    return { ready: ready.promise, stop };
  };
  return {
    publish: (event: Parameters<typeof bus.publish>[0]) => bus.publish(event),
    count: () => bus.listenerCount,
    /** The first subscriber has the room watched, until the last is gone. */
    subscribe(listener: Parameters<typeof bus.subscribe>[0]) {
      const leave = bus.subscribe(listener);
      watching ??= watch();
      return () => {
        leave();
        if (bus.listenerCount > 0) return;
        watching?.stop.abort();
        watching = null;
      };
    },
    /** Resolves when every change from then on is told. @throws RoomError as the room can't be opened or looked at */
    ready: async () => watching?.ready,
  };
}

/** Follows one opening of the room after another. */
async function followRooms(
  open: () => Promise<FollowedRoom>,
  bus: InMemoryServerEventBus,
  effects: Effects,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const lookAt = createLook(bus);
  while (!signal.aborted) {
    const { tasks, follow, close } = await open();
    const looks = createRounds(async () => {
      await sleep(effects, REST_MS, signal);
      // A room that can't be read now is looked at again with the next news.
      if (!signal.aborted) await lookAt(tasks).catch(() => {});
    });
    try {
      const following = follow(() => void looks.ask(), signal);
      await lookAt(tasks);
      onReady();
      await following;
      await looks.settled();
    } finally {
      await close();
    }
  }
}

type Known = Pick<TaskRow, 'id' | 'name'> & { isOpen: boolean };

/** Each look but the first tells what changed since the one before. */
function createLook(bus: InMemoryServerEventBus) {
  const known = new Map<string, Known>();
  let running: ReadonlySet<string> | null = null;
  let since = '';
  return async (tasks: RoomClient['tasks']) => {
    const { tasks: rows, order, version } = await tasks.call('list', { since }, { kind: 'person' }, true);
    const asked = { state: 'running', limit: 1000 } as const;
    const { turns } = await tasks.call('listTurns', asked, { kind: 'person' }, true);
    since = version!;
    const changed = new Set<string>();
    let isOtherList = false;
    const touch = ({ id, name }: Known) => {
      for (const word of [id, name])
        if (word !== null)
          for (const kind of ['task', 'context'])
            changed.add(`taskroom://${kind}/${encodeURIComponent(word)}`);
    };
    for (const { path, id, name, status } of rows) {
      const before = known.get(path);
      const now = { id, name, isOpen: id !== null && !isFinished(status) };
      if (before !== undefined) touch(before);
      touch(now);
      isOtherList ||= before?.id !== id || before.isOpen !== now.isOpen;
      known.set(path, now);
    }
    const paths = new Set(order ?? known.keys());
    for (const [path, gone] of known)
      if (!paths.has(path)) {
        touch(gone);
        isOtherList ||= gone.isOpen;
        known.delete(path);
      }
    const now = new Set<string>(turns.map(({ id }) => id));
    for (const turn of [...now, ...(running ?? now)])
      if (!now.has(turn) || running?.has(turn) === false) changed.add(`taskroom://turn/${turn}`);
    const isFirst = running === null;
    running = now;
    if (isFirst) return;
    for (const uri of changed) bus.publish({ kind: 'resource_updated', uri });
    if (isOtherList) bus.publish({ kind: 'resources_list_changed' });
  };
}

const TICK_MS = 1_000;

/** The room as this process watches it, with a daemon or without. */
export function newsHere(
  openRoom: (readOnly: boolean) => Promise<RoomClient>,
  effects: Effects,
  report: (error: Error) => void,
): News {
  const open = async () => {
    const { here, tasks, close } = await openRoom(true);
    if (here === null)
      throw new RoomError('not_allowed', 'this works outside a turn only', 'ask the person to');
    const { follow } = await (await import('../app/follow-room.ts')).followRoom(here, effects, TICK_MS);
    return { tasks, close, follow };
  };
  return createNews(open, effects, report);
}

const NEWS = new WeakMap<object, News>();

/** One for all clients of a daemon. */
export function newsOfDaemon({ runtime, effects, heard, report }: Parameters<AnswerMcp>[1]): News {
  const known = NEWS.get(runtime.room);
  if (known !== undefined) return known;
  async function follow(onNews: () => void, signal: AbortSignal) {
    for (let before = heard(); !signal.aborted; await sleep(effects, TICK_MS, signal)) {
      const now = heard();
      if (now !== before) onNews();
      before = now;
    }
  }
  const open = async () => ({ tasks: runtime.tasks, follow, close: async () => {} });
  const news = createNews(open, effects, report);
  NEWS.set(runtime.room, news);
  return news;
}

const MOST_HELD = 1000;

/** The subscriptions of one client on standard input and output: to URIs in the older revision, to streams in the newer. */
export function createSubscriptions(news: News) {
  const held = new Set<string | number>();
  let server: Server | null = null;
  let isModern = false;
  let leave: (() => void) | null = null;
  const release = (key: string | number) => {
    if (!held.delete(key) || held.size > 0) return;
    leave?.();
    leave = null;
  };
  const hold = async (key: string | number) => {
    if (held.size >= MOST_HELD) throw new Error(`${MOST_HELD} subscriptions are open`);
    held.add(key);
    leave ??= news.subscribe((event) => {
      // What of it each stream wants the package knows.
      if (event.kind === 'resources_list_changed') void server?.sendResourceListChanged().catch(() => {});
      else if (event.kind === 'resource_updated' && (isModern || held.has(event.uri)))
        void server?.sendResourceUpdated({ uri: event.uri }).catch(() => {});
    });
    await news.ready().catch((error: unknown) => {
      release(key);
      throw error;
    });
  };
  return {
    ...{ hold, release },
    serve(served: Server, era: 'legacy' | 'modern') {
      server = served;
      isModern = era === 'modern';
      return served;
    },
    /** A stream is acknowledged once the room is watched. */
    listenOn(transport: StdioServerTransport) {
      const take = transport.onmessage!;
      let before: Promise<unknown> = Promise.resolve();
      transport.onmessage = (message) => {
        const { id, method, params } = message as { id?: string | number; method?: string; params?: unknown };
        if (method === 'subscriptions/listen' && id !== undefined)
          before = before.then(() => hold(id)).catch(() => {});
        else if (method === 'notifications/cancelled')
          release((params as { requestId?: string | number } | undefined)?.requestId ?? '');
        before = before.then(() => take(message));
      };
    },
    close: () => leave?.(),
  };
}
