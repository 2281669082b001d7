// The way of a stage whose turns run on a worker: the room's daemon without the agent's keys and programs, and a `taskroom worker`
// that has them, as two processes that meet through PostgreSQL. Both are started anew for each step of a scenario.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Daemon } from '../e2e/daemon.ts';
import { type E2eRoom, until } from '../e2e/room.ts';
import { startWorker } from '../e2e/workers.ts';

export interface FarWorkerOptions {
  room: E2eRoom;
  /** Address of PostgreSQL. */
  queue: string;
  /** Of the worker. */
  home: string;
  /** What the agents work in there, in place of each task's folder. */
  project: string;
  /** What the worker finds in its environment. */
  env(): Record<string, string>;
}

export interface FarWorker {
  /** Starts both; resolves once the worker takes turns of the agent. */
  up(): Promise<{ daemon: Daemon; stop(): Promise<void> }>;
  /** The same until the turns that are due have ended. */
  once(): Promise<void>;
}

const NAME = 'far';

export function createFarWorker({ room, queue, home, project, env }: FarWorkerOptions): FarWorker {
  const dir = join(home, 'worker');
  let token: string | null = null;
  room.daemonEnv.ROOM_QUEUE = queue;

  async function putProject(): Promise<void> {
    const id = room.read('.taskroom/room-id').trim();
    const { tasks } = (await room.json('list', '--all')) as { tasks: { id: string }[] };
    mkdirSync(join(dir, id, 'work'), { recursive: true });
    for (const task of tasks) {
      const folder = join(dir, id, 'work', `task-local-${task.id}`);
      rmSync(folder, { recursive: true, force: true });
      symlinkSync(project, folder);
    }
  }

  async function up() {
    const daemon = await room.up('--port', '0');
    const { url } = await daemon.see('api.ready');
    token ??= (await room.ok('token', 'new', NAME, '--worker')).trim();
    await putProject();
    const worker = startWorker(NAME, home, {
      token,
      args: ['--dir', dir, '--url', String(url)],
      env: { ...env(), ROOM_QUEUE: queue },
    });
    await until('the worker takes turns', () => /takes turns of coder/.test(worker.said()));
    return {
      daemon,
      async stop() {
        for (const _ of [1, 2]) worker.signal('SIGTERM');
        await worker.ended;
        daemon.signal('SIGTERM');
        await daemon.ended;
      },
    };
  }

  return {
    up,
    async once() {
      const { daemon, stop } = await up();
      try {
        const { index } = await daemon.see('turn.ended');
        // Nothing is left to do, or to be done before a limit ends.
        const isThrough = ({ type }: { type: string }) => type === 'room.idle' || type === 'agent.waiting';
        await until('its turns have ended', () => daemon.events.slice(index).some(isThrough));
      } finally {
        await stop();
      }
    },
  };
}
