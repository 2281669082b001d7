// The one built-in prompt, for an assistant that is asked to work on a task.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { meant, type ToolCaller } from '../operations/tools/tool.ts';

const NAME = 'work_on_task';

/** @param task that of the caller's turn, which is meant where none is named; null outside of turns */
export function listPrompts({ task }: Pick<ToolCaller, 'task'>) {
  const argument = { name: 'task', description: 'id or name', required: task === null };
  const description = 'Work on one task of this room, as its agents are told to';
  return [{ name: NAME, description, arguments: [argument] }];
}

/** @throws RoomError, ProtocolError for an unknown prompt */
export async function getPrompt(caller: ToolCaller, name: string, given: Readonly<Record<string, string>>) {
  if (name !== NAME)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${JSON.stringify(name)}`);
  const { prompt } = await caller.tasks.call('context', { ref: meant(caller, given.task) }, caller.actor);
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }] };
}
