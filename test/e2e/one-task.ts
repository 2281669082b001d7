// One task, "Fix the build", brought to where a case about its life begins: its turn is over, or waits at its gate.
import type { Daemon } from './daemon.ts';
import { type E2eRoom, until } from './room.ts';

export const NAME = 'Fix the build';
export const PATH = `tasks/${NAME}.md`;
const TEXT = 'CI fails.\n';

/** Its turn has run to its end. */
export async function settledTask(room: E2eRoom, text = TEXT): Promise<{ id: string; daemon: Daemon }> {
  room.save(PATH, text);
  const daemon = await room.up();
  const { id } = await daemon.see('turn.ended', { name: NAME });
  await room.quiet(daemon);
  return { id: String(id), daemon };
}

/** Its turn waits at its gate. */
export async function runningTask(
  room: E2eRoom,
  text = TEXT,
): Promise<{ id: string; turn: string; daemon: Daemon }> {
  room.gate(NAME);
  room.save(PATH, text);
  const daemon = await room.up();
  const { id, turn } = await daemon.see('turn.started', { name: NAME });
  await daemon.see('task.changed', { id, status: 'doing' });
  await until('the agent has started', () => room.agentLog().some((line) => line.includes(String(turn))));
  return { id: String(id), turn: String(turn), daemon };
}

/** How many turns of the task started so far. */
export const startsOf = (daemon: Daemon, name = NAME): number => daemon.all('turn.started', { name }).length;
