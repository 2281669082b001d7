// The row under the cursor, which stays with what it stands on, and what that row is about: what keys act on.
import { choreOfThread, type TaskId } from '../../core/ids.ts';
import { shownName } from '../../core/task/names.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { InboxItem, TurnJson } from '../../tasks/shapes/turn.ts';
import type { Row } from './rows.ts';
import type { RoomFacts, ScreenState } from './screen-state.ts';

export interface Target {
  /** What operations take for it: the task's id or name, else the turn's id; `held` for what is held. */
  ref: string;
  name: string;
  task: TaskRow | null;
  turn: TurnJson | null;
  chore: string | null;
  question: { task: TaskId; key: string; asked: string } | null; // The question that waits for the person.
}

/** Null where the cursor stands on nothing that has a name. */
export function targetOf(facts: RoomFacts, rows: readonly Row[], state: ScreenState): Target | null {
  const row = rows[cursorAt(state, rows)];
  switch (row?.kind) {
    case 'task':
      return ofTask(facts, row.task, row.turn);
    case 'turn': {
      const { turn, task } = row;
      if (task !== null) return { ...ofTask(facts, task, turn), question: null };
      const chore = choreOfThread(turn.thread);
      return { ref: turn.id, name: turn.description, task, turn, chore, question: null };
    }
    case 'chore': {
      const { name, result } = row.chore;
      const turn = [...facts.running, ...facts.ended].find(({ id, thread }) =>
        row.chore.running ? choreOfThread(thread) === name : id === result?.turn,
      );
      return { ref: name, name, task: null, turn: turn ?? null, chore: name, question: null };
    }
    case 'inbox':
      return ofInbox(facts, row.item, row.task);
    default:
      return null;
  }
}

function ofTask(facts: RoomFacts, task: TaskRow, turn: TurnJson | null): Target {
  const asked = facts.inbox.find((item) => item.task === task.id && questionOf(item) !== null);
  return {
    ...{ ref: task.id ?? task.name, name: shownName(task), task, turn, chore: null },
    question: asked === undefined ? null : questionOf(asked),
  };
}

function ofInbox(facts: RoomFacts, item: InboxItem, task: TaskRow | null): Target | null {
  if (task !== null) return { ...ofTask(facts, task, null), question: questionOf(item) };
  if (item.kind === 'held') return bare('held', 'what is held');
  if (item.task !== null)
    return { ...bare(item.task, item.title ?? item.name ?? item.task), question: questionOf(item) };
  // Of a chore's file: the chore.
  const [, chore] = /^chores\/(.+)\.md$/.exec(item.name ?? '') ?? [];
  if (chore !== undefined) return { ...bare(chore, chore), chore };
  return item.name === null ? null : bare(item.name.replace(/^tasks\/|\.md$/g, ''), item.name);
}

const bare = (ref: string, name: string): Target => ({
  ...{ ref, name, task: null, turn: null, chore: null, question: null },
});

function questionOf({ kind, key, task, text }: InboxItem): Target['question'] {
  if (kind !== 'question' || task === null) return null;
  return { task, key: key.slice(`question:${task}:`.length), asked: text };
}

const canHold = ({ kind }: Row) => kind !== 'heading' && kind !== 'note';

/** The cursor stands on rows that can be chosen; a step that finds none leaves it. */
export function moved(state: ScreenState, rows: readonly Row[], by: number): ScreenState {
  const from = cursorAt(state, rows);
  const choosable = rows.flatMap((row, at) => (canHold(row) ? [at] : []));
  if (choosable.length === 0) return state;
  const now = Math.max(0, choosable.indexOf(from));
  const next = Math.abs(by) === 1 ? now + by : choosable.findLastIndex((at) => at <= from + by);
  const at = choosable[Math.min(choosable.length - 1, Math.max(0, next))]!;
  return { ...state, cursor: { ...state.cursor, [state.view]: { key: rows[at]!.key, at } } };
}

/** Where the cursor stands now: on its row wherever that went, else where that was; -1 where there is none. */
export function cursorAt({ cursor, view }: ScreenState, rows: readonly Row[]): number {
  const { key, at } = cursor[view];
  const found = key === null ? -1 : rows.findIndex((row) => row.key === key);
  if (found >= 0) return found;
  const from = Math.min(at, rows.length - 1);
  const after = rows.findIndex((row, place) => place >= from && canHold(row));
  return after >= 0 ? after : rows.findLastIndex(canHold);
}

/** Holds the cursor to the row that it stands on, so that a key means that row also after others came above it. */
export function held(state: ScreenState, rows: readonly Row[]): ScreenState {
  const at = cursorAt(state, rows);
  const key = rows[at]?.key;
  if (key === undefined || key === state.cursor[state.view].key) return state;
  return { ...state, cursor: { ...state.cursor, [state.view]: { key, at } } };
}
