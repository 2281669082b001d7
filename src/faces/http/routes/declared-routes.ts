// The routes of the operations, made of what each declares.
import { acceptInput } from '../../../operations/accept-input.ts';
import { ALL } from '../../../operations/all.ts';
import type { HttpPlace, Operation } from '../../../operations/operation.ts';
import { type FieldRow, fieldsOf } from '../../../operations/row.ts';
import { inSteps } from '../../../remote/in-steps.ts';
import { taskOfTurn } from '../gate/rights.ts';
import type { Exchange, Input, Route, RouteNeeds } from '../gate/route.ts';

const NEEDS: Readonly<Record<Exclude<Operation['needs'], 'runtime'>, RouteNeeds>> = {
  read: 'look',
  write: 'change',
  comment: 'change',
  create: 'change',
  person: 'person',
};

export const DECLARED_ROUTES: readonly Route[] = ALL.flatMap((each) => {
  const { needs, http } = each as unknown as Operation;
  if (needs === 'runtime' || http === null) return [];
  return [routeOf(each as unknown as Operation, http, NEEDS[needs])];
});

function routeOf(operation: Operation, http: HttpPlace, needs: RouteNeeds): Route {
  const { name, summary, about, input, output } = operation;
  const { method, path, status = 200 } = http;
  const schema = input();
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!);
  const mask = Object.fromEntries(inPath.map((key) => [key, true])) as Record<never, never>;
  const rest = schema.omit(mask);
  const hasRest = Object.keys(rest.shape).length > 0;
  const place = method === 'get' || method === 'delete' ? 'query' : 'body';
  const fields = fieldsOf(schema);
  return {
    ...{ method, path: path.replaceAll(/\{(\w+)\}/g, ':$1'), id: name, needs, isRaw: true },
    about: [`${summary[0]!.toUpperCase()}${summary.slice(1)}.`, about].filter(Boolean).join(' '),
    group: path.split('/')[2]!,
    ...(inPath.length === 0 ? {} : { params: schema.pick(mask) }),
    ...(hasRest || place === 'body' ? { [place]: rest } : {}),
    ...ownTask(Object.keys(schema.shape)),
    answers: { [status]: { about: 'What came of it.', schema: output() } },
    async run({ tasks, caller, signal, room }: Exchange, given: Said) {
      const said = { ...given.body, ...inQuery({ ...given.query, ...given.params }, fields) };
      const gone = AbortSignal.any([signal, room.closing]);
      const ask = (input: object) =>
        tasks.call(name as never, input as never, caller.actor, true, { signal: gone });
      return { status, body: await inSteps(acceptInput(operation, said) as object, ask, gone) };
    },
  } as Route;
}

type Said = Input<object, object, object | undefined>;

/** What a token for some tasks is held to: the task that is named, or that of the turn. */
function ownTask(keys: readonly string[]): Pick<Route, 'task'> {
  const key = ['ref', 'task', 'turn'].find((each) => keys.includes(each));
  if (key === undefined) return {};
  return {
    task(given: Said, room) {
      const said = { ...given.body, ...given.query, ...given.params } as Record<string, string | undefined>;
      const named = said[key] ?? null;
      return key === 'turn' && named !== null ? taskOfTurn(room, named) : named;
    },
  };
}

/** Words of an address as what they stand for; what is none of that stays, and is refused. */
function inQuery(query: object, fields: readonly FieldRow[]): Record<string, unknown> {
  const given = Object.entries(query).map(([key, value]) => {
    const kind = fields.find(({ name }) => name === key)?.kind;
    if (typeof value !== 'string') return [key, value];
    if (kind === 'number' && value.trim() !== '' && Number.isFinite(Number(value)))
      return [key, Number(value)];
    if (kind === 'texts' || kind === 'words') return [key, value.split(',').map((word) => word.trim())];
    if (kind === 'flag') return [key, { true: true, false: false }[value] ?? value];
    return [key, value];
  });
  return Object.fromEntries(given);
}
