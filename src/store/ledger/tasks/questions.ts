// What agents asked in task files, as it was last observed, and which answers a turn has had. A question stays on record
// as long as an answer, or that it was taken out, is news for its task.
import type { TaskId } from '../../../core/ids.ts';
import type { TaskQuestion } from '../../../core/task/task.ts';
import type { Database, Row } from '../database.ts';

/** What is remembered of a question. */
export interface QuestionMemory extends TaskQuestion {
  /** When it was first seen, epoch ms. */
  seenAt: number;
  /** It was taken out of the file while it was open. */
  isWithdrawn: boolean;
  /** The last answer came while a turn of its task ran, from nobody knows whom: the person, or that turn's agent. */
  isUnsure: boolean;
}

/** An open question with the task that waits for its answer. */
export interface OpenQuestion extends QuestionMemory {
  task: TaskId;
  name: string;
  path: string;
}

export interface QuestionsTable {
  /** All of a task, in the order they were seen. */
  of(task: TaskId): QuestionMemory[];
  put(task: TaskId, question: QuestionMemory): void;
  /** Its answer is no news: it was there when the question was first seen. */
  settle(task: TaskId, key: string): void;
  /** Whether the task has an open one. */
  isWaiting(task: TaskId): boolean;
  /** Those of open tasks with a file, the oldest first. */
  open(): OpenQuestion[];
  /** Those whose answers are news for the task's next turn. */
  news(task: TaskId): QuestionMemory[];
  /** Those whose answers a turn has dealt with: hash of the answers by key. */
  settled(task: TaskId): Map<string, string>;
  /** This turn is given what is news. */
  show(task: TaskId, turn: string): void;
  /** The turn has dealt with what it was given. */
  take(task: TaskId, turn: string): void;
  forget(task: TaskId, key: string): void;
}

const PUT = `INSERT INTO questions(task, key, seen_at, facts, state, withdrawn, unsure) VALUES(?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(task, key) DO UPDATE SET facts = excluded.facts, state = excluded.state, withdrawn = excluded.withdrawn,
    unsure = excluded.unsure`;
const OPEN = `SELECT questions.*, tasks.name, tasks.path FROM questions INDEXED BY questions_open JOIN tasks ON tasks.id = questions.task
  WHERE state = '' AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled') ORDER BY seen_at, task, key`;
const NEWS = `SELECT * FROM questions WHERE task = ? AND state != '' AND state IS NOT taken ORDER BY seen_at, key`;

export function createQuestionsTable(db: Database): QuestionsTable {
  return {
    of(task) {
      const sql = 'SELECT * FROM questions WHERE task = ? ORDER BY seen_at, key';
      return (db.prepare(sql).all(task) as Row[]).map(memoryOf);
    },
    put(task, { seenAt, isWithdrawn, isUnsure, ...facts }) {
      const state = isWithdrawn ? 'withdrawn' : (facts.answer ?? '');
      const flags = [Number(isWithdrawn), Number(isUnsure)] as const;
      db.prepare(PUT).run(task, facts.key, Math.trunc(seenAt), JSON.stringify(facts), state, ...flags);
    },
    settle(task, key) {
      db.prepare('UPDATE questions SET taken = state WHERE task = ? AND key = ?').run(task, key);
    },
    isWaiting(task) {
      const sql = `SELECT 1 FROM questions INDEXED BY questions_open WHERE state = '' AND task = ? LIMIT 1`;
      return db.prepare(sql).get(task) !== undefined;
    },
    open: () =>
      (db.prepare(OPEN).all() as Row[]).map((row) => ({
        ...memoryOf(row),
        task: row.task as TaskId,
        name: row.name as string,
        path: row.path as string,
      })),
    news: (task) => (db.prepare(NEWS).all(task) as Row[]).map(memoryOf),
    settled(task) {
      const sql = `SELECT key, state FROM questions WHERE task = ? AND state != '' AND withdrawn = 0 AND state IS taken`;
      return new Map(
        (db.prepare(sql).all(task) as Row[]).map(({ key, state }) => [String(key), String(state)]),
      );
    },
    show(task, turn) {
      const sql = `UPDATE questions SET shown = state, shown_turn = ? WHERE task = ? AND state != '' AND state IS NOT taken`;
      db.prepare(sql).run(turn, task);
    },
    take(task, turn) {
      db.prepare('UPDATE questions SET taken = shown WHERE task = ? AND shown_turn = ?').run(task, turn);
      db.prepare('DELETE FROM questions WHERE task = ? AND withdrawn = 1 AND taken = state').run(task);
    },
    forget(task, key) {
      db.prepare('DELETE FROM questions WHERE task = ? AND key = ?').run(task, key);
    },
  };
}

function memoryOf(row: Row): QuestionMemory {
  return {
    ...(JSON.parse(row.facts as string) as TaskQuestion),
    seenAt: Number(row.seen_at),
    isWithdrawn: row.withdrawn === 1,
    isUnsure: row.unsure === 1,
  };
}
