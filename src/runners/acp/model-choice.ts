// The model that an agent is to work with, found among those its session offers. Pure.
import { type Fields, fieldsOf, listOf, textOf } from '../command/reading/fields.ts';

export type ModelChoice =
  | { kind: 'set' }
  | { kind: 'change'; configId: string; value: string }
  | { kind: 'none'; message: string };

const MOST_NAMED = 12;

/**
 * @param offered what the agent answered when its session was opened
 * @param wanted as its person wrote it: the value, or the name that people see
 */
export function chooseModel(offered: Fields, wanted: string): ModelChoice {
  const option = listOf(offered.configOptions).find(
    ({ category, id, type }) => type === 'select' && (category === 'model' || id === 'model'),
  );
  if (option === undefined)
    return {
      kind: 'none',
      message: 'it offers no choice of models; take "model" out, or choose it by "args"',
    };
  const values = valuesOf(option.options);
  const found =
    values.find(({ value }) => value === wanted) ??
    values.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) {
    const names = values.slice(0, MOST_NAMED).map(({ value }) => value);
    const more = values.length > names.length ? ` and ${values.length - names.length} more` : '';
    return {
      kind: 'none',
      message: `it offers no model ${JSON.stringify(wanted)}, but ${names.join(', ')}${more}`,
    };
  }
  if (option.currentValue === found.value) return { kind: 'set' };
  return { kind: 'change', configId: textOf(option.id), value: found.value };
}

/** Options stand in one list, or in groups of lists. */
function valuesOf(options: unknown): { value: string; name: string }[] {
  return listOf(options).flatMap((entry) =>
    Array.isArray(entry.options)
      ? valuesOf(entry.options)
      : [{ value: textOf(fieldsOf(entry).value), name: textOf(entry.name) }],
  );
}
