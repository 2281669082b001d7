// The conversation of a thread with its model, kept in the folder of each turn so that the next turn goes on with it, and
// bounded: what a model is shown of long ago gets shorter, and then is left out.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ModelMessage } from 'ai';
import { parseFields } from '../command/reading/fields.ts';
import { ifThere } from '../process/process-identity.ts';

const FILE = 'conversation.json';
/** A session is the turn whose folder holds it. */
const SESSION = /^[a-z][0-9a-z]{8}$/;
/** Of the whole as JSON; some 150,000 tokens. */
const MAX_CHARS = 500_000;
const NEWEST = 12;
const OLD_ANSWER_CHARS = 400;

export async function readConversation(dir: string, session: string): Promise<ModelMessage[] | null> {
  if (!SESSION.test(session)) return null;
  const text = await ifThere(readFile(join(dirname(dir), session, FILE), 'utf8'));
  const messages = parseFields(text ?? '')?.messages;
  return Array.isArray(messages) ? messages : null;
}

/** Replaces what is kept; durable as a whole or not at all. */
export async function writeConversation(dir: string, messages: readonly ModelMessage[]): Promise<void> {
  const path = join(dir, FILE);
  await writeFile(`${path}.new`, JSON.stringify({ messages }), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/**
 * The same conversation within its bound: first old answers of tools are cut, then the oldest turns left out. The newest
 * turn stays whole but for its old answers.
 */
export function bounded(messages: readonly ModelMessage[], maxChars = MAX_CHARS): ModelMessage[] {
  if (sizeOf(messages) <= maxChars) return [...messages];
  const shorter = messages.map((message, at) =>
    at < messages.length - NEWEST ? withoutLongAnswers(message) : message,
  );
  const begins = shorter.flatMap(({ role }, at) => (role === 'user' ? [at] : []));
  for (const at of begins) if (sizeOf(shorter.slice(at)) <= maxChars) return shorter.slice(at);
  return shorter.slice(begins.at(-1) ?? 0);
}

function sizeOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}

function withoutLongAnswers(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || !('value' in part.output) || typeof part.output.value !== 'string')
      return part;
    const { value } = part.output;
    if (value.length <= OLD_ANSWER_CHARS) return part;
    const kept = `${value.slice(0, OLD_ANSWER_CHARS).toWellFormed()}\n(the rest of this old answer is left out)`;
    return { ...part, output: { ...part.output, value: kept } };
  });
  return { ...message, content } as ModelMessage;
}
