// The screen as data: what it knows of the room at one moment, and what the person did with it. Everything that is drawn follows
// from these two and from the time.
import type { ChoreJson } from '../../core/chore-shapes.ts';
import type { TurnId } from '../../core/ids.ts';
import type { Priority } from '../../core/task/status.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { InboxItem, TurnJson } from '../../tasks/shapes/turn.ts';
import type { LineInput } from './line-input.ts';

/** How changes are heard of: from the daemon; from files and ledger, watched here; not at all from a daemon elsewhere that can't be heard. */
export type Link = 'live' | 'files' | 'lost';

export interface RoomFacts {
  name: string; // Name of the room's folder.
  link: Link;
  tasks: readonly TaskRow[];
  running: readonly TurnJson[];
  /** By turn on another machine: the worker's name, null for a turn that waits for one. */
  places: Readonly<Record<string, string | null>>;
  workers: number | null; // Workers that live; null in a room without.
  ended: readonly TurnJson[]; // Newest first.
  said: ReadonlyMap<TurnId, string>; // The last line of what each running turn printed.
  inbox: readonly InboxItem[];
  chores: readonly ChoreJson[];
  brokenChores: readonly string[]; // Problems of chore files that can't be read.
  /** By chore, how its mirrors stand: `web-issues` → `3 in sync, 1 conflict`. */
  mirrors: ReadonlyMap<string, string>;
  /** By word: the paths of the tasks whose text holds it, as far as that is known. */
  found: ReadonlyMap<string, ReadonlySet<string>>;
  lookedAtMs: number; // When the tasks were looked at last, epoch ms.
  trouble: string | null; // What could not be read of the room at the last look.
  open: OpenText | null;
}

/** The output of a turn, or the text of a task, in the foreground. */
export interface OpenText {
  title: string;
  turn: TurnJson | null; // Null for a text.
  lines: readonly string[]; // With the colours of programs, and nothing else that steers a terminal.
  isCut: boolean; // Lines before these are left out.
}

export const NO_FACTS: RoomFacts = {
  ...{ name: '', link: 'files', lookedAtMs: 0, trouble: null, open: null },
  ...{ tasks: [], running: [], ended: [], inbox: [], chores: [], brokenChores: [] },
  ...{ said: new Map(), found: new Map(), mirrors: new Map(), places: {}, workers: null },
};

export const VIEWS = ['room', 'inbox', 'turns', 'chores'] as const;
export type View = (typeof VIEWS)[number];

export type Prompt =
  | { kind: 'search' | 'filter' | 'new'; input: LineInput }
  | { kind: 'answer'; input: LineInput; ref: string; question: string; name: string; asked: string }
  | { kind: 'comment'; input: LineInput; ref: string; name: string }
  | { kind: 'confirm'; text: string; action: Ask };

/** What is to be done beyond the screen. */
export type Ask =
  | Action
  | { do: 'quit' | 'suspend' | 'redraw' | 'close' }
  | { do: 'open' | 'text' | 'edit'; ref: string };

/** Actions that need nothing but the task: the operation, and what is said of the task afterwards. */
export const SIMPLE_ACTIONS = {
  pause: ['pause', 'is paused'],
  resume: ['resume', 'is resumed'],
  todo: ['set', 'is to do'],
  reopen: ['reopen', 'is open again'],
  done: ['complete', 'is done'],
  cancel: ['cancel', 'is canceled'],
  delete: ['remove', 'is deleted; its file lies in the attic'],
  kill: ['kill', 'has no turn any more'],
} as const;

export type Action =
  | { do: 'run' | keyof typeof SIMPLE_ACTIONS; ref: string; name: string }
  | { do: 'priority'; ref: string; name: string; priority: Priority }
  | { do: 'comment'; ref: string; text: string; name: string }
  | { do: 'answer'; ref: string; question: string; text: string; name: string }
  | { do: 'new' | 'chore' | 'release'; name: string };

export interface ScreenState {
  view: View;
  isOpen: boolean; // Something is in the foreground.
  /** Lines it is scrolled: up from the end of an output, where 0 follows the end; down from the beginning of a text. */
  back: number;
  help: boolean;
  /** Key of the row under the cursor, and where it was: it may be gone. */
  cursor: Readonly<Record<View, { key: string | null; at: number }>>;
  top: Readonly<Record<View, number>>; // First row that is shown.
  search: string;
  filter: string;
  scope: string | null; // Only tasks of this scope; null for the whole room.
  cleared: ReadonlySet<string>; // Finished tasks, by path, that were cleared away.
  allDone: boolean; // Shows all finished tasks, not the newest few.
  prompt: Prompt | null;
  message: { text: string; isTrouble: boolean } | null;
}

export function initialState(scope: string | null, filter = ''): ScreenState {
  const start = { key: null, at: 0 };
  return {
    ...{ view: 'room', isOpen: false, back: 0, help: false, search: '', filter, scope },
    cursor: { room: start, inbox: start, turns: start, chores: start },
    top: { room: 0, inbox: 0, turns: 0, chores: 0 },
    cleared: new Set(),
    ...{ allDone: false, prompt: null, message: null },
  };
}
