// What the row under the cursor is about: what keys that do something do it to.
import { choreOfThread, type TaskId } from '../../core/ids.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { InboxItem, TurnJson } from '../../tasks/shapes/turn.ts';
import { cursorAt } from './cursor.ts';
import type { RoomFacts } from './room-facts.ts';
import type { Row } from './rows.ts';
import type { ScreenState } from './screen-state.ts';

export interface Target {
  /** What operations take for it: the task's id or name, else the turn's id; `held` for what is held. */
  ref: string;
  name: string;
  task: TaskRow | null;
  turn: TurnJson | null;
  chore: string | null;
  /** The question that waits for the person. */
  question: { task: TaskId; key: string; asked: string } | null;
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
  const asked = facts.inbox.find((item) => item.task !== null && item.task === task.id && isQuestion(item));
  return {
    ...{ ref: task.id ?? task.name, name: task.name, task, turn, chore: null },
    question: asked === undefined ? null : questionOf(asked),
  };
}

function ofInbox(facts: RoomFacts, item: InboxItem, task: TaskRow | null): Target | null {
  if (task !== null) return { ...ofTask(facts, task, null), question: questionOf(item) };
  if (item.kind === 'held') return bare('held', 'what is held');
  if (item.task !== null) return { ...bare(item.task, item.name ?? item.task), question: questionOf(item) };
  // Of a chore's file: the chore.
  const [, chore] = /^chores\/(.+)\.md$/.exec(item.name ?? '') ?? [];
  if (chore !== undefined) return { ...bare(chore, chore), chore };
  return item.name === null ? null : bare(item.name.replace(/^tasks\/|\.md$/g, ''), item.name);
}

const bare = (ref: string, name: string): Target => ({
  ...{ ref, name, task: null, turn: null, chore: null, question: null },
});

const isQuestion = ({ kind }: InboxItem) => kind === 'question';

function questionOf({ kind, key, task, text }: InboxItem): Target['question'] {
  if (kind !== 'question' || task === null) return null;
  return { task, key: key.slice(`question:${task}:`.length), asked: text };
}
