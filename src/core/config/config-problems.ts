// From what a schema objects to in a settings file to problems with their places: all at once, in the order of the
// file, an unknown key with the allowed list.
import type * as z from 'zod';
import { suggest } from '../document/suggest.ts';
import type { Problem } from '../errors.ts';
import type { ConfigSource, KeyPath } from './config-source.ts';
import { show } from './shown-value.ts';

/** A file with more mistakes than this is something else than settings. */
const MAX_PROBLEMS = 100;

/**
 * @param source Where the keys and values stand.
 * @param allowed Allowed keys by the dotted path of the map they stand in.
 */
export function toProblems(
  issues: readonly z.core.$ZodIssue[],
  source: Pick<ConfigSource, 'placeAt'>,
  path: string,
  allowed: Readonly<Record<string, string[]>>,
): Problem[] {
  const problems = issues.flatMap((issue): Problem[] => {
    const keys = issue.path as KeyPath;
    if (issue.code === 'unrecognized_keys') {
      const known = allowed[keys.join('.')] ?? [];
      return issue.keys
        .slice(0, MAX_PROBLEMS)
        .map((key) => unknownKey(key, known, { path, ...source.placeAt([...keys, key], 'key') }));
    }
    const place = { path, ...source.placeAt(keys, 'value') };
    const name = keys.length > 0 ? `${keys.join('.')}: ` : '';
    if (issue.code !== 'custom')
      return [{ ...place, message: `${name}not a map of keys`, expected: 'key: value' }];
    return [
      {
        ...place,
        message: `${name}${issue.message}`,
        ...(issue.params as Pick<Problem, 'expected' | 'hint'>),
      },
    ];
  });
  return sortProblems(problems);
}

function unknownKey(
  key: string,
  known: readonly string[],
  place: Pick<Problem, 'path' | 'line' | 'col'>,
): Problem {
  const near = suggest(key, known);
  const problem = { ...place, message: `unknown key ${show(key)}`, expected: `one of ${known.join(', ')}` };
  return near === null ? problem : { ...problem, hint: `did you mean "${near}"?` };
}

/** By place. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => a.line - b.line || a.col - b.col);
}
