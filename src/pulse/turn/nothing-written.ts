// Turns that ended by themselves and reported nothing on their task: told by what the task's file says of the work when the
// agent began, and by what the agent reported.
import { parseDocument } from '../../core/document/document.ts';
import { type TaskId, taskOfThread } from '../../core/ids.ts';
import { readSections, sectionsNamed } from '../../core/task/body/sections.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { DriverOptions } from './driver-options.ts';
import { lookAgain } from './turn-start.ts';

const CUT_SHORT: ReadonlySet<string> = new Set(['interrupted', 'rate_limited', 'budget']);
// More are seldom interrupted in a row.
const TURNS_LOOKED_AT = 20;

/** Hash of what a task's file says of the work on it: status, steps, questions, Progress and Outcome. */
export function workHash(text: string): string {
  const parsed = parseDocument(text, '');
  const read = readTask('', text, '', parsed);
  if (!parsed.ok || !read.ok) return hashText(text);
  const body = text.slice(parsed.doc.bodyStart);
  const reading = readSections(body);
  const { status, steps, questions = [] } = read.task;
  const written = (['Progress', 'Outcome'] as const).flatMap((name) =>
    sectionsNamed(reading, name).map(({ contentStart, end }) => body.slice(contentStart, end).trim()),
  );
  return hashText(JSON.stringify([status, steps, questions.map(({ key }) => key), written]));
}

/** Whether a turn whose agent was to write reported nothing, and its task's file can be read and says nothing new of the work. */
export async function isSilent(options: DriverOptions, turn: TurnRecord): Promise<boolean> {
  const { ledger, agents } = options.deps;
  const agent = agents().get(turn.agent);
  if (agent?.writes === false || agent?.access === 'minimal' || ledger.turns.hasReported(turn.id))
    return false;
  const read = await lookAgain(options, taskOfThread(turn.thread) as TaskId);
  return read !== null && workHash(read.text) === ledger.turns.workHash(turn.id);
}

/**
 * Whether this turn asks again because the one before wrote nothing, or follows from that one's own edit of the input alone;
 * turns that were cut short between do not count.
 */
export function wroteNothingBefore({ ledger }: TaskRoom, turn: TurnRecord): boolean {
  const isOwn = !turn.outside && turn.reasons.some((wake) => wake === 'edited' || wake === 'new');
  if (!isOwn && !turn.reasons.includes('retry')) return false;
  const before = ledger.turns
    .list({ thread: turn.thread, limit: TURNS_LOOKED_AT })
    .find(({ id, reason }) => id !== turn.id && !CUT_SHORT.has(reason ?? ''));
  return before?.reason === 'nothing_written' && (isOwn || before.revision === turn.revision);
}
