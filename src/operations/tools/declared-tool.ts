// The tools of operations, made from what each declares.

import * as z from 'zod';
import { oneLine } from '../../core/context/fence.ts';
import { defined } from '../../core/plain-data.ts';
import { type Changed, changedAnswer } from '../../tasks/shapes/change.ts';
import { acceptInput, inOurNames } from '../accept-input.ts';
import { ALL } from '../all.ts';
import type { OperationName, OutputOf } from '../client.ts';
import { type Operation, type ToolForm, UNOFFERED } from '../operation.ts';
import { changeText, meant, type Tool, type ToolCaller } from './tool.ts';

/** By the name of the tool. */
export const DECLARED: Readonly<Record<string, Tool>> = Object.fromEntries(
  ALL.flatMap((operation) =>
    operation.tool === null ? [] : [[operation.tool.name, toolOf(operation, operation.tool)]],
  ),
);

type Tell<Output> = (output: Output, said: Readonly<Record<string, unknown>>) => string;

/** An operation as a tool of a dialect. @param tell its answer in the words of the dialect */
export function toolFor<Name extends OperationName>(name: Name, form: ToolForm, tell?: Tell<OutputOf<Name>>) {
  return toolOf(ALL.find((each) => each.name === name)!, form, tell as never);
}

function toolOf(operation: Operation, form: ToolForm, tell?: Tell<never>): Tool {
  const { name, about, names = {}, given = {}, without = [], only, needed = [], shown = {} } = form;
  const { afterwards, programs, said: inWords = asText } = form;
  const answer = tell ?? inWords;
  const { summary, level, http, cli } = operation;
  // Words for an agent to read stand in the place of JSON.
  const output = answer === asText ? operation.output() : null;
  const { shape } = operation.input();
  const members = Object.entries(shape).filter(
    ([key]) => only?.includes(key) ?? !(key in UNOFFERED || without.includes(key)),
  );
  const isOf = (key: string) => names[key] ?? key;
  // The turn's own task is the default of a required task.
  const own = ['ref', 'task'].find((key) => shape[key] !== undefined && shape[key]._zod.optin !== 'optional');
  const shownAs = ([key, schema]: (typeof members)[number]) => {
    const mayLack = !needed.includes(key) && (key in given || key === own);
    return [isOf(key), shown[key]?.() ?? (mayLack ? (schema as z.ZodType).optional() : schema)];
  };
  return {
    name,
    description: about ?? `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    level: typeof level === 'string' ? level : 'readonly',
    ...defined({ programs }),
    ...(output instanceof z.ZodObject && { output }),
    ...((form.destructive || http?.method === 'delete' || cli.some(({ asks }) => asks !== undefined)) && {
      destructive: true,
    }),
    ...(http !== null && ['put', 'delete'].includes(http.method) && { idempotent: true }),
    input: z.strictObject(Object.fromEntries(members.map(shownAs))),
    async run(caller, said) {
      const asked: Record<string, unknown> = { ...given, ...(said as object) };
      for (const [ours, theirs] of Object.entries(names))
        if (theirs in asked && !(ours in (said as object))) {
          asked[ours] = asked[theirs];
          delete asked[theirs];
        }
      const named = inOurNames(operation.input(), asked) as Record<string, unknown>;
      if (own !== undefined && !needed.includes(own)) named[own] = meant(caller, named[own]);
      if (Array.isArray(named.changes)) named.changes = named.changes.map((each) => ofTask(caller, each));
      const input = acceptInput(operation, named, names);
      const answered = await caller.tasks.call(operation.name as never, input as never, caller.actor);
      const text = answer(answered as never, said as Readonly<Record<string, unknown>>);
      return {
        text: afterwards === undefined ? text : `${text}\n${afterwards}`,
        ...(output !== null && { output: JSON.parse(jsonOf(answered)) }),
      };
    },
  };
}

/** A change of an existing task gets that of the turn by default. */
function ofTask(caller: ToolCaller, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || (change as { do?: unknown }).do === 'create')
    return change;
  return { ...change, ref: meant(caller, (change as { ref?: unknown }).ref) };
}

/** JSON in which names, which others wrote, are one line each. */
export function asText(output: unknown, _said?: object): string {
  if (changedAnswer().loose().safeParse(output).success) return changeText(output as Changed);
  const { tasks } = output as { tasks?: readonly Changed[] };
  if (Array.isArray(tasks)) return tasks.map((each) => changeText(each)).join('\n');
  return jsonOf(output);
}

const jsonOf = (output: unknown) =>
  JSON.stringify(output, (key, value) =>
    key === 'name' && typeof value === 'string' ? oneLine(value) : value,
  );
