// How a room stands: who runs it, what runs, what waits, what can't be read.
import type { Problem } from '../../core/errors.ts';
import type { RoomClient } from '../../runtime.ts';
import type { RoomStanding } from '../../tasks/room-handle.ts';

/** Gathers it all in one look at the files and one at the turns. @throws RoomError as `overview` */
export async function readStatus(runtime: RoomClient) {
  const { tasks, caller } = runtime;
  const { call } = tasks;
  const { dir, holder, problems, trouble } = await call('roomFacts', {}, caller, true);
  return {
    ...(await runtime.tasks.overview()),
    room: dir,
    daemon: holder,
    running: (await call('listTurns', { state: 'running', limit: 1000 }, caller)).turns,
    /** Ended since the person last looked, newest first. */
    untold: (await call('listTurns', { untold: true, limit: 1000 }, caller)).turns,
    /** What agents told the person since, newest first. */
    notices: (await call('listNotices', { untold: true, limit: 1000 }, caller)).notices,
    problems: problems as Problem[],
    /** What is wrong outside, while a daemon runs. */
    trouble,
    elsewhere: await runtime.tasks.call('listWorkers', {}, runtime.caller),
  };
}

/** What is wrong with the queue of a room, of all that is wrong outside. */
export function queueTrouble(trouble: RoomStanding['trouble']): string | null {
  return trouble.find(({ message }) => message.startsWith('the queue on PostgreSQL'))?.message ?? null;
}

export type RoomStatus = Awaited<ReturnType<typeof readStatus>>;
