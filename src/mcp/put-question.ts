// The tool that puts an open question to the person in a form of their own program. The form goes to who sits there and never to the model,
// so that what comes back counts as the person's word. A turn's agent does not have it: nobody sits at a turn.
import type { InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { RoomClient } from '../app/open-room.ts';
import { oneLine, showInvisible, word } from '../core/context/fence.ts';
import { RoomError } from '../core/errors.ts';
import { optional, text } from '../core/shapes.ts';
import { parsed } from '../operations/accept-input.ts';
import type { ToolAnswer, ToolCaller } from '../operations/tools/tool.ts';

const INPUT = z.strictObject({ id: text(), question: optional(text(), 'its key, where several are open') });

export const PUT_QUESTION = {
  name: 'put_question',
  description:
    'Put an open question of a task to the person, in a form of their own program. Only they answer it; you are told what they said.',
  input: INPUT,
  level: 'full',
} as const;

/** Whether the person who sits at this client can be shown a form. */
export function canAsk({ actor, access }: ToolCaller, server: Server, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { elicitation } = (declared ?? {}) as { elicitation?: { form?: object; url?: object } };
  const hasForms =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return hasForms && actor.kind === 'assistant' && access === 'full';
}

const MOST = 8_000;
const CUT = '\n(cut here)';

/** @param responses what the person said to the form, once they were asked. @throws RoomError */
export async function putQuestion(
  { tasks }: RoomClient,
  given: unknown,
  responses: Record<string, unknown> | undefined,
): Promise<ToolAnswer | InputRequiredResult> {
  const { id: ref, question: begin } = parsed(INPUT, given);
  const person = { kind: 'person' } as const;
  const { id, name, title, questions } = await tasks.call('show', { ref }, person, true);
  // The form's own question, also when others were asked meanwhile.
  const [key = begin ?? ''] = Object.keys(responses ?? {});
  const found = questions.find((each) => each.answers.length === 0 && each.key.startsWith(key));
  if (found === undefined)
    throw new RoomError('refused', 'the task has no such open question', 'see: taskroom show');
  const reply = inputResponse(responses, found.key);
  if (reply.kind !== 'elicit') {
    const words = showInvisible(found.text);
    const shown = words.length > MOST ? `${words.slice(0, MOST).toWellFormed()}${CUT}` : words;
    const message = `${word(found.author)} asks about ${JSON.stringify(oneLine(title ?? name))}:\n\n${shown}`;
    const answer = { type: 'string' as const, title: 'Your answer', minLength: 1, maxLength: MOST };
    const requestedSchema = { type: 'object' as const, properties: { answer }, required: ['answer'] };
    return inputRequired({
      inputRequests: { [found.key]: inputRequired.elicit({ message, requestedSchema }) },
    });
  }
  const { answer } = reply.content ?? {};
  if (reply.action !== 'accept')
    return { text: `The person did not answer (${reply.action}). The question stays open.` };
  if (typeof answer !== 'string' || answer.length > MOST)
    throw new RoomError('bad_input', `the answer is a text of ${MOST} characters at most`);
  await tasks.call('answer', { ref: id ?? ref, question: found.key, text: answer }, person);
  return { text: `The person answered:\n${showInvisible(answer)}` };
}
