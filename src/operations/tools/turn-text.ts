// A turn as a tool's answer: how it stands, and a piece of what it printed, which is data.
import { fence } from '../../core/context/fence.ts';
import { TURN_LETTERS } from '../../core/ids.ts';
import { isOver } from '../../core/rules/turn.ts';
import type { ToolCaller } from './tool.ts';

const TURN_ID = new RegExp(`^[${Object.values(TURN_LETTERS).join('')}][0-9a-z]{8}$`);

/** Ids of tasks that we make have 8 characters. */
export function isTurnId(word: string): boolean {
  return TURN_ID.test(word);
}

const PIECE = 12_000;

/**
 * @param offset byte of its output to begin at; its end when absent
 * @param waitMs how long to wait for its end
 */
export async function turnText(
  { tasks, actor }: ToolCaller,
  turn: string,
  { offset, waitMs }: { offset?: number; waitMs: number },
): Promise<string> {
  let shown = await tasks.call('showTurn', { turn }, actor);
  if (!isOver(shown.state) && waitMs > 0) {
    // No output comes after this byte: what is waited for is the end.
    const end = { turn: shown.id, offset: Number.MAX_SAFE_INTEGER, wait: waitMs / 1_000 };
    await tasks.call('turnOutput', end, actor);
    shown = await tasks.call('showTurn', { turn: shown.id }, actor);
  }
  const { id, agent, state, reason, exit_code: exit, output_offset: all } = shown;
  const from = offset ?? Math.max(0, all - PIECE);
  const asked = { turn: id, offset: from, limit: PIECE };
  const { text, next, size } = await tasks.call('turnOutput', asked, actor);
  const head = `${id} ${state}${reason === null ? '' : ` (${reason})`}${exit === null ? '' : `, exit code ${exit}`}`;
  const piece = fence({ what: 'output', author: agent, trust: 'agent', text }, `out${id}`);
  const more = next < size ? `\n(bytes ${from} to ${next} of ${size}: ask again with offset ${next})` : '';
  return `${head}\n${piece}${more}`;
}
