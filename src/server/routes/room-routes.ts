// The room around its tasks: how it stands, its agents, what needs the person, what agents told them, and what happens in it.
import * as z from 'zod';
import { type Exchange, route } from '../gate/route.ts';
import { RING_SIZE } from '../room/feed.ts';
import { streamEvents } from './event-stream.ts';

const text = z.string();

export const ROOM_ROUTES = [
  route({
    method: 'get',
    path: '/api/events',
    id: 'followEvents',
    about: `What happens in the room, as server-sent events: types and data as \`taskroom up --json\` prints them. The last ${RING_SIZE} are kept: with Last-Event-ID a reader goes on after the one it saw last; where that is gone, \`event: reset\` comes first, and the reader looks at everything anew.`,
    group: 'room',
    needs: 'look',
    query: z.strictObject({
      types: text
        .optional()
        .meta({ description: 'only these, with commas between; `turn.*` for all of turns' }),
    }),
    headers: { 'last-event-id': 'goes on after that one' },
    answers: { 200: { about: 'The events.', media: 'text/event-stream' } },
    run: async (on, { query }) => followEvents(on, query.types),
  }),
  route({
    method: 'get',
    path: '/metrics',
    id: 'metrics',
    about: 'Figures of the room for Prometheus.',
    group: 'room',
    needs: 'look',
    answers: { 200: { about: 'The figures.', media: 'text/plain' } },
    run: async ({ room }) =>
      new Response(await room.metrics.text(), { headers: { 'content-type': room.metrics.contentType } }),
  }),
  route({
    method: 'post',
    path: '/api/links',
    id: 'createLink',
    about: 'A link that opens the room in a browser: it works once, for five minutes.',
    group: 'room',
    needs: 'person',
    answers: {
      201: { about: 'The link.', schema: z.strictObject({ url: text, expires_at: z.iso.datetime() }) },
    },
    run: async (on) => ({ status: 201, body: createLink(on) }),
  }),
];

/** A one-time link, under the address by which the caller reached us. */
function createLink({ room, origin }: Exchange): { url: string; expires_at: string } {
  const { key, expiresAt } = room.links.create();
  return { url: `${origin}/open?key=${key}`, expires_at: new Date(expiresAt).toISOString() };
}

function followEvents({ room, headers, signal, drop }: Exchange, types: string | undefined): Response {
  const wanted = (types ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const isWanted = (type: string) =>
    wanted.length === 0 ||
    wanted.some((each) => (each.endsWith('*') ? type.startsWith(each.slice(0, -1)) : each === type));
  room.metrics.readers(1);
  const stream = streamEvents(room.feed, room.effects, {
    lastId: headers.get('last-event-id'),
    wants: ({ type }) => isWanted(type),
    signal: AbortSignal.any([signal, room.closing]),
    onSlow() {
      room.metrics.readerDropped();
      drop();
    },
    onLeave: () => room.metrics.readers(-1),
  });
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  });
}
