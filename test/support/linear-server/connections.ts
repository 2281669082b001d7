// Relay connections as Linear answers them: newest first by the ordering asked for, cursors that name a record, pages
// of at most 250.
import { inputError } from './answer-errors.ts';

export interface PageArguments {
  filter?: Record<string, unknown> | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  includeArchived?: boolean | null;
  orderBy?: 'createdAt' | 'updatedAt' | null;
}

type Listed = { id: string; createdAt: Date; updatedAt: Date; archivedAt: Date | null };

export const MAX_PAGE = 250;
export const DEFAULT_PAGE = 50;

/** The page of `all` that the arguments ask for. */
export function connect<T extends Listed>(all: readonly T[], args: PageArguments) {
  const size = args.first ?? args.last ?? DEFAULT_PAGE;
  if (size < 1 || size > MAX_PAGE)
    throw inputError(`Argument Validation Error - first must be 1 to ${MAX_PAGE}`);
  const key = args.orderBy ?? 'createdAt';
  const kept = all
    .filter((one) => (args.includeArchived || !one.archivedAt) && matches(args.filter, one))
    .map((one) => ({ one, id: one.id, at: one[key].getTime() }))
    .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))
    .map(({ one }) => one);
  const from = args.after ? positionOf(kept, args.after) + 1 : 0;
  const to = args.before ? positionOf(kept, args.before) : kept.length;
  const backwards = args.last != null && args.first == null;
  const start = backwards ? Math.max(from, to - size) : from;
  const end = backwards ? to : Math.min(to, from + size);
  const nodes = kept.slice(start, end);
  return {
    nodes,
    edges: nodes.map((node) => ({ node, cursor: node.id })),
    pageInfo: {
      startCursor: nodes[0]?.id ?? null,
      endCursor: nodes.at(-1)?.id ?? null,
      hasNextPage: end < kept.length,
      hasPreviousPage: start > 0,
    },
  };
}

function positionOf(records: readonly Listed[], cursor: string): number {
  const position = records.findIndex((record) => record.id === cursor);
  if (position < 0) throw inputError('Argument Validation Error - invalid cursor');
  return position;
}

// Linear's filters over any record: comparators at the leaves, `and`, `or`, `some`, `every` and nested filters above
// them. Which of them exist where is the schema's business.

type Filter = Readonly<Record<string, unknown>>;

/** True when `value` fits. An absent filter lets everything in. */
function matches(filter: Filter | null | undefined, value: unknown): boolean {
  if (!filter) return true;
  return Object.entries(filter).every(([key, wanted]) => wanted === undefined || holds(key, wanted, value));
}

function holds(key: string, wanted: unknown, value: unknown): boolean {
  if (key === 'and') return (wanted as Filter[]).every((filter) => matches(filter, value));
  if (key === 'or') return (wanted as Filter[]).some((filter) => matches(filter, value));
  if (key === 'null') return (value === null || value === undefined) === wanted;
  if (Array.isArray(value)) {
    if (key === 'every') return value.every((item) => matches(wanted as Filter, item));
    if (key === 'some') return value.some((item) => matches(wanted as Filter, item));
    return value.some((item) => holds(key, wanted, item));
  }
  if (value === null || value === undefined) return false;
  if (value instanceof Date) return compare(key, toTime(wanted), value.getTime());
  if (typeof value === 'object') return matches(wanted as Filter, readField(value, key));
  return compare(key, wanted, value);
}

function readField(value: object, key: string): unknown {
  const field: unknown = (value as Record<string, unknown>)[key];
  const read: unknown = typeof field === 'function' ? field.call(value, { first: 250 }) : field;
  return typeof read === 'object' && read !== null && 'nodes' in read ? read.nodes : read;
}

function toTime(wanted: unknown): unknown {
  if (Array.isArray(wanted)) return wanted.map(toTime);
  const time = wanted instanceof Date ? wanted.getTime() : Date.parse(String(wanted));
  if (Number.isNaN(time)) throw new Error(`not a date: ${String(wanted)}`);
  return time;
}

function compare(key: string, wanted: unknown, value: unknown): boolean {
  const fold = (one: unknown) => String(one).toLowerCase();
  switch (key) {
    case 'eq':
      return value === wanted;
    case 'neq':
      return value !== wanted;
    case 'in':
      return setOf(wanted).has(value);
    case 'nin':
      return !setOf(wanted).has(value);
    case 'gt':
      return (value as number) > (wanted as number);
    case 'gte':
      return (value as number) >= (wanted as number);
    case 'lt':
      return (value as number) < (wanted as number);
    case 'lte':
      return (value as number) <= (wanted as number);
    case 'eqIgnoreCase':
      return fold(value) === fold(wanted);
    case 'neqIgnoreCase':
      return fold(value) !== fold(wanted);
    case 'contains':
      return String(value).includes(String(wanted));
    case 'startsWith':
      return String(value).startsWith(String(wanted));
    default:
      throw new Error(`no comparator ${key}`);
  }
}

const sets = new WeakMap<object, Set<unknown>>();

/** Long lists are asked for each record. */
function setOf(wanted: unknown): Set<unknown> {
  const list = wanted as unknown[];
  const set = sets.get(list) ?? new Set(list);
  sets.set(list, set);
  return set;
}
