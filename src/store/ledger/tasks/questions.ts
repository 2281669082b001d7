// What agents asked in task files, as it was last observed, and which answers a turn has had. A question stays on record
// as long as an answer, or that it was taken out, is news for its task.
import type { TaskId } from '../../../core/ids.ts';
import type { TaskQuestion } from '../../../core/task/task.ts';
import type { Database } from '../database.ts';
import { flag, integer, json, optional, type RowOf, table, text } from '../table.ts';

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

/** A row for each question of each task; times are epoch ms. */
export const QUESTIONS = table(
  'questions',
  {
    task: text<TaskId>(),
    key: text(),
    seenAt: integer(),
    facts: json<TaskQuestion>(),
    /** '' while open, the hash of its answers, or `withdrawn`. */
    state: text(),
    withdrawn: flag(),
    unsure: flag(),
  },
  {
    key: ['task', 'key'],
    indexes: { questions_open: "(task) WHERE state = ''" },
    apart: {
      /** The state that the turn `shownTurn` was given. */
      shown: optional(text()),
      shownTurn: optional(text()),
      /** The state that a turn has dealt with. */
      taken: optional(text()),
    },
  },
);

const OPEN = `SELECT ${QUESTIONS.columns('questions')}, tasks.name, tasks.path FROM questions INDEXED BY questions_open JOIN tasks ON tasks.id = questions.task
  WHERE state = '' AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled') ORDER BY questions.seen_at, questions.task, questions.key`;
const NEWS = `WHERE task = ? AND state != '' AND state IS NOT taken ORDER BY seen_at, key`;
const SETTLED = `WHERE task = ? AND state != '' AND withdrawn = 0 AND state IS taken`;

export function createQuestionsTable(db: Database) {
  const questions = QUESTIONS.in(db);
  return {
    /** All of a task, in the order they were seen. */
    of: (task: TaskId) => questions.all('WHERE task = ? ORDER BY seen_at, key', task).map(memoryOf),
    put(task: TaskId, { seenAt, isWithdrawn, isUnsure, ...facts }: QuestionMemory): void {
      const state = isWithdrawn ? 'withdrawn' : (facts.answer ?? '');
      const change = { facts, state, withdrawn: isWithdrawn, unsure: isUnsure };
      if (!questions.update([task, facts.key], change))
        questions.insert({ task, key: facts.key, seenAt, ...change });
    },
    /** Its answer is no news: it was there when the question was first seen. */
    settle(task: TaskId, key: string): void {
      db.prepare('UPDATE questions SET taken = state WHERE task = ? AND key = ?').run(task, key);
    },
    /** Whether the task has an open one. */
    isWaiting: (task: TaskId) =>
      questions.first("INDEXED BY questions_open WHERE state = '' AND task = ? LIMIT 1", task) !== null,
    /** Those of open tasks with a file, the oldest first. */
    open: (): OpenQuestion[] =>
      db
        .prepare(OPEN)
        .all()
        .map((stored) => {
          const row = QUESTIONS.read<RowOf<typeof QUESTIONS> & Pick<OpenQuestion, 'name' | 'path'>>(stored);
          return { ...memoryOf(row), task: row.task, name: row.name, path: row.path };
        }),
    /** Those whose answers are news for the task's next turn. */
    news: (task: TaskId) => questions.all(NEWS, task).map(memoryOf),
    /** Those whose answers a turn has dealt with: hash of the answers by key. */
    settled: (task: TaskId) => new Map(questions.all(SETTLED, task).map(({ key, state }) => [key, state])),
    /** This turn is given what is news. */
    show(task: TaskId, turn: string): void {
      const sql = `UPDATE questions SET shown = state, shown_turn = ? WHERE task = ? AND state != '' AND state IS NOT taken`;
      db.prepare(sql).run(turn, task);
    },
    /** The turn has dealt with what it was given. */
    take(task: TaskId, turn: string): void {
      db.prepare('UPDATE questions SET taken = shown WHERE task = ? AND shown_turn = ?').run(task, turn);
      db.prepare('DELETE FROM questions WHERE task = ? AND withdrawn = 1 AND taken = state').run(task);
    },
    forget: (task: TaskId, key: string): void => void questions.delete(task, key),
  };
}

function memoryOf({ facts, seenAt, withdrawn, unsure }: RowOf<typeof QUESTIONS>): QuestionMemory {
  return { ...facts, seenAt, isWithdrawn: withdrawn, isUnsure: unsure };
}
