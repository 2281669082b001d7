// The filters that are sent to Linear.
import type { SourceConfig } from '../provider.ts';
import { FINISHED_TYPES } from './states.ts';

type Filter = Record<string, unknown>;

export function teamFilter({ source }: Pick<SourceConfig, 'source'>): Filter {
  return { key: { eq: source.toUpperCase() } };
}

/** Where a page begins. */
export interface PageStart {
  /** Changed at or after, epoch ms; null for the beginning of time. */
  from: number | null;
  /** Ids that are not wanted again. */
  except: readonly string[];
}

function since({ from, except }: PageStart): Filter {
  return {
    ...(from === null ? {} : { updatedAt: { gte: new Date(from).toISOString() } }),
    ...(except.length === 0 ? {} : { id: { nin: except } }),
  };
}

/** Issues of the team. */
export function changedSince(config: SourceConfig, start: PageStart): Filter {
  return { team: teamFilter(config), ...since(start) };
}

/** Comments on issues of the team. */
export function commentedSince(config: SourceConfig, start: PageStart): Filter {
  return { issue: { team: teamFilter(config) }, ...since(start) };
}

/** Issues the source lets in. */
export function admittedSince(config: SourceConfig, start: PageStart): Filter {
  const { labels, assignee, state } = config.filter;
  const filter = changedSince(config, start);
  if (labels.length > 0) {
    filter.and = labels.map((name) => ({ labels: { some: { name: { eqIgnoreCase: name } } } }));
  }
  if (assignee !== null) filter.assignee = personFilter(assignee);
  if (state === 'open') filter.state = { type: { nin: FINISHED_TYPES } };
  if (state === 'closed') filter.state = { type: { in: FINISHED_TYPES } };
  return filter;
}

/** Users a person names so; `isPerson` says the same over one user. */
export function personFilter(word: string): Filter {
  if (word === 'me') return { isMe: { eq: true } };
  return { or: ['displayName', 'name', 'email'].map((field) => ({ [field]: { eqIgnoreCase: word } })) };
}
