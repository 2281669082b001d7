// An agent's own form becomes a question to the person: the turn ends with it, and the same form asked again is filled with the answer.
import { hash } from 'node:crypto';
import type { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { type Fields, fieldsOf, listOf, oneLine, textOf } from '../command/reading/fields.ts';
import type { RunInput } from '../runner.ts';
import type { MessageStream } from './message-stream.ts';
import { answerOfPerson, askPerson, WORDS } from './permission.ts';

const DECLINED: CreateElicitationResponse = { action: 'decline' };

/** @param onAsked called when the person is asked: the turn ends then */
export function createFormHandler(input: RunInput, messages: MessageStream, onAsked: () => Promise<void>) {
  return async (request: Fields): Promise<CreateElicitationResponse> => {
    const fields = Object.entries(fieldsOf(fieldsOf(request.requestedSchema).properties)).map(toField);
    // A page to open is nothing that the person could be led to while they sleep.
    if (request.mode !== 'form' || fields.length === 0) return DECLINED;
    const words = [textOf(request.message).trim(), ...fields.filter(isTold).map(formatField)].join('\n');
    const mark = hash('sha256', words).slice(0, 8);
    const tag = `(form ${mark})`;
    const answer = findAnswer(input.context, tag);
    if (answer !== null) return fill(fields, answer);
    if (!(await askPerson(input, `${words}\n${tag}`, `form-${mark}`))) return DECLINED;
    await messages.note(`${WORDS.ask} ${oneLine(words)}`);
    await onAsked();
    return { action: 'cancel' };
  };
}

interface Field {
  name: string;
  type: string;
  title: string;
  about: string;
  /** What can be chosen; none where any text may stand. */
  options: { value: string; label: string; about: string }[];
}

function toField([name, given]: [string, unknown]): Field {
  const of = fieldsOf(given);
  const list = of.type === 'array' ? fieldsOf(of.items) : of;
  const plain = Array.isArray(list.enum) ? list.enum.map((value) => ({ const: value })) : [];
  const offered = [...listOf(list.oneOf), ...listOf(list.anyOf), ...plain].map(fieldsOf);
  const options = offered.map((one) => ({
    ...{ value: textOf(one.const), about: oneLine(textOf(one.description)) },
    label: oneLine(textOf(one.title) || textOf(one.const)),
  }));
  const title = oneLine(textOf(of.title) || name);
  return { name, type: textOf(of.type), title, about: oneLine(textOf(of.description)), options };
}

/** The field for words of one's own says nothing: any answer may be such words. */
const isTold = (field: Field, _at: number, all: readonly Field[]) =>
  all.length === 1 || field.title !== 'Other';

function formatField({ title, about, options, type }: Field): string {
  const head = `\n${title}${about === '' ? '' : `: ${about}`}${type === 'boolean' ? ' (yes or no)' : ''}`;
  return [head, ...options.map((one) => `- ${one.label}${one.about && `: ${one.about}`}`)].join('\n');
}

/** What the person answered to the form with this mark; null for nothing. */
function findAnswer(context: RunInput['context'], mark: string): string | null {
  const asked = (context as Partial<TurnContext>).answers ?? [];
  const found = asked.findLast(({ question }) => question.text.includes(mark));
  return (found && answerOfPerson(found)?.text.trim()) ?? null;
}

/** Declined where no field can hold the answer: the agent has it in its prompt. */
function fill(fields: readonly Field[], answer: string): CreateElicitationResponse {
  for (const field of fields) {
    const value = asValue(field, answer);
    if (value !== null)
      return {
        action: 'accept',
        content: { [field.name]: field.type === 'array' ? [String(value)] : value },
      };
  }
  return DECLINED;
}

/** The answer as the field takes it; null where it can't be its value. */
function asValue({ type, options }: Field, answer: string): string | boolean | number | null {
  const low = answer.toLowerCase();
  if (options.length > 0) {
    const isMeant = (text: string) => text.toLowerCase() === low;
    return options.find(({ value, label }) => isMeant(value) || isMeant(label))?.value ?? null;
  }
  if (type === 'string') return answer;
  if (type === 'boolean') return /^(yes|no)$/.test(low) ? low === 'yes' : null;
  return /^(number|integer)$/.test(type) && /^-?\d+(\.\d+)?$/.test(low) ? Number(low) : null;
}
