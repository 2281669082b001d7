// The requests of the page: operations by name, with inputs and answers as each declares them. Of the declarations only the places
// reach the bundle.
import type { InputOf, OperationName, OutputOf } from '../../operations/client.ts';
import type { HttpPlace } from '../../operations/operation.ts';
import { PLACES } from '../../operations/places.ts';
import { type PlacedRequest, requestOf } from '../../operations/request.ts';
import type { TaskDetail } from '../../tasks/shapes/task.ts';

type OtherAnswers = { update: TaskDetail; follow: unknown };

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
/** What changes the room. */
export type Change<T> = PlacedRequest & { readonly [ANSWER]?: T };

/** `at('turnOutput', { turn, limit: 4 })`. */
export const at = <N extends Name>(name: N, input: Input<N>): Address<Answer<N>> => change(name, input).path;

/** `change('pause', { ref })`. */
export function change<N extends Name>(name: N, input: Input<N>): Change<Answer<N>> {
  const request = requestOf(PLACES[name] ?? OTHER_ROUTES[name as keyof OtherAnswers], input);
  if (request === null) throw new Error(`${name}: what its address names is no name`);
  return request;
}
