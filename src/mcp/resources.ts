// Tasks, contexts and outputs of turns as resources: what a person points an assistant at.
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { oneLine } from '../core/context/fence.ts';
import { isRoomError } from '../core/errors.ts';
import { readPage } from '../operations/tools/look-tools.ts';
import { MAX_ANSWER, type ToolCaller } from '../operations/tools/tool.ts';

export const TEMPLATES = [
  {
    name: 'task',
    uriTemplate: 'taskroom://task/{id}',
    description: 'One task, as get_task shows it',
    mimeType: 'text/plain',
  },
  {
    name: 'context',
    uriTemplate: 'taskroom://context/{id}',
    description: 'What an agent would be given for a turn on the task, as JSON',
    mimeType: 'application/json',
  },
  {
    name: 'turn',
    uriTemplate: 'taskroom://turn/{id}',
    description: 'The end of what a turn printed',
    mimeType: 'text/plain',
  },
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
  task: async ({ tasks, actor }: ToolCaller, id: string) =>
    (await tasks.call('brief', { ref: id }, actor)).text,
  context: async ({ tasks, actor }: ToolCaller, id: string) =>
    JSON.stringify((await tasks.call('context', { ref: id }, actor)).context, null, 1),
  async turn({ tasks, actor }: ToolCaller, turn: string) {
    const { output_offset: size } = await tasks.call('showTurn', { turn }, actor);
    const offset = Math.max(0, size - MAX_ANSWER);
    return (await tasks.call('turnOutput', { turn, offset, limit: MAX_ANSWER }, actor)).text;
  },
};
