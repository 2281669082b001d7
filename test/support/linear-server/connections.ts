// Relay connections as Linear answers them: newest first by the ordering asked for, cursors that name a record, pages
// of at most 250.
import { inputError } from './answer-errors.ts';
import { matches } from './filters.ts';

export interface PageArguments {
  filter?: Record<string, unknown> | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  includeArchived?: boolean | null;
  orderBy?: 'createdAt' | 'updatedAt' | null;
}

interface Listed {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

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
