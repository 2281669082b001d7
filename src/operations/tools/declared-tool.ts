// The tools of operations, made of what each declares.
import * as z from 'zod';
import { oneLine } from '../../core/context/fence.ts';
import { type Changed, changedAnswer } from '../../tasks/shapes/changed.ts';
import { acceptInput, inOurNames } from '../accept-input.ts';
import { ALL } from '../all.ts';
import type { Operation, ToolForm } from '../operation.ts';
import { changeText } from './answers.ts';
import { meant, type Tool } from './tool.ts';

/** Every operation that is a tool, by the tool's name. */
export const DECLARED: Readonly<Record<string, Tool>> = Object.fromEntries(
  (ALL as readonly unknown[] as readonly Operation[]).flatMap((operation) =>
    operation.tool === null ? [] : [[operation.tool.name, toolOf(operation, operation.tool)]],
  ),
);

/** The same under another name. */
export function underName(name: string, tool: string): Tool {
  return { ...DECLARED[tool]!, name };
}

function toolOf(
  operation: Operation,
  { name, about, names = {}, given = {}, without = [], afterwards, said: told = asText, programs }: ToolForm,
): Tool {
  const { summary, level } = operation;
  const { shape } = operation.input();
  const members = Object.entries(shape).filter(([key]) => !without.includes(key));
  const isOf = (key: string) => names[key] ?? key;
  // Its turn's own task is meant where it is needed and left out.
  const own = ['ref', 'task'].find((key) => shape[key] !== undefined && shape[key]._zod.optin !== 'optional');
  return {
    name,
    description: about ?? `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    level: typeof level === 'string' ? level : 'readonly',
    isRaw: true,
    ...(programs === undefined ? {} : { programs }),
    input: z.strictObject(
      Object.fromEntries(
        members.map(([key, schema]) => [
          isOf(key),
          key in given || key === own ? (schema as z.ZodType).optional() : schema,
        ]),
      ),
    ),
    async run(caller, said) {
      const asked: Record<string, unknown> = { ...given, ...(said as object) };
      for (const [ours, theirs] of Object.entries(names))
        if (theirs in asked && !(ours in (said as object))) {
          asked[ours] = asked[theirs];
          delete asked[theirs];
        }
      const named = inOurNames(operation.input(), asked) as Record<string, unknown>;
      if (own !== undefined) named[own] = meant(caller, named[own] as string | undefined);
      const input = acceptInput({ ...operation, name }, named);
      const text = told(
        (await caller.tasks.call(operation.name as never, input as never, caller.actor)) as never,
      );
      return afterwards === undefined ? text : `${text}\n${afterwards}`;
    },
  };
}

/** What others wrote is one line each, where names stand among ours. */
function asText(output: unknown): string {
  const change = changedAnswer().loose().safeParse(output);
  if (change.success) return changeText(output as Changed);
  return JSON.stringify(output, (key, value) =>
    key === 'name' && typeof value === 'string' ? oneLine(value) : value,
  );
}
