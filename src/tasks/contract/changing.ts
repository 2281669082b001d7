// Changes of one task. All throw RoomError `not_found` / `ambiguous` for the reference, `not_allowed` for the caller.
import type { Status } from '../../core/task/status.ts';
import type { Actor } from '../task-room.ts';
import type { Changed, NewTask, Removed, StatusOptions } from './task-shapes.ts';

/** `only`: the hash of the text that it is to be made on; `text`: said under Task in the same write. */
export interface SetOptions {
  force?: boolean;
  only?: string;
  text?: string;
}

export interface ChangingOperations {
  /** @throws RoomError `conflict` when the file exists, `bad_input` for a name no file can have or an unknown owner (S5) */
  create(task: NewTask, actor: Actor): Promise<Changed>;
  /** Sets front matter keys; an empty value removes the key. @throws RoomError `bad_input` naming the allowed values,
   * and without `force` for an unknown key that looks like a known one mistyped, `conflict` when the file's text has not
   * the hash `only` (`hashText`) */
  set(
    ref: string,
    changes: Readonly<Record<string, string>>,
    actor: Actor,
    options?: SetOptions,
  ): Promise<Changed>;
  /** done, canceled, todo (reopen), … @throws RoomError `not_allowed` when an agent reopens (S4) */
  setStatus(ref: string, status: Status, actor: Actor, options?: StatusOptions): Promise<Changed>;
  /** Moves the file to the attic, readable or not. */
  remove(ref: string, actor: Actor): Promise<Removed>;
}
