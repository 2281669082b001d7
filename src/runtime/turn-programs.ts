// What the loop has run beside its agents: the checks of turns, and the git and hooks of workspaces. Loaded when needed.
import { join } from 'node:path';
import type { CheckResult } from '../core/rules/checks.ts';
import type { PulseDependencies, RunChecks } from '../pulse/ports.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { RoomWorkspaces } from './workspaces/workspaces.ts';

export interface TurnPrograms extends Pick<PulseDependencies, 'runChecks'> {
  workspaces: RoomWorkspaces;
}

export async function turnPrograms(deps: TaskRoom): Promise<TurnPrograms> {
  const { createWorkspaces } = await import('./workspaces/workspaces.ts');
  const { room, effects } = deps;
  const workspaces = createWorkspaces(deps);
  const runChecks: RunChecks = async ({ turn, task, dir, ...checks }) => {
    const { runChecks: run } = await import('../runners/process/run-check.ts');
    const { agent, signal } = checks;
    const about = { turn, task, name: task, agent, dir, signal, alive: () => {} };
    const fault = agent.workspace === null ? null : await workspaces.show(about);
    if (fault !== null) return [notRun(checks.commands[0] ?? '', fault, signal)];
    const who = { turn: { id: turn }, task: { id: task }, room: room.dir, dir };
    return run({ ...checks, ...who, commandsDir: join(dir, 'checks'), effects, reach: null });
  };
  return { runChecks, workspaces };
}

/** The folder that they look at could not be made. */
function notRun(command: string, why: string, { aborted }: AbortSignal): CheckResult {
  return { command, ended: aborted ? 'stopped' : 'unstarted', exitCode: null, tookMs: 0, output: why };
}
