// An agent's own form becomes a question to the person: the turn ends with it, and the same form asked again is filled with the answer.
import { hash } from 'node:crypto';
import type { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { isRoomError } from '../../core/errors.ts';
import { type Fields, fieldsOf, listOf, oneLine, textOf } from '../command/reading/fields.ts';
import type { RunInput } from '../runner.ts';
import type { MessageStream } from './session.ts';

const DECLINED: CreateElicitationResponse = { action: 'decline' };

/** @param onAsked called when the person is asked: the turn ends then */
export function createFormHandler(
  { context, services }: RunInput,
  messages: MessageStream,
  onAsked: () => Promise<void>,
) {
  return async (request: Fields): Promise<CreateElicitationResponse> => {
    const fields = Object.entries(fieldsOf(fieldsOf(request.requestedSchema).properties)).map(toField);
    // A page to open is nothing that the person could be led to while they sleep; a chore has no file to ask in.
    if (request.mode !== 'form' || fields.length === 0 || services === undefined) return DECLINED;
    const words = [textOf(request.message).trim(), ...fields.filter(isTold).map(formatField)].join('\n');
    const mark = hash('sha256', words).slice(0, 8);
    const answer = findAnswer(context, mark);
    if (answer !== null) return fill(fields, answer);
    try {
      await services.ask(`${words}\n(form ${mark})`, `form-${mark}`);
    } catch (error) {
      if (!isRoomError(error)) throw error;
      return DECLINED;
    }
    await messages.note(`put to the person: ${oneLine(words)}`);
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

/** The person's last answer to this form; null for none. What others say below a question fills no form. */
function findAnswer(context: RunInput['context'], mark: string): string | null {
  const asked = (context as Partial<TurnContext>).answers ?? [];
  const found = asked.findLast(({ question }) => question.text.includes(`(form ${mark})`));
  const said = found?.answers.findLast(({ author }) => author === null || author === 'owner');
  return said?.text.trim() ?? null;
}

/** Declined where the answer is none of what can be chosen: the agent has it in its prompt. */
function fill(fields: readonly Field[], answer: string): CreateElicitationResponse {
  const low = answer.toLowerCase();
  for (const { name, type, options } of fields) {
    const chosen = options.find(({ value, label }) =>
      [value.toLowerCase(), label.toLowerCase()].includes(low),
    );
    const isFree = options.length === 0;
    const value =
      chosen?.value ??
      (isFree && type === 'string' ? answer : null) ??
      (isFree && type === 'boolean' && /^(yes|no)$/.test(low) ? low === 'yes' : null) ??
      (isFree && /^(number|integer)$/.test(type) && /^-?\d+(\.\d+)?$/.test(low) ? Number(low) : null);
    if (value !== null)
      return { action: 'accept', content: { [name]: type === 'array' ? [String(value)] : value } };
  }
  return DECLINED;
}
