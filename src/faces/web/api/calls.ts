// The requests that the API takes, as its document has them: paths, parameters, bodies and answers are checked against the
// types that are generated of it. Nothing but the filling in of an address reaches the bundle.
import type { paths } from '../../shapes/http-document.d.ts';

type Method = 'get' | 'post' | 'patch' | 'delete';
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> =
  paths[P] extends Record<M, infer Found> ? Found : never;

type InPath<Of> = Of extends { parameters: { path: infer Given } } ? Given : object;
type InQuery<Of> = Of extends { parameters: { query?: infer Given } } ? NonNullable<Given> : never;
/** What stands in the path's braces, and the query. */
type Given<Of> = InPath<Of> & ([InQuery<Of>] extends [never] ? object : InQuery<Of>);
type Asks<Of> = object extends Given<Of> ? [given?: Given<Of>] : [given: Given<Of>];

type BodyOf<Of> = Of extends { requestBody?: infer Asked } ? JsonOf<NonNullable<Asked>> : never;
type JsonOf<Said> = [Said] extends [never]
  ? never
  : Said extends { content: { 'application/json': infer Json } }
    ? Json
    : never;
type Succeeded<Said> = { [S in keyof Said & (200 | 201 | 202)]: JsonOf<Said[S]> }[keyof Said &
  (200 | 201 | 202)];
type Documented<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer Said } ? Succeeded<Said> : never;

declare const ANSWER: unique symbol;
/** What is asked for with GET; the same text asks for the same. */
export type Address<Told> = string & { readonly [ANSWER]?: Told };

/** What changes the room. */
export interface Change<Told> {
  path: string;
  method: Uppercase<Method>;
  body: unknown;
  readonly [ANSWER]?: Told;
}

/** `at('/api/turns/{turn}/output', { turn, limit: 4 })`. */
export function at<P extends PathOf<'get'>>(
  path: P,
  ...[given]: Asks<Operation<P, 'get'>>
): Address<Documented<P, 'get'>> {
  return fill(path, given ?? {});
}

function fill(path: string, given: object): string {
  const left = new Map(Object.entries(given).map(([name, value]) => [name, String(value)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.get(name) ?? '';
    left.delete(name);
    return encodeURIComponent(value);
  });
  return left.size === 0 ? filled : `${filled}?${new URLSearchParams([...left])}`;
}

/** `change('patch', '/api/tasks/{ref}', { ref }, { priority: 'high' })`. */
export function change<M extends Exclude<Method, 'get'>, P extends PathOf<M>>(
  method: M,
  path: P,
  given: InPath<Operation<P, M>>,
  ...[body]: [BodyOf<Operation<P, M>>] extends [never] ? [] : [body: BodyOf<Operation<P, M>>]
): Change<Documented<P, M>> {
  return {
    path: fill(path, given as object),
    method: method.toUpperCase() as Uppercase<M>,
    body: body ?? {},
  };
}
