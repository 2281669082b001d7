// The requests of the API as its document has them: addresses, what stands in them, bodies and answers. Types alone: nothing of
// it is built or loaded, so that a page in a browser and the program of a turn may have it too.
import type { paths } from './http-document.d.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> =
  paths[P] extends Record<M, infer Found> ? Found : never;

/** What stands in the address's braces; an object without keys where it has none. */
export type InPath<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { path: infer Given } } ? Given : object;
/** Never for one that takes none. */
export type InQuery<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { query?: infer Given } } ? NonNullable<Given> : never;
/** Never for one that takes none. */
export type BodyOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: infer Asked } ? JsonOf<NonNullable<Asked>> : never;

type JsonOf<Said> = [Said] extends [never]
  ? never
  : Said extends { content: { 'application/json': infer Json } }
    ? Json
    : never;
type Succeeded<Said> = { [S in keyof Said & (200 | 201 | 202)]: JsonOf<Said[S]> }[keyof Said &
  (200 | 201 | 202)];
/** What it answers where it succeeds, as JSON. */
export type AnswerOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer Said } ? Succeeded<Said> : never;

/** Operations that are carried out by their name. */
export type OperationName = keyof paths extends infer P
  ? P extends `/api/operations/${infer Name}`
    ? Name
    : never
  : never;
/** As whoever calls one has it: its lists may be read-only, and what is absent may be undefined, of which JSON says nothing. */
export type OperationInput<Name extends OperationName> = AsGiven<BodyOf<`/api/operations/${Name}`, 'post'>>;
type AsGiven<T> = T extends readonly (infer Item)[]
  ? readonly AsGiven<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: AsGiven<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;
