// The one set of statuses, the other words accepted on input, and a room's own.

export const STATUSES = ['draft', 'todo', 'doing', 'done', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];

const ALIASES: Readonly<Record<string, Status>> = {
  pending: 'todo',
  open: 'todo',
  backlog: 'todo',
  'to do': 'todo',
  'to-do': 'todo',
  to_do: 'todo',
  active: 'doing',
  in_progress: 'doing',
  'in-progress': 'doing',
  'in progress': 'doing',
  running: 'doing',
  started: 'doing',
  completed: 'done',
  complete: 'done',
  closed: 'done',
  cancelled: 'canceled',
  abandoned: 'canceled',
  killed: 'canceled',
};

export const STATUS_WORDS: readonly string[] = [...STATUSES, ...Object.keys(ALIASES)];

/** The statuses of a room's own, in its order, each with the one that it counts as. */
export type OwnStatuses = Readonly<Record<string, Status>>;

/** What a status word says. `ownStatus` is the word of the room's own; everything is decided by `status`. */
export type SaidStatus = { status: Status; ownStatus?: string };

/** As status words are compared: case and blanks around them do not count. */
export const cleanStatus = (word: string): string => word.trim().toLowerCase().replace(/\s+/g, ' ');
export const isStatus = (word: string): word is Status => (STATUSES as readonly string[]).includes(word);

export function readStatus(word: string, ownStatuses: () => OwnStatuses): SaidStatus | null {
  const clean = cleanStatus(word);
  if (isStatus(clean)) return { status: clean };
  if (Object.hasOwn(ALIASES, clean)) return { status: ALIASES[clean]! };
  const own = ownStatuses();
  return Object.hasOwn(own, clean) ? { status: own[clean]!, ownStatus: clean } : null;
}

export const parseStatus = (word: string): Status | null => readStatus(word, () => ({}))?.status ?? null;

/** What stands in the file, or is to: the word of the room's own where there is one. */
export const statusWord = ({ status, ownStatus, own_status = ownStatus }: Shown): string =>
  own_status ?? status;

interface Shown {
  status: Status;
  ownStatus?: string | undefined;
  own_status?: string | undefined; // As JSON has it.
}

/** Hides a task (G5): no status that a task can have, but a word in its place. */
export const DELETED = 'deleted';
export const saysDeleted = (word: string): boolean => word.trim().toLowerCase() === DELETED;
