// Ids of tasks and turns: short, stable, from strong randomness, never something YAML reads as a number.
import { customRandom } from 'nanoid';

declare const brand: unique symbol;
export type TaskId = string & { readonly [brand]: 'TaskId' };
export type TurnId = string & { readonly [brand]: 'TurnId' };
/** `task:local:<id>`, `chore:<name>`, `dream:<id>` or `job:<id>`: the durable context that turns belong to (S8, T4). */
export type ThreadId = string & { readonly [brand]: 'ThreadId' };

/** First letter of a turn id by what runs it (B2). */
export const TURN_LETTERS = {
  command: 'b',
  acp: 'a',
  remote: 'r',
  model: 't',
  chore: 'w',
  job: 'b',
  monitor: 'm',
  summary: 'd',
} as const;

export type TurnKind = keyof typeof TURN_LETTERS;
type Random = (size: number) => Uint8Array;

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
// Plain YAML would read these as numbers (123, 12e4, 0x1f, 0o17).
const NUMBER_LIKE = /^(\d+(e\d+)?|0x[0-9a-f]+|0o[0-7]+)$/;
// Nothing that leads out of a folder or hides a file: ids become file names.
const TASK_ID = /^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/;
const randomWord = (random: Random, length: number): string => customRandom(ALPHABET, length, random)();

/** A new task id: 8 of `[0-9a-z]`. The caller checks that it was never used before (S7). */
export function newTaskId(random: Random): TaskId {
  for (;;) {
    const word = randomWord(random, 8);
    if (!NUMBER_LIKE.test(word)) return word as TaskId;
  }
}

export const newTurnId = (kind: TurnKind, random: Random): TurnId =>
  (TURN_LETTERS[kind] + randomWord(random, 8)) as TurnId;

/** True for what may stand as a task's `id:`; hand-written ids may be up to 64 characters long. */
export const isTaskId = (text: string): text is TaskId => TASK_ID.test(text);
export const threadOfTask = (id: TaskId): ThreadId => `task:local:${id}` as ThreadId;

/** The task of a thread, or null for a chore's. */
export const taskOfThread = (thread: ThreadId): TaskId | null =>
  thread.startsWith('task:local:') ? (thread.slice('task:local:'.length) as TaskId) : null;

export const threadOfChore = (name: string): ThreadId => `chore:${name}` as ThreadId;

/** The chore of a thread, or null for a task's. */
export const choreOfThread = (thread: ThreadId): string | null =>
  thread.startsWith('chore:') ? thread.slice('chore:'.length) : null;

/** The thread of a job: each has its own, and blocks no task's turn. */
export const threadOfJob = (id: TurnId): ThreadId => `job:${id}` as ThreadId;
export const threadOfSummary = (id: TaskId): ThreadId => `dream:${id}` as ThreadId;

/** The task whose old entries a thread sums up, or null for any other thread. */
export const summaryOfThread = (thread: ThreadId): TaskId | null =>
  thread.startsWith('dream:') ? (thread.slice('dream:'.length) as TaskId) : null;

export const newTag = (random: Random): string => randomWord(random, 10);
