// A turn that another agent takes because the task's own one waits: said in the task's file, once a wait.
import { taskOfThread } from '../../core/ids.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { readAgentWaits } from '../../tasks/read/agent-waits.ts';
import type { DriverOptions } from './driver-options.ts';
import { lookAgain, type TaskText } from './turn-start.ts';

/** Says so where it is the case; returns the file as it stands then. */
export async function sayStandIn(
  options: DriverOptions,
  turn: TurnRecord,
  read: TaskText,
): Promise<TaskText> {
  const { deps, tasks } = options;
  const owner = read.task.owner ?? deps.config().defaultAgent;
  const wait = turn.agent === owner ? undefined : readAgentWaits(deps).agents.get(owner);
  if (wait === undefined) return read;
  const id = taskOfThread(turn.thread)!;
  const until = new Date(wait.until).toISOString();
  const text = `Until ${until} ${wait.text}; agent ${turn.agent} takes its turns.`;
  const key = `stand-in:${id}:${owner}:${wait.until}`;
  await tasks.call('note', { ref: id, text, key }, { kind: 'runtime', turn: turn.id });
  return (await lookAgain(options, id)) ?? read;
}
