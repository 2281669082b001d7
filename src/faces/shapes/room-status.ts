// How a room stands: who runs it, what runs, what waits, what can't be read.
import type { Runtime } from '../../runtime.ts';

/** Gathers it all in one look at the files and one at the turns. @throws RoomError as `overview` */
export async function readStatus(runtime: Runtime) {
  const { tasks, caller } = runtime;
  const { call } = tasks;
  return {
    ...(await runtime.tasks.overview()),
    room: runtime.room.dir,
    daemon: runtime.holder(),
    running: (await call('listTurns', { state: 'running', limit: 1000 }, caller)).turns,
    /** Ended since the person last looked, newest first. */
    untold: (await call('listTurns', { untold: true, limit: 1000 }, caller)).turns,
    /** What agents told the person since, newest first. */
    notices: (await call('listNotices', { untold: true, limit: 1000 }, caller)).notices,
    problems: runtime.problems(),
    /** What is wrong outside, while a daemon runs. */
    trouble: runtime.trouble(),
    elsewhere: await runtime.tasks.call('listWorkers', {}, runtime.caller),
  };
}

/** What is wrong with the queue of a room, of all that is wrong outside. */
export function queueTrouble(trouble: ReturnType<Runtime['trouble']>): string | null {
  return trouble.find(({ message }) => message.startsWith('the queue on PostgreSQL'))?.message ?? null;
}

export type RoomStatus = Awaited<ReturnType<typeof readStatus>>;
