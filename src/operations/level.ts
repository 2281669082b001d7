// The access that an operation needs of an agent, where that depends on its input.
import type { Level } from '../core/rules/access.ts';
import { DELETED, isFinished, parseStatus, type Status, saysDeleted } from '../core/task/status.ts';

/** Finishing a task, or hiding it, is for full access alone. */
export function levelOfStatus(to: Status | typeof DELETED | null | undefined): Level {
  return to !== undefined && to !== null && (to === DELETED || isFinished(to)) ? 'full' : 'readonly';
}

interface Change {
  status?: Status | typeof DELETED;
  keys?: Readonly<Record<string, unknown>>;
}

/** Several keys may mean the status, because keys are read in any spelling. */
export function levelOfChange({ status, keys = {} }: Change): Level {
  const words = Object.keys(keys)
    .filter((key) => key.trim().toLowerCase() === 'status')
    .map((key) => String(keys[key]));
  const all = [status, ...words.map((word) => (saysDeleted(word) ? DELETED : parseStatus(word)))];
  return all.some((to) => levelOfStatus(to) === 'full') ? 'full' : 'readonly';
}
