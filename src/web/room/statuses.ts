// The statuses that tasks of the room can have: those of every room, and its own.
import { computed, signal } from '@preact/signals';
import { type OwnStatuses, readStatus, STATUSES, type Status } from '../../core/task/status.ts';

/** The statuses of the room's own, each with the one that it counts as. */
export const ownStatuses = signal<OwnStatuses>({});
/** Every status, those of the room's own behind the one that they count as. */
export const allStatuses = computed((): readonly string[] => {
  const own = Object.entries(ownStatuses.value);
  return STATUSES.flatMap((status) => [
    status,
    ...own.flatMap(([word, of]) => (of === status ? [word] : [])),
  ]);
});
/** What a word counts as. */
export const statusOf = (word: string): Status => readStatus(word, () => ownStatuses.value)?.status ?? 'todo';
