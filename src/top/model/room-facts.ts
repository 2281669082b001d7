// What the screen knows of the room at one moment, as data: everything that is drawn follows from this, from what the person
// did with the screen, and from the time.

import type { ChoreJson } from '../../core/chore-shapes.ts';
import type { TurnId } from '../../core/ids.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { InboxItem, TurnJson } from '../../tasks/shapes/turn.ts';

/**
 * How changes are heard of: the daemon tells them, or the files and the ledger are watched from here; `lost`: the daemon on
 * another machine can't be heard.
 */
export type Link = 'live' | 'files' | 'lost';

export interface RoomFacts {
  /** Name of the room's folder. */
  name: string;
  link: Link;
  /** In the order of lists. */
  tasks: readonly TaskRow[];
  running: readonly TurnJson[];
  /** Of turns that run on other machines the worker's name, null for one that waits; empty where they run here. */
  places: Readonly<Record<string, string | null>>;
  /** Workers that live; null in a room without. */
  workers: number | null;
  /** Ended turns, newest first. */
  ended: readonly TurnJson[];
  /** The last line of what each running turn printed. */
  said: ReadonlyMap<TurnId, string>;
  inbox: readonly InboxItem[];
  chores: readonly ChoreJson[];
  /** What is wrong with the files of chores that can't be read. */
  brokenChores: readonly string[];
  /** Mirrors of each chore, by how they stand: `web-issues` → `3 in sync, 1 conflict`. */
  mirrors: ReadonlyMap<string, string>;
  /** By word: the paths of the tasks whose text holds it, as far as that is known. */
  found: ReadonlyMap<string, ReadonlySet<string>>;
  /** What could not be read of the room at the last look. */
  trouble: string | null;
  /** What is in the foreground; null for nothing. */
  open: OpenText | null;
}

/** The output of a turn, or the text of a task, in the foreground. */
export interface OpenText {
  title: string;
  /** How the turn stands; null for a text. */
  turn: TurnJson | null;
  /** Lines as they came, colours of programs in them and nothing else that steers a terminal. */
  lines: readonly string[];
  /** Lines before these are left out. */
  isCut: boolean;
}

export const NO_FACTS: RoomFacts = {
  ...{ name: '', link: 'files', trouble: null, open: null },
  ...{ tasks: [], running: [], ended: [], inbox: [], chores: [], brokenChores: [] },
  ...{ said: new Map(), found: new Map(), mirrors: new Map(), places: {}, workers: null },
};
