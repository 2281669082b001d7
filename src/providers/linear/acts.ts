// Who did what to an issue, from its history. Linear makes one entry of several edits that follow each other: it counts by
// the time of the last one.
import type { RemoteAct, RemoteTask } from '../provider.ts';
import type { LinearApi } from './linear-api.ts';
import type { HistoryAnswer } from './response-shapes.ts';
import { FINISHED_TYPES } from './states.ts';
import { authorOf } from './to-remote-task.ts';

/** See Provider.acts. */
export async function readActs(
  { ask, documents }: LinearApi,
  { uid }: RemoteTask,
  since: number,
  signal: AbortSignal,
): Promise<RemoteAct[]> {
  type Answer = { issue: { history: { nodes: HistoryAnswer[] } } };
  const { issue } = await ask<Answer>(documents.acts, { id: uid }, signal);
  return issue.history.nodes.filter(({ updatedAt }) => Date.parse(updatedAt) > since).flatMap(actsOf);
}

function actsOf(entry: HistoryAnswer): RemoteAct[] {
  const { actor, botActor, fromTitle, updatedDescription, descriptionUpdatedBy, fromState, toState } = entry;
  const isOver = (state: { type: string } | null) => state !== null && FINISHED_TYPES.includes(state.type);
  const doer = authorOf(actor, { bot: botActor, external: null });
  const writers = (descriptionUpdatedBy ?? []).map((user) => authorOf(user, { bot: null, external: null }));
  const editors = [
    ...(fromTitle === null ? [] : [doer]),
    ...(updatedDescription !== true ? [] : writers.length > 0 ? writers : [doer]),
  ];
  return [
    ...editors.map((editor) => ({ what: 'edited' as const, ...editor })),
    ...(isOver(fromState) && toState !== null && !isOver(toState)
      ? [{ what: 'reopened' as const, ...doer }]
      : []),
  ];
}
