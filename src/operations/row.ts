// An operation as plain data, as far as the command line, a client and the documents need it.
import * as z from 'zod';
import { isWords } from '../core/shapes.ts';
import type { CommandForm, HttpPlace, Needs, Operation } from './operation.ts';

/** How an input is spelled on a command line, or in a query. */
export interface FieldRow {
  name: string;
  about: string;
  /** `words`: texts that may have commas between, or come one at a time. */
  kind: 'text' | 'number' | 'flag' | 'texts' | 'words' | 'other';
  isNeeded: boolean;
  /** What a command line gives for it is the input as it is. */
  isPlain: boolean;
}

export interface OperationRow {
  name: string;
  summary: string;
  about: string;
  needs: Needs;
  http: HttpPlace | null;
  forms: readonly Omit<CommandForm, 'said' | 'done' | 'shown'>[];
  fields: readonly FieldRow[];
  /** Now or not at all. */
  atOnce: boolean;
}

export function rowOf(operation: Operation): OperationRow {
  const { name, summary, about, needs, http, cli } = operation;
  const forms = cli === null ? [] : [cli].flat();
  return {
    ...{ name, summary, needs, http },
    about: about ?? '',
    atOnce: needs === 'read' || operation.atOnce === true,
    forms: forms.map(({ said: _said, done: _done, shown: _shown, ...form }) => form),
    fields: fieldsOf(operation.input()),
  };
}

function isPlain(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional)
    return isPlain(schema.unwrap());
  if (schema instanceof z.ZodArray) return isPlain(schema.element);
  // The command line takes no number below 0 by itself.
  if (schema instanceof z.ZodNumber) return (schema.minValue ?? 0) <= 0 && (schema.maxValue ?? MOST) >= MOST;
  const plain = [z.ZodString, z.ZodBoolean].some((kind) => schema instanceof kind);
  return plain && ((schema as z.ZodType).def as { checks?: unknown[] }).checks === undefined;
}

const MOST = Number.MAX_SAFE_INTEGER;

/** The members of an input. */
export function fieldsOf(input: z.ZodObject): FieldRow[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => {
    const { type, description = '', items } = schema as z.core.JSONSchema.BaseSchema;
    const one = (items ?? {}) as z.core.JSONSchema.BaseSchema;
    const isTexts =
      type === 'array' &&
      [one, ...(one.anyOf ?? [])].some((each) => (each as { type?: string }).type === 'string');
    const kinds: Record<string, FieldRow['kind']> = {
      ...{ string: 'text', number: 'number', integer: 'number', boolean: 'flag' },
    };
    const texts = isWords(input.shape[name]) ? 'words' : 'texts';
    const kind = isTexts ? texts : (kinds[String(type)] ?? 'other');
    return {
      ...{ name, about: description, kind },
      ...{ isNeeded: required.includes(name), isPlain: isPlain(input.shape[name]) },
    };
  });
}
