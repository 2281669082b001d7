// An entry of an issue's history, as the schema shows it.
import type { HistoryRecord } from './records.ts';

export function historyEntry<U, S>(
  { id, updatedAt, title, description, state }: HistoryRecord,
  actor: U,
  stateOf: (id: string) => S,
) {
  const at = new Date(updatedAt);
  return {
    ...{ id, createdAt: at, updatedAt: at, archivedAt: null },
    ...{ actor, botActor: null, fromTitle: title?.[0] ?? null, toTitle: title?.[1] ?? null },
    updatedDescription: description || null,
    descriptionUpdatedBy: description ? [actor] : null,
    ...{ fromState: state && stateOf(state[0]), toState: state && stateOf(state[1]) },
  };
}
