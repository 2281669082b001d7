// What the loop has run beside its agents: the checks of turns, and the git and hooks of workspaces. Loaded when needed.
import { join } from 'node:path';
import type { RunChecks } from '../pulse/check-port.ts';
import type { PulseDependencies } from '../pulse/stages/pulse-dependencies.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

type TurnPrograms = Pick<PulseDependencies, 'withheldEnv' | 'runChecks' | 'workspaces'>;

/** @param withheldEnv names of secrets that none of them gets to see */
export async function turnPrograms(deps: TaskRoom, withheldEnv: readonly string[]): Promise<TurnPrograms> {
  const { createWorkspaces } = await import('./workspaces/workspaces.ts');
  const { room, effects } = deps;
  const runChecks: RunChecks = async ({ turn, task, dir, ...checks }) => {
    const { runChecks: run } = await import('../runners/process/run-checks.ts');
    const bridgeDir = join(dir, 'bridge');
    const who = { turn: { id: turn }, task: { id: task }, room: room.dir, dir };
    return run({ ...checks, ...who, commandsDir: join(dir, 'checks'), effects, bridgeDir, withheldEnv });
  };
  return { withheldEnv, runChecks, workspaces: createWorkspaces(deps, withheldEnv) };
}
