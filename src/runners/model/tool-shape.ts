// How a tool of a model's own is written down: the shape of its input, checked before it runs, and whatever goes wrong with
// files as an answer. A model reads the answer and tries something else; nothing it asks for can end its turn.
import type { AgentTool } from '../runner.ts';
import { Unreachable } from './workplace.ts';

interface Field<T> {
  kind: 'string' | 'number';
  about: string;
  optional: boolean;
  /** Never there: it carries the type. */
  value?: T;
}

type Shape = Readonly<Record<string, Field<unknown>>>;
type InputOf<S extends Shape> = {
  [K in keyof S as S[K] extends { optional: true } ? never : K]: S[K] extends Field<infer T> ? T : never;
} & {
  [K in keyof S as S[K] extends { optional: true } ? K : never]?: S[K] extends Field<infer T> ? T : never;
};

export function text(about: string): Field<string> & { optional: false };
export function text(about: string, optional: true): Field<string> & { optional: true };
export function text(about: string, optional = false): Field<string> {
  return { kind: 'string', about, optional };
}

export function number(about: string, optional: true): Field<number> & { optional: true } {
  return { kind: 'number', about, optional };
}

export function tool<S extends Shape>(
  name: string,
  description: string,
  shape: S,
  run: (input: InputOf<S>) => Promise<string>,
): AgentTool {
  return {
    name,
    description,
    inputSchema: schemaOf(shape),
    async run(input) {
      const fault = faultOf(shape, input);
      if (fault !== null) return { text: `${name}: ${fault}`, isError: true };
      try {
        return { text: await run(input as InputOf<S>) };
      } catch (error) {
        const isTheirs =
          error instanceof Unreachable || typeof (error as NodeJS.ErrnoException).code === 'string';
        if (!isTheirs) throw error;
        return { text: `${name}: ${(error as Error).message}`, isError: true };
      }
    },
  };
}

function schemaOf(shape: Shape): Readonly<Record<string, unknown>> {
  const fields = Object.entries(shape);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, { kind, about }]) => [name, { type: kind, description: about }]),
    ),
    required: fields.filter(([, { optional }]) => !optional).map(([name]) => name),
    additionalProperties: false,
  };
}

function faultOf(shape: Shape, input: unknown): string | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return 'its input is an object';
  const given = input as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined)
    return `there is no ${JSON.stringify(unknown)}; known: ${Object.keys(shape).join(', ')}`;
  for (const [name, { kind, optional }] of Object.entries(shape)) {
    const value = given[name];
    if (value === undefined && optional) continue;
    if (typeof value !== kind || Number.isNaN(value))
      return `${name} is a ${kind === 'string' ? 'text' : 'number'}`;
  }
  return null;
}
