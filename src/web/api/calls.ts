// The requests of the page: operations by name, with inputs and answers as each declares them. Of the declarations only the places
// reach the bundle.
import type { RoomEvent } from '../../core/events.ts';
import type { InputOf, OperationName, OutputOf } from '../../operations/client.ts';
import type { HttpPlace } from '../../operations/operation.ts';
import { PLACES } from '../../operations/places.ts';
import { type PlacedRequest, requestOf } from '../../operations/request.ts';

type OtherAnswers = { update: OutputOf<'show'>; follow: unknown };

const OTHER_ROUTES: Readonly<Record<keyof OtherAnswers, HttpPlace>> = {
  update: { method: 'patch', path: '/api/tasks/{ref}' },
  follow: { method: 'get', path: '/api/turns/{turn}/follow' },
};

export type Name = OperationName | keyof OtherAnswers;
export type Input<N extends Name> = N extends OperationName ? InputOf<N> : object;
export type Answer<N extends Name> = N extends OperationName
  ? OutputOf<N>
  : N extends keyof OtherAnswers
    ? OtherAnswers[N]
    : never;

declare const ANSWER: unique symbol;
/** What is asked for with GET; the same text asks for the same. */
export type Address<T> = string & { readonly [ANSWER]?: T };
export type Change<T> = PlacedRequest & { readonly [ANSWER]?: T };

/** `at('turnOutput', { turn, limit: 4 })`. */
export const at = <N extends Name>(name: N, input: Input<N>): Address<Answer<N>> => change(name, input).path;

export function change<N extends Name>(name: N, input: Input<N>): Change<Answer<N>> {
  const request = requestOf(PLACES[name] ?? OTHER_ROUTES[name as keyof OtherAnswers], input);
  if (request === null) throw new Error(`${name}: what its address names is no name`);
  return request;
}

// Names of what the operations answer, all taken from their declarations. Nothing here reaches the bundle.

export type TaskList = Answer<'list'>;
export type TaskRow = TaskList['tasks'][number];
export type TaskDetail = Answer<'show'>;
export type Status = TaskRow['status'];
export type Turn = Answer<'showTurn'>;
export type InboxItem = Answer<'inbox'>['inbox'][number];
export type Chore = Answer<'listChores'>['chores'][number];
export type Job = Answer<'listJobs'>['jobs'][number];
export type Mirror = Answer<'listMirrors'>['mirrors'][number];
export type Figures = Answer<'stats'>;
export type Agent = Answer<'listAgents'>['agents'][number] & { problem?: string | null };

/** What the page takes of an event of the stream. */
export type RoomEventJson = Pick<RoomEvent, 'type'>;
