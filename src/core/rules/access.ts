// Access levels (C6): what of the operations on tasks an agent has. Each operation names the least level that has it.
import type { Access } from '../config/agent-config.ts';

/** `minimal` looks; `readonly` also makes, changes and reports; `full` also completes, cancels and deletes. */
export type Level = 'minimal' | 'readonly' | 'full';

const HEIGHT: Readonly<Record<Level | Access, number>> = {
  minimal: 0,
  readonly: 1,
  'readonly-shell': 1,
  full: 2,
};

/** Whether an agent of this access has what asks for this level. */
export function hasLevel(access: Access, level: Level): boolean {
  return HEIGHT[access] >= HEIGHT[level];
}

/** What an agent of this access may do, for the refusal of everything else. */
export function describeAccess(access: Access): string {
  if (access === 'minimal') return 'it may look at tasks alone';
  return access === 'full' ? 'it may do all that agents may' : 'it may not complete, cancel or delete tasks';
}
