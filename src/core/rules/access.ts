// Access levels (C6): what of the operations on tasks an agent has, each operation naming the least level that has it; and which of
// two agents has more rights, so that work handed to it by the other opens rights. Pure; table-tested.
import type { Access } from '../config/agent-config.ts';

/** `minimal` looks; `readonly` also makes, changes and reports; `full` also completes, cancels and deletes. */
export type Level = 'minimal' | 'readonly' | 'full';

const HEIGHT: Readonly<Record<Level | Access, number>> = {
  minimal: 0,
  readonly: 1,
  'readonly-shell': 1,
  full: 2,
};

export const hasLevel = (access: Access, level: Level): boolean => HEIGHT[access] >= HEIGHT[level];

/** What an agent of this access may do, for the refusal of everything else. */
export function describeAccess(access: Access): string {
  if (access === 'minimal') return 'it may look at tasks alone';
  return access === 'full' ? 'it may do all that agents may' : 'it may not complete, cancel or delete tasks';
}

export interface Rights {
  /** 0 edits its folder, 1 runs programs, 2 nothing fences it in: `all`, plain commands, runbooks. */
  reach: 0 | 1 | 2;
  access: Access;
  tasks: boolean;
  folder: string | null; // Absolute path of the folder it works in; null for one of each task.
  isApart: boolean;
}

/** What `other` may do that `own` may not, in a few words; null for nothing. */
export function moreRights(own: Rights, other: Rights): string | null {
  if (own.reach === 2) return null;
  if (other.reach > own.reach) return other.reach === 2 ? 'is not fenced in' : 'runs programs';
  if (HEIGHT[other.access] > HEIGHT[own.access]) return `has access ${other.access}`;
  if (other.tasks && !own.tasks) return "has the room's tools";
  if (other.folder === null) return null;
  const isInside =
    own.folder !== null && (other.folder === own.folder || other.folder.startsWith(`${own.folder}/`));
  if (!isInside) return 'works in another folder';
  return own.isApart && !other.isApart ? 'works in the project itself' : null;
}
