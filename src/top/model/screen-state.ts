// What the person did with the screen: where they are, what they search for, what they are typing.
import type { LineInput } from './line-input.ts';

export const VIEWS = ['room', 'inbox', 'turns', 'chores'] as const;

export type View = (typeof VIEWS)[number];

/** What the person is asked for on the last line. */
export type Prompt =
  | { kind: 'search' | 'filter' | 'new'; input: LineInput }
  | { kind: 'answer'; input: LineInput; ref: string; question: string; name: string; asked: string }
  | { kind: 'confirm'; text: string; action: Ask };

/** What is to be done beyond the screen. */
export type Ask =
  | { do: 'quit' | 'suspend' | 'redraw' | 'close' }
  /** A turn, or a task for its newest turn, or its text where it never had one. */
  | { do: 'open'; ref: string; name: string }
  | { do: 'text'; ref: string; name: string }
  | { do: 'run' | 'pause' | 'resume' | 'cancel' | 'kill'; ref: string; name: string }
  | { do: 'new'; name: string }
  | { do: 'answer'; ref: string; question: string; text: string; name: string }
  | { do: 'chore' | 'release'; name: string };

export interface ScreenState {
  view: View;
  /** Something is in the foreground. */
  isOpen: boolean;
  /** Lines it is scrolled: up from the end of an output, where 0 follows the end; down from the beginning of a text. */
  back: number;
  help: boolean;
  /** Key of the row under the cursor, and where it was: it may be gone. */
  cursor: Readonly<Record<View, { key: string | null; at: number }>>;
  /** First row that is shown. */
  top: Readonly<Record<View, number>>;
  search: string;
  filter: string;
  /** Only tasks of this scope; null for the whole room. */
  scope: string | null;
  /** Finished tasks, by path, that were cleared away. */
  cleared: ReadonlySet<string>;
  /** All finished tasks, not the newest few. */
  allDone: boolean;
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
