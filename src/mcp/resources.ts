// Tasks, contexts and outputs of turns as resources, which a person points an assistant at; and the one built-in prompt.
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { oneLine } from '../core/context/fence.ts';
import { isRoomError } from '../core/errors.ts';
import { readPage } from '../operations/tools/look-tools.ts';
import { MAX_ANSWER, meant, type ToolCaller } from '../operations/tools/tool.ts';

const template = (name: string, description: string, type = 'text/plain') => ({
  ...{ name, description, uriTemplate: `taskroom://${name}/{id}`, mimeType: type },
});

export const TEMPLATES = [
  template('task', 'One task, as get_task shows it'),
  template('context', 'What an agent would be given for a turn on the task, as JSON', 'application/json'),
  template('turn', 'The end of what a turn printed'),
];

/** The open tasks, a page at a time. @param cursor as the page before gave it */
export async function listResources(caller: ToolCaller, cursor: string | undefined) {
  const offset = /^\d{1,9}$/.test(cursor ?? '') ? Number(cursor) : 0;
  const { tasks, more } = await readPage(caller, { all: true, offset });
  const resources = tasks
    .filter(({ id }) => id !== null)
    .map(({ id, name, title, status }) => ({
      uri: `taskroom://task/${id}`,
      name: oneLine(title ?? name),
      description: status,
      mimeType: 'text/plain',
    }));
  return { resources, ...(more === null ? {} : { nextCursor: String(more) }) };
}

const URI = /^taskroom:\/\/(task|context|turn)\/([^/?#]+)$/;

/** @throws ResourceNotFoundError, RoomError */
export async function readResource(caller: ToolCaller, uri: string) {
  const [, kind, word] = URI.exec(uri) ?? [];
  if (kind === undefined) throw new ResourceNotFoundError(uri);
  try {
    const text = await READERS[kind as keyof typeof READERS](caller, decodeURIComponent(word!));
    const mimeType = kind === 'context' ? 'application/json' : 'text/plain';
    return { contents: [{ uri, mimeType, text }] };
  } catch (error) {
    if (error instanceof URIError || isRoomError(error, 'not_found')) throw new ResourceNotFoundError(uri);
    throw error;
  }
}

const READERS = {
  task: async ({ tasks, actor }: ToolCaller, ref: string) => (await tasks.call('brief', { ref }, actor)).text,
  context: async ({ tasks, actor }: ToolCaller, ref: string) =>
    JSON.stringify((await tasks.call('context', { ref }, actor)).context, null, 1),
  async turn({ tasks, actor }: ToolCaller, turn: string) {
    const { output_offset: size } = await tasks.call('showTurn', { turn }, actor);
    const offset = Math.max(0, size - MAX_ANSWER);
    return (await tasks.call('turnOutput', { turn, offset, limit: MAX_ANSWER }, actor)).text;
  },
};

const PROMPT = 'work_on_task';

/** @param task that of the caller's turn, which is meant where none is named; null outside of turns */
export function listPrompts({ task }: Pick<ToolCaller, 'task'>) {
  const argument = { name: 'task', description: 'id or name', required: task === null };
  const description = 'Work on one task of this room, as its agents are told to';
  return [{ name: PROMPT, description, arguments: [argument] }];
}

/** @throws RoomError, ProtocolError for an unknown prompt */
export async function getPrompt(caller: ToolCaller, name: string, given: Readonly<Record<string, string>>) {
  if (name !== PROMPT)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${JSON.stringify(name)}`);
  const { prompt } = await caller.tasks.call('context', { ref: meant(caller, given.task) }, caller.actor);
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }] };
}
