// Scopes: sets of tasks that belong together, by their `scope:`.
import type { Status } from '../../core/task/status.ts';
import type { Actor } from '../task-room.ts';
import type { Removed } from './task-shapes.ts';

export interface ScopeView {
  name: string;
  /** `owner` or `agent:<id>`; null for one that only files name. */
  createdBy: string | null;
  /** The chore whose turn made it for itself; null for any other. */
  chore: string | null;
  /** Epoch ms; null for one that only files name. */
  createdAt: number | null;
  /** Of the files in tasks/. */
  counts: Record<Status, number>;
}

export interface ScopeMade {
  name: string;
  /** False when there was one of that name. */
  changed: boolean;
}

export interface ScopeRemoved {
  name: string;
  removed: Removed[];
}

export interface ScopeOperations {
  /** @throws RoomError `bad_input` for a name that is no line of at most 100 characters */
  createScope(name: string, actor: Actor): Promise<ScopeMade>;
  /** Those that were made, and those that files name. */
  scopes(): Promise<ScopeView[]>;
  /**
   * Moves the files of all its tasks to the attic; archived ones stay. What is left of a removal that was cut short is
   * removed when it is asked for again.
   * @throws RoomError `not_found`; `not_allowed` for an agent that did not make it, or one of its tasks
   */
  removeScope(name: string, actor: Actor): Promise<ScopeRemoved>;
}
