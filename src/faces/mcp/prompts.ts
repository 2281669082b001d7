// The one built-in prompt, for an assistant that is asked to work on a task.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { meant, type ToolCaller } from '../../tasks/tools/tool.ts';

export const PROMPTS = [
  {
    name: 'work_on_task',
    description: 'Work on one task of this room, as its agents are told to',
    arguments: [{ name: 'task', description: 'id or name', required: false }],
  },
];

/** @throws RoomError, ProtocolError for an unknown prompt */
export async function getPrompt(caller: ToolCaller, name: string, given: Readonly<Record<string, string>>) {
  if (name !== PROMPTS[0]!.name)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${JSON.stringify(name)}`);
  const { prompt } = await caller.tasks.context(meant(caller, given.task));
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }] };
}
