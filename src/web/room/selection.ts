// The tasks that are selected in the list, by path.
import { signal } from '@preact/signals';
import type { TaskRow } from '../api/shapes.ts';

export const selection = signal<ReadonlySet<string>>(new Set());

/** Selects the task, or no longer. */
export function select({ path }: TaskRow): void {
  const next = new Set(selection.value);
  if (!next.delete(path)) next.add(path);
  selection.value = next;
}
