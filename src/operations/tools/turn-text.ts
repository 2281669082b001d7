// A turn as a tool's answer: how it stands, and a piece of what it printed, which is data.
import { fence } from '../../core/context/fence.ts';
import { TURN_LETTERS, type TurnId } from '../../core/ids.ts';
import { isOver } from '../../core/rules/turn.ts';
import type { ToolCaller } from './tool.ts';

const TURN_ID = new RegExp(`^[${Object.values(TURN_LETTERS).join('')}][0-9a-z]{8}$`);

/** Ids of tasks that we make have 8 characters. */
export function isTurnId(word: string): boolean {
  return TURN_ID.test(word);
}

const PIECE = 12_000;
const LOOK_EVERY_MS = 200;

/**
 * @param offset byte of its output to begin at; its end when absent
 * @param waitMs how long to wait for its end
 */
export async function turnText(
  { tasks, sleep }: ToolCaller,
  id: string,
  { offset, waitMs }: { offset?: number; waitMs: number },
): Promise<string> {
  let turn = await tasks.turn(id);
  for (let left = waitMs; !isOver(turn.state) && left > 0; left -= LOOK_EVERY_MS) {
    await sleep(Math.min(LOOK_EVERY_MS, left));
    turn = await tasks.turn(turn.id);
  }
  const { size } = await tasks.output(turn.id as TurnId, 0, 1);
  const from = offset ?? Math.max(0, size - PIECE);
  const { text, next } = await tasks.output(turn.id as TurnId, from, PIECE);
  const code = turn.exitCode === null ? '' : `, exit code ${turn.exitCode}`;
  const head = `${turn.id} ${turn.state}${turn.reason === null ? '' : ` (${turn.reason})`}${code}`;
  const tag = `out${turn.id}`;
  const shown = fence({ what: 'output', author: turn.agent, trust: 'agent', text }, tag);
  const more = next < size ? `\n(bytes ${from} to ${next} of ${size}: ask again with offset ${next})` : '';
  return `${head}\n${shown}${more}`;
}
