// The keys of a provider's own in a chore, declared as settings are.
import type * as z from 'zod';
import { OWN_WORDS, toProblems } from '../core/config/config-problems.ts';
import type { Problem } from '../core/errors.ts';
import type { SourceConfig } from './provider.ts';

export type Fault = Pick<Problem, 'message' | 'expected' | 'hint'>;

/** Everything that is wrong with the options of a source. */
export function optionFaults(schema: z.ZodType, { options }: SourceConfig): Fault[] {
  const source = { data: options, placeAt: () => ({ line: 1, col: 1 }) };
  const issues = schema.safeParse(options, OWN_WORDS).error?.issues ?? [];
  return toProblems(issues, schema, source, '').map(({ path: _, line: __, col: ___, ...fault }) => fault);
}

/** The options of a source that has no faults; the defaults of one that has. */
export function optionsOf<Options>(schema: z.ZodType<Options>, { options }: SourceConfig): Options {
  const { success, data } = schema.safeParse(options, OWN_WORDS);
  return success ? data : schema.parse({});
}
