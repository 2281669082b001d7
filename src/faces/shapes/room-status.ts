// How a room stands: who runs it, what runs, what waits, what can't be read.
import type { Runtime } from '../../runtime.ts';

/** Gathers it all in one list and one look at the turns. @throws RoomError as `list` */
export async function readStatus(runtime: Runtime) {
  const { tasks, invalid } = await runtime.tasks.list();
  const retries = tasks.filter((task) => task.retryAt !== null).sort((a, b) => a.retryAt! - b.retryAt!);
  return {
    room: runtime.room.dir,
    daemon: runtime.holder(),
    running: await runtime.tasks.turns({ state: 'running', limit: 1000 }),
    /** Ended since the person last looked, newest first. */
    untold: await runtime.tasks.turns({ untold: true, limit: 1000 }),
    pending: tasks.filter((task) => task.pending && !task.running),
    held: tasks.filter((task) => task.held),
    retries,
    invalid,
    problems: runtime.problems(),
    tasks,
  };
}

export type RoomStatus = Awaited<ReturnType<typeof readStatus>>;
