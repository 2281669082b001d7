// An operation as plain data, for the command line, a client and the documents.
import * as z from 'zod';
import { isWords } from '../core/shapes.ts';
import { type CommandForm, type Operation, UNOFFERED } from './operation.ts';

/** An input as a command line or a query spells it. */
export interface FieldRow {
  name: string;
  about: string;
  /** `words`: texts that may have commas between. */
  kind: 'text' | 'number' | 'flag' | 'texts' | 'words' | 'other';
  isNeeded: boolean;
  isPlain: boolean; // The value of a command line needs no parsing.
}

/** A form with its defaults and without its functions. */
export interface FormRow extends Omit<CommandForm, 'said' | 'done' | 'shown'> {
  command: string;
  words: readonly string[];
  at: number; // Its index among the forms of the operation.
}

export interface OperationRow extends Pick<Operation, 'name' | 'summary' | 'needs' | 'http'> {
  about: string;
  forms: readonly FormRow[];
  fields: readonly FieldRow[];
  atOnce: boolean; // Refused while nothing runs the room.
}

export function rowOf({ name, summary, about = '', needs, http, cli, ...operation }: Operation) {
  const fields = fieldsOf(operation.input());
  const words = fields.some((field) => field.name === 'ref' && field.isNeeded) ? ['ref'] : [];
  return {
    ...{ name, summary, about, needs, http, fields },
    atOnce: needs === 'read' || operation.atOnce === true,
    forms: cli.map(({ said: _said, done: _done, shown: _shown, ...form }, at) => ({
      ...{ command: name, words, ...form, at, flags: { ...UNOFFERED, ...form.flags } },
    })),
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

const KINDS: Readonly<Record<string, FieldRow['kind']>> = {
  ...{ string: 'text', number: 'number', integer: 'number', boolean: 'flag' },
};

export function fieldsOf(input: z.ZodObject): FieldRow[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => {
    const { type, description: about = '', items } = schema as z.core.JSONSchema.BaseSchema;
    const one = (items ?? {}) as z.core.JSONSchema.BaseSchema;
    const isTexts =
      type === 'array' && [one, ...(one.anyOf ?? [])].some((each) => Object(each).type === 'string');
    const texts = isWords(input.shape[name]) ? 'words' : 'texts';
    const kind = isTexts ? texts : (KINDS[String(type)] ?? 'other');
    return { name, about, kind, isNeeded: required.includes(name), isPlain: isPlain(input.shape[name]) };
  });
}
