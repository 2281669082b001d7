// What a schema objects to in a settings file → problems with their places, in the order of the file, an unknown key with the allowed list.
import type * as z from 'zod';
import { suggest } from '../document/suggest.ts';
import type { KeyPath } from '../document/yaml-read.ts';
import type { Problem } from '../errors.ts';
import type { ConfigSource } from './config-source.ts';
import { keysOf, kindOf, ONCE, schemaAt } from './setting.ts';

const MAX_PROBLEMS = 100; // A file with more mistakes than this is something else than settings.

/** Our checks have messages of their own; those of the package are replaced: `safeParse(data, OWN_WORDS)`. */
export const OWN_WORDS = { ...ONCE, error: () => '' };

type Issue = z.core.$ZodIssue;
export type Fault = Pick<Problem, 'message' | 'expected' | 'hint'>;

export function toProblems(
  issues: readonly Issue[],
  schema: z.ZodType,
  source: Pick<ConfigSource, 'data' | 'placeAt'>,
  path: string,
): Problem[] {
  const told = new Set<string>();
  const problems = issues.flatMap(innermost).flatMap((issue): Problem[] => {
    const keys = issue.path as KeyPath;
    const isName = issue.code === 'invalid_key';
    const at = schemaAt(schema, keys, isName);
    if (issue.code === 'unrecognized_keys') {
      const known = at ? keysOf(at) : [];
      return issue.keys
        .slice(0, MAX_PROBLEMS)
        .map((key) => ({ path, ...source.placeAt([...keys, key], 'key'), ...unknownKey(key, known) }));
    }
    if (told.has(keys.join('\n'))) return [];
    told.add(keys.join('\n'));
    const words = isName
      ? wordsOf(issue.issues[0] as Issue, keys.at(-1), at)
      : wordsOf(issue, keys.reduce<unknown>(memberOf, source.data), at);
    const isMissing = words.message === MISSING;
    const place = isMissing
      ? source.placeAt(keys.slice(0, -1), 'key')
      : source.placeAt(keys, isName ? 'key' : 'value');
    const where = keys.filter((key) => typeof key === 'string').join('.');
    const message = `${where}${where === '' || isMissing ? '' : ': '}${words.message}`;
    return [{ path, ...place, ...words, message }];
  });
  return sortProblems(problems);
}

const MISSING = ' is missing';
const memberOf = (data: unknown, key: string | number) =>
  typeof data === 'object' ? (data as Record<string, unknown> | null)?.[key] : data;

/** Where one of several forms fits a value as a whole, what is wrong in it; else that none fits. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.message !== '') return [issue];
  const isInside = ({ path, code }: Issue) => path.length > 0 || code === 'unrecognized_keys';
  const fitting = issue.errors.find((inside) => inside.every(isInside));
  return fitting === undefined
    ? [issue]
    : fitting.flatMap((inside) => innermost({ ...inside, path: [...issue.path, ...inside.path] }));
}

function wordsOf(issue: Issue, value: unknown, schema: z.core.$ZodType | undefined): Fault {
  const options = issue.code === 'invalid_value' ? issue.values : 'options' in issue ? issue.options : null;
  const { description } = (schema && kindOf(schema)) ?? {};
  const expected = options ? `one of ${(options as unknown[]).join(', ')}` : (description ?? 'key: value');
  if ((value ?? null) === null && issue.path.length > 0 && issue.code !== 'custom')
    return { message: MISSING, expected };
  if (options && issue.message === '') {
    const near = typeof value === 'string' ? suggest(value, (options as unknown[]).map(String)) : null;
    const message = `${show(value)} is unknown here`;
    return { message, expected, ...(near && { hint: `did you mean "${near}"?` }) };
  }
  const fault =
    description === undefined ? 'not a map of keys' : `%s is not ${expected.split(/[:;,]| such as/)[0]}`;
  const message = (issue.message || fault).replace('%s', () => show(value));
  return { message, expected, ...(issue.code === 'custom' ? issue.params : {}) };
}

export function unknownKey(key: string, known: readonly string[]): Fault {
  const near = suggest(key, known);
  const problem = { message: `unknown key ${show(key)}`, expected: `one of ${known.join(', ')}` };
  return near === null ? problem : { ...problem, hint: `did you mean "${near}"?` };
}

export const sortProblems = (problems: readonly Problem[]): Problem[] =>
  [...problems].sort((a, b) => a.line - b.line || a.col - b.col);

/** A value as it is quoted in a message: JSON, at most 60 characters. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

type Source = { options: Readonly<Record<string, unknown>> };

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
