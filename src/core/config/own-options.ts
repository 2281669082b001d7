// The keys of a provider's own in a chore, declared as settings are.
import type * as z from 'zod';
import type { Problem } from '../errors.ts';
import { OWN_WORDS, toProblems } from './config-problems.ts';

interface Source {
  options: Readonly<Record<string, unknown>>;
}

export type Fault = Pick<Problem, 'message' | 'expected' | 'hint'>;

export function optionFaults(schema: z.ZodType, { options }: Source): Fault[] {
  const source = { data: options, placeAt: () => ({ line: 1, col: 1 }) };
  const issues = schema.safeParse(options, OWN_WORDS).error?.issues ?? [];
  return toProblems(issues, schema, source, '').map(({ path: _, line: __, col: ___, ...fault }) => fault);
}

/** The options of a source that has no faults; the defaults of one that has. */
export function optionsOf<Options>(schema: z.ZodType<Options>, { options }: Source): Options {
  const { success, data } = schema.safeParse(options, OWN_WORDS);
  return success ? data : schema.parse({});
}
