// The workspace around the run of a turn's agent: entered before it starts, left when it ended, and what came of it said
// in the file of a task that is done.

import { type Outcome, StopTurn } from '../../agents/runner.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { taskOfThread } from '../../core/ids.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { Base } from '../base.ts';
import type { WorkspaceTurn } from '../ports.ts';
import { noteInFile } from './task-file.ts';
import { turnDir } from './turn-folder.ts';
import type { RunEnd } from './turn-record.ts';

/** The agent as it is to run, or how the turn ended before it could. */
export async function enterWorkspace(
  base: Base,
  turn: TurnRecord,
  agent: AgentConfig,
  slot: TurnSlot,
  elsewhere: boolean,
): Promise<AgentConfig | RunEnd> {
  if (agent.workspace === null) return agent;
  const about = workspaceTurn(base, turn, agent, slot, slot.signal);
  const entered = await base.workspaces.enter({ ...about, elsewhere });
  return entered.ok ? entered.agent : endBefore(base, slot, entered);
}

function workspaceTurn(
  { deps }: Base,
  turn: TurnRecord,
  agent: AgentConfig,
  slot: TurnSlot,
  signal: AbortSignal,
): WorkspaceTurn {
  const task = taskOfThread(turn.thread)!;
  const name = deps.ledger.tasks.get(task)?.name ?? task;
  const dir = turnDir(deps.room, turn.id);
  return { turn: turn.id, task, name, agent, dir, signal, alive: () => slot.output(0) };
}

function endBefore(
  base: Base,
  { signal }: TurnSlot,
  { reason, message }: { reason: 'refused' | 'exit'; message: string },
): RunEnd {
  const stopped = signal.aborted && signal.reason instanceof StopTurn ? signal.reason.reason : null;
  const why = stopped ?? reason;
  const isKilled = why === 'person' || why === 'paused' || why === 'canceled' || why === 'done';
  const state = isKilled ? 'killed' : 'failed';
  const outcome: Outcome = { state, reason: why, exitCode: null, signal: null, message };
  return { outcome, counts: why === 'interrupted' && !base.isStopping(), isSeen: true };
}

/** After the agent's program has ended, unless the runtime stops: then the next start does it. */
export async function leaveWorkspace(
  base: Base,
  turn: TurnRecord,
  agent: AgentConfig,
  slot: TurnSlot,
): Promise<void> {
  if (agent.workspace === null || base.isStopping()) return;
  const fault = await base.workspaces.leave(workspaceTurn(base, turn, agent, slot, slot.checking()));
  if (fault !== null) await noteInFile(base, turn, { text: fault, key: `${turn.id}:after_run` });
}

/** What the branch of a task that is done came to; what a turn that is not the last did is seen there. */
export async function sayChanges(base: Base, turn: TurnRecord): Promise<void> {
  const task = taskOfThread(turn.thread)!;
  const { ledger } = base.deps;
  if (ledger.tasks.get(task)?.status !== 'done') return;
  const changes = await base.workspaces.changes(task);
  if (changes === null) return;
  await noteInFile(base, turn, { text: changes, key: `${turn.id}:changes`, under: 'Outcome' });
  await base.dirtyPaths.lookAtTask(task);
}
