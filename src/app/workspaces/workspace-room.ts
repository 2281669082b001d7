// What everything about workspaces needs, beside a room and at a worker alike: where they lie, what is on record of them, git,
// what programs of a turn are started with, and its hooks.
import { join } from 'node:path';
import { runChecks } from '../../agents/process/run-check.ts';
import type { Git } from '../../agents/workspace/git.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { KeyedMutex } from '../../core/keyed-mutex.ts';
import { describeCheck } from '../../core/rules/checks.ts';
import type { Effects } from '../../effects.ts';
import type { WorkspaceTurn } from '../../pulse/ports.ts';
import type { WorkspacesTable } from '../../store/ledger/turns/jobs.ts';

export interface WorkspaceRoom {
  /** Absolute path of the room, or of what stands for it. */
  dir: string;
  /** A row is on record before anything is made, so that what a crash leaves is found. */
  records: Pick<WorkspacesTable, 'get' | 'put' | 'update'>;
  /** Absolute path of the folder that they all lie in. */
  root(): string;
  /** Absolute path of the folder that this machine's copies of repositories lie in. */
  repositories: string;
  git: Git;
  /** What changes a project's worktrees, by the project's path. */
  byTurns: KeyedMutex['run'];
  effects: Effects;
  maxOutputBytes(): number;
}

/**
 * Runs a person's own shell command around the life of a workspace: in it, with the environment of a turn, bounded.
 * @param turn with the agent as it is in the workspace
 * @returns what went wrong, its last lines with it; null for nothing
 */
export async function runHook(
  room: WorkspaceRoom,
  { turn, task, agent, dir, signal, alive }: WorkspaceTurn,
  hook: keyof AgentConfig['hooks'],
): Promise<string | null> {
  const command = agent.hooks[hook];
  if (agent.workspace === null || command === null) return null;
  const [result] = await runChecks({
    commands: [command],
    ...{ turn: { id: turn }, task: { id: task }, room: room.dir, dir, agent, effects: room.effects },
    // Beside the checks of the turn, each hook in a folder of its own.
    commandsDir: join(dir, 'hooks', hook),
    ...{ reach: null, signal, alive, timeoutMs: agent.hookTimeoutMs, maxOutputBytes: room.maxOutputBytes() },
  });
  if (result === undefined || result.ended === 'ok') return null;
  const last = result.output.trim() === '' ? '' : `\n${result.output}`;
  return `${hook} failed: ${describeCheck(result)}${last}`;
}
