// The checks of turns as the loop has them run: with the programs of this machine, loaded when a turn says done.
import type { RunChecks } from '../pulse/check-port.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function checkRunner(
  { room, effects }: TaskRoom,
  binDir: string,
  withheldEnv: readonly string[],
): RunChecks {
  return async ({ turn, task, ...checks }) => {
    const { runChecks } = await import('../runners/process/run-checks.ts');
    const who = { turn: { id: turn }, task: { id: task }, room: room.dir };
    return runChecks({ ...checks, ...who, effects, binDir, withheldEnv });
  };
}
