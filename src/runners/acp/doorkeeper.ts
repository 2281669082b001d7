// Answers an agent that asks leave for a call: decided by the agent's file, told in its output.
import { isAbsolute, join, resolve } from 'node:path';
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Approval } from '../../core/config/agent-config.ts';
import { isRoomError } from '../../core/errors.ts';
import { isTaken } from '../command/presets/taken-files.ts';
import type { Fields } from '../command/reading/fields.ts';
import type { RunInput } from '../runner.ts';
import { leadsInto } from '../workspace/contained-path.ts';
import { markOf, questionFor, readLeave } from './asked-leave.ts';
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
