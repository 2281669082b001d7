// The requests that the API takes, as its document has them: paths, parameters, bodies and answers are checked against the
// types that are generated of it. Nothing but the filling in of an address reaches the bundle.
import type { AnswerOf, BodyOf, InPath, InQuery, Method, PathOf } from '../../../remote/documented.ts';

/** What stands in the path's braces, and the query. */
type Given<P extends PathOf<'get'>> = InPath<P, 'get'> &
  ([InQuery<P, 'get'>] extends [never] ? object : InQuery<P, 'get'>);
type Asks<P extends PathOf<'get'>> = object extends Given<P> ? [given?: Given<P>] : [given: Given<P>];

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
export function at<P extends PathOf<'get'>>(path: P, ...[given]: Asks<P>): Address<AnswerOf<P, 'get'>> {
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
  given: InPath<P, M>,
  ...[body]: [BodyOf<P, M>] extends [never] ? [] : [body: BodyOf<P, M>]
): Change<AnswerOf<P, M>> {
  return {
    path: fill(path, given as object),
    method: method.toUpperCase() as Uppercase<M>,
    body: body ?? {},
  };
}
