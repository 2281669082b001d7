// The person's own shell commands around the life of a workspace: run in it, with the environment of a turn, bounded.
import { join } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { describeCheck } from '../../core/rules/checks.ts';
import type { WorkspaceTurn } from '../../pulse/ports.ts';
import { runChecks } from '../../runners/process/run-check.ts';
import type { WorkspaceRoom } from './workspace-room.ts';

/** @param turn with the agent as it is in the workspace. Returns what went wrong, its last lines with it; null for nothing. */
export async function runHook(
  room: WorkspaceRoom,
  { turn, task, agent, dir, signal, alive }: WorkspaceTurn,
  hook: keyof AgentConfig['hooks'],
): Promise<string | null> {
  const command = agent.hooks[hook];
  if (agent.workspace === null || command === null) return null;
  const [result] = await runChecks({
    commands: [command],
    turn: { id: turn },
    task: { id: task },
    room: room.dir,
    // Beside the checks of the turn, each hook in a folder of its own.
    commandsDir: join(dir, 'hooks', hook),
    dir,
    agent,
    effects: room.effects,
    reach: null,
    signal,
    alive,
    timeoutMs: agent.hookTimeoutMs,
    maxOutputBytes: room.maxOutputBytes(),
  });
  if (result === undefined || result.ended === 'ok') return null;
  const last = result.output.trim() === '' ? '' : `\n${result.output}`;
  return `${hook} failed: ${describeCheck(result)}${last}`;
}
