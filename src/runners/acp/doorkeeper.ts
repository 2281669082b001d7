// Answers an agent that asks leave for a call: decided by the agent's file, told in its output.
import { createHash } from 'node:crypto';
import { isAbsolute, join, resolve } from 'node:path';
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Approval } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { isRoomError } from '../../core/errors.ts';
import { isTaken } from '../command/presets/taken-files.ts';
import type { Fields } from '../command/reading/fields.ts';
import type { RunInput } from '../runner.ts';
import { leadsInto } from '../workspace/contained-path.ts';
import type { MessageStream } from './message-stream.ts';
import { NOTE } from './output-reader.ts';
import { type AskedCall, type CallBook, chooseOption, decideLeave, type Leave } from './permission.ts';

const WORDS = { allow: 'allowed', ask: 'put to the person:', deny: 'refused' } as const;

/** @param onAsked called when the person is asked: the turn is to end over it */
export function createDoorkeeper(
  input: RunInput,
  cwd: string,
  messages: MessageStream,
  calls: CallBook,
  onAsked: () => Promise<void>,
) {
  const leave = leaveOf(input, cwd);
  const answered = readLeave(input.context);

  async function decide(call: AskedCall): Promise<Approval> {
    const decision = decideLeave(call, leave);
    if (decision !== 'ask') return decision;
    return answered.get(markOf(call)) ?? (await askPerson(input, call));
  }

  return async (request: Fields): Promise<RequestPermissionResponse> => {
    const call = calls.asked(request.toolCall);
    const decision = await decide(call);
    const what = `${call.kind}: ${call.title}${call.input === '' ? '' : ` (${call.input})`}`;
    if (!call.isOurs) await messages.note({ [NOTE]: `${WORDS[decision]} ${what}` });
    if (decision === 'ask') await onAsked();
    const optionId = decision === 'ask' ? null : chooseOption(request.options, decision);
    return optionId === null
      ? { outcome: { outcome: 'cancelled' } }
      : { outcome: { outcome: 'selected', optionId } };
  };
}

/** A chore has no file to ask in, and a task whose file can't be written none either: what can't be asked is refused. */
async function askPerson({ services }: RunInput, call: AskedCall): Promise<'ask' | 'deny'> {
  if (services === undefined) return 'deny';
  try {
    await services.ask(questionFor(call), `leave-${markOf(call)}`);
    return 'ask';
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return 'deny';
  }
}

function leaveOf({ agent, room, dir }: RunInput, cwd: string): Leave {
  const at = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path));
  const readable = [cwd, dir, join(room, 'tasks'), join(room, 'artifacts')];
  return {
    permissions: agent.permissions,
    approve: agent.approve,
    mayWork: (path) => leadsInto(cwd, at(path)) && !isTaken(agent.preset, at(path)),
    mayRead: (path) => readable.some((folder) => leadsInto(folder, at(path))),
  };
}

/** Names a call in its question, so that the same call is known again in a later turn. */
const MARK = /\(call ([0-9a-f]{8})\)/;
/** The whole answer is one of these: of anything longer nobody can say what its first word is worth. */
const YES = /^(yes|y|yes,? please|ok|okay|sure|allow|allowed|go ahead|ja)[.!]*$/i;
const NO = /^(no|n|no,? thanks|nope|never|deny|denied|refuse|refused|don'?t|do not|nein)[.!]*$/i;

export function markOf({ kind, title, input }: AskedCall): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, title, input]))
    .digest('hex')
    .slice(0, 8);
}

export function questionFor(call: AskedCall): string {
  const input = call.input === '' || call.title.includes(call.input) ? '' : `\n\n    ${call.input}`;
  return `May I do this (${call.kind})? Answer with yes or no, and nothing else. (call ${markOf(call)})\n\n    ${call.title}${input}`;
}

/**
 * What the person answered, by the mark of the call: the last answer counts. A call whose answer is neither a yes nor a no
 * is left out, so that it is asked again. What others say below a question, on a tracker say, gives no leave.
 */
export function readLeave(context: RunInput['context']): ReadonlyMap<string, 'allow' | 'deny'> {
  const leave = new Map<string, 'allow' | 'deny'>();
  for (const { question, answers } of (context as Partial<TurnContext>).answers ?? []) {
    const mark = MARK.exec(question.text)?.[1];
    const last = answers.findLast(({ author }) => author === null || author === 'owner');
    if (mark === undefined || last === undefined) continue;
    const word = last.text.trim();
    if (YES.test(word)) leave.set(mark, 'allow');
    else if (NO.test(word)) leave.set(mark, 'deny');
    else leave.delete(mark);
  }
  return leave;
}
