// The file of a turn's task as the turn reads it: observed again, marked doing, compared with what it said of the work when the agent
// began; and what the prompt says of the turn beside the task.
import type { PromptChecks } from '../../core/context/around-section.ts';
import type { PromptOptions } from '../../core/context/prompt.ts';
import { parseDocument, setKey } from '../../core/document/document.ts';
import { isPassing } from '../../core/errors.ts';
import { type TaskId, taskOfThread } from '../../core/ids.ts';
import { readProgress } from '../../core/task/body/entries.ts';
import { readSections, sectionsNamed } from '../../core/task/body/sections.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { hashBytes } from '../../store/write/stable-read.ts';
import { recordReadingSoon } from '../../tasks/observe/observer.ts';
import { type ReadRow, readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base } from '../base.ts';
import { reportingOf } from './turn-folder.ts';

export interface TaskText {
  task: Task;
  text: string;
  row: ReadRow;
}

/** The file as it stands now, observed; null when it is gone, invalid or another task's. */
export async function lookAgain(base: Base, id: TaskId): Promise<TaskText | null> {
  const path = base.deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await observe(base, path);
  if (row === null || !row.reading.ok || row.reading.task.id !== id) return null;
  return { task: row.reading.task, text: row.text, row };
}

const MOST_READINGS = 5;

/**
 * Records what the file says; null when it is gone or keeps changing.
 * @param written what this process wrote into it a moment ago: read again only where somebody changed it since
 */
async function observe(base: Base, path: string, written: ReadRow | null = null): Promise<ReadRow | null> {
  const { deps, observations, dirtyPaths } = base;
  for (let reading = 0; reading < MOST_READINGS; reading += 1) {
    const row = reading === 0 && written !== null ? written : await readFileRow(deps, path);
    if (row === null || row === 'unstable') return null;
    const observation = await recordReadingSoon(deps, row);
    if (observation === null) continue;
    if (row === written) dirtyPaths.stamps.set(path, row.stamp);
    observations.push(observation, true);
    return row;
  }
  return null;
}

/** Marks the task doing, unless it was finished meanwhile; returns the file as it stands then. */
export async function markDoing(base: Base, read: TaskText): Promise<TaskText> {
  const { deps } = base;
  const { path, id, status } = read.task;
  const isHeld = id !== null && status === 'done' && deps.ledger.tasks.get(id)?.status !== 'done';
  if (status === 'doing') return read;
  const edit = (text: string) => asDoing(path, text, isHeld);
  const from = { ...read.row, stat: read.row.stamp };
  const row = await base.dirtyPaths.whileHeld(path, async () => {
    const { after, stamp } = await deps.writer.edit(path, { actor: 'runtime', task: id, read: from, edit });
    return observe(base, path, stamp && writtenRow(path, after, stamp));
  });
  return row?.reading.ok ? { task: row.reading.task, text: row.text, row } : read;
}

/** What would be read of a file that was written with this text. */
function writtenRow(path: string, text: string, stamp: FileStamp): ReadRow {
  const bytes = Buffer.from(text);
  const hash = hashBytes(bytes);
  return { path, stamp, hash, reading: readTask(path, text, hash), text, bytes };
}

function asDoing(path: string, text: string, isHeld: boolean): string {
  const reading = readTask(path, text);
  // A done that its checks never let count is no end.
  return reading.ok && (isHeld || !isFinished(reading.task.status))
    ? setKey(text, 'status', 'doing', path)
    : text;
}

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
export async function isSilent(base: Base, turn: TurnRecord): Promise<boolean> {
  const { ledger, agents } = base.deps;
  const agent = agents().get(turn.agent);
  if (
    agent?.writes === false ||
    agent?.access === 'minimal' ||
    ledger.turns.reporting(turn.id)?.reported === 1
  )
    return false;
  const read = await lookAgain(base, taskOfThread(turn.thread)!);
  return read !== null && workHash(read.text) === ledger.turns.reporting(turn.id)?.workHash;
}

const CUT_SHORT: ReadonlySet<string> = new Set(['interrupted', 'rate_limited', 'budget']);
// More are seldom interrupted in a row.
const TURNS_LOOKED_AT = 20;

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

/** Pauses the turn's task, or writes a note of the runtime into its file. */
export async function noteInFile(
  { tasks, onTrouble }: Base,
  turn: TurnRecord,
  note: { pause: string } | { text: string; key: string; under?: 'Outcome' },
): Promise<void> {
  const ref = taskOfThread(turn.thread)!;
  const actor = { kind: 'runtime', turn: turn.id } as const;
  try {
    if ('pause' in note) await tasks.call('pause', { ref, reason: note.pause }, actor);
    else await tasks.call('note', { ref, ...note }, actor);
  } catch (error) {
    // A disk that refuses now takes it later, and the end with it; a file that is gone or broken, or a bug, never will.
    if (isPassing(error)) throw error;
    onTrouble(error);
  }
}

/** @param read the task's file as it stands now: the attempt before left it so, but for what people did since */
export function promptFacts(
  base: Base,
  turn: TurnRecord,
  read: TaskText,
): Pick<PromptOptions, 'bridge' | 'face' | 'access' | 'attempt' | 'wroteNothing'> & {
  checks?: PromptChecks;
} {
  const { deps } = base;
  return {
    ...reportingOf(base, turn),
    access: deps.agents().get(turn.agent)?.access ?? 'readonly',
    wroteNothing: wroteNothingBefore(deps, turn),
    ...attemptBefore(deps, turn, read),
    ...checksOf(deps, turn),
  };
}

function attemptBefore(
  { ledger }: TaskRoom,
  { id, thread, attempt }: TurnRecord,
  { task: { steps }, text }: TaskText,
): Pick<PromptOptions, 'attempt'> {
  const last = ledger.turns.list({ thread, limit: 2 }).find((turn) => turn.id !== id);
  if (attempt < 2 || last === undefined) return {};
  const entries = readProgress(text);
  const at = entries.findLast((entry) => entry.at !== null)?.at;
  const done = steps.filter((step) => step.done).length;
  const ticked = steps.length === 0 ? 'no steps' : `${done} of ${steps.length} steps ticked`;
  const progress =
    entries.length === 0
      ? 'no progress'
      : `${entries.length} progress entries${at ? `, the last of ${at}` : ''}`;
  const ended = [last.reason ?? 'interrupted', last.message ?? ''].filter((part) => part !== '').join(': ');
  return { attempt: { number: attempt, ended, file: `${ticked} and ${progress}` } };
}

function checksOf({ ledger, config }: TaskRoom, turn: TurnRecord): { checks?: PromptChecks } {
  const checks = ledger.checks.get(turn.id);
  if (checks === null) return {};
  const before = ledger.checks.before(checks.task, turn.id);
  const hasFailed = before?.state === 'failed' || before?.state === 'gave_up';
  const failed = (hasFailed ? before.results.at(-1) : undefined) ?? null;
  const { commands, failures } = checks;
  return { checks: { commands, failed, failures, maxRounds: config().maxCheckRounds } };
}
