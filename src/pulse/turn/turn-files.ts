// What a turn has on disk. Its own folder turns/<id>/: the prompt and context that it was given, its output, and its result. And the file of
// its task, as the turn reads it: observed again, and compared with what it said of the work when the agent began; and notes that the
// runtime writes into it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../agents/runner.ts';
import { parseDocument, removeKey, setKey } from '../../core/document/document.ts';
import { isPassing, valueOr } from '../../core/errors.ts';
import { type TaskId, type TurnId, taskOfThread } from '../../core/ids.ts';
import { readSections, sectionsNamed } from '../../core/task/body/sections.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import { parseStatus, statusWord } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { onDisk, type Room } from '../../store/room.ts';
import { recordReadingSoon } from '../../tasks/observe/observer.ts';
import { type ReadRow, readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Loop } from '../state/loop.ts';

export const turnDir = (room: Room, turn: string): string => join(room.turnsDir, turn);
export const contextFile = (room: Room, turn: string): string => join(turnDir(room, turn), 'context.json');

/** Lays out a turn's folder; what a crash left of an earlier try is overwritten. @throws RoomError `io` */
export function writeTurnFolder(room: Room, turn: TurnId, context: object, prompt: string): void {
  const dir = turnDir(room, turn);
  onDisk(dir, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, 'prompt.md'), prompt);
    writeFileSync(contextFile(room, turn), `${JSON.stringify(context, null, 2)}\n`);
  });
}

export function readTurnContext<Context>(room: Room, turn: TurnId): Context | null {
  // Absent or torn: the turn died before it was laid out, so that nothing can have started.
  return valueOr(null, () => JSON.parse(readFileSync(contextFile(room, turn), 'utf8')) as Context);
}

/** Writes how the turn ended; a disk that refuses that is told. */
export function writeTurnResult(
  { deps: { room, effects }, onTrouble }: Pick<Loop, 'deps' | 'onTrouble'>,
  turn: TurnId,
  { exitCode, ...rest }: Outcome,
): void {
  const endedAt = new Date(effects.now()).toISOString();
  const result = { turn, ...rest, exit_code: exitCode, ended_at: endedAt };
  const path = join(turnDir(room, turn), 'result.json');
  try {
    onDisk(path, () => {
      // A turn that was refused before it began has no folder yet.
      mkdirSync(turnDir(room, turn), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
    });
  } catch (error) {
    onTrouble(error);
  }
}

/** Marks the folder of a turn that no record names as over. */
export function closeTurnFolder(room: Room, turn: string): void {
  writeFileSync(join(turnDir(room, turn), 'result.json'), '{"state":"failed","reason":"interrupted"}\n');
}

export function removeTurnFolder(room: Room, turn: string): void {
  rmSync(turnDir(room, turn), { recursive: true, force: true });
}

export function unfinishedTurnFolders(room: Room): string[] {
  if (!existsSync(room.turnsDir)) return [];
  return readdirSync(room.turnsDir).filter((name) => !existsSync(join(room.turnsDir, name, 'result.json')));
}

export type TaskText = { task: Task; text: string; row: ReadRow };

/** The file as it stands now, observed; null when it is gone, invalid or another task's. */
export async function lookAgain(loop: Loop, id: TaskId): Promise<TaskText | null> {
  const path = loop.deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await observe(loop, path);
  if (row === null || !row.reading.ok || row.reading.task.id !== id) return null;
  return { task: row.reading.task, text: row.text, row };
}

const MOST_READINGS = 5;

/** Null when the file is gone or keeps changing. @param written by this process a moment ago: read again only where it changed since */
export async function observe(loop: Loop, path: string, written: ReadRow | null = null) {
  const { deps, observations, dirtyPaths } = loop;
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

/** Puts the status of a task back whose turn never began, unless somebody changed it since. */
export async function putStatusBack(loop: Loop, turn: TurnRecord): Promise<void> {
  const before = loop.deps.ledger.turns.reporting(turn.id)?.statusBefore ?? null;
  const id = taskOfThread(turn.thread)!;
  const read = before === null ? null : await lookAgain(loop, id);
  if (before === null || read === null || statusWord(read.task) !== 'doing') return;
  const { path } = read.task;
  const edit = (text: string) => {
    const now = readTask(path, text, loop.deps.config);
    if (!now.ok || statusWord(now.task) !== 'doing') return text;
    return before === '' ? removeKey(text, 'status', path) : setKey(text, 'status', before, path);
  };
  await loop.deps.writer.edit(path, { actor: 'runtime', task: id, edit });
  await lookAgain(loop, id);
}

/** Hash of what a task's file says of the work on it: status, steps, questions, Progress and Outcome. */
export function workHash(text: string): string {
  const parsed = parseDocument(text, '');
  const read = readTask('', text, null, '', parsed);
  if (!parsed.ok || !read.ok) return hashText(text);
  const body = text.slice(parsed.doc.bodyStart);
  const reading = readSections(body);
  const { steps, questions = [] } = read.task;
  const word = String(parsed.doc.data.status ?? 'todo');
  const written = (['Progress', 'Outcome'] as const).flatMap((name) =>
    sectionsNamed(reading, name).map(({ contentStart, end }) => body.slice(contentStart, end).trim()),
  );
  return hashText(
    JSON.stringify([parseStatus(word) ?? word, steps, questions.map(({ key }) => key), written]),
  );
}

const CUT_SHORT: ReadonlySet<string> = new Set(['interrupted', 'rate_limited', 'budget', 'not_started']);
const TURNS_LOOKED_AT = 20; // More are seldom interrupted in a row.

/** Whether this turn asks again because the one before wrote nothing, or follows from that one's own edit of the input alone;
 * turns that were cut short between do not count. */
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
  { tasks, onTrouble }: Loop,
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
